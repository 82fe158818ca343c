//! What unit tests of several capabilities share: an app over a real database in a folder of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use async_trait::async_trait;
use lakeglass_ports::{
    BatchStream, CreateMode, Describer, Error, IndexRequest, InsertMode, Result, TableEngine, TableLocation,
    TableQuery, VersionRef, Written,
};

use crate::config::Config;
use crate::state::{App, Engines};

/// An app on `folder` that has these describers and no table engine. Starts no background work.
pub(crate) async fn app(folder: &std::path::Path, describers: Vec<Arc<dyn Describer>>) -> Arc<App> {
    let config = Config::for_data(folder.to_owned());
    App::open(config, Engines { describers, tables: Arc::new(NoTables) }).await.unwrap()
}

/// An engine for tests that write no tables: it refuses everything.
#[derive(Debug)]
pub(crate) struct NoTables;

fn no<T>() -> Result<T> {
    Err(Error::Unsupported("tables, in this test".to_owned()))
}

#[async_trait]
impl TableEngine for NoTables {
    async fn latest_version(&self, _: &TableLocation) -> Result<Option<u64>> {
        no()
    }

    async fn create(&self, _: &TableLocation, _: BatchStream, _: CreateMode) -> Result<Written> {
        no()
    }

    async fn insert(
        &self,
        _: &TableLocation,
        _: BatchStream,
        _: InsertMode,
        _: Option<&str>,
    ) -> Result<Written> {
        no()
    }

    async fn count_rows(&self, _: &TableLocation, _: &VersionRef, _: Option<&str>) -> Result<u64> {
        no()
    }

    async fn query(&self, _: &TableLocation, _: TableQuery) -> Result<BatchStream> {
        no()
    }

    async fn schema(
        &self,
        _: &TableLocation,
        _: &VersionRef,
    ) -> Result<(u64, SchemaRef, BTreeMap<String, String>)> {
        no()
    }

    async fn delete_rows(&self, _: &TableLocation, _: &str) -> Result<Written> {
        no()
    }

    async fn create_index(&self, _: &TableLocation, _: IndexRequest) -> Result<()> {
        no()
    }

    async fn create_tag(&self, _: &TableLocation, _: &str, _: u64) -> Result<()> {
        no()
    }

    async fn forget(&self, _: &TableLocation) {}
}
