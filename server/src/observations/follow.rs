//! Follows the catalog: a table that was written or got a place is looked at soon after.

use std::collections::hash_map::Entry;
use std::sync::PoisonError;
use std::time::Duration;

use tokio::sync::broadcast::error::RecvError;

use super::{Inner, Observations};
use crate::catalog::CatalogEvent;

/// A burst of writes is one look.
const SETTLE: Duration = Duration::from_millis(300);
/// A table that is written all the time is looked at this often.
const AGAIN: Duration = Duration::from_secs(2);
/// Tables that may wait at once; beyond it they are left to the sweep.
const MOST_WAITING: usize = 1_000;

/// A table that waits for a look, or is looked at.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// It changed again since the look began.
    again: bool,
}

impl Observations {
    /// Listens until the catalog is gone.
    pub async fn follow(self) {
        let mut events = self.inner.catalog.events();
        loop {
            match events.recv().await {
                Ok(CatalogEvent::Written { id } | CatalogEvent::Relocated { id }) => self.look_soon(id),
                Ok(CatalogEvent::Removed { .. }) => {}
                Err(RecvError::Lagged(missed)) => {
                    tracing::info!(missed, "Writes came faster than looks; the sweep finds those tables");
                }
                Err(RecvError::Closed) => return,
            }
        }
    }

    fn look_soon(&self, id: i64) {
        let mut changed = self.inner.changed.lock().unwrap_or_else(PoisonError::into_inner);
        let room = changed.len() < MOST_WAITING;
        match changed.entry(id) {
            Entry::Occupied(mut waiting) => waiting.get_mut().again = true,
            Entry::Vacant(free) if room => {
                free.insert(Waiting::default());
                let this = self.clone();
                tokio::spawn(async move { this.look_until_quiet(id).await });
            }
            Entry::Vacant(_) => {}
        }
    }

    async fn look_until_quiet(&self, id: i64) {
        let mut pause = SETTLE;
        loop {
            tokio::time::sleep(pause).await;
            self.inner.begin(id);
            match self.inner.catalog.by_id(id).await {
                // A failure is kept beside the last look, and shown with it.
                Ok(resolved) => drop(self.inner.look(&resolved).await),
                Err(error) => tracing::debug!(entry = id, %error, "A changed table was not looked at"),
            }
            if self.inner.quiet(id) {
                return;
            }
            pause = AGAIN;
        }
    }
}

impl Inner {
    fn begin(&self, id: i64) {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        changed.entry(id).or_default().again = false;
    }

    /// Whether the table stayed as it was looked at; it then no longer waits.
    fn quiet(&self, id: i64) -> bool {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        let quiet = !changed.get(&id).is_some_and(|waiting| waiting.again);
        if quiet {
            changed.remove(&id);
        }
        quiet
    }
}
