//! Entries over bytes that exist already: registering them, and bringing them back.

use lakeglass_api::catalog::{Properties, Table};
use lakeglass_api::{FormatId, Role, TableRef};
use sqlx::SqliteConnection;
use tokio::sync::OwnedRwLockWriteGuard;

use super::error::{Error, Result};
use super::store::{
    self,
    buckets::BucketRow,
    entries::{EntryRow, NewEntry},
    places::Neighbour,
};
use super::{Catalog, CatalogEvent, crash, layout, to_the_end};
use crate::auth::Actor;
use crate::clock;
use crate::storage::relative;

/// What a registration did in the database.
struct Recorded {
    /// The entry that holds the name now.
    entry: i64,
    /// The one that held it before, now in Trash.
    displaced: Option<EntryRow>,
    /// Keeps mending away from both while they are under way.
    _changes: Vec<OwnedRwLockWriteGuard<()>>,
}

impl Catalog {
    /// Gives a name to a Lance table that is below the bucket's root already. A table in Trash at that
    /// place comes back as this one. With `overwrite`, what held the name goes to Trash, bytes kept.
    pub async fn register_table(
        &self,
        actor: &Actor,
        table: &TableRef,
        location: &str,
        overwrite: bool,
        properties: Properties,
    ) -> Result<Table> {
        let bucket = self.bucket_row(actor, &table.bucket, Role::Editor).await?;
        layout::check_properties(&properties)?;
        layout::check_format(&bucket, &FormatId::lance())?;
        if bucket.is_attached() {
            return self.register_there(actor, &bucket, table, location, overwrite, &properties).await;
        }
        let root = self.storages.uri(bucket.storage_id, &bucket.root).await?;
        let location = relative::below(&root, location)?;
        let place = self.storages.locate(bucket.storage_id, &bucket.root, &location).await?;
        let written = self.engines.tables.latest_version(&place).await?.is_some();
        let (this, wanted) = (self.clone(), table.clone());
        to_the_end(async move {
            let (bucket, wanted) = (&bucket, &wanted);
            let recorded =
                this.record_registration(bucket, wanted, &location, written, overwrite, &properties).await?;
            crash::point("register.recorded").await;
            if let Some(displaced) = &recorded.displaced {
                this.settle(displaced.id).await?;
                crash::point("register.displaced").await;
            }
            this.settle(recorded.entry).await?;
            this.announce(CatalogEvent::Relocated { id: recorded.entry });
            Ok(())
        })
        .await?;
        self.record(
            actor,
            "table.register",
            &table.to_string(),
            serde_json::json!({ "overwrite": overwrite }),
        )
        .await;
        self.table(actor, table).await
    }

    async fn record_registration(
        &self,
        bucket: &BucketRow,
        table: &TableRef,
        location: &str,
        written: bool,
        overwrite: bool,
        properties: &Properties,
    ) -> Result<Recorded> {
        let at = clock::now_ms();
        let mut changes = Vec::new();
        let mut hold = |id| {
            changes.push(self.changes.alone_now(id).ok_or_else(|| Error::Busy(table.to_string()))?);
            Ok::<_, Error>(())
        };
        let mut transaction = self.db.write.begin().await?;
        let dotted = table.namespace.dotted();
        let holder =
            store::entries::find(&mut *transaction, bucket.id, &dotted, table.table.as_str()).await?;
        let displaced = match holder {
            Some(holder) if overwrite && holder.location == location && holder.state != "creating" => {
                // The very same table: nothing moves.
                open(&mut transaction, "register", bucket.id, holder.id, table).await?;
                hold(holder.id)?;
                set_properties(&mut transaction, holder.id, properties, at).await?;
                transaction.commit().await?;
                return Ok(Recorded { entry: holder.id, displaced: None, _changes: changes });
            }
            Some(holder) if overwrite => {
                if holder.protected {
                    return Err(Error::Protected(table.to_string()));
                }
                open(&mut transaction, "trash", bucket.id, holder.id, table).await?;
                hold(holder.id)?;
                if !store::trash::put(&mut transaction, holder.id, at).await? {
                    return Err(Error::Busy(table.to_string()));
                }
                Some(holder)
            }
            Some(_) => return Err(Error::TableExists { what: "A table", name: table.to_string() }),
            None => None,
        };
        let namespace_id = layout::free_name(&mut transaction, bucket, table).await?;
        let neighbours = store::places::overlapping(&mut transaction, bucket.id, location, None).await?;
        let entry = match neighbours.as_slice() {
            [] if !written => {
                return Err(Error::invalid("location", "There is no Lance table at this location"));
            }
            [] => {
                let new = NewEntry {
                    bucket_id: bucket.id,
                    namespace_id,
                    name: table.table.as_str(),
                    format: "lance",
                    state: "created",
                    location,
                    properties: &store::to_text(properties),
                    at,
                };
                store::entries::insert(&mut transaction, &new).await?
            }
            [one] if in_trash_at(one, location) => {
                let name = table.table.as_str();
                if !store::trash::take(&mut transaction, one.id, namespace_id, name, at).await? {
                    return Err(Error::Busy(table.to_string()));
                }
                if !properties.is_empty() {
                    set_properties(&mut transaction, one.id, properties, at).await?;
                }
                one.id
            }
            [other, ..] => return Err(Error::Overlaps(other.name.clone())),
        };
        open(&mut transaction, "register", bucket.id, entry, table).await?;
        hold(entry)?;
        transaction.commit().await?;
        if let Some(displaced) = &displaced {
            self.announce(CatalogEvent::Removed { id: displaced.id });
        }
        Ok(Recorded { entry, displaced, _changes: changes })
    }

