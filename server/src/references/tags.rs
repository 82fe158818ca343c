//! Tags: names that people give to versions, and that keep them.

use lakeglass_api::{Role, TableRef};
use lakeglass_ports::{Error as EngineError, TagRecord};

use super::{References, Result};
use crate::auth::Actor;

impl References {
    /// All tags, by name.
    pub async fn tags(&self, actor: &Actor, table: &TableRef) -> Result<Vec<TagRecord>> {
        match self.written(actor, table).await? {
            Some(location) => Ok(self.engine().list_tags(&location).await?),
            None => Ok(Vec::new()),
        }
    }

    pub async fn tag(&self, actor: &Actor, table: &TableRef, name: &str) -> Result<TagRecord> {
        match self.written(actor, table).await? {
            Some(location) => Ok(self.engine().tag(&location, name).await?),
            None => Err(EngineError::NoSuchTag(name.to_owned()).into()),
        }
    }

    pub async fn create_tag(
        &self,
        actor: &Actor,
        table: &TableRef,
        name: &str,
        branch: Option<&str>,
        version: u64,
    ) -> Result<()> {
        let (tables, tag, named) = (self.engines.tables.clone(), name.to_owned(), branch.map(str::to_owned));
        let work = async move |location| tables.create_tag(&location, &tag, named.as_deref(), version).await;
        self.catalog.change(actor, table, Role::Editor, work).await?;
        self.record(actor, "tag.create", table, pointing(name, branch, version)).await;
        Ok(())
    }

    /// Points a tag to another version.
    pub async fn update_tag(
        &self,
        actor: &Actor,
        table: &TableRef,
        name: &str,
        branch: Option<&str>,
        version: u64,
    ) -> Result<()> {
        let (tables, tag, named) = (self.engines.tables.clone(), name.to_owned(), branch.map(str::to_owned));
        let work = async move |location| tables.update_tag(&location, &tag, named.as_deref(), version).await;
        self.catalog.change(actor, table, Role::Editor, work).await?;
        self.record(actor, "tag.update", table, pointing(name, branch, version)).await;
        Ok(())
    }

    pub async fn delete_tag(&self, actor: &Actor, table: &TableRef, name: &str) -> Result<()> {
        let (tables, tag) = (self.engines.tables.clone(), name.to_owned());
        let work = async move |location| tables.delete_tag(&location, &tag).await;
        self.catalog.change(actor, table, Role::Editor, work).await?;
        self.record(actor, "tag.delete", table, serde_json::json!({ "tag": name })).await;
        Ok(())
    }
}

fn pointing(tag: &str, branch: Option<&str>, version: u64) -> serde_json::Value {
    serde_json::json!({ "tag": tag, "branch": branch, "version": version.to_string() })
}
