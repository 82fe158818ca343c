//! Describing a table at one version, from its manifest and small files beside it; no data is read.

use lakeglass_api::FormatId;
use lakeglass_api::description::{Count, Description, Index, Property, Totals};
use lakeglass_ports::Result;
use lance::Dataset;

use crate::error::map;
use crate::open::sorted;
use crate::{indices, references, schema};

pub(crate) async fn describe(dataset: &Dataset) -> Result<Description> {
    let manifest = dataset.manifest();
    let totals = totals(dataset).await?;
    Ok(Description {
        format: FormatId::lance(),
        format_version: Some(manifest.data_storage_format.lance_file_format().to_string()),
        version: Some(manifest.version.to_string()),
        version_timestamp_ms: timestamp_ms(dataset),
        schema: schema::fields(&manifest.schema),
        totals,
        references: references::list(dataset).await?,
        indices: indices(dataset).await?,
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

async fn indices(dataset: &Dataset) -> Result<Vec<Index>> {
    let described = indices::described(dataset).await?;
    let index = |one: indices::Described| Index {
        name: one.index.name().to_owned(),
        kind: one.index.index_type().to_owned(),
        columns: one.columns,
        rows_covered: Some(one.covered),
        rows_not_covered: Some(one.not_covered),
        bytes: one.index.total_size_bytes(),
    };
    Ok(described.into_iter().map(index).collect())
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
