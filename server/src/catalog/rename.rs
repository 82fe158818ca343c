//! Another name or namespace for a table. Its bytes stay where they are.

use lakeglass_api::catalog::Table;
use lakeglass_api::{NamespacePath, Role, TableName, TableRef};

use super::error::{Error, Result};
use super::{Catalog, CatalogEvent, crash, layout, store};
use crate::auth::Actor;
use crate::clock;

impl Catalog {
    /// Renames a table within its bucket. One transaction: there is no half-renamed table.
    pub async fn rename_table(
        &self,
        actor: &Actor,
        table: &TableRef,
        new_name: &TableName,
        new_namespace: Option<&NamespacePath>,
    ) -> Result<Table> {
        let bucket = self.bucket_row(actor, &table.bucket, Role::Editor).await?;
        let target = TableRef {
            bucket: table.bucket.clone(),
            namespace: new_namespace.unwrap_or(&table.namespace).clone(),
            table: new_name.clone(),
        };
        if bucket.is_attached() {
            let row = self.entry_row(actor, table, Role::Editor).await?;
            self.rename_there(&bucket, &row, table, (&target.namespace, &target.table)).await?;
            let detail = serde_json::json!({ "to": target.to_string(), "attached": true });
            self.record(actor, "table.rename", &table.to_string(), detail).await;
            return self.table(actor, &target).await;
        }
        crash::point("rename.begun").await;
        let mut transaction = self.db.write.begin().await?;
        let dotted = table.namespace.dotted();
        let found = store::entries::find(&mut *transaction, bucket.id, &dotted, table.table.as_str()).await?;
        let entry = found
            .filter(|entry| entry.state != "creating")
            .ok_or_else(|| Error::NoSuchTable(table.clone()))?;
        if store::intents::is_open(&mut transaction, entry.id).await? {
            return Err(Error::Busy(table.to_string()));
        }
        let namespace_id = layout::free_name(&mut transaction, &bucket, &target).await?;
        let name = target.table.as_str();
        store::entries::rename(&mut transaction, entry.id, namespace_id, name, clock::now_ms()).await?;
        transaction.commit().await?;
        crash::point("rename.recorded").await;
        self.announce(CatalogEvent::Relocated { id: entry.id });
        let detail = serde_json::json!({ "to": target.to_string() });
        self.record(actor, "table.rename", &table.to_string(), detail).await;
        self.table(actor, &target).await
    }
}
