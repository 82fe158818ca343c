//! Single tables of attached buckets: their rows in the mirror, and the places that they are at now.

use std::collections::BTreeMap;

use lakeglass_api::{Role, TableRef};
use lakeglass_ports::{Grant, Placed, TableLocation};
use sqlx::SqliteConnection;

use super::error::{Error, Result};
use super::mirror::{ROOT, ensure_namespace, place, theirs};
use super::store::{self, buckets::BucketRow, entries::EntryRow, entries::NewEntry};
use super::{Catalog, CatalogEvent};
use crate::attached;
use crate::auth::Actor;
use crate::clock;

/// Parts of a stored path as the other side has them.
fn theirs_of(dotted: &str) -> Vec<String> {
    if dotted.is_empty() || dotted == ROOT {
        return Vec::new();
    }
    dotted.split('.').map(str::to_owned).collect()
}

impl Catalog {
    /// The row of a table of an attached bucket: as seen before, or made now if the other side has it.
    pub(super) async fn mirrored(&self, bucket: &BucketRow, table: &TableRef) -> Result<EntryRow> {
        let (dotted, name) = (table.namespace.dotted(), table.table.as_str());
        if let Some(row) = store::entries::find(&self.db.read, bucket.id, &dotted, name).await? {
            return Ok(row);
        }
        let live = self.live(bucket)?;
        let placed = match self.attached.placed(&live, theirs(&table.namespace), name).await {
            Err(attached::Error::Names(error)) if error.is_missing() => {
                return Err(Error::NoSuchTable(table.clone()));
            }
            other => other?,
        };
        self.adopt(bucket, table, &placed).await
    }

    /// Keeps a table that the other side has, and gives its row.
    pub(super) async fn adopt(
        &self,
        bucket: &BucketRow,
        table: &TableRef,
        placed: &Placed,
    ) -> Result<EntryRow> {
        let (dotted, name) = (table.namespace.dotted(), table.table.as_str());
        let mut transaction = self.db.write.begin().await?;
        let known = store::entries::find(&mut *transaction, bucket.id, &dotted, name).await?;
        let id = if let Some(row) = &known {
            keep_seen(&mut transaction, row, placed).await?;
            row.id
        } else {
            let namespace_id = ensure_namespace(&mut transaction, bucket.id, &dotted).await?;
            insert(&mut transaction, bucket.id, namespace_id, &dotted, name, Some(placed)).await?
        };
        transaction.commit().await?;
        if known.is_none() {
            self.announce(CatalogEvent::Written { id });
        }
        let row = store::entries::by_id(&self.db.read, id).await?;
        row.ok_or_else(|| Error::NoSuchTable(table.clone()))
    }

    /// Opens an attached table where the other side says it is now.
    pub(super) async fn attached_location(&self, row: &EntryRow) -> Result<TableLocation> {
        let live = self.attached.of(&row.bucket.parse().map_err(Error::internal)?)?;
        let parent = theirs_of(&row.namespace);
        let placed = match self.attached.placed(&live, &parent, &row.name).await {
            Err(attached::Error::Names(error)) if error.is_missing() => {
                self.forget_row(row).await?;
                let gone = format!("{}${}${}", row.bucket, row.namespace.replace('.', "$"), row.name);
                return Err(Error::State(format!("The table {gone} is not in its catalog any more")));
            }
            other => other?,
        };
        if placed.location.as_deref() != row.remote.as_deref() || row.remote.is_none() {
            let mut connection = self.db.write.acquire().await?;
            keep_seen(&mut connection, row, &placed).await?;
        }
        let location = self.attached.locate(&live, &parent, &row.name).await?;
        self.refuse_managed(row.storage_id, &location).await?;
        Ok(location)
    }

    /// What another catalog says may not lead into a bucket of ours.
    async fn refuse_managed(&self, storage_id: i64, location: &TableLocation) -> Result<()> {
        for root in store::buckets::managed_roots(&self.db.read, storage_id).await? {
            let root = Grant::new(&self.storages.uri(storage_id, &root).await?);
            let around = Grant::new(&location.uri);
            if root.covers(&location.uri) || around.covers(root.as_str()) {
                return Err(attached::Error::NotGranted(location.uri.clone()).into());
            }
        }
        Ok(())
    }

    /// Takes the row of an attached table away. Nothing else is touched.
    pub(super) async fn forget_row(&self, row: &EntryRow) -> Result<()> {
        let mut transaction = self.db.write.begin().await?;
        store::entries::delete(&mut transaction, row.id).await?;
        transaction.commit().await?;
        self.announce(CatalogEvent::Removed { id: row.id });
        Ok(())
    }

    /// What a client of this role is given to reach an attached table, besides its location.
    pub(super) async fn vended(&self, actor: &Actor, table: &TableRef) -> Result<BTreeMap<String, String>> {
        let role = actor.role_in(&table.bucket).unwrap_or(Role::Viewer);
        let live = self.attached.of(&table.bucket)?;
        let placed = self.attached.placed(&live, theirs(&table.namespace), table.table.as_str()).await?;
        Ok(attached::Attached::for_client(&live, role, &placed.options))
    }
}

/// Makes the row of a table that was seen there.
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    bucket_id: i64,
    namespace_id: i64,
    namespace: &str,
    name: &str,
    placed: Option<&Placed>,
) -> Result<i64> {
    let declared = placed.is_some_and(|placed| placed.declared == Some(true));
    let properties = placed.map_or_else(|| "{}".to_owned(), |placed| store::to_text(&placed.properties));
    let entry = NewEntry {
        bucket_id,
        namespace_id,
        name,
        format: "lance",
        state: if declared { "declared" } else { "created" },
        location: &place(namespace, name),
        properties: &properties,
        at: clock::now_ms(),
    };
    let id = store::entries::insert(&mut *connection, &entry).await?;
    if let Some(placed) = placed {
        store::mirror::set_seen(connection, id, placed.location.as_deref(), &properties, entry.state).await?;
    }
    Ok(id)
}

async fn keep_seen(connection: &mut SqliteConnection, row: &EntryRow, placed: &Placed) -> Result<()> {
    let state = match placed.declared {
        Some(true) => "declared",
        Some(false) => "created",
        None => row.state.as_str(),
    };
    let properties = store::to_text(&placed.properties);
    Ok(store::mirror::set_seen(connection, row.id, placed.location.as_deref(), &properties, state).await?)
}
