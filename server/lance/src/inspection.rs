//! Tables and query plans in numbers and words; no row leaves here.

use async_trait::async_trait;
use lakeglass_ports::{
    FragmentLengths, Result, TableInspection, TableLocation, TableQuery, TableStats, VersionRef,
};
use lance::Dataset;

use crate::engine::Engine;
use crate::error::{clean, map};
use crate::{describe, indices, query};

/// Rows that compaction aims at in a fragment; fewer is small.
const TARGET_ROWS: u64 = 1024 * 1024;

#[async_trait]
impl TableInspection for Engine {
    async fn stats(&self, location: &TableLocation, at: &VersionRef) -> Result<TableStats> {
        let dataset = self.lake.open(location, at, None).await?;
        stats(&dataset).await
    }

    async fn explain(&self, location: &TableLocation, query: &TableQuery, verbose: bool) -> Result<String> {
        let dataset = self.lake.open(location, &query.at, None).await?;
        let plan = query::scanner(&dataset, query).await?.explain_plan(verbose).await.map_err(map)?;
        Ok(without_paths(&plan))
    }

    async fn analyze(&self, location: &TableLocation, query: &TableQuery) -> Result<String> {
        let dataset = self.lake.open(location, &query.at, None).await?;
        let plan = query::scanner(&dataset, query).await?.analyze_plan().await.map_err(map)?;
        Ok(without_paths(&plan))
    }
}

async fn stats(dataset: &Dataset) -> Result<TableStats> {
    let totals = describe::totals(dataset).await?;
    let known = indices::described(dataset).await?;
    let mut lengths = Vec::with_capacity(dataset.count_fragments());
    for fragment in dataset.get_fragments() {
        let rows = fragment.count_rows(None).await.map_err(map)?;
        lengths.push(rows as u64);
    }
    lengths.sort_unstable();
    let count = |count: Option<lakeglass_api::description::Count>| count.map_or(0, |count| count.value);
    Ok(TableStats {
        bytes: count(totals.bytes),
        rows: count(totals.rows),
        indices: known.len() as u64,
        fragments: lengths.len() as u64,
        small_fragments: lengths.iter().filter(|rows| **rows < TARGET_ROWS).count() as u64,
        lengths: summary(&lengths),
    })
}

/// Percentiles by nearest rank, of lengths in order.
fn summary(lengths: &[u64]) -> FragmentLengths {
    let (Some(min), Some(max)) = (lengths.first(), lengths.last()) else {
        return FragmentLengths::default();
    };
    let rank = |percent: usize| {
        let at = (lengths.len() * percent).div_ceil(100).max(1) - 1;
        lengths.get(at).copied().unwrap_or(*max)
    };
    FragmentLengths {
        min: *min,
        max: *max,
        mean: lengths.iter().sum::<u64>() / lengths.len() as u64,
        p25: rank(25),
        p50: rank(50),
        p75: rank(75),
        p99: rank(99),
    }
}

/// A plan's lines as they are indented, without places of this server.
fn without_paths(plan: &str) -> String {
    let lines = plan.lines().map(|line| {
        let indent = &line[..line.len() - line.trim_start().len()];
        let parts: Vec<String> = line.trim_start().split(' ').map(without_path).collect();
        format!("{indent}{}", parts.join(" "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A word of a plan; one that names a place becomes its key with `…`.
fn without_path(word: &str) -> String {
    match word.split_once('=') {
        // The reader's own word for a file's place, without the leading slash of one.
        Some((key, value)) if key == "uri" || clean(value) == "…" => {
            let comma = if value.ends_with(',') { "," } else { "" };
            format!("{key}=…{comma}")
        }
        _ if clean(word) == "…" && word != "…" => "…".to_owned(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_lengths_that_are_there() {
        let lengths = summary(&(1..=100).collect::<Vec<_>>());
        assert_eq!((lengths.min, lengths.p25, lengths.p50, lengths.p75), (1, 25, 50, 75));
        assert_eq!((lengths.p99, lengths.max, lengths.mean), (99, 100, 50));
        let one = summary(&[7]);
        assert_eq!((one.min, one.p25, one.p99, one.max), (7, 7, 7, 7));
        assert_eq!(summary(&[]), FragmentLengths::default());
    }

    #[test]
    fn a_plan_keeps_its_shape_and_loses_its_paths() {
        let plan = "LanceRead: uri=/srv/data/t/data, projection=[id]\n  Filter: id > 3, file:///srv/x/y";
        let shown = without_paths(plan);
        assert_eq!(shown, "LanceRead: uri=…, projection=[id]\n  Filter: id > 3, …");
    }
}
