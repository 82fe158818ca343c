//! Clients write directly: a declared table with a version is a created one, as soon as it is looked at.

use std::time::Duration;

use futures::StreamExt;

use super::error::Result;
use super::store::{self, entries::EntryRow};
use super::{Catalog, CatalogEvent, markers};
use crate::clock;

/// A list probes at most this many declared tables, at once at most this many, and in all this long.
const PROBES: u32 = 20;
const PROBES_AT_ONCE: usize = 8;
const PROBE_TIME: Duration = Duration::from_secs(2);
/// A list does not probe a table again within this many milliseconds.
const FRESH_MS: i64 = 1000;

impl Catalog {
    /// Promotes a declared entry that has a version by now. A store that does not answer leaves it.
    pub(super) async fn promoted(&self, mut row: EntryRow) -> Result<EntryRow> {
        if row.is_attached() {
            let asked = tokio::time::timeout(PROBE_TIME, self.state_there(&row)).await;
            // Asking may have found where it is.
            row = store::entries::by_id(&self.db.read, row.id).await?.unwrap_or(row);
            if let Ok(Some(state)) = asked
                && state != row.state
            {
                let mut connection = self.db.write.acquire().await?;
                let (remote, properties) = (row.remote.as_deref(), row.properties.as_str());
                store::mirror::set_seen(&mut connection, row.id, remote, properties, state).await?;
                state.clone_into(&mut row.state);
            }
            return Ok(row);
        }
        if row.state != "declared" || row.format != "lance" {
            return Ok(row);
        }
        if tokio::time::timeout(PROBE_TIME, self.has_version(&row)).await.unwrap_or(false) {
            self.promote(&[row.id]).await?;
            self.unmark(&row).await;
            "created".clone_into(&mut row.state);
        }
        Ok(row)
    }

    /// Promotes what was written directly among the declared entries of a namespace, or anywhere.
    pub(super) async fn promote_some(&self, namespace_id: Option<i64>) -> Result<()> {
        let before = clock::now_ms() - FRESH_MS;
        let rows = store::looks::to_probe(&self.db.read, namespace_id, before, PROBES).await?;
        if rows.is_empty() {
            return Ok(());
        }
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let mut written = Vec::new();
        let mut probes = futures::stream::iter(rows)
            .map(|row| async move { self.has_version(&row).await.then_some(row) })
            .buffer_unordered(PROBES_AT_ONCE);
        // Out of time: what was found so far is kept, the rest is looked at by a later list.
        let looking = async {
            while let Some(found) = probes.next().await {
                written.extend(found);
            }
        };
        drop(tokio::time::timeout(PROBE_TIME, looking).await);
        drop(probes);
        let found: Vec<i64> = written.iter().map(|row| row.id).collect();
        let empty: Vec<i64> = ids.into_iter().filter(|id| !found.contains(id)).collect();
        let mut connection = self.db.write.acquire().await?;
        store::looks::probed(&mut connection, &[], &empty, clock::now_ms()).await?;
        drop(connection);
        if !found.is_empty() {
            self.promote(&found).await?;
            for row in &written {
                self.unmark(row).await;
            }
        }
        Ok(())
    }

    /// The state of an attached table; none when nobody can tell now.
    async fn state_there(&self, row: &EntryRow) -> Option<&'static str> {
        // Written and looked at before: it does not become unwritten.
        if row.state == "created" && row.observed_at.is_some() {
            return None;
        }
        let location = self.location_of(row).await.ok()?;
        match self.engines.tables.latest_version(&location).await {
            Ok(Some(_)) => Some("created"),
            Ok(None) => Some("declared"),
            Err(_) => None,
        }
    }

    async fn has_version(&self, row: &EntryRow) -> bool {
        let Ok(location) = self.location_of(row).await else { return false };
        matches!(self.engines.tables.latest_version(&location).await, Ok(Some(_)))
    }

    async fn promote(&self, ids: &[i64]) -> Result<()> {
        let mut connection = self.db.write.acquire().await?;
        store::looks::probed(&mut connection, ids, &[], clock::now_ms()).await?;
        for id in ids {
            self.announce(CatalogEvent::Written { id: *id });
        }
        Ok(())
    }

    /// Takes the marker of a declared table away. Left behind it does no harm: data beside it counts.
    pub(super) async fn unmark(&self, row: &EntryRow) {
        if row.is_attached() {
            return;
        }
        if let Ok(location) = self.location_of(row).await
            && let Err(error) = markers::remove(&location, markers::RESERVED).await
        {
            tracing::warn!(entry = row.id, %error, "a marker could not be removed");
        }
    }
}
