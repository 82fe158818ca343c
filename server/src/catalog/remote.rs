//! Changes of names in attached buckets: made by the catalog there, then in our mirror of it.
//!
//! Callers have checked the actor's role.

use lakeglass_api::catalog::{Namespace, Properties, Table};
use lakeglass_api::{NamespacePath, TableName, TableRef};
use lakeglass_ports::{NameMode, Placed};

use super::error::{Error, Result};
use super::mirror::{ensure_namespace, place, theirs};
use super::store::{self, buckets::BucketRow, entries::EntryRow, trash::Held};
use super::{Catalog, CatalogEvent, NamespaceMode, display};
use crate::attached;
use crate::auth::Actor;
use crate::clock;

impl Catalog {
    pub(super) async fn create_their_namespace(
        &self,
        actor: &Actor,
        bucket: &BucketRow,
        path: &NamespacePath,
        properties: &Properties,
        mode: NamespaceMode,
    ) -> Result<(Namespace, bool)> {
        let names = self.names(bucket).await?;
        let dotted = path.dotted();
        let name = display(&bucket.name, &dotted);
        if theirs(path).is_empty() {
            return Err(Error::NamespaceExists { what: "A namespace", name });
        }
        let found = match names.namespace(theirs(path)).await {
            Ok(_) => true,
            Err(error) if error.is_missing() => false,
            Err(error) => return Err(attached::Error::from(error).into()),
        };
        let kept = match (found, mode) {
            (true, NamespaceMode::Create) => {
                return Err(Error::NamespaceExists { what: "A namespace", name });
            }
            (true, NamespaceMode::ExistOk) => None,
            (true, NamespaceMode::Overwrite) => {
                Some(names.create_namespace(theirs(path), properties, NameMode::Overwrite).await)
            }
            (false, _) => Some(names.create_namespace(theirs(path), properties, NameMode::Create).await),
        };
        let kept = kept.transpose().map_err(attached::Error::from)?;
        let mut transaction = self.db.write.begin().await?;
        let id = ensure_namespace(&mut transaction, bucket.id, &dotted).await?;
        if let Some(kept) = &kept {
            // Some answer nothing of what they keep.
            let kept = if kept.is_empty() { properties } else { kept };
            store::namespaces::set_properties(&mut transaction, id, &store::to_text(kept)).await?;
        }
        transaction.commit().await?;
        self.stale(bucket);
        if kept.is_some() {
            let action = if found { "namespace.update" } else { "namespace.create" };
            self.record(actor, action, &name, serde_json::json!({ "attached": true })).await;
        }
        let row = self.namespace_row(bucket, path).await?;
        let bucket = bucket.name.parse().map_err(Error::internal)?;
        Ok((super::namespaces::shown(&bucket, &row)?, !found))
    }

    pub(super) async fn drop_their_namespace(
        &self,
        actor: &Actor,
        bucket: &BucketRow,
        path: &NamespacePath,
        cascade: bool,
    ) -> Result<()> {
        let (name, dotted) = (display(&bucket.name, &path.dotted()), path.dotted());
        if theirs(path).is_empty() {
            return Err(attached::Error::Unsupported(format!(
                "{name} is no namespace of the attached catalog"
            ))
            .into());
        }
        if cascade {
            self.refuse_protected(bucket, &dotted).await?;
        }
        let dropped = self.names(bucket).await?.drop_namespace(theirs(path), cascade).await;
        dropped.map_err(attached::Error::from)?;
        self.forget_namespace(bucket, &dotted).await?;
        self.record(
            actor,
            "namespace.drop",
            &name,
            serde_json::json!({ "cascade": cascade, "attached": true }),
        )
        .await;
        Ok(())
    }

    /// Refuses a cascade over tables that are protected here.
    pub(super) async fn refuse_protected(&self, bucket: &BucketRow, dotted: &str) -> Result<()> {
        let tree = store::namespaces::subtree(&self.db.read, bucket.id, dotted).await?;
        let ids: Vec<i64> = tree.iter().map(|(id, _)| *id).collect();
        let protected = store::trash::names_in(&self.db.read, &ids, Held::Protected, 1).await?;
        protected.into_iter().next().map_or(Ok(()), |name| Err(Error::Protected(name)))
    }

    /// Takes a namespace out of the mirror, with what is in it.
    pub(super) async fn forget_namespace(&self, bucket: &BucketRow, dotted: &str) -> Result<()> {
        let mut transaction = self.db.write.begin().await?;
        let gone = store::mirror::remove_namespace(&mut transaction, bucket.id, dotted).await?;
        transaction.commit().await?;
        for id in gone {
            self.announce(CatalogEvent::Removed { id });
        }
        let live = self.live(bucket)?;
        live.forget(None);
        self.stale(bucket);
        Ok(())
    }

