//! One look at one table: ask the describer within its time, keep what came of it.

use std::sync::{Arc, PoisonError};

use lakeglass_api::catalog::TableState;
use lakeglass_api::description::{FailedLook, Observation};
use lakeglass_ports::Describer;

use super::error::{Error, Result};
use super::{Inner, subject};
use crate::catalog::Resolved;
use crate::clock::now_ms;

impl Inner {
    pub(super) fn describer(&self, resolved: &Resolved) -> Result<Arc<dyn Describer>> {
        let format = &resolved.table.format;
        self.formats.describer(format).ok_or_else(|| Error::Unserved(format.clone()))
    }

    /// Looks, and keeps the answer or the cause of the failure. One at a time for each table.
    pub(super) async fn look(&self, resolved: &Resolved) -> Result<Observation> {
        if resolved.table.state == TableState::Declared {
            return Err(Error::NothingWritten);
        }
        let alone = self.turn(resolved.id);
        let held = alone.lock().await;
        let looked = self.look_alone(resolved).await;
        drop(held);
        drop(alone);
        self.forget_turn(resolved.id);
        looked
    }

    async fn look_alone(&self, resolved: &Resolved) -> Result<Observation> {
        let (id, format) = (resolved.id, &resolved.table.format);
        let at_ms = now_ms();
        let (observer, seen) = match self.describer(resolved) {
            Ok(describer) => (describer.observer(), self.ask(&*describer, resolved, at_ms).await),
            Err(error) => (String::new(), Err(error)),
        };
        match seen {
            Ok(seen) => {
                if self.store.keep(id, &seen).await? {
                    let totals = &seen.description.totals;
                    let (rows, bytes) =
                        (totals.rows.map(|count| count.value), totals.bytes.map(|count| count.value));
                    self.catalog.record_totals(id, rows, bytes, seen.taken_at_ms).await?;
                }
                Ok(seen)
            }
            Err(error) => {
                let failed = FailedLook { at_ms, observer, cause: error.to_string() };
                if self.store.keep_failed(id, format, &failed).await? {
                    self.catalog.record_failed_look(id, at_ms).await?;
                }
                Err(error)
            }
        }
    }

    async fn ask(&self, describer: &dyn Describer, resolved: &Resolved, at_ms: i64) -> Result<Observation> {
        // The semaphore is never closed, so waiting for it cannot fail.
        let _slot = self.looks.acquire().await.map_err(lakeglass_ports::Error::internal)?;
        let subject = subject(resolved);
        let described = tokio::time::timeout(self.look_time, describer.describe(&subject))
            .await
            .map_err(|_| lakeglass_ports::Error::TimedOut(self.look_time.as_secs()))??;
        let (expected, found) = (&resolved.table.format, &described.answer.format);
        if expected != found {
            return Err(Error::OtherFormat { expected: expected.clone(), found: found.clone() });
        }
        Ok(Observation {
            taken_at_ms: at_ms,
            observer: describer.observer(),
            description: described.answer,
            cost: described.cost,
        })
    }

    fn turn(&self, id: i64) -> Arc<tokio::sync::Mutex<()>> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(tables.entry(id).or_default())
    }

    /// Drops a table's lock when nobody else holds or waits for it.
    fn forget_turn(&self, id: i64) {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if tables.get(&id).is_some_and(|turn| Arc::strong_count(turn) == 1) {
            tables.remove(&id);
        }
    }
}
