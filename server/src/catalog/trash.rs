//! Trash: tables taken out of the catalog with their bytes kept, and their way back.

use lakeglass_api::catalog::{Table, TrashedTable};
use lakeglass_api::{BucketName, ListQuery, NamespacePath, Page, Role, TableName, TableRef};

use super::error::{Error, Result};
use super::listing::{Key, Window};
use super::store::{self, entries::EntryRow};
use super::{Catalog, CatalogEvent, crash, layout, register, to_table, to_the_end};
use crate::auth::Actor;
use crate::clock;
use crate::storage::relative;

impl Catalog {
    /// Takes a table out of the catalog. Its bytes stay, marked, and it is listed in Trash.
    pub async fn deregister_table(&self, actor: &Actor, table: &TableRef) -> Result<Table> {
        let row = self.entry_row(actor, table, Role::Editor).await?;
        if row.protected {
            return Err(Error::Protected(table.to_string()));
        }
        if row.is_attached() {
            let removed = self.remove_there(row, table, false).await?;
            let detail = serde_json::json!({ "attached": true });
            self.record(actor, "table.deregister", &table.to_string(), detail).await;
            return Ok(removed);
        }
        let row = self.promoted(row).await?;
        let (this, wanted, id, bucket_id) = (self.clone(), table.clone(), row.id, row.bucket_id);
        to_the_end(async move {
            let _change = this.changes.alone(id).await;
            let mut transaction = this.db.write.begin().await?;
            register::open(&mut transaction, "trash", bucket_id, id, &wanted).await?;
            if !store::trash::put(&mut transaction, id, clock::now_ms()).await? {
                return Err(Error::NoSuchTable(wanted));
            }
            transaction.commit().await?;
            this.announce(CatalogEvent::Removed { id });
            crash::point("deregister.recorded").await;
            this.settle(id).await
        })
        .await?;
        self.record(actor, "table.deregister", &table.to_string(), serde_json::json!({})).await;
        let row = store::entries::by_id(&self.db.read, id).await?;
        self.shown(row.ok_or_else(|| Error::NoSuchTable(table.clone()))?).await
    }

    /// Tables of a bucket in Trash.
    pub async fn trash(
        &self,
        actor: &Actor,
        bucket: &BucketName,
        query: &ListQuery,
    ) -> Result<Page<TrashedTable>> {
        let row = self.bucket_row(actor, bucket, Role::Viewer).await?;
        let window = Window::new(query, &store::trash::SORTS)?;
        let (rows, total) = store::trash::page(&self.db.read, &window, row.id).await?;
        let root = self.storages.uri(row.storage_id, &row.root).await?;
        window.page(
            rows,
            Some(total),
            |row| key(&window, row),
            |row| {
                let location = relative::append(&root, &row.location);
                let (id, trashed_at_ms) = (row.id, row.trashed_at.unwrap_or_default());
                Ok(TrashedTable { id, table: to_table(row, location)?, trashed_at_ms })
            },
        )
    }

    /// Brings a table back, under its old name or another.
    pub async fn restore_from_trash(
        &self,
        actor: &Actor,
        id: i64,
        as_name: Option<&TableName>,
    ) -> Result<Table> {
        let (row, was) = self.trashed(actor, id).await?;
        let target = TableRef { table: as_name.unwrap_or(&was.table).clone(), ..was };
        let (this, wanted) = (self.clone(), target.clone());
        to_the_end(async move {
            let _change = this.changes.alone(id).await;
            let mut transaction = this.db.write.begin().await?;
            let bucket = store::buckets::by_id(&mut *transaction, row.bucket_id).await?;
            let bucket = bucket.ok_or(Error::NotInTrash)?;
            let namespace_id = layout::free_name(&mut transaction, &bucket, &wanted).await?;
            register::open(&mut transaction, "restore", bucket.id, id, &wanted).await?;
            let name = wanted.table.as_str();
            if !store::trash::take(&mut transaction, id, namespace_id, name, clock::now_ms()).await? {
                return Err(Error::NotInTrash);
            }
            transaction.commit().await?;
            crash::point("restore.recorded").await;
            this.settle(id).await?;
            this.announce(CatalogEvent::Relocated { id });
            Ok(())
        })
        .await?;
        self.record(actor, "table.restore", &target.to_string(), serde_json::json!({})).await;
        self.table(actor, &target).await
    }

    /// Removes a table in Trash with its bytes.
    pub async fn delete_from_trash(&self, actor: &Actor, id: i64) -> Result<()> {
        let (row, was) = self.trashed(actor, id).await?;
        self.drop_entry(row, was.to_string()).await?;
        self.record(actor, "table.drop", &was.to_string(), serde_json::json!({ "from": "trash" })).await;
        Ok(())
    }

    /// Refuses an id that is not in the Trash of this bucket.
    pub(super) async fn check_in_trash(&self, actor: &Actor, bucket: &BucketName, id: i64) -> Result<()> {
        let (_, was) = self.trashed(actor, id).await?;
        if was.bucket == *bucket { Ok(()) } else { Err(Error::NotInTrash) }
    }

    /// An entry in Trash that the actor may change, with the name it had.
    async fn trashed(&self, actor: &Actor, id: i64) -> Result<(EntryRow, TableRef)> {
        let row = store::entries::by_id(&self.db.read, id).await?;
        let row = row.filter(|row| row.state == "deregistered").ok_or(Error::NotInTrash)?;
        let was = TableRef {
            bucket: row.bucket.parse().map_err(Error::internal)?,
            namespace: NamespacePath::from_dotted(&row.namespace).map_err(Error::internal)?,
            table: row.name.parse().map_err(Error::internal)?,
        };
        match actor.require(&was.bucket, Role::Editor) {
            Ok(()) => Ok((row, was)),
            Err(crate::auth::Denied::Hidden) => Err(Error::NotInTrash),
            Err(denied) => Err(denied.into()),
        }
    }
}

fn key(window: &Window, row: &EntryRow) -> (Key, i64) {
    let key = match window.column.name {
        "name" => Key::Text(row.name.clone()),
        "bytes" => Key::Number(row.byte_count.unwrap_or(-1)),
        _ => Key::Number(row.trashed_at.unwrap_or_default()),
    };
    (key, row.id)
}
