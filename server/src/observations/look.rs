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
    pub(super) async fn describer(&self, resolved: &Resolved) -> Result<Arc<dyn Describer>> {
        let format = &resolved.table.format;
        self.formats.describer(format).await.ok_or_else(|| Error::Unserved(format.clone()))
    }

    /// Looks, and keeps the answer or the cause of the failure. One at a time for each table.
    pub(super) async fn look(&self, resolved: &Resolved) -> Result<Observation> {
        if resolved.table.state == TableState::Declared {
            return Err(Error::NothingWritten);
        }
        let turn = self.turn(resolved.id);
        let _alone = turn.lock.lock().await;
        self.look_alone(resolved).await
    }

    async fn look_alone(&self, resolved: &Resolved) -> Result<Observation> {
        let (id, format) = (resolved.id, &resolved.table.format);
        let at_ms = now_ms();
        let (observer, seen) = match self.describer(resolved).await {
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

    fn turn(&self, id: i64) -> Turn<'_> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        Turn { inner: self, id, lock: Arc::clone(tables.entry(id).or_default()) }
    }
}

/// A place in the queue for one table. A look may be dropped at any await, so leaving is by drop.
struct Turn<'a> {
    inner: &'a Inner,
    id: i64,
    lock: Arc<tokio::sync::Mutex<()>>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut tables = self.inner.tables.lock().unwrap_or_else(PoisonError::into_inner);
        // The table's own and this one: nobody else is looking or waits to.
        if Arc::strong_count(&self.lock) == 2 {
            tables.remove(&self.id);
        }
    }
}
