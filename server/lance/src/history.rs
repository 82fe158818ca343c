//! Versions, newest first. The list comes from names alone; only the versions of a page are opened.

use std::collections::HashMap;

use futures::{StreamExt, TryStreamExt};
use lakeglass_api::description::{Property, Reference, Version};
use lakeglass_ports::{Error, Result, VersionPage};
use lance::Dataset;
use lance::dataset::transaction::{Operation, Transaction};

use crate::error::map;
use crate::{describe, references};

/// Manifests read at once.
const PARALLEL: usize = 8;

/// A page of versions of the branch that `dataset` is on.
pub(crate) async fn page(dataset: &Dataset, after: Option<&str>, limit: u32) -> Result<VersionPage> {
    let after = match after {
        None => None,
        Some(text) => Some(text.parse::<u64>().map_err(|_| {
            Error::InvalidRequest("The page after which to go on is a version number".to_owned())
        })?),
    };
    let known = dataset.version_refs().await.map_err(map)?;
    let total = known.len() as u64;
    let end = after.map_or(known.len(), |after| known.partition_point(|found| found.version < after));
    let start = end.saturating_sub(limit.max(1) as usize);
    let page: Vec<u64> = known[start..end].iter().rev().map(|found| found.version).collect();
    let mut pointing = by_version(references::list(dataset).await?, dataset);
    let opened: Vec<Option<Version>> = futures::stream::iter(page)
        .map(|version| one(dataset, version))
        .buffered(PARALLEL)
        .try_collect()
        .await?;
    let mut versions: Vec<Version> = opened.into_iter().flatten().collect();
    for version in &mut versions {
        version.references = pointing.remove(&version.id).unwrap_or_default();
    }
    let next = (start > 0).then(|| known[start].version.to_string());
    Ok(VersionPage { versions, next, total: Some(total) })
}

/// Tags and branches that point into this branch, by the version they point to.
fn by_version(references: Vec<Reference>, dataset: &Dataset) -> HashMap<String, Vec<Reference>> {
    let here = dataset.manifest().branch.as_deref();
    let mut by_version: HashMap<String, Vec<Reference>> = HashMap::new();
    for reference in references {
        let into =
            if reference.kind == "tag" { reference.branch.as_deref() } else { Some(reference.name.as_str()) };
        if into == here {
            by_version.entry(reference.version.clone()).or_default().push(reference);
        }
    }
    by_version
}

/// One version; none when it was cleaned up between the listing and this read.
async fn one(dataset: &Dataset, version: u64) -> Result<Option<Version>> {
    let branch = dataset.manifest().branch.clone();
    let opened = match dataset.checkout_version((branch.as_deref(), Some(version))).await {
        Ok(opened) => opened,
        Err(error) => {
            return match map(error) {
                Error::NotFound => Ok(None),
                other => Err(other),
            };
        }
    };
    // Past the caches: they hold transactions by version number alone.
    let transaction = opened.read_version_transaction(version).await.map_err(map)?.transaction;
    Ok(Some(Version {
        id: version.to_string(),
        timestamp_ms: describe::timestamp_ms(&opened),
        operation: transaction.as_ref().map(|transaction| transaction.operation.name().to_owned()),
        rows: describe::rows(&opened).map(|(live, _)| live),
        summary: transaction.as_ref().map(summary).unwrap_or_default(),
        references: Vec::new(),
    }))
}

/// What an operation did, in numbers where the transaction has them.
fn summary(transaction: &Transaction) -> Vec<Property> {
    let mut list = Vec::new();
    let mut add = |key: &str, value: String| list.push(Property { key: key.to_owned(), value });
    let rows = |fragments: &[lance_table::format::Fragment]| -> Option<u64> {
        fragments.iter().map(|fragment| fragment.num_rows().map(|rows| rows as u64)).sum()
    };
    match &transaction.operation {
        Operation::Append { fragments } | Operation::Overwrite { fragments, .. } => {
            if let Some(rows) = rows(fragments) {
                add("rows added", rows.to_string());
            }
            add("fragments added", fragments.len().to_string());
        }
        Operation::Delete { updated_fragments, deleted_fragment_ids, predicate } => {
            add("predicate", predicate.clone());
            add("fragments changed", updated_fragments.len().to_string());
            add("fragments removed", deleted_fragment_ids.len().to_string());
        }
        Operation::Update { removed_fragment_ids, updated_fragments, new_fragments, .. } => {
            if let Some(rows) = rows(new_fragments) {
                add("rows written", rows.to_string());
            }
            add("fragments added", new_fragments.len().to_string());
            add("fragments changed", updated_fragments.len().to_string());
            add("fragments removed", removed_fragment_ids.len().to_string());
        }
        Operation::CreateIndex { new_indices, removed_indices } => {
            let names: Vec<&str> = new_indices.iter().map(|index| index.name.as_str()).collect();
            if !names.is_empty() {
                add("indices", names.join(", "));
            }
            if !removed_indices.is_empty() {
                add("indices replaced", removed_indices.len().to_string());
            }
        }
        Operation::Rewrite { groups, .. } => {
            let before: usize = groups.iter().map(|group| group.old_fragments.len()).sum();
            let after: usize = groups.iter().map(|group| group.new_fragments.len()).sum();
            add("fragments before", before.to_string());
            add("fragments after", after.to_string());
        }
        Operation::Restore { version } => add("restored version", version.to_string()),
        _ => {}
    }
    for (key, value) in transaction.transaction_properties.iter().flat_map(|map| crate::open::sorted(map)) {
        add(key, value.clone());
    }
    list
}
