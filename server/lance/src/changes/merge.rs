//! Rows merged by key: updated, added and removed in one version.

use std::sync::Arc;
use std::time::Duration;

use lakeglass_ports::{
    BatchStream, Error, Merge, Merged, Result, TableLocation, WhenMatched, WhenNotMatchedBySource,
};
use lance::Dataset;
use lance::dataset::{self, CommitBuilder, MergeInsertBuilder, MergeInsertJob, WhenNotMatched};
use tokio::time::Instant;

use super::ATTEMPTS;
use super::spool::Spool;
use crate::error::map;
use crate::open::{Lake, newest};
use crate::write::remove_files;

/// Receives the rows, then merges them in the table's turn. The time that a merge may take ends before
/// its commit begins, so that one that ran out of it changed nothing.
pub(super) async fn merge(
    lake: &Lake,
    location: &TableLocation,
    rows: BatchStream,
    merge: &Merge,
    branch: Option<&str>,
) -> Result<Merged> {
    let deadline = Deadline::of(merge.timeout);
    // What is wrong with the request is said before its rows are received.
    job(lake.open(location, &newest(branch), None).await?, merge)?;
    let spool = deadline.bound(Spool::receive(location, rows)).await?;
    let _turn = deadline.bound(async { Ok(lake.turn(location).await) }).await?;
    for attempt in 1..=ATTEMPTS {
        let dataset = lake.open(location, &newest(branch), None).await?;
        let job = job(dataset.clone(), merge)?;
        let work = async { job.execute_uncommitted(spool.read()).await.map_err(map) };
        let staged = deadline.bound(Box::pin(work)).await?;
        let mut commit = CommitBuilder::new(Arc::new(dataset));
        if let Some(affected) = staged.affected_rows {
            commit = commit.with_affected_rows(affected);
        }
        match commit.execute(staged.transaction.clone()).await {
            Ok(dataset) => {
                lake.keep(location, &dataset).await;
                return Ok(Merged {
                    version: dataset.version_id(),
                    inserted: staged.stats.num_inserted_rows,
                    updated: staged.stats.num_updated_rows,
                    deleted: staged.stats.num_deleted_rows,
                    attempts: attempt,
                });
            }
            // Surely not committed: what it wrote is of no use to anyone.
            Err(lance_core::Error::RetryableCommitConflict { .. }) => {
                remove_files(lake, location, &staged.transaction).await;
            }
            Err(error) => return Err(map(error)),
        }
    }
    Err(Error::Conflict)
}

fn job(dataset: Dataset, merge: &Merge) -> Result<MergeInsertJob> {
    if merge.on.iter().all(|column| column.trim().is_empty()) {
        return Err(Error::InvalidRequest("Say which columns the rows are matched on".to_owned()));
    }
    let matched = match &merge.when_matched {
        WhenMatched::Keep => dataset::WhenMatched::DoNothing,
        WhenMatched::Update => dataset::WhenMatched::UpdateAll,
        WhenMatched::UpdateIf(predicate) => dataset::WhenMatched::UpdateIf(predicate.clone()),
    };
    let not_matched =
        if merge.insert_not_matched { WhenNotMatched::InsertAll } else { WhenNotMatched::DoNothing };
    let by_source = match &merge.when_not_matched_by_source {
        WhenNotMatchedBySource::Keep => dataset::WhenNotMatchedBySource::Keep,
        WhenNotMatchedBySource::Delete => dataset::WhenNotMatchedBySource::Delete,
        WhenNotMatchedBySource::DeleteIf(predicate) => {
            dataset::WhenNotMatchedBySource::delete_if(&dataset, predicate).map_err(map)?
        }
    };
    let on = key(&dataset, &merge.on);
    MergeInsertBuilder::try_new(Arc::new(dataset), on)
        .map_err(map)?
        .when_matched(matched)
        .when_not_matched(not_matched)
        .when_not_matched_by_source(by_source)
        .use_index(merge.use_index)
        .try_build()
        .map_err(map)
}

/// The key's columns; clients that join lists send several as one, parted by commas.
fn key(dataset: &Dataset, on: &[String]) -> Vec<String> {
    match on {
        [one] if one.contains(',') && dataset.schema().field_case_insensitive(one).is_none() => {
            one.split(',').map(|part| part.trim().to_owned()).collect()
        }
        columns => columns.to_vec(),
    }
}

/// When work must be done.
#[derive(Debug, Clone, Copy)]
struct Deadline(Option<(Instant, Duration)>);

impl Deadline {
    fn of(timeout: Option<Duration>) -> Self {
        // A time beyond what the clock can count to never comes.
        Self(timeout.and_then(|time| Instant::now().checked_add(time).map(|at| (at, time))))
    }

    async fn bound<T>(self, work: impl Future<Output = Result<T>>) -> Result<T> {
        match self.0 {
            None => work.await,
            Some((at, time)) => {
                let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
                tokio::time::timeout_at(at, work).await.unwrap_or(Err(Error::TimedOut(seconds)))
            }
        }
    }
}
