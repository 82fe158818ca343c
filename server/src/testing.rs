//! What unit tests of several capabilities share: an app over a real database in a folder of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use async_trait::async_trait;
use lakeglass_api::FormatId;
use lakeglass_api::description::{Cost, Count, Description, Totals};
use lakeglass_ports::{
    BatchStream, Candidate, Capabilities, Claim, Costed, CreateMode, Describer, Detection, Error, FormatInfo,
    InsertMode, Preview, PreviewRequest, Result, Subject, TableChanges, TableEngine, TableIndices,
    TableInspection, TableLocation, TableQuery, TableReferences, VersionPage, VersionRef, Written,
};
use object_store::ObjectStoreExt;

use crate::auth::Actor;
use crate::catalog::NewBucket;
use crate::config::Config;
use crate::engines::{Describers, Engines};
use crate::state::App;

/// An app on `folder` that has these describers and no table engine. Starts no background work.
pub(crate) async fn app(folder: &std::path::Path, describers: Vec<Arc<dyn Describer>>) -> Arc<App> {
    let config = Config::for_data(folder.to_owned());
    App::open(config, Engines { describers: Describers::new(describers), tables: Arc::new(NoTables) })
        .await
        .unwrap()
}

/// An engine for tests that write no tables: it refuses everything.
#[derive(Debug)]
pub(crate) struct NoTables;

fn no<T>() -> Result<T> {
    Err(Error::Unsupported("tables, in this test".to_owned()))
}

impl TableChanges for NoTables {}

impl TableInspection for NoTables {}
impl TableReferences for NoTables {}

impl TableIndices for NoTables {}

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

    async fn forget(&self, _: &TableLocation) {}
}

/// A describer of lines of text, one file a table, over whatever store the location opens. Contents
/// that begin with `hang`, `other` or `broken` make it behave so.
#[derive(Debug)]
pub(crate) struct Lines;

impl Lines {
    async fn text(location: &TableLocation) -> Result<String> {
        let bytes = match location.store.get(&location.prefix).await {
            Ok(object) => object.bytes().await.map_err(Error::internal)?,
            Err(object_store::Error::NotFound { .. }) => return Err(Error::NotFound),
            Err(error) => return Err(Error::internal(error)),
        };
        String::from_utf8(bytes.to_vec()).map_err(|_| Error::NotThisFormat)
    }
}

#[async_trait]
impl Describer for Lines {
    fn observer(&self) -> String {
        "lines 1".to_owned()
    }

    fn formats(&self) -> Vec<FormatInfo> {
        vec![FormatInfo {
            id: FormatId::new("csv"),
            title: "CSV".to_owned(),
            single_object: true,
            claims: vec![Claim::Suffix(".csv".to_owned())],
            capabilities: Capabilities { preview: true, ..Capabilities::default() },
            options: Vec::new(),
        }]
    }

    async fn detect(&self, candidate: &Candidate) -> Result<Vec<Detection>> {
        let yes = Detection { format: FormatId::new("csv"), confidence: 90, reason: "It is text".to_owned() };
        Ok(Self::text(&candidate.location).await.map(|_| vec![yes]).unwrap_or_default())
    }

    async fn describe(&self, subject: &Subject) -> Result<Costed<Description>> {
        let text = Self::text(&subject.location).await?;
        match text.split_whitespace().next() {
            Some("hang") => std::future::pending().await,
            Some("broken") => return Err(Error::Corrupt("it says so".to_owned())),
            _ => {}
        }
        let format = FormatId::new(if text.starts_with("other") { "other" } else { "csv" });
        let answer = Description {
            format,
            format_version: None,
            version: None,
            version_timestamp_ms: None,
            schema: Vec::new(),
            totals: Totals {
                rows: Some(Count::exact(text.lines().count() as u64)),
                bytes: Some(Count::exact(text.len() as u64)),
                ..Totals::default()
            },
            references: Vec::new(),
            indices: Vec::new(),
            features: Vec::new(),
            properties: Vec::new(),
            notes: Vec::new(),
        };
        let cost = Cost { requests: 1, bytes: text.len() as u64, elapsed_ms: 0 };
        Ok(Costed { answer, cost })
    }

    async fn history(&self, _: &Subject, _: Option<&str>, _: u32) -> Result<Costed<VersionPage>> {
        let answer = VersionPage { versions: Vec::new(), next: None, total: Some(0) };
        Ok(Costed { answer, cost: Cost::default() })
    }

    async fn preview(&self, _: &Subject, _: &PreviewRequest) -> Result<Preview> {
        no()
    }
}

/// A bucket of CSV files with these contents, in an app that reads them.
pub(crate) async fn files(folder: &std::path::Path, bucket: &str, files: &[(&str, &[u8])]) -> Arc<App> {
    let app = app(folder, vec![Arc::new(Lines)]).await;
    let new = NewBucket {
        name: bucket.parse().unwrap(),
        format: Some(FormatId::new("csv")),
        storage: None,
        description: String::new(),
        properties: BTreeMap::new(),
    };
    app.catalog.create_bucket(&Actor::system("tests"), new).await.unwrap();
    let root = folder.join("buckets").join(bucket);
    for (path, content) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    app
}
