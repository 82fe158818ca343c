//! What is known of a table's indices from its manifest; none is opened.

use std::sync::Arc;

use lakeglass_ports::{IndexRecord, Result};
use lance::Dataset;
use lance::index::DatasetIndexExt;
use lance_index::{IndexDescription, is_system_index};

use super::kinds;
use crate::describe;
use crate::error::map;

/// An index with the rows it covers.
pub(crate) struct Described {
    pub(crate) index: Arc<dyn IndexDescription>,
    /// Canonical paths.
    pub(crate) columns: Vec<String>,
    pub(crate) covered: u64,
    pub(crate) not_covered: u64,
}

/// All but Lance's own, by name.
pub(crate) async fn described(dataset: &Dataset) -> Result<Vec<Described>> {
    let found = dataset.describe_indices(None).await.map_err(map)?;
    let live = match describe::rows(dataset) {
        Some((live, _)) => live,
        None => dataset.count_rows(None).await.map_err(map)? as u64,
    };
    let mut list: Vec<Described> = found
        .into_iter()
        .filter(|index| !index.segments().first().is_some_and(is_system_index))
        .map(|index| {
            let columns = index.field_ids().iter().map(|id| column(dataset, *id)).collect();
            let (covered, not_covered) = coverage(dataset, index.segments(), index.rows_indexed(), live);
            Described { index, columns, covered, not_covered }
        })
        .collect();
    list.sort_by(|a, b| a.index.name().cmp(b.index.name()));
    Ok(list)
}

pub(super) async fn records(dataset: &Dataset) -> Result<Vec<IndexRecord>> {
    Ok(described(dataset).await?.into_iter().map(record).collect())
}

fn record(described: Described) -> IndexRecord {
    let Described { index, columns, covered, not_covered } = described;
    let first = index.segments().first();
    let details = index.details().ok().filter(|details| details != "{}");
    IndexRecord {
        name: index.name().to_owned(),
        uuid: first.map(|segment| segment.uuid.to_string()).unwrap_or_default(),
        columns,
        kind: kinds::word(index.index_type()),
        type_url: index.type_url().to_owned(),
        distance_type: details.as_deref().and_then(distance_type),
        indexed_rows: covered,
        unindexed_rows: not_covered,
        bytes: index.total_size_bytes(),
        segments: index.segments().len() as u64,
        created_at_ms: index
            .segments()
            .iter()
            .filter_map(|segment| segment.created_at)
            .map(|at| at.timestamp_millis())
            .min(),
        index_version: first.map_or(0, |segment| segment.index_version),
        details,
    }
}

/// The distance of a vector index, in the specification's lower case.
fn distance_type(details: &str) -> Option<String> {
    let details: serde_json::Value = serde_json::from_str(details).ok()?;
    let name = details.get("metric_type")?.as_str()?.to_ascii_lowercase();
    (name != "unknown").then_some(name)
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
