//! The service: who may change what, and what is told and recorded of it.

use std::collections::BTreeMap;

use lakeglass_api::jobs::Job;
use lakeglass_api::{Role, TableRef};
use lakeglass_ports::{
    BatchStream, ColumnChange, FieldMetadata, FieldMetadataChange, Merge, Merged, NewColumn, TableLocation,
    Written,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::backfill::{self, FillColumn};
use super::error::Result;
use crate::audit::{Audit, Outcome};
use crate::auth::Actor;
use crate::catalog::Catalog;
use crate::engines::Engines;
use crate::jobs::Jobs;

/// Changes tables. Clones share everything. Everything here needs the editor role in the bucket.
#[derive(Debug, Clone)]
pub struct Changes {
    catalog: Catalog,
    engines: Engines,
    audit: Audit,
    jobs: Jobs,
}

/// What to fill a computed column with: its own expression, in which rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backfill {
    pub column: String,
    /// A SQL predicate; none: the rows in which the column is null.
    pub predicate: Option<String>,
    pub branch: Option<String>,
}

impl Changes {
    pub fn new(catalog: Catalog, engines: Engines, audit: Audit, jobs: Jobs) -> Self {
        jobs.register(std::sync::Arc::new(FillColumn));
        Self { catalog, engines, audit, jobs }
    }

    /// Merges rows into a branch; none: main.
    pub async fn merge(
        &self,
        actor: &Actor,
        table: &TableRef,
        rows: BatchStream,
        merge: Merge,
        branch: Option<String>,
    ) -> Result<Merged> {
        let (tables, on) = (self.engines.tables.clone(), branch.clone());
        let work =
            async move |location: TableLocation| tables.merge(&location, rows, &merge, on.as_deref()).await;
        let merged = self.catalog.change(actor, table, Role::Editor, work).await?;
        let detail = json!({
            "inserted": merged.inserted, "updated": merged.updated, "deleted": merged.deleted,
        });
        self.record(actor, table, "rows.merge", branch, merged.version, detail).await;
        Ok(merged)
    }

    /// Sets columns to SQL expressions, in the rows that a predicate keeps (none: all).
    pub async fn update(
        &self,
        actor: &Actor,
        table: &TableRef,
        updates: Vec<(String, String)>,
        predicate: Option<String>,
        branch: Option<String>,
    ) -> Result<Written> {
        let (tables, on) = (self.engines.tables.clone(), branch.clone());
        let work = async move |location: TableLocation| {
            tables.update(&location, &updates, predicate.as_deref(), on.as_deref()).await
        };
        let written = self.catalog.change(actor, table, Role::Editor, work).await?;
        let detail = json!({ "rows": written.rows });
        self.record(actor, table, "rows.update", branch, written.version, detail).await;
        Ok(written)
    }

    /// Removes the rows that a SQL predicate keeps.
    pub async fn delete(
        &self,
        actor: &Actor,
        table: &TableRef,
        predicate: String,
        branch: Option<String>,
    ) -> Result<Written> {
        let (tables, on) = (self.engines.tables.clone(), branch.clone());
        let work =
            async move |location: TableLocation| tables.delete(&location, &predicate, on.as_deref()).await;
        let written = self.catalog.change(actor, table, Role::Editor, work).await?;
        let detail = json!({ "rows": written.rows });
        self.record(actor, table, "rows.delete", branch, written.version, detail).await;
        Ok(written)
    }

    /// Adds columns; the version that has them.
    pub async fn add_columns(
        &self,
        actor: &Actor,
        table: &TableRef,
        columns: Vec<NewColumn>,
        branch: Option<String>,
    ) -> Result<u64> {
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let (tables, on) = (self.engines.tables.clone(), branch.clone());
        let work =
            async move |location: TableLocation| tables.add_columns(&location, &columns, on.as_deref()).await;
        let version = self.catalog.change(actor, table, Role::Editor, work).await?;
        self.record(actor, table, "columns.add", branch, version, json!({ "columns": names })).await;
        Ok(version)
    }

    /// Renames and casts columns, and sets whether they may be null.
    pub async fn alter_columns(
        &self,
        actor: &Actor,
        table: &TableRef,
        changes: Vec<ColumnChange>,
        branch: Option<String>,
    ) -> Result<u64> {
        let paths: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
        let (tables, on) = (self.engines.tables.clone(), branch.clone());
        let work = async move |location: TableLocation| {
            tables.alter_columns(&location, &changes, on.as_deref()).await
        };
        let version = self.catalog.change(actor, table, Role::Editor, work).await?;
        self.record(actor, table, "columns.alter", branch, version, json!({ "columns": paths })).await;
        Ok(version)
    }

