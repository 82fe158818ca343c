//! Branches: chains of versions beside the main one.

use lakeglass_api::{Role, TableRef};
use lakeglass_ports::BranchRecord;

use super::{References, Result};
use crate::auth::Actor;

impl References {
    /// All branches besides the main one, by name.
    pub async fn branches(&self, actor: &Actor, table: &TableRef) -> Result<Vec<BranchRecord>> {
        match self.written(actor, table).await? {
            Some(location) => Ok(self.engine().list_branches(&location).await?),
            None => Ok(Vec::new()),
        }
    }

    /// Makes a branch of a version (none: the newest) of another (none: the main one).
    pub async fn create_branch(
        &self,
        actor: &Actor,
        table: &TableRef,
        name: &str,
        from_branch: Option<&str>,
        from_version: Option<u64>,
    ) -> Result<()> {
        let tables = self.engines.tables.clone();
        let (branch, from) = (name.to_owned(), from_branch.map(str::to_owned));
        let work = async move |location| {
            tables.create_branch(&location, &branch, from.as_deref(), from_version).await
        };
        self.catalog.change(actor, table, Role::Editor, work).await?;
        let detail = serde_json::json!({
            "branch": name, "from": from_branch, "version": from_version.map(|version| version.to_string()),
        });
        self.record(actor, "branch.create", table, detail).await;
        Ok(())
    }

    /// Removes a branch with its versions.
    pub async fn delete_branch(&self, actor: &Actor, table: &TableRef, name: &str) -> Result<()> {
        let (tables, branch) = (self.engines.tables.clone(), name.to_owned());
        let work = async move |location| tables.delete_branch(&location, &branch).await;
        self.catalog.change(actor, table, Role::Editor, work).await?;
        self.record(actor, "branch.delete", table, serde_json::json!({ "branch": name })).await;
        Ok(())
    }
}
