//! Changes of rows, columns and metadata: one new version each, on the branch that is named.
//!
//! Changes that rewrite what others may rewrite take turns on a table, so that writers of this process
//! wait for each other instead of doing their work again. Writers elsewhere are met by Lance's own
//! conflict checks, and the work is repeated on top of theirs.

mod columns;
mod computed;
mod merge;
mod metadata;
mod rows;
mod spool;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use lakeglass_ports::{
    BatchStream, ColumnChange, Error, FieldMetadata, FieldMetadataChange, Merge, Merged, NewColumn, Result,
    TableChanges, TableLocation, Written,
};
use lance::Dataset;

use crate::engine::Engine;
use crate::error::map;
use crate::open::{Lake, newest};

/// How often a change is tried in all when writers elsewhere come between.
const ATTEMPTS: u32 = 20;

#[async_trait]
impl TableChanges for Engine {
    async fn merge(
        &self,
        location: &TableLocation,
        rows: BatchStream,
        merge: &Merge,
        branch: Option<&str>,
    ) -> Result<Merged> {
        merge::merge(&self.lake, location, rows, merge, branch).await
    }

    async fn update(
        &self,
        location: &TableLocation,
        updates: &[(String, String)],
        predicate: Option<&str>,
        branch: Option<&str>,
    ) -> Result<Written> {
        rows::update(&self.lake, location, updates, predicate, branch).await
    }

    async fn delete(
        &self,
        location: &TableLocation,
        predicate: &str,
        branch: Option<&str>,
    ) -> Result<Written> {
        rows::delete(&self.lake, location, predicate, branch).await
    }

    async fn add_columns(
        &self,
        location: &TableLocation,
        columns: &[NewColumn],
        branch: Option<&str>,
    ) -> Result<u64> {
        columns::add(&self.lake, location, columns, branch).await
    }

    async fn alter_columns(
        &self,
        location: &TableLocation,
        changes: &[ColumnChange],
        branch: Option<&str>,
    ) -> Result<u64> {
        columns::alter(&self.lake, location, changes, branch).await
    }

    async fn drop_columns(
        &self,
        location: &TableLocation,
        paths: &[String],
        branch: Option<&str>,
    ) -> Result<u64> {
        columns::remove(&self.lake, location, paths, branch).await
    }

    async fn replace_schema_metadata(
        &self,
        location: &TableLocation,
        metadata: &BTreeMap<String, String>,
        branch: Option<&str>,
    ) -> Result<(u64, BTreeMap<String, String>)> {
        metadata::replace_of_schema(&self.lake, location, metadata, branch).await
    }

    async fn update_field_metadata(
        &self,
        location: &TableLocation,
        changes: &[FieldMetadataChange],
        branch: Option<&str>,
    ) -> Result<(u64, FieldMetadata)> {
        metadata::update_of_fields(&self.lake, location, changes, branch).await
    }

    async fn computed_expression(
        &self,
        location: &TableLocation,
        column: &str,
        branch: Option<&str>,
    ) -> Result<String> {
        let dataset = self.lake.open(location, &newest(branch), None).await?;
        computed::expression(&dataset, column)
    }

    async fn backfill(
        &self,
        location: &TableLocation,
        column: &str,
        predicate: Option<&str>,
        branch: Option<&str>,
    ) -> Result<Written> {
        computed::backfill(&self.lake, location, column, predicate, branch).await
    }
}

/// Changes the newest version in its turn, again when a writer elsewhere came between, and keeps the
/// handle that results. `apply` gives back the handle it was given, moved on.
async fn change<T, W>(
    lake: &Lake,
    location: &TableLocation,
    branch: Option<&str>,
    apply: impl Fn(Dataset) -> W,
) -> Result<(Dataset, T)>
where
    W: Future<Output = lance_core::Result<(Dataset, T)>>,
{
    let _turn = lake.turn(location).await;
    for _ in 0..ATTEMPTS {
        let dataset = lake.open(location, &newest(branch), None).await?;
        match apply(dataset).await.map_err(map) {
            Ok((dataset, made)) => {
                lake.keep(location, &dataset).await;
                return Ok((dataset, made));
            }
            Err(Error::Conflict) => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::Conflict)
}

/// Keeps what a builder of Lance's made, and says which version and how many rows.
async fn made(lake: &Lake, location: &TableLocation, dataset: &Arc<Dataset>, rows: u64) -> Written {
    lake.keep(location, dataset).await;
    Written { version: dataset.version_id(), rows }
}
