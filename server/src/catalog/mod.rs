//! Buckets, namespaces and tables: what exists, under which rules, and where its bytes are.
//!
//! The service decides; `store` holds its SQL, `storage` its places, and the engine port its writes.
//! A change that touches database and store writes an intent first, so that a process that ends half
//! way is mended at the next start. Dropping is the only thing that removes bytes.

mod attach;
mod batch;
mod buckets;
mod columns;
mod crash;
mod data;
mod drop;
mod error;
mod gates;
mod intents;
mod layout;
mod listing;
mod markers;
mod mirror;
mod mirrored;
mod model;
mod namespaces;
mod noticed;
mod promotion;
mod register;
mod remote;
mod rename;
mod rest;
mod standing;
mod store;
mod tables;
mod trash;

use std::future::Future;
use std::sync::Arc;

use lakeglass_api::catalog::{Table, TableState};
use lakeglass_api::{BucketName, FormatId, NamespacePath, Role, TableName, TableRef};
use tokio::sync::broadcast;

use crate::attached::{self, Attached};
use crate::audit::Audit;
use crate::auth::{Actor, Auth};
use crate::db::Db;
use crate::engines::Engines;
use crate::router::Route;
use crate::storage::{Storages, relative};

pub use batch::{BatchOperation, BatchOutcome};
pub use columns::{Column, schema};
pub use error::{Error, Result};
pub(crate) use mirror::ROOT;
pub use model::{BucketChange, CascadeList, CatalogEvent, NamespaceMode, NewBucket, Resolved, TableMode};
pub(crate) use noticed::Noticed;
pub use standing::Standing;
use store::buckets::BucketRow;
use store::entries::EntryRow;
use store::namespaces::NamespaceRow;

/// Events kept for a listener that is slow; it learns when it missed some.
const EVENTS: usize = 1024;

pub fn routes() -> Vec<Route> {
    rest::routes()
}

/// The catalog of this server. Clones share everything.
#[derive(Debug, Clone)]
pub struct Catalog {
    db: Db,
    engines: Engines,
    storages: Storages,
    attached: Attached,
    /// Writes of rows, by entry.
    writes: Arc<gates::Gates>,
    /// Changes with an intent, by entry (by negative bucket id for a bucket's own).
    changes: Arc<gates::Gates>,
    /// Listings of attached buckets, by bucket.
    mirrors: Arc<gates::Gates>,
    fresh: Arc<mirror::Fresh>,
    events: broadcast::Sender<CatalogEvent>,
    audit: Audit,
    auth: Auth,
}

impl Catalog {
    pub fn new(
        db: Db,
        storages: Storages,
        attached: Attached,
        engines: Engines,
        audit: Audit,
        auth: Auth,
    ) -> Self {
        let (events, _) = broadcast::channel(EVENTS);
        Self {
            db,
            engines,
            storages,
            attached,
            writes: Arc::default(),
            changes: Arc::default(),
            mirrors: Arc::default(),
            fresh: Arc::default(),
            events,
            audit,
            auth,
        }
    }

    /// What happens to tables from now on.
    pub fn events(&self) -> broadcast::Receiver<CatalogEvent> {
        self.events.subscribe()
    }

    fn announce(&self, event: CatalogEvent) {
        // No listener is no fault: the sweep of observations finds the change later.
        drop(self.events.send(event));
    }

    /// The bucket, if the actor holds a role in it.
    async fn bucket_row(&self, actor: &Actor, name: &BucketName, role: Role) -> Result<BucketRow> {
        actor.require(name, role)?;
        let found = store::buckets::find(&self.db.read, name).await?;
        found.ok_or_else(|| Error::NoSuchBucket(name.clone()))
    }

    async fn namespace_row(&self, bucket: &BucketRow, path: &NamespacePath) -> Result<NamespaceRow> {
        let root = path.is_root() && bucket.is_attached();
        let dotted = if root { ROOT.to_owned() } else { path.dotted() };
        let mut found = store::namespaces::find(&self.db.read, bucket.id, &dotted).await?;
        if found.is_none() && bucket.is_attached() {
            self.refresh(bucket, path).await?;
            found = store::namespaces::find(&self.db.read, bucket.id, &dotted).await?;
        }
        found.ok_or_else(|| Error::NoSuchNamespace(display(&bucket.name, &dotted)))
    }

    /// The entry that holds a name and is not still being made, if the actor holds a role there.
    async fn entry_row(&self, actor: &Actor, table: &TableRef, role: Role) -> Result<EntryRow> {
        let bucket = self.bucket_row(actor, &table.bucket, role).await?;
        if bucket.is_attached() {
            return self.mirrored(&bucket, table).await;
        }
        let dotted = table.namespace.dotted();
        let found = store::entries::find(&self.db.read, bucket.id, &dotted, table.table.as_str()).await?;
        match found {
            Some(entry) if entry.state != "creating" => Ok(entry),
            _ => Err(Error::NoSuchTable(table.clone())),
        }
    }

    /// An entry as lists show it.
    async fn shown(&self, row: EntryRow) -> Result<Table> {
        if row.is_attached() {
            let location = row.remote.clone().unwrap_or_default();
            return to_table(row, location);
        }
        let place = relative::join(&row.root, &row.location);
        let location = self.storages.uri(row.storage_id, &place).await?;
        to_table(row, location)
    }

    /// An entry's place, for engines and describers.
    async fn location_of(&self, row: &EntryRow) -> Result<lakeglass_ports::TableLocation> {
        if row.is_attached() {
            return self.attached_location(row).await;
        }
        Ok(self.storages.locate(row.storage_id, &row.root, &row.location).await?)
    }

    /// Refuses what is done to managed buckets only.
    fn managed_only(bucket: &BucketRow, what: &str) -> Result<()> {
        if bucket.is_attached() {
            let text = format!("The names of {} are another catalog's: {what}", bucket.name);
            return Err(attached::Error::Unsupported(text).into());
        }
        Ok(())
    }

    /// Whether a describer of this server answers for a format.
    async fn serves(&self, format: &FormatId) -> bool {
        self.engines.describers.serving(format).await.is_some()
    }
}

/// Runs a change to its end even when the request that asked for it goes away.
async fn to_the_end<T: Send + 'static>(
    change: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    tokio::spawn(change).await.map_err(Error::internal)?
}

/// A namespace as people read it: `bucket/a.b`.
fn display(bucket: &str, dotted: &str) -> String {
    format!("{bucket}/{dotted}")
}

fn to_table(row: EntryRow, location: String) -> Result<Table> {
    Ok(Table {
        bucket: row.bucket.parse().map_err(Error::internal)?,
        namespace: NamespacePath::from_dotted(&row.namespace).map_err(Error::internal)?,
        name: row.name.parse::<TableName>().map_err(Error::internal)?,
        format: FormatId::new(row.format),
        state: match row.state.as_str() {
            "declared" => TableState::Declared,
            "created" => TableState::Created,
            _ => TableState::Deregistered,
        },
        location,
        properties: store::to_properties(&row.properties),
        protected: row.protected,
        created_at_ms: row.created_at,
        updated_at_ms: row.updated_at,
        rows: row.row_count.and_then(|number| u64::try_from(number).ok()),
        bytes: row.byte_count.and_then(|number| u64::try_from(number).ok()),
        observed_at_ms: row.observed_at,
    })
}

#[cfg(test)]
mod tests;