    /// Gives a name to a table of any format that a scan found below the bucket's root. One in Trash at
    /// that place stays there: somebody took it out on purpose.
    pub async fn register_found(
        &self,
        actor: &Actor,
        table: &TableRef,
        location: &str,
        format: &FormatId,
    ) -> Result<Table> {
        let bucket = self.bucket_row(actor, &table.bucket, Role::Editor).await?;
        Self::managed_only(&bucket, "register tables there")?;
        layout::check_format(&bucket, format)?;
        if !self.serves(format).await {
            return Err(Error::UnservedFormat(format.clone()));
        }
        relative::check(location)?;
        let mut transaction = self.db.write.begin().await?;
        let namespace_id = layout::free_name(&mut transaction, &bucket, table).await?;
        let neighbours = store::places::overlapping(&mut transaction, bucket.id, location, None).await?;
        if let Some(other) = neighbours.first() {
            if in_trash_at(other, location) {
                return Err(Error::State(format!("{} is in Trash. Restore it from there", other.name)));
            }
            return Err(Error::Overlaps(other.name.clone()));
        }
        let new = NewEntry {
            bucket_id: bucket.id,
            namespace_id,
            name: table.table.as_str(),
            format: format.as_str(),
            state: "created",
            location,
            properties: "{}",
            at: clock::now_ms(),
        };
        let id = store::entries::insert(&mut transaction, &new).await?;
        transaction.commit().await?;
        self.announce(CatalogEvent::Relocated { id });
        self.record(actor, "table.register", &table.to_string(), serde_json::json!({ "format": format }))
            .await;
        self.table(actor, table).await
    }
}

fn in_trash_at(neighbour: &Neighbour, location: &str) -> bool {
    neighbour.state == "deregistered" && neighbour.location == location
}

/// Opens an entry's intent, which is its lock as well. The entry may have gone since it was looked up: a
/// drop that ended meanwhile took its row away.
pub(super) async fn open(
    connection: &mut SqliteConnection,
    kind: &str,
    bucket_id: i64,
    entry: i64,
    table: &TableRef,
) -> Result<()> {
    if store::entries::by_id(&mut *connection, entry).await?.is_none() {
        return Err(Error::NoSuchTable(table.clone()));
    }
    match store::intents::open(connection, kind, bucket_id, Some(entry), clock::now_ms()).await? {
        Some(_) => Ok(()),
        None => Err(Error::Busy(table.to_string())),
    }
}

async fn set_properties(
    connection: &mut SqliteConnection,
    id: i64,
    properties: &Properties,
    at: i64,
) -> Result<()> {
    Ok(store::entries::set_properties(connection, id, &store::to_text(properties), at).await?)
}
