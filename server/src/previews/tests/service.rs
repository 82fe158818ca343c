//! Who may see rows, how the question reaches the reader, and what is recorded.

use std::sync::{Arc, Mutex};

use arrow_array::{Int64Array, RecordBatch};
use async_trait::async_trait;
use lakeglass_api::cells::Cell;
use lakeglass_api::description::{Cost, Description};
use lakeglass_api::{FormatId, NamespacePath, Role, Scope, TableRef};
use lakeglass_ports::{
    Candidate, Capabilities, Condition, ConditionValue, Costed, Describer, Detection, FormatInfo, Operator,
    Preview, PreviewRequest, Result, Subject, VersionPage, VersionRef,
};

use super::super::{Download, Error, PreviewQuery};
use crate::audit::{Filter, Outcome};
use crate::auth::{Actor, Denied, Principal};
use crate::catalog::{NamespaceMode, NewBucket};
use crate::state::App;
use crate::testing;

/// Answers with the numbers from the offset, as many as asked for, and keeps the question.
#[derive(Debug, Default)]
struct Counting {
    asked: Mutex<Vec<(VersionRef, PreviewRequest)>>,
}

#[async_trait]
impl Describer for Counting {
    fn observer(&self) -> String {
        "plugin counting 1.0.0".to_owned()
    }

    fn formats(&self) -> Vec<FormatInfo> {
        let info = |id: &str, preview| FormatInfo {
            id: FormatId::new(id),
            title: id.to_owned(),
            single_object: true,
            claims: Vec::new(),
            capabilities: Capabilities { preview, ..Capabilities::default() },
            options: Vec::new(),
        };
        vec![info("counting", true), info("silent", false)]
    }

    async fn detect(&self, _: &Candidate) -> Result<Vec<Detection>> {
        Ok(Vec::new())
    }

    async fn describe(&self, _: &Subject) -> Result<Costed<Description>> {
        Err(lakeglass_ports::Error::NotFound)
    }

    async fn history(&self, _: &Subject, _: Option<&str>, _: u32) -> Result<Costed<VersionPage>> {
        Err(lakeglass_ports::Error::NotFound)
    }

    async fn preview(&self, subject: &Subject, request: &PreviewRequest) -> Result<Preview> {
        self.asked.lock().unwrap().push((subject.version.clone(), request.clone()));
        let from = i64::try_from(request.offset).unwrap();
        let numbers = Int64Array::from_iter_values(from..from + i64::from(request.limit));
        let batch = RecordBatch::try_from_iter([("n", Arc::new(numbers) as _)]).unwrap();
        Ok(Preview {
            schema: batch.schema(),
            batches: vec![batch],
            version: Some("18446744073709551615".to_owned()),
            more: true,
            notes: Vec::new(),
            cost: Cost { requests: 1, bytes: 2, elapsed_ms: 3 },
        })
    }
}

struct Kit {
    _folder: tempfile::TempDir,
    app: Arc<App>,
    reader: Arc<Counting>,
}

impl Kit {
    /// A bucket `lake` with the tables `t.counting` and `t.silent` in the namespace `ns`.
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let reader = Arc::new(Counting::default());
        let app = testing::app(folder.path(), vec![Arc::clone(&reader) as _]).await;
        let system = Actor::system("test");
        let bucket = NewBucket {
            name: "lake".parse().unwrap(),
            format: None,
            storage: None,
            description: String::new(),
            properties: std::collections::BTreeMap::new(),
        };
        app.catalog.create_bucket(&system, bucket).await.unwrap();
        let path = NamespacePath::new(["ns"]).unwrap();
        let (lake, none) = ("lake".parse().unwrap(), std::collections::BTreeMap::new());
        app.catalog.create_namespace(&system, &lake, &path, none, NamespaceMode::Create).await.unwrap();
        for format in ["counting", "silent"] {
            let location = format!("files/{format}");
            let found = table(&format!("t.{format}"));
            app.catalog.register_found(&system, &found, &location, &FormatId::new(format)).await.unwrap();
        }
        Self { _folder: folder, app, reader }
    }
}

fn table(name: &str) -> TableRef {
    TableRef {
        bucket: "lake".parse().unwrap(),
        namespace: NamespacePath::new(["ns"]).unwrap(),
        table: name.parse().unwrap(),
    }
}

