//! Removing: tables, namespaces with what is in them, buckets. The only code that removes data.

use futures::{StreamExt, TryStreamExt};
use lakeglass_api::catalog::{Namespace, Table};
use lakeglass_api::{BucketName, NamespacePath, Role, TableRef};
use sqlx::SqliteConnection;

use super::error::{Error, Result};
use super::store::{self, buckets::BucketRow, entries::EntryRow, trash::Held};
use super::{CascadeList, Catalog, CatalogEvent, crash, display, to_the_end};
use crate::auth::Actor;
use crate::clock;
use crate::storage::relative;

/// Tables of a cascade whose bytes are removed at once.
const AT_ONCE: usize = 4;
/// Names that a cascade's list shows.
const LISTED: u32 = 1000;

impl Catalog {
    /// Removes a table and its bytes. The name is free as soon as the removal begins.
    pub async fn drop_table(&self, actor: &Actor, table: &TableRef) -> Result<Table> {
        let row = self.entry_row(actor, table, Role::Editor).await?;
        if row.is_attached() {
            let removed = self.remove_there(row, table, true).await?;
            let detail = serde_json::json!({ "attached": true });
            self.record(actor, "table.drop", &table.to_string(), detail).await;
            return Ok(removed);
        }
        let shown = self.shown(row.clone()).await?;
        self.drop_entry(row, table.to_string()).await?;
        self.record(actor, "table.drop", &table.to_string(), serde_json::json!({})).await;
        Ok(shown)
    }

    /// Drops an entry in whatever state it is: listed, or in Trash.
    pub(super) async fn drop_entry(&self, row: EntryRow, name: String) -> Result<()> {
        let this = self.clone();
        to_the_end(async move {
            let _change = this.changes.alone(row.id).await;
            // Rows that are being written right now would survive as files that nothing knows of.
            let _write = this.writes.alone_soon(row.id).await.ok_or_else(|| Error::Busy(name.clone()))?;
            let mut transaction = this.db.write.begin().await?;
            let now = store::entries::by_id(&mut *transaction, row.id).await?;
            let now = now.filter(|now| now.state == row.state).ok_or_else(|| Error::Busy(name.clone()))?;
            mark(&mut transaction, &now, &name).await?;
            transaction.commit().await?;
            this.announce(CatalogEvent::Removed { id: now.id });
            crash::point("drop.recorded").await;
            this.finish_drop(&now).await
        })
        .await
    }

