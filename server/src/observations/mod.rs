//! Observations: what describers said of tables, when, and of which version.
//!
//! Taken after writes through this server, on request and by a sweep; read by pages. No decision reads
//! them. A look-up agrees on format, so that what was seen of one table never describes another that
//! took its place. A failed look is kept beside the last one that succeeded.

mod error;
mod follow;
mod look;
mod rest;
mod store;
mod sweep;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lakeglass_api::catalog::TableState;
use lakeglass_api::description::{FailedLook, Observation};
use lakeglass_api::{Role, TableRef};
use lakeglass_ports::{Subject, VersionPage, VersionRef};
use tokio::sync::Semaphore;

use crate::audit::{Audit, Outcome};
use crate::auth::Actor;
use crate::catalog::{Catalog, Resolved};
use crate::db::Db;
use crate::formats::Formats;
use crate::jobs::Jobs;
use crate::router::Route;

pub use error::Error;
use error::Result;
use store::Store;

/// Looks at once, over all tables.
const LOOKS_AT_ONCE: usize = 4;
/// How long one look may take.
const LOOK_TIME: Duration = Duration::from_mins(1);
/// How long a page of versions may take.
const VERSIONS_TIME: Duration = Duration::from_secs(15);
/// Observations given back at most.
const LONGEST_HISTORY: u32 = 500;

pub fn routes() -> Vec<Route> {
    rest::routes()
}

/// The observations of this server. Clones share everything.
#[derive(Debug, Clone)]
pub struct Observations {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    catalog: Catalog,
    formats: Formats,
    audit: Audit,
    looks: Semaphore,
    look_time: Duration,
    /// One look at a table at a time, so that an older answer never lands on a newer one.
    tables: Mutex<HashMap<i64, Arc<tokio::sync::Mutex<()>>>>,
    /// Tables that changed and wait for a look.
    changed: Mutex<HashMap<i64, follow::Waiting>>,
}

impl Observations {
    /// Registers the sweep among the kinds of job.
    pub fn new(db: &Db, catalog: Catalog, formats: Formats, audit: Audit, jobs: &Jobs) -> Self {
        jobs.register(Arc::new(sweep::ObserveSweep));
        Self::with_look_time(db, catalog, formats, audit, LOOK_TIME)
    }

    fn with_look_time(
        db: &Db,
        catalog: Catalog,
        formats: Formats,
        audit: Audit,
        look_time: Duration,
    ) -> Self {
        let inner = Inner {
            store: Store::new(db.clone()),
            catalog,
            formats,
            audit,
            looks: Semaphore::new(LOOKS_AT_ONCE),
            look_time,
            tables: Mutex::default(),
            changed: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Takes a new look now. For whoever may see the table.
    pub async fn observe(&self, actor: &Actor, table: &TableRef) -> Result<Observation> {
        let resolved = self.inner.catalog.resolve(actor, table, Role::Viewer).await?;
        let seen = self.inner.look(&resolved).await;
        let (outcome, detail) = match &seen {
            Ok(seen) => (Outcome::Done, serde_json::json!({ "version": seen.description.version })),
            Err(error) => (Outcome::Failed, serde_json::json!({ "cause": error.to_string() })),
        };
        self.inner.audit.record(actor, "table.observe", &table.to_string(), outcome, detail).await;
        seen
    }

    /// The last look that succeeded, and the newest when that one failed.
    pub async fn latest(
        &self,
        actor: &Actor,
        table: &TableRef,
    ) -> Result<(Option<Observation>, Option<FailedLook>)> {
        let (id, table) = self.inner.catalog.known(actor, table).await?;
        let format = &table.format;
        let latest = self.inner.store.history(id, format, 1).await?.pop();
        Ok((latest, self.inner.store.failed(id, format).await?))
    }

    /// Looks that succeeded, newest first: one for each version of the table.
    pub async fn history(&self, actor: &Actor, table: &TableRef, limit: u32) -> Result<Vec<Observation>> {
        let (id, table) = self.inner.catalog.known(actor, table).await?;
        let limit = limit.clamp(1, LONGEST_HISTORY);
        self.inner.store.history(id, &table.format, limit).await
    }

    /// Versions newest first, read live. Empty where the format has none, or nothing is written yet.
    pub async fn versions(
        &self,
        actor: &Actor,
        table: &TableRef,
        after: Option<&str>,
        limit: u32,
    ) -> Result<VersionPage> {
        let resolved = self.inner.catalog.resolve(actor, table, Role::Viewer).await?;
        if resolved.table.state == TableState::Declared {
            return Ok(VersionPage { versions: Vec::new(), next: None, total: Some(0) });
        }
        let describer = self.inner.describer(&resolved).await?;
        let subject = subject(&resolved);
        let asking = describer.history(&subject, after, limit.clamp(1, 200));
        let page = tokio::time::timeout(VERSIONS_TIME, asking)
            .await
            .map_err(|_| lakeglass_ports::Error::TimedOut(VERSIONS_TIME.as_secs()))??;
        Ok(page.answer)
    }
}

fn subject(resolved: &Resolved) -> Subject {
    Subject {
        location: resolved.location.clone(),
        format: resolved.table.format.clone(),
        version: VersionRef::Latest,
        options: resolved.options.clone(),
    }
}
