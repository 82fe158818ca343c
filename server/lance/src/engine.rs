//! The table engine port over native Lance.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use async_trait::async_trait;
use lakeglass_ports::{
    BatchStream, CreateMode, InsertMode, Result, TableEngine, TableLocation, TableQuery, VersionRef, Written,
};

use crate::error::map;
use crate::open::Lake;
use crate::{query, write};

/// Writes and queries Lance tables.
#[derive(Debug)]
pub struct Engine {
    pub(crate) lake: Arc<Lake>,
}

impl Engine {
    pub(crate) fn new(lake: Arc<Lake>) -> Self {
        Self { lake }
    }
}

#[async_trait]
impl TableEngine for Engine {
    async fn latest_version(&self, location: &TableLocation) -> Result<Option<u64>> {
        self.lake.latest_version(location).await
    }

    async fn create(&self, location: &TableLocation, rows: BatchStream, mode: CreateMode) -> Result<Written> {
        write::create(&self.lake, location, rows, mode).await
    }

    async fn insert(
        &self,
        location: &TableLocation,
        rows: BatchStream,
        mode: InsertMode,
        branch: Option<&str>,
    ) -> Result<Written> {
        write::insert(&self.lake, location, rows, mode, branch).await
    }

    async fn count_rows(
        &self,
        location: &TableLocation,
        at: &VersionRef,
        predicate: Option<&str>,
    ) -> Result<u64> {
        let dataset = self.lake.open(location, at, None).await?;
        let rows = dataset.count_rows(predicate.map(str::to_owned)).await.map_err(map)?;
        Ok(rows as u64)
    }

    async fn query(&self, location: &TableLocation, query: TableQuery) -> Result<BatchStream> {
        query::query(&self.lake, location, &query).await
    }

    async fn schema(
        &self,
        location: &TableLocation,
        at: &VersionRef,
    ) -> Result<(u64, SchemaRef, BTreeMap<String, String>)> {
        let dataset = self.lake.open(location, at, None).await?;
        let schema = Arc::new(Schema::from(dataset.schema()));
        let metadata = dataset.schema().metadata.clone().into_iter().collect();
        Ok((dataset.version_id(), schema, metadata))
    }

    async fn forget(&self, location: &TableLocation) {
        self.lake.forget(location).await;
    }
}
