//! What was done in an attached catalog past this one: requests that were passed on to it.

use lakeglass_api::{BucketName, NamespacePath, TableRef};

use super::error::{Error, Result};
use super::store::{self, buckets::BucketRow};
use super::{Catalog, display};
use crate::auth::Actor;

/// What happened there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Noticed {
    /// Names came or changed.
    Names,
    /// A table has a new version.
    Written(TableRef),
    /// A table has another name, or none.
    TableGone(TableRef),
    NamespaceDropped(NamespacePath),
}

impl Catalog {
    /// Keeps the mirror true after a request that was passed on, and records it.
    pub(crate) async fn noticed(
        &self,
        actor: &Actor,
        name: &BucketName,
        operation: &str,
        what: &Noticed,
    ) -> Result<()> {
        let row = store::buckets::find(&self.db.read, name).await?;
        let bucket = row.ok_or_else(|| Error::NoSuchBucket(name.clone()))?;
        let object = match what {
            Noticed::Names => name.to_string(),
            Noticed::Written(table) | Noticed::TableGone(table) => table.to_string(),
            Noticed::NamespaceDropped(path) => display(name.as_str(), &path.dotted()),
        };
        match what {
            Noticed::Names => self.stale(&bucket),
            Noticed::Written(table) => match self.seen_row(&bucket, table).await? {
                Some(row) => {
                    self.changed_there(&bucket, table);
                    self.wrote(&row).await?;
                }
                None => self.stale(&bucket),
            },
            Noticed::TableGone(table) => {
                self.changed_there(&bucket, table);
                if let Some(row) = self.seen_row(&bucket, table).await? {
                    self.forget_row(&row).await?;
                }
            }
            Noticed::NamespaceDropped(path) => self.forget_namespace(&bucket, &path.dotted()).await?,
        }
        self.record(actor, "attached.change", &object, serde_json::json!({ "operation": operation })).await;
        Ok(())
    }

    /// Refuses what would take a table away that is protected here.
    pub(crate) async fn refuse_protected_table(&self, table: &TableRef) -> Result<()> {
        let Some(bucket) = store::buckets::find(&self.db.read, &table.bucket).await? else { return Ok(()) };
        match self.seen_row(&bucket, table).await? {
            Some(row) if row.protected => Err(Error::Protected(table.to_string())),
            _ => Ok(()),
        }
    }

    /// Refuses what would take a namespace away that holds a protected table.
    pub(crate) async fn refuse_protected_in(&self, name: &BucketName, path: &NamespacePath) -> Result<()> {
        match store::buckets::find(&self.db.read, name).await? {
            Some(bucket) => self.refuse_protected(&bucket, &path.dotted()).await,
            None => Ok(()),
        }
    }

    /// A table's row as last seen; nothing is asked.
    async fn seen_row(
        &self,
        bucket: &BucketRow,
        table: &TableRef,
    ) -> Result<Option<store::entries::EntryRow>> {
        let (dotted, name) = (table.namespace.dotted(), table.table.as_str());
        Ok(store::entries::find(&self.db.read, bucket.id, &dotted, name).await?)
    }
}