fn actor(role: Role, bucket: &str) -> Actor {
    let grants = vec![(Scope::Bucket(bucket.parse().unwrap()), role)];
    Actor::new(Principal::User(7), "ana".to_owned(), grants, None, "r-1".to_owned())
}

#[tokio::test]
async fn rows_are_for_readers_and_each_look_is_recorded_without_data() {
    let kit = Kit::new().await;
    let ask = async |who: &Actor, name: &str| {
        kit.app.previews.rows(who, &table(name), &PreviewQuery::default()).await
    };
    let denied = ask(&actor(Role::Viewer, "lake"), "t.counting").await;
    let expected = crate::catalog::Error::Denied(Denied::Forbidden(Role::Reader)).to_string();
    assert_eq!(denied.unwrap_err().to_string(), expected);
    let hidden = ask(&actor(Role::Admin, "other"), "t.counting").await;
    assert_eq!(hidden.unwrap_err().to_string(), crate::catalog::Error::Denied(Denied::Hidden).to_string());
    assert!(kit.reader.asked.lock().unwrap().is_empty());

    let reader = actor(Role::Reader, "lake");
    let grid = ask(&reader, "t.counting").await.unwrap();
    assert_eq!((grid.rows.len(), grid.more), (50, true));
    assert_eq!(grid.rows[49], [Cell::Number { text: "49".to_owned() }]);
    assert_eq!(grid.columns[0].type_name, "int64");
    assert_eq!(grid.version.as_deref(), Some("18446744073709551615"));
    assert_eq!(grid.cost.bytes, 2);
    assert!(matches!(ask(&reader, "t.silent").await, Err(Error::NoPreview(_))));
    assert!(matches!(ask(&reader, "t.gone").await, Err(Error::Catalog(_))));

    kit.app.audit.flush(true).await;
    let filter = Filter { action: Some("rows.preview".to_owned()), ..Filter::default() };
    let records = kit.app.audit.list(&Actor::system("test"), &filter, None, None).await.unwrap();
    let mut seen: Vec<_> =
        records.items.iter().map(|record| (record.object.as_str(), record.outcome)).collect();
    seen.sort_by_key(|(object, _)| *object);
    assert_eq!(seen, [("lake$ns$t.counting", Outcome::Done), ("lake$ns$t.silent", Outcome::Failed)]);
    let detail = &records.items.iter().find(|record| record.outcome == Outcome::Done).unwrap().detail;
    assert_eq!(detail["rows"], 50);
}

#[tokio::test]
async fn questions_are_bounded_before_the_reader_sees_them() {
    let kit = Kit::new().await;
    let reader = actor(Role::Reader, "lake");
    let ask = async |query: PreviewQuery| kit.app.previews.rows(&reader, &table("t.counting"), &query).await;
    let at = VersionRef::Tag("v1".to_owned());
    let query = PreviewQuery {
        limit: 100_000,
        offset: 7,
        columns: Some(vec![]),
        at: at.clone(),
        ..PreviewQuery::default()
    };
    let grid = ask(query).await.unwrap();
    assert_eq!((grid.rows.len(), grid.offset), (200, 7));
    let (asked_at, asked) = kit.reader.asked.lock().unwrap()[0].clone();
    assert_eq!((asked_at, asked.columns, asked.offset, asked.limit), (at, None, 7, 200));

    let condition = |value| Condition { column: vec!["n".to_owned()], operator: Operator::Equal, value };
    let filtered = PreviewQuery {
        filter: vec![condition(ConditionValue::One("1".to_owned()))],
        ..PreviewQuery::default()
    };
    // This reader does not filter; saying nothing would show the wrong rows.
    assert!(matches!(ask(filtered).await, Err(Error::NoFilter(_))));
    let many = PreviewQuery { columns: Some(vec!["n".to_owned(); 1_001]), ..PreviewQuery::default() };
    assert!(matches!(ask(many).await, Err(Error::Invalid("columns", _))));
    assert_eq!(kit.reader.asked.lock().unwrap().len(), 1);

    let (found, query) = (table("t.counting"), PreviewQuery::default());
    let file = kit.app.previews.download(&reader, &found, &query, Download::Csv).await.unwrap();
    let (media, name, bytes) = file;
    assert_eq!(media, "text/csv; charset=utf-8");
    assert_eq!(name, "t.counting-v18446744073709551615-0.csv");
    assert_eq!(String::from_utf8(bytes).unwrap().lines().nth(50), Some("49"));
}
