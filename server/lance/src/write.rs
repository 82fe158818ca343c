//! Writing rows: create, append, overwrite. Bodies stream; a batch is let go once written.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, TryStreamExt};
use lakeglass_ports::{BatchStream, CreateMode, Error, InsertMode, Result, TableLocation, Written};
use lance::dataset::transaction::{Operation, Transaction};
use lance::dataset::{CommitBuilder, InsertBuilder, WriteMode, WriteParams};

use crate::confine;
use crate::cost::store_params;
use crate::error::map;
use crate::open::{Lake, newest};

/// Attempts at committing an append among other writers.
const ATTEMPTS: u32 = 200;
/// Waiting between attempts at a commit, in all.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// What went through a stream: how many rows, and the first error of the sender.
#[derive(Debug, Clone, Default)]
struct Passed {
    rows: Arc<AtomicU64>,
    error: Arc<Mutex<Option<Error>>>,
}

impl Passed {
    /// Checks and counts a stream's rows and keeps its error, which Lance would only pass on as text.
    fn watch(&self, location: &TableLocation, rows: BatchStream) -> SendableRecordBatchStream {
        let (passed, location) = (self.clone(), location.clone());
        let checked = rows.batches.map(move |batch| {
            let batch = batch?;
            confine::check_incoming(&location, &batch)?;
            Ok::<_, lakeglass_ports::Error>(batch)
        });
        let batches = checked.map(move |batch| match batch {
            Ok(batch) => {
                passed.rows.fetch_add(batch.num_rows() as u64, Ordering::Relaxed);
                Ok(batch)
            }
            Err(error) => {
                let shown = error.to_string();
                passed.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                Err(DataFusionError::Execution(shown))
            }
        });
        Box::pin(RecordBatchStreamAdapter::new(rows.schema, batches))
    }

    fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// The sender's own error when it had one, else Lance's.
    fn blame(&self, error: lance_core::Error) -> Error {
        let own = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        own.unwrap_or_else(|| map(error))
    }
}

fn params(lake: &Lake, location: &TableLocation, mode: WriteMode) -> WriteParams {
    WriteParams {
        mode,
        store_params: Some(store_params(&location.options)),
        session: Some(lake.session()),
        ..WriteParams::default()
    }
}

/// A first version, or with [`CreateMode::Overwrite`] a next one.
pub(crate) async fn create(
    lake: &Lake,
    location: &TableLocation,
    rows: BatchStream,
    mode: CreateMode,
) -> Result<Written> {
    confine::check_location(location)?;
    let exists = lake.latest_version(location).await?.is_some();
    match mode {
        CreateMode::Create if exists => Err(Error::AlreadyExists),
        CreateMode::Overwrite if exists => insert(lake, location, rows, InsertMode::Overwrite, None).await,
        CreateMode::Create | CreateMode::Overwrite => first(lake, location, rows).await,
    }
}

/// Writes version 1, or nothing when another writer did first.
async fn first(lake: &Lake, location: &TableLocation, rows: BatchStream) -> Result<Written> {
    let params = params(lake, location, WriteMode::Create);
    let passed = Passed::default();
    let transaction = InsertBuilder::new(location.uri.as_str())
        .with_params(&params)
        .execute_uncommitted_stream(passed.watch(location, rows))
        .await
        .map_err(|error| passed.blame(error))?;
    // No retries: an overwrite that may not retry is never applied on top of a version it did not see.
    let committed = CommitBuilder::new(location.uri.as_str())
        .with_store_params(store_params(&location.options))
        .with_session(lake.session())
        .with_max_retries(0)
        .execute(transaction.clone())
        .await;
    match committed {
        Ok(dataset) => {
            lake.keep(location, &dataset).await;
            Ok(Written { version: dataset.version_id(), rows: passed.rows() })
        }
        Err(error) => {
            let lost = lake.latest_version(location).await?.is_some();
            if lost {
                remove_files(lake, location, &transaction).await;
                return Err(Error::AlreadyExists);
            }
            Err(map(error))
        }
    }
}

/// Removes the new data files of a transaction that was surely not committed. What stays behind is
/// harmless.
pub(crate) async fn remove_files(lake: &Lake, location: &TableLocation, transaction: &Transaction) {
    let (Operation::Overwrite { fragments, .. } | Operation::Update { new_fragments: fragments, .. }) =
        &transaction.operation
    else {
        return;
    };
    let Ok((store, base, _)) = lake.builder(location).build_object_store().await else { return };
    for file in fragments.iter().flat_map(|fragment| &fragment.files) {
        let path = base.clone().join("data").join(file.path.as_str());
        if let Err(error) = store.delete(&path).await {
            tracing::debug!(%error, "a data file of a lost write stays behind");
        }
    }
}

/// Adds or replaces rows on the main branch or another.
pub(crate) async fn insert(
    lake: &Lake,
    location: &TableLocation,
    rows: BatchStream,
    mode: InsertMode,
    branch: Option<&str>,
) -> Result<Written> {
    let dataset = Arc::new(lake.open(location, &newest(branch), None).await?);
    let mode = match mode {
        InsertMode::Append => WriteMode::Append,
        InsertMode::Overwrite => WriteMode::Overwrite,
    };
    let params = params(lake, location, mode);
    let passed = Passed::default();
    let transaction = InsertBuilder::new(Arc::clone(&dataset))
        .with_params(&params)
        .execute_uncommitted_stream(passed.watch(location, rows))
        .await
        .map_err(|error| passed.blame(error))?;
    let dataset = CommitBuilder::new(dataset)
        .with_max_retries(ATTEMPTS)
        .with_retry_timeout(PATIENCE)
        .execute(transaction)
        .await
        .map_err(map)?;
    lake.keep(location, &dataset).await;
    Ok(Written { version: dataset.version_id(), rows: passed.rows() })
}

/// A stream of Lance's as one of ours.
pub(crate) fn into_batches(stream: SendableRecordBatchStream) -> BatchStream {
    BatchStream {
        schema: stream.schema(),
        batches: stream.map_err(|error| map(lance_core::Error::from(error))).boxed(),
    }
}
