//! A catalog over a folder of its own, and short ways to say things to it.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use futures::StreamExt;
use lakeglass_api::catalog::{Properties, Table};
use lakeglass_api::{BucketName, FormatId, ListQuery, NamespacePath, Role, Scope, TableRef};
use lakeglass_ports::BatchStream;

use super::engine::{Files, Serves};
use crate::auth::{Actor, Principal};
use crate::catalog::{Catalog, NamespaceMode, NewBucket, Result, TableMode};
use crate::engines::{Describers, Engines};
use crate::{App, Config};

pub(super) struct Kit {
    pub(super) folder: tempfile::TempDir,
    pub(super) app: Arc<App>,
    pub(super) admin: Actor,
}

pub(super) fn engines() -> Engines {
    Engines {
        describers: Describers::new(vec![Arc::new(Serves(&["lance", "csv"]))]),
        tables: Arc::new(Files),
    }
}

impl Kit {
    pub(super) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let app = Self::open(&folder).await;
        Self { folder, app, admin: Actor::system("test") }
    }

    async fn open(folder: &tempfile::TempDir) -> Arc<App> {
        App::open(Config::for_data(folder.path().to_owned()), engines()).await.unwrap()
    }

    /// With the bucket `lake` of Lance and the namespace `sales` in it.
    pub(super) async fn with_sales() -> Self {
        let kit = Self::new().await;
        kit.bucket("lake", Some("lance")).await.unwrap();
        kit.namespace("lake", "sales").await.unwrap();
        kit
    }

    /// As after a restart on the same folder.
    pub(super) async fn restart(&mut self) {
        self.app = Self::open(&self.folder).await;
        assert_eq!(self.catalog().repair().await.unwrap(), 0);
    }

    pub(super) fn catalog(&self) -> &Catalog {
        &self.app.catalog
    }

    pub(super) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join("buckets").join(below)
    }

    pub(super) async fn bucket(&self, name: &str, format: Option<&str>) -> Result<()> {
        let new = NewBucket {
            name: name.parse().unwrap(),
            format: format.map(FormatId::new),
            storage: None,
            description: String::new(),
            properties: Properties::new(),
        };
        self.catalog().create_bucket(&self.admin, new).await.map(|_| ())
    }

    pub(super) async fn namespace(&self, bucket: &str, dotted: &str) -> Result<bool> {
        let (bucket, path) = (bucket.parse().unwrap(), NamespacePath::from_dotted(dotted).unwrap());
        let mode = NamespaceMode::Create;
        let made =
            self.catalog().create_namespace(&self.admin, &bucket, &path, Properties::new(), mode).await;
        made.map(|(_, made)| made)
    }

    pub(super) async fn create(&self, table: &str) -> Result<Table> {
        self.create_as(table, TableMode::Create).await
    }

    pub(super) async fn create_as(&self, table: &str, mode: TableMode) -> Result<Table> {
        let created = self
            .catalog()
            .create_table(&self.admin, &reference(table), rows(3), mode, Properties::new())
            .await;
        created.map(|(table, _)| table)
    }

    pub(super) async fn names(&self, bucket: &str, dotted: &str) -> Vec<String> {
        let (bucket, path): (BucketName, _) =
            (bucket.parse().unwrap(), NamespacePath::from_dotted(dotted).unwrap());
        let query = ListQuery { limit: Some(500), ..ListQuery::default() };
        let page = self.catalog().tables(&self.admin, &bucket, &path, &query, true).await.unwrap();
        page.items.into_iter().map(|table| table.name.to_string()).collect()
    }

    /// Names and ids in the bucket's Trash.
    pub(super) async fn trash(&self, bucket: &str) -> Vec<(String, i64)> {
        let page =
            self.catalog().trash(&self.admin, &bucket.parse().unwrap(), &ListQuery::default()).await.unwrap();
        page.items.into_iter().map(|item| (item.table.name.to_string(), item.id)).collect()
    }

    pub(super) async fn open_intents(&self) -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM intents").fetch_one(&self.app.db.read).await.unwrap()
    }
}

/// `bucket/a.b/table`.
pub(super) fn reference(text: &str) -> TableRef {
    let mut parts = text.splitn(3, '/');
    let mut next = || parts.next().unwrap();
    TableRef {
        bucket: next().parse().unwrap(),
        namespace: NamespacePath::from_dotted(next()).unwrap(),
        table: next().parse().unwrap(),
    }
}

/// One batch of as many rows.
pub(super) fn rows(count: i64) -> BatchStream {
    let schema = Arc::new(Schema::new(vec![Field::new("id", DataType::Int64, false)]));
    let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(Int64Array::from_iter_values(0..count))]);
    BatchStream {
        schema,
        batches: futures::stream::iter([batch.map_err(lakeglass_ports::Error::internal)]).boxed(),
    }
}

/// A stream that breaks after its first batch.
pub(super) fn broken_rows() -> BatchStream {
    let BatchStream { schema, batches } = rows(1);
    let error = Err(lakeglass_ports::Error::InvalidRequest("The stream broke off".into()));
    BatchStream { schema, batches: batches.chain(futures::stream::iter([error])).boxed() }
}

pub(super) fn somebody(scope: Scope, role: Role) -> Actor {
    Actor::new(Principal::User(1), "someone".into(), vec![(scope, role)], None, String::new())
}

/// Every file below a folder, as relative paths, sorted.
pub(super) fn files(root: &std::path::Path) -> Vec<String> {
    fn walk(root: &std::path::Path, folder: &std::path::Path, found: &mut Vec<String>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                found.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    let mut found = Vec::new();
    walk(root, root, &mut found);
    found.sort();
    found
}
