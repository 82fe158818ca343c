//! Rows kept aside while they are merged: in memory up to a bound, beyond it in a file that only this
//! user can read and that goes with the spool.

use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use lakeglass_ports::{BatchStream, Error, Result, TableLocation};
use lance_datafusion::spill::{SpillReceiver, SpillSender, create_replay_spill};
use tempfile::TempDir;

use crate::confine;
use crate::error::map;

/// Rows held in memory before a file is used, in bytes.
const MEMORY: usize = 64 << 20;

/// Rows that were received to their end and can be read as often as needed.
pub(super) struct Spool {
    receiver: SpillReceiver,
    /// Readers fail once it is gone.
    _sender: SpillSender,
    /// Removed with everything in it; its mode is 0700.
    _folder: TempDir,
}

impl Spool {
    /// Receives all rows, each batch checked. The sender's own error comes back as it was.
    pub(super) async fn receive(location: &TableLocation, rows: BatchStream) -> Result<Self> {
        let folder = tokio::task::spawn_blocking(TempDir::new).await.map_err(Error::internal)?;
        let folder = folder.map_err(|error| map(error.into()))?;
        let file = folder.path().join("rows.arrow");
        let (mut sender, receiver) = create_replay_spill(file, rows.schema, MEMORY);
        let mut batches = rows.batches;
        while let Some(batch) = batches.next().await {
            let batch = batch?;
            confine::check_incoming(location, &batch)?;
            sender.write(batch).await.map_err(|error| map(error.into()))?;
        }
        sender.finish().await.map_err(|error| map(error.into()))?;
        Ok(Self { receiver, _sender: sender, _folder: folder })
    }

    /// The rows from the first on.
    pub(super) fn read(&self) -> SendableRecordBatchStream {
        self.receiver.read()
    }
}