    /// Drops columns from the newest version; older ones keep them.
    pub async fn drop_columns(
        &self,
        actor: &Actor,
        table: &TableRef,
        paths: Vec<String>,
        branch: Option<String>,
    ) -> Result<u64> {
        let detail = json!({ "columns": paths });
        let (tables, on) = (self.engines.tables.clone(), branch.clone());
        let work =
            async move |location: TableLocation| tables.drop_columns(&location, &paths, on.as_deref()).await;
        let version = self.catalog.change(actor, table, Role::Editor, work).await?;
        self.record(actor, table, "columns.drop", branch, version, detail).await;
        Ok(version)
    }

    /// Replaces the schema's metadata; what is kept now.
    pub async fn replace_schema_metadata(
        &self,
        actor: &Actor,
        table: &TableRef,
        metadata: BTreeMap<String, String>,
        branch: Option<String>,
    ) -> Result<BTreeMap<String, String>> {
        let (tables, on) = (self.engines.tables.clone(), branch.clone());
        let work = async move |location: TableLocation| {
            tables.replace_schema_metadata(&location, &metadata, on.as_deref()).await
        };
        let (version, kept) = self.catalog.change(actor, table, Role::Editor, work).await?;
        self.record(actor, table, "table.metadata", branch, version, json!({})).await;
        Ok(kept)
    }

    /// Changes columns' metadata: the version, and what is kept now of each column named.
    pub async fn update_field_metadata(
        &self,
        actor: &Actor,
        table: &TableRef,
        changes: Vec<FieldMetadataChange>,
        branch: Option<String>,
    ) -> Result<(u64, FieldMetadata)> {
        let paths: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
        let (tables, on) = (self.engines.tables.clone(), branch.clone());
        let work = async move |location: TableLocation| {
            tables.update_field_metadata(&location, &changes, on.as_deref()).await
        };
        let (version, kept) = self.catalog.change(actor, table, Role::Editor, work).await?;
        self.record(actor, table, "columns.metadata", branch, version, json!({ "columns": paths })).await;
        Ok((version, kept))
    }

    /// Starts filling a computed column, as a job. A column that is not there, or not computed, is
    /// refused here.
    pub async fn start_backfill(&self, actor: &Actor, table: &TableRef, wanted: &Backfill) -> Result<Job> {
        let found = self.catalog.resolve_written(actor, table, Role::Editor).await?;
        let branch = wanted.branch.as_deref();
        self.engines.tables.computed_expression(&found.location, &wanted.column, branch).await?;
        let parameters = backfill::parameters(wanted);
        let job = self.jobs.start(actor, backfill::NAME, &table.to_string(), parameters).await?;
        let detail = json!({ "column": wanted.column, "job": job.id });
        self.audit.record(actor, "columns.backfill", &table.to_string(), Outcome::Done, detail).await;
        Ok(job)
    }

    /// Fills a computed column, until done or stopped; stopped, the column is as it was.
    pub(super) async fn backfill(
        &self,
        actor: &Actor,
        table: &TableRef,
        wanted: Backfill,
        stopped: CancellationToken,
    ) -> Result<Written> {
        let tables = self.engines.tables.clone();
        let work = async move |location: TableLocation| {
            let Backfill { column, predicate, branch } = &wanted;
            let filling = tables.backfill(&location, column, predicate.as_deref(), branch.as_deref());
            stopped.run_until_cancelled_owned(filling).await.unwrap_or_else(|| {
                Err(lakeglass_ports::Error::Unavailable("the work was stopped".to_owned()))
            })
        };
        Ok(self.catalog.change(actor, table, Role::Editor, work).await?)
    }

    async fn record(
        &self,
        actor: &Actor,
        table: &TableRef,
        action: &'static str,
        branch: Option<String>,
        version: u64,
        mut detail: Value,
    ) {
        detail["version"] = version.to_string().into();
        if let Some(branch) = branch {
            detail["branch"] = branch.into();
        }
        self.audit.record(actor, action, &table.to_string(), Outcome::Done, detail).await;
    }
}
