//! Mending what a process that ended half way left: open intents are finished, or undone in favour of
//! keeping data. Reads the open intents only, however many tables there are.

use std::time::Duration;

use super::error::{Error, Result};
use super::store::{self, intents::IntentRow};
use super::{Catalog, markers};

/// Between two looks at what could not be mended before.
const PAUSE: Duration = Duration::from_mins(1);

impl Catalog {
    /// Mends what is open, now and then again, for as long as the runtime lives.
    pub fn keep_mending(&self) {
        let this = self.clone();
        tokio::spawn(async move {
            loop {
                if let Err(error) = this.repair().await {
                    tracing::warn!(%error, "open changes could not be read");
                }
                tokio::time::sleep(PAUSE).await;
            }
        });
    }

    /// Finishes or undoes every open intent that nothing in this process is busy with. Gives how many
    /// are left open, for a storage that does not answer or a fault; those are tried again later.
    pub async fn repair(&self) -> Result<usize> {
        let mut left = 0;
        for intent in store::intents::all(&self.db.read).await? {
            if let Err(error) = self.mend(&intent).await {
                left += 1;
                tracing::warn!(intent = intent.id, kind = intent.kind, %error, "a change could not be mended yet");
            }
        }
        Ok(left)
    }

    async fn mend(&self, intent: &IntentRow) -> Result<()> {
        let Some(_change) = self.changes.alone_now(intent.entry_id.unwrap_or(-intent.bucket_id)) else {
            return Ok(());
        };
        let mut connection = self.db.write.acquire().await?;
        let still_open = store::intents::exists(&mut connection, intent.id).await?;
        drop(connection);
        if !still_open {
            return Ok(());
        }
        tracing::info!(intent = intent.id, kind = intent.kind, "mending a change that was interrupted");
        let Some(id) = intent.entry_id else {
            let bucket = store::buckets::by_id(&self.db.read, intent.bucket_id).await?;
            return match bucket {
                Some(bucket) => {
                    let mut connection = self.db.write.acquire().await?;
                    let tables = store::trash::ids_in_bucket(&mut connection, bucket.id).await?;
                    drop(connection);
                    self.finish_bucket_deletion(&bucket, &tables).await
                }
                None => Ok(()),
            };
        };
        let row = store::entries::by_id(&self.db.read, id).await?;
        let row = row.ok_or_else(|| Error::internal("an intent without its entry"))?;
        match row.state.as_str() {
            "creating" => self.undo_create(&row).await,
            "dropping" => {
                let busy = || Error::Busy(row.name.clone());
                let _write = self.writes.alone_soon(id).await.ok_or_else(busy)?;
                self.finish_drop(&row).await
            }
            _ => self.settle(id).await,
        }
    }

    /// Makes the markers beside an entry's data say what its row says, then closes its intent.
    pub(super) async fn settle(&self, id: i64) -> Result<()> {
        let row = store::entries::by_id(&self.db.read, id).await?;
        let row = row.ok_or_else(|| Error::internal("an entry vanished during a change"))?;
        if row.format == "lance" {
            let location = self.location_of(&row).await?;
            match row.state.as_str() {
                "deregistered" => markers::write(&location, markers::DEREGISTERED).await?,
                "declared" => {
                    markers::write(&location, markers::RESERVED).await?;
                    markers::remove(&location, markers::DEREGISTERED).await?;
                }
                _ => {
                    markers::remove(&location, markers::DEREGISTERED).await?;
                    markers::remove(&location, markers::RESERVED).await?;
                }
            }
        }
        super::crash::point("settle.marked").await;
        let mut connection = self.db.write.acquire().await?;
        store::intents::close_of(&mut connection, id).await?;
        Ok(())
    }
}