    /// Removes the bytes of an entry on its way out, then its row. The caller holds the entry's gate.
    pub(super) async fn finish_drop(&self, row: &EntryRow) -> Result<()> {
        let now = store::entries::by_id(&self.db.read, row.id).await?;
        if now.is_none_or(|now| now.state != "dropping") {
            // Somebody finished it already, and the place may hold another table by now.
            return Ok(());
        }
        let place = relative::join(&row.root, &row.location);
        self.storages.remove_bytes(row.storage_id, &row.root, &place).await?;
        crash::point("drop.removed").await;
        if let Ok(location) = self.location_of(row).await {
            self.engines.tables.forget(&location).await;
        }
        let mut transaction = self.db.write.begin().await?;
        store::entries::delete(&mut transaction, row.id).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// What a cascading drop of a namespace would remove. For the page and clients that ask first.
    pub async fn cascade_list(
        &self,
        actor: &Actor,
        bucket: &BucketName,
        path: &NamespacePath,
    ) -> Result<CascadeList> {
        let row = self.bucket_row(actor, bucket, Role::Viewer).await?;
        self.namespace_row(&row, path).await?;
        let tree = store::namespaces::subtree(&self.db.read, row.id, &path.dotted()).await?;
        let ids: Vec<i64> = tree.iter().map(|(id, _)| *id).collect();
        let named = |held| store::trash::names_in(&self.db.read, &ids, held, LISTED);
        Ok(CascadeList {
            namespaces: tree.into_iter().map(|(_, path)| path).collect(),
            tables: named(Held::Tables).await?,
            table_count: store::trash::count_in(&self.db.read, &ids).await?,
            trashed: named(Held::Trashed).await?,
            protected: named(Held::Protected).await?,
        })
    }

    /// Removes a namespace: an empty one, or with `cascade` and the admin role all that is in it.
    pub async fn drop_namespace(
        &self,
        actor: &Actor,
        bucket: &BucketName,
        path: &NamespacePath,
        cascade: bool,
    ) -> Result<Namespace> {
        let need = if cascade { Role::Admin } else { Role::Editor };
        let row = self.bucket_row(actor, bucket, need).await?;
        let shown = self.namespace(actor, bucket, path).await?;
        if row.is_attached() {
            self.drop_their_namespace(actor, &row, path, cascade).await?;
            return Ok(shown);
        }
        let (this, dotted) = (self.clone(), path.dotted());
        let removed = to_the_end(async move {
            let removed = this.record_namespace_drop(&row, &dotted, cascade).await?;
            crash::point("drop-namespace.recorded").await;
            for entry in &removed {
                this.announce(CatalogEvent::Removed { id: entry.id });
            }
            let count = removed.len();
            futures::stream::iter(removed)
                .map(|entry| {
                    let this = this.clone();
                    async move {
                        let _change = this.changes.alone(entry.id).await;
                        let busy = || Error::Busy(entry.name.clone());
                        let _write = this.writes.alone_soon(entry.id).await.ok_or_else(busy)?;
                        this.finish_drop(&entry).await
                    }
                })
                .buffer_unordered(AT_ONCE)
                .try_collect::<()>()
                .await?;
            Ok(count)
        })
        .await?;
        let detail = serde_json::json!({ "cascade": cascade, "tables": removed });
        self.record(actor, "namespace.drop", &display(bucket.as_str(), &path.dotted()), detail).await;
        Ok(shown)
    }

    /// Takes the namespaces out and marks every entry in them, in one transaction.
    async fn record_namespace_drop(
        &self,
        bucket: &BucketRow,
        dotted: &str,
        cascade: bool,
    ) -> Result<Vec<EntryRow>> {
        let name = display(&bucket.name, dotted);
        let mut transaction = self.db.write.begin().await?;
        let found = store::namespaces::find(&mut *transaction, bucket.id, dotted).await?;
        let namespace = found.ok_or_else(|| Error::NoSuchNamespace(name.clone()))?;
        if !cascade {
            let held =
                store::namespaces::contents(&mut *transaction, bucket.id, namespace.id, dotted).await?;
            let (namespaces, tables, trashed) = held;
            if held != (0, 0, 0) {
                return Err(Error::NamespaceNotEmpty { namespace: name, namespaces, tables, trashed });
            }
        }
        let tree = store::namespaces::subtree(&mut *transaction, bucket.id, dotted).await?;
        let ids: Vec<i64> = tree.iter().map(|(id, _)| *id).collect();
        let entries = store::trash::of_namespaces(&mut *transaction, &ids).await?;
        for entry in &entries {
            let name = format!("{}/{}/{}", entry.bucket, entry.namespace, entry.name);
            mark(&mut transaction, entry, &name).await?;
        }
        for id in ids {
            store::namespaces::delete(&mut transaction, id).await?;
        }
        transaction.commit().await?;
        Ok(entries)
    }

    /// Removes an empty bucket, or with its name typed by an admin everything in it. An attached one is let
    /// go, and what is in it stays where it is.
    pub async fn delete_bucket(
        &self,
        actor: &Actor,
        name: &BucketName,
        with_contents: Option<&str>,
    ) -> Result<()> {
        let row = self.bucket_row(actor, name, Role::Admin).await?;
        if row.protected {
            return Err(Error::Protected(format!("The bucket {name}")));
        }
        if row.is_attached() {
            return self.detach(actor, &row).await;
        }
        if with_contents.is_some_and(|typed| typed != name.as_str()) {
            return Err(Error::invalid(
                "name",
                format!("Type {name} to delete the bucket with everything in it"),
            ));
        }
        let (this, everything) = (self.clone(), with_contents.is_some());
        let bucket = row.clone();
        to_the_end(async move {
            let _change = this.changes.alone(-bucket.id).await;
            let removed = this.record_bucket_deletion(&bucket, everything).await?;
            crash::point("delete-bucket.recorded").await;
            for id in &removed {
                this.announce(CatalogEvent::Removed { id: *id });
            }
            this.finish_bucket_deletion(&bucket, &removed).await
        })
        .await?;
        let detail = serde_json::json!({ "with_contents": with_contents.is_some() });
        self.record(actor, "bucket.delete", name.as_str(), detail).await;
        Ok(())
    }

    async fn record_bucket_deletion(&self, bucket: &BucketRow, everything: bool) -> Result<Vec<i64>> {
        let name: BucketName = bucket.name.parse().map_err(Error::internal)?;
        let mut transaction = self.db.write.begin().await?;
        if store::buckets::find(&mut *transaction, &name).await?.is_none() {
            return Err(Error::NoSuchBucket(name));
        }
        let held = store::buckets::contents(&mut *transaction, bucket.id).await?;
        let (namespaces, tables, trashed) = held;
        if held != (0, 0, 0) && !everything {
            return Err(Error::BucketNotEmpty { bucket: name, namespaces, tables, trashed });
        }
        if store::intents::any_in_bucket(&mut transaction, bucket.id).await? {
            return Err(Error::Busy(format!("a table in {name}")));
        }
        if let Some(entry) = store::trash::first_protected(&mut transaction, bucket.id).await? {
            return Err(Error::Protected(format!("The table {entry}")));
        }
        let ids = store::trash::ids_in_bucket(&mut transaction, bucket.id).await?;
        store::intents::open(&mut transaction, "delete-bucket", bucket.id, None, clock::now_ms()).await?;
        store::buckets::mark_deleting(&mut transaction, bucket.id).await?;
        store::trash::mark_all_dropping(&mut transaction, bucket.id).await?;
        transaction.commit().await?;
        Ok(ids)
    }

    /// Removes the bytes of a bucket on its way out, then its rows, once no write to its tables is under
    /// way. The caller holds the bucket's gate.
    pub(super) async fn finish_bucket_deletion(&self, bucket: &BucketRow, tables: &[i64]) -> Result<()> {
        for id in tables.iter().filter(|id| self.writes.is_busy(**id)) {
            let quiet = self.writes.alone_soon(*id).await;
            drop(quiet.ok_or_else(|| Error::Busy(format!("a table in {}", bucket.name)))?);
        }
        self.storages.remove_bytes(bucket.storage_id, "", &bucket.root).await?;
        crash::point("delete-bucket.removed").await;
        // Before the name is free: the next bucket of this name must not inherit grants.
        let name: BucketName = bucket.name.parse().map_err(Error::internal)?;
        self.auth.forget_bucket(&name).await.map_err(Error::internal)?;
        let mut transaction = self.db.write.begin().await?;
        store::buckets::delete(&mut transaction, bucket.id).await?;
        transaction.commit().await?;
        Ok(())
    }
}

/// Puts an entry on its way out: with its intent, its name free, its place still held. Refuses what is
/// protected, and a place that another entry shares, contains or is inside of.
async fn mark(connection: &mut SqliteConnection, row: &EntryRow, name: &str) -> Result<()> {
    if row.protected {
        return Err(Error::Protected(name.to_owned()));
    }
    let neighbours =
        store::places::overlapping(connection, row.bucket_id, &row.location, Some(row.id)).await?;
    if let Some(other) = neighbours.first() {
        return Err(Error::Overlaps(other.name.clone()));
    }
    let at = clock::now_ms();
    if store::intents::open(connection, "drop", row.bucket_id, Some(row.id), at).await?.is_none() {
        return Err(Error::Busy(name.to_owned()));
    }
    store::trash::mark_dropping(connection, row.id).await?;
    Ok(())
}
