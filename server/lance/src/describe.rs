//! Describing a table at one version, from its manifest and small files beside it; no data is read.

use std::sync::Arc;

use lakeglass_api::FormatId;
use lakeglass_api::description::{Count, Description, Index, Property, Totals};
use lakeglass_ports::Result;
use lance::Dataset;
use lance::index::DatasetIndexExt;
use lance_index::{IndexDescription, is_system_index};

use crate::error::map;
use crate::open::sorted;
use crate::{references, schema};

pub(crate) async fn describe(dataset: &Dataset) -> Result<Description> {
    let manifest = dataset.manifest();
    let totals = totals(dataset).await?;
    let live = totals.rows.map_or(0, |rows| rows.value);
    Ok(Description {
        format: FormatId::lance(),
        format_version: Some(manifest.data_storage_format.lance_file_format().to_string()),
        version: Some(manifest.version.to_string()),
        version_timestamp_ms: timestamp_ms(dataset),
        schema: schema::fields(&manifest.schema),
        totals,
        references: references::list(dataset).await?,
        indices: indices(dataset, live).await?,
        features: features(dataset),
        properties: properties(dataset),
        notes: Vec::new(),
    })
}

/// When the version was committed, in milliseconds since 1970.
pub(crate) fn timestamp_ms(dataset: &Dataset) -> Option<i64> {
    i64::try_from(dataset.manifest().timestamp_nanos / 1_000_000).ok()
}

/// Live and deleted rows from the manifest; none where old writers left them out.
pub(crate) fn rows(dataset: &Dataset) -> Option<(u64, u64)> {
    let (mut physical, mut deleted) = (0_u64, 0_u64);
    for fragment in dataset.iter_fragments() {
        physical += fragment.physical_rows? as u64;
        if let Some(file) = &fragment.deletion_file {
            deleted += file.num_deleted_rows? as u64;
        }
    }
    Some((physical.saturating_sub(deleted), deleted))
}

/// Rows, bytes and files of a version.
pub(crate) async fn totals(dataset: &Dataset) -> Result<Totals> {
    let (live, deleted) = match rows(dataset) {
        Some(counts) => counts,
        None => (
            dataset.count_rows(None).await.map_err(map)? as u64,
            dataset.count_deleted_rows().await.map_err(map)? as u64,
        ),
    };
    let (mut bytes, mut known) = (0_u64, true);
    for fragment in dataset.iter_fragments() {
        for file in fragment.referenced_lance_files() {
            match file.file_size_bytes.get() {
                Some(size) => bytes += size.get(),
                None => known = false,
            }
        }
    }
    Ok(Totals {
        rows: Some(Count::exact(live)),
        deleted_rows: Some(Count::exact(deleted)),
        files: Some(Count::exact(dataset.count_fragments() as u64)),
        bytes: Some(Count { value: bytes, exact: known }),
        versions: Some(Count::exact(dataset.count_versions().await.map_err(map)?)),
    })
}

/// Indices that people made, not those that Lance keeps for itself.
pub(crate) async fn user_indices(dataset: &Dataset) -> Result<Vec<Arc<dyn IndexDescription>>> {
    let mut described = dataset.describe_indices(None).await.map_err(map)?;
    described.retain(|index| !index.segments().first().is_some_and(is_system_index));
    Ok(described)
}

async fn indices(dataset: &Dataset, live: u64) -> Result<Vec<Index>> {
    let described = user_indices(dataset).await?;
    let mut list = Vec::with_capacity(described.len());
    for index in described {
        let columns = index.field_ids().iter().map(|id| column(dataset, *id)).collect();
        let (covered, not_covered) = coverage(dataset, index.segments(), index.rows_indexed(), live);
        list.push(Index {
            name: index.name().to_owned(),
            kind: index.index_type().to_owned(),
            columns,
            rows_covered: Some(covered),
            rows_not_covered: Some(not_covered),
            bytes: index.total_size_bytes(),
        });
    }
    list.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(list)
}

/// Live rows in fragments that an index covers, and in those it does not. Lance's own count keeps
/// deleted rows, so it is used only where a fragment's live rows are unknown.
fn coverage(
    dataset: &Dataset,
    segments: &[lance_table::format::IndexMetadata],
    indexed: u64,
    live: u64,
) -> (u64, u64) {
    let mut covered = 0_u64;
    for fragment in dataset.iter_fragments() {
        let within = segments.iter().any(|segment| {
            segment
                .fragment_bitmap
                .as_ref()
                .is_some_and(|fragments| u32::try_from(fragment.id).is_ok_and(|id| fragments.contains(id)))
        });
        if within {
            match fragment.num_rows() {
                Some(rows) => covered += rows as u64,
                None => return (indexed.min(live), live.saturating_sub(indexed)),
            }
        }
    }
    (covered, live.saturating_sub(covered))
}

/// A field's path by its id, as "a.b"; its number where the schema no longer has it.
fn column(dataset: &Dataset, id: u32) -> String {
    i32::try_from(id)
        .ok()
        .and_then(|id| dataset.schema().field_path(id).ok())
        .unwrap_or_else(|| format!("field {id}"))
}

fn features(dataset: &Dataset) -> Vec<String> {
    let manifest = dataset.manifest();
    let mut features = Vec::new();
    let mut add = |present: bool, name: &str| {
        if present {
            features.push(name.to_owned());
        }
    };
    add(manifest.uses_stable_row_ids(), "stable row ids");
    add(manifest.fragments.iter().any(|fragment| fragment.deletion_file.is_some()), "deletion files");
    add(manifest.fragments.iter().any(|fragment| !fragment.overlays.is_empty()), "overlay files");
    add(!manifest.base_paths.is_empty(), "base paths");
    add(manifest.has_managed_blobs(), "managed blobs");
    features
}

/// Table metadata as it is, then configuration and schema metadata under prefixes that say which.
fn properties(dataset: &Dataset) -> Vec<Property> {
    let manifest = dataset.manifest();
    let prefixed = |prefix: &'static str, map| {
        sorted(map).into_iter().map(move |(key, value): (&String, &String)| Property {
            key: format!("{prefix}{key}"),
            value: value.clone(),
        })
    };
    prefixed("", &manifest.table_metadata)
        .chain(prefixed("config.", &manifest.config))
        .chain(prefixed("schema.", &manifest.schema.metadata))
        .collect()
}