    pub(super) async fn declare_there(
        &self,
        actor: &Actor,
        bucket: &BucketRow,
        table: &TableRef,
        location: Option<&str>,
        properties: &Properties,
    ) -> Result<Table> {
        let placed = self.reserve_there(bucket, table, location, properties).await?;
        let row = self.adopt(bucket, table, &placed).await?;
        self.record(actor, "table.declare", &table.to_string(), serde_json::json!({ "attached": true }))
            .await;
        self.shown(row).await
    }

    /// Declares a table there. Its place is what that catalog answers.
    pub(super) async fn reserve_there(
        &self,
        bucket: &BucketRow,
        table: &TableRef,
        location: Option<&str>,
        properties: &Properties,
    ) -> Result<Placed> {
        let names = self.names(bucket).await?;
        let name = table.table.as_str();
        let declared = names.declare(theirs(&table.namespace), name, location, properties).await;
        let mut placed = declared.map_err(attached::Error::from)?;
        placed.declared = Some(true);
        self.changed_there(bucket, table);
        Ok(placed)
    }

    pub(super) async fn register_there(
        &self,
        actor: &Actor,
        bucket: &BucketRow,
        table: &TableRef,
        location: &str,
        overwrite: bool,
        properties: &Properties,
    ) -> Result<Table> {
        let names = self.names(bucket).await?;
        let (parent, name) = (theirs(&table.namespace), table.table.as_str());
        let registered = names.register(parent, name, location, overwrite, properties).await;
        let placed = registered.map_err(attached::Error::from)?;
        self.changed_there(bucket, table);
        let row = self.adopt(bucket, table, &placed).await?;
        let detail = serde_json::json!({ "overwrite": overwrite, "attached": true });
        self.record(actor, "table.register", &table.to_string(), detail).await;
        self.shown(row).await
    }

    /// Takes a table's name away there, or with `bytes` the whole table. Gives it as it was last seen.
    pub(super) async fn remove_there(&self, row: EntryRow, table: &TableRef, bytes: bool) -> Result<Table> {
        if row.protected {
            return Err(Error::Protected(table.to_string()));
        }
        let bucket = store::buckets::by_id(&self.db.read, row.bucket_id).await?;
        let bucket = bucket.ok_or_else(|| Error::NoSuchBucket(table.bucket.clone()))?;
        let location = if bytes { self.attached_location(&row).await.ok() } else { None };
        let names = self.names(&bucket).await?;
        let (parent, name) = (theirs(&table.namespace), table.table.as_str());
        let removed =
            if bytes { names.drop_table(parent, name).await } else { names.deregister(parent, name).await };
        match removed {
            Err(error) if error.is_missing() => {
                self.forget_row(&row).await?;
                return Err(Error::NoSuchTable(table.clone()));
            }
            other => other.map_err(attached::Error::from)?,
        }
        if let Some(location) = location {
            self.engines.tables.forget(&location).await;
        }
        self.changed_there(&bucket, table);
        self.forget_row(&row).await?;
        self.shown(row).await
    }

    pub(super) async fn rename_there(
        &self,
        bucket: &BucketRow,
        row: &EntryRow,
        table: &TableRef,
        to: (&NamespacePath, &TableName),
    ) -> Result<()> {
        let names = self.names(bucket).await?;
        let (namespace, name) = to;
        let renamed = names
            .rename(theirs(&table.namespace), table.table.as_str(), theirs(namespace), name.as_str())
            .await;
        renamed.map_err(attached::Error::from)?;
        self.changed_there(bucket, table);
        self.moved(bucket, row, namespace, name).await
    }

    /// Moves a table's row in the mirror to where the table is now.
    pub(super) async fn moved(
        &self,
        bucket: &BucketRow,
        row: &EntryRow,
        namespace: &NamespacePath,
        name: &TableName,
    ) -> Result<()> {
        let dotted = namespace.dotted();
        let mut transaction = self.db.write.begin().await?;
        let namespace_id = ensure_namespace(&mut transaction, bucket.id, &dotted).await?;
        if let Some(stale) =
            store::entries::find(&mut *transaction, bucket.id, &dotted, name.as_str()).await?
        {
            store::entries::delete(&mut transaction, stale.id).await?;
        }
        let location = place(&dotted, name.as_str());
        let at = clock::now_ms();
        store::mirror::move_entry(&mut transaction, row.id, namespace_id, name.as_str(), &location, at)
            .await?;
        transaction.commit().await?;
        self.announce(CatalogEvent::Relocated { id: row.id });
        Ok(())
    }

    /// What was known of a table there, and of lists, holds no more.
    pub(super) fn changed_there(&self, bucket: &BucketRow, table: &TableRef) {
        if let Ok(live) = self.live(bucket) {
            let mut parts = theirs(&table.namespace).to_vec();
            parts.push(table.table.as_str().to_owned());
            live.forget(Some(&parts));
        }
        self.stale(bucket);
    }
}
