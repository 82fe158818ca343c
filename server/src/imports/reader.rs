//! One file of any kind as batches of rows.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use futures::StreamExt;
use lakeglass_api::imports::FileKind;
use lakeglass_ports::{BatchStream, Error as PortError};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;

use super::error::{Error, Result};
use super::{arrow, csv};

pub(super) const BATCH_ROWS: usize = 8192;
/// Batches read ahead of the writer.
const AHEAD: usize = 2;

/// What a person says of a CSV file; none: as its start suggests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Choices {
    pub delimiter: Option<u8>,
    pub header: Option<bool>,
}

/// A file opened for reading.
pub(super) struct Opened {
    pub(super) kind: FileKind,
    pub(super) schema: SchemaRef,
    /// Where the file says so.
    pub(super) rows: Option<u64>,
    pub(super) guesses: Vec<String>,
    batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>,
}

/// Opens a file by what its first bytes say it is. Blocks.
pub(super) fn open(path: &Path, choices: Choices) -> Result<Opened> {
    // The libraries are given bytes of a stranger: a panic of theirs is the file's fault.
    std::panic::catch_unwind(AssertUnwindSafe(|| open_now(path, choices)))
        .unwrap_or_else(|_| Err(Error::Unreadable("The file makes no sense".to_owned())))
}

fn open_now(path: &Path, choices: Choices) -> Result<Opened> {
    let mut file = File::open(path)?;
    let mut mark = [0; 8];
    let read = file.read(&mut mark)?;
    let mark = &mark[..read];
    file.seek(SeekFrom::Start(0))?;
    if mark == arrow::FILE_MAGIC || mark.starts_with(&arrow::CONTINUATION) {
        let reader = arrow::open(file)?;
        return Ok(Opened {
            kind: FileKind::Arrow,
            schema: reader.schema(),
            rows: None,
            guesses: Vec::new(),
            batches: Box::new(reader),
        });
    }
    if mark.starts_with(b"PAR1") {
        let unreadable = |_| Error::Unreadable("This is not a whole Parquet file".to_owned());
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(unreadable)?;
        let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).ok();
        let schema = Arc::clone(builder.schema());
        let reader = builder.with_batch_size(BATCH_ROWS).build().map_err(unreadable)?;
        return Ok(Opened {
            kind: FileKind::Parquet,
            schema,
            rows,
            guesses: Vec::new(),
            batches: Box::new(reader),
        });
    }
    let csv::Opened { rows, schema, guesses } = csv::open(file, choices)?;
    Ok(Opened { kind: FileKind::Csv, schema, rows: None, guesses, batches: Box::new(rows) })
}

impl Opened {
    /// Its rows as they are asked for, read on a thread of their own. Counts them into `done`; ends with
    /// an error when `stop` is cancelled.
    pub(super) fn stream(self, done: Arc<AtomicU64>, stop: CancellationToken) -> BatchStream {
        let (send, receive) = tokio::sync::mpsc::channel(AHEAD);
        let Self { kind, schema, mut batches, .. } = self;
        tokio::task::spawn_blocking(move || {
            loop {
                let next = std::panic::catch_unwind(AssertUnwindSafe(|| batches.next()));
                let item = match next {
                    Err(_) => Err(PortError::InvalidRequest("The file makes no sense".to_owned())),
                    Ok(_) if stop.is_cancelled() => {
                        Err(PortError::InvalidRequest("The import was stopped".to_owned()))
                    }
                    Ok(None) => break,
                    Ok(Some(Ok(batch))) => Ok(batch),
                    Ok(Some(Err(error))) => Err(PortError::InvalidRequest(complaint(kind, &error))),
                };
                let failed = item.is_err();
                if let Ok(batch) = &item {
                    done.fetch_add(batch.num_rows() as u64, Ordering::Relaxed);
                }
                // Nobody listens: the write ended.
                if send.blocking_send(item).is_err() || failed {
                    break;
                }
            }
        });
        BatchStream { schema, batches: ReceiverStream::new(receive).boxed() }
    }
}

fn complaint(kind: FileKind, error: &ArrowError) -> String {
    match kind {
        FileKind::Csv => csv::said(&error.to_string()),
        other => {
            let text: String = error.to_string().chars().take(300).collect();
            format!("The {} file cannot be read further: {text}", other.title())
        }
    }
}
