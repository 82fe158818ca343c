//! A table engine that keeps a version as one object, put only when absent, beside one data object a
//! write. Enough to see what the catalog does to names and folders; real tables are written in the
//! integration tests, where the real engine is linked.

use std::collections::BTreeMap;

use arrow_schema::SchemaRef;
use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt};
use lakeglass_ports::{
    BatchStream, Candidate, Costed, CreateMode, Describer, Detection, Error, FormatInfo, InsertMode, Preview,
    PreviewRequest, Result, Subject, TableChanges, TableEngine, TableIndices, TableInspection, TableLocation,
    TableQuery, TableReferences, VersionPage, VersionRef, Written,
};
use object_store::{ObjectStoreExt, PutMode, PutOptions, PutPayload};

#[derive(Debug, Default)]
pub(super) struct Files;

impl Files {
    async fn next(&self, location: &TableLocation, rows: BatchStream, first: bool) -> Result<Written> {
        let mut count = 0;
        let mut batches = rows.batches;
        let data = location.prefix.clone().join("data").join(format!("{}.bin", uuid::Uuid::new_v4()));
        location.store.put(&data, PutPayload::from_static(b"rows")).await.map_err(Error::internal)?;
        while let Some(batch) = batches.next().await {
            count += batch?.num_rows() as u64;
        }
        loop {
            let version = self.latest_version(location).await?.unwrap_or(0) + 1;
            if first && version > 1 {
                return Err(Error::AlreadyExists);
            }
            let path = location.prefix.clone().join("_versions").join(format!("{version}.manifest"));
            let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
            match location.store.put_opts(&path, PutPayload::from_static(b"v"), options).await {
                Ok(_) => return Ok(Written { version, rows: count }),
                Err(object_store::Error::AlreadyExists { .. }) => {}
                Err(error) => return Err(Error::internal(error)),
            }
        }
    }
}

impl TableChanges for Files {}

impl TableInspection for Files {}
impl TableReferences for Files {}

impl TableIndices for Files {}

#[async_trait]
impl TableEngine for Files {
    async fn latest_version(&self, location: &TableLocation) -> Result<Option<u64>> {
        let folder = location.prefix.clone().join("_versions");
        let found: Vec<_> =
            location.store.list(Some(&folder)).try_collect().await.map_err(Error::internal)?;
        Ok(found
            .iter()
            .filter_map(|object| object.location.filename()?.strip_suffix(".manifest")?.parse().ok())
            .max())
    }

    async fn create(&self, location: &TableLocation, rows: BatchStream, mode: CreateMode) -> Result<Written> {
        self.next(location, rows, mode == CreateMode::Create).await
    }

    async fn insert(
        &self,
        location: &TableLocation,
        rows: BatchStream,
        _mode: InsertMode,
        _branch: Option<&str>,
    ) -> Result<Written> {
        self.next(location, rows, false).await
    }

    async fn count_rows(&self, _: &TableLocation, _: &VersionRef, _: Option<&str>) -> Result<u64> {
        Err(Error::Unsupported("count".into()))
    }

    async fn query(&self, _: &TableLocation, _: TableQuery) -> Result<BatchStream> {
        Err(Error::Unsupported("query".into()))
    }

    async fn schema(
        &self,
        _: &TableLocation,
        _: &VersionRef,
    ) -> Result<(u64, SchemaRef, BTreeMap<String, String>)> {
        Err(Error::Unsupported("schema".into()))
    }

    async fn forget(&self, _: &TableLocation) {}
}

/// Answers for the formats it is told, and describes nothing.
#[derive(Debug)]
pub(super) struct Serves(pub(super) &'static [&'static str]);

#[async_trait]
impl Describer for Serves {
    fn observer(&self) -> String {
        "test".into()
    }

    fn formats(&self) -> Vec<FormatInfo> {
        let info = |id: &&str| FormatInfo {
            id: lakeglass_api::FormatId::new(*id),
            title: (*id).into(),
            single_object: *id == "csv",
            claims: Vec::new(),
            capabilities: lakeglass_ports::Capabilities::default(),
            options: Vec::new(),
        };
        self.0.iter().map(info).collect()
    }

    async fn detect(&self, _: &Candidate) -> Result<Vec<Detection>> {
        Ok(Vec::new())
    }

    async fn describe(&self, _: &Subject) -> Result<Costed<lakeglass_api::description::Description>> {
        Err(Error::NotFound)
    }

    async fn history(&self, _: &Subject, _: Option<&str>, _: u32) -> Result<Costed<VersionPage>> {
        Err(Error::NotFound)
    }

    async fn preview(&self, _: &Subject, _: &PreviewRequest) -> Result<Preview> {
        Err(Error::NotFound)
    }
}
