//! What a case asks a server: an operation, on an object below the case's own namespace, with a body.

use serde_json::{Value, json};

use crate::Operation;
use crate::rows::Rows;

/// Who sends a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// The caller that makes and removes everything.
    Owner,
    /// Sends no credentials.
    Nobody,
    /// Sends credentials that the server never gave out.
    Impostor,
    /// May read rows and nothing more.
    Reader,
    /// May see nothing of what the owner made.
    Stranger,
}

/// The object that a request's route names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Parts joined by `$`, below the case's own namespace; empty: that namespace.
    Home(String),
    /// The root of everything.
    Root,
    /// Parts joined by `$` from the root down.
    Absolute(String),
    /// As `Home`, joined by another delimiter, which the query names.
    Delimited(String, String),
    /// As it stands, unescaped.
    Path(String),
}

/// A request's body.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    Nothing,
    Json(Value),
    Bytes(Vec<u8>),
    Rows(Rows),
    /// Rows cut off after this share of their bytes, in a body that ends as a whole one does.
    CutRows(Rows),
    /// Rows of which half is sent; then the connection breaks.
    BrokenRows(Rows),
}

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub(crate) operation: Operation,
    pub(crate) target: Target,
    pub(crate) index: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Body,
    pub(crate) who: Who,
    pub(crate) method: Option<&'static str>,
    pub(crate) slash: bool,
}

impl Operation {
    /// On an object below the case's own namespace: `orders`, `child$orders`; empty: the namespace itself.
    pub(crate) fn on(self, id: impl Into<String>) -> Request {
        self.request(Target::Home(id.into()))
    }

    /// On the root.
    pub(crate) fn on_root(self) -> Request {
        self.request(Target::Root)
    }

    /// On an object named from the root down.
    pub(crate) fn on_absolute(self, id: impl Into<String>) -> Request {
        self.request(Target::Absolute(id.into()))
    }

    /// On an object below the case's own namespace, its whole name joined by `delimiter`.
    pub(crate) fn on_delimited(self, id: &str, delimiter: &str) -> Request {
        self.request(Target::Delimited(id.to_owned(), delimiter.to_owned()))
    }

    /// On an operation that names no object in its route.
    pub(crate) fn everywhere(self) -> Request {
        self.request(Target::Root)
    }

    fn request(self, target: Target) -> Request {
        Request {
            operation: self,
            target,
            index: String::new(),
            query: Vec::new(),
            headers: Vec::new(),
            body: Body::Nothing,
            who: Who::Owner,
            method: None,
            slash: false,
        }
    }
}

impl Request {
    /// With a JSON body. `{name}` stands for what a step kept under that name, [`id`] for a list of parts.
    pub(crate) fn json(self, body: Value) -> Self {
        Self { body: Body::Json(body), ..self }
    }

    pub(crate) fn rows(self, rows: &Rows) -> Self {
        Self { body: Body::Rows(rows.clone()), ..self }
    }

    pub(crate) fn body(self, body: Body) -> Self {
        Self { body, ..self }
    }

    /// With a query parameter: text as it is, anything else as JSON.
    pub(crate) fn query(mut self, name: &str, value: impl Into<Value>) -> Self {
        let value = match value.into() {
            Value::String(text) => text,
            other => other.to_string(),
        };
        self.query.push((name.to_owned(), value));
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn index(self, name: &str) -> Self {
        Self { index: name.to_owned(), ..self }
    }

    pub(crate) fn sent_by(self, who: Who) -> Self {
        Self { who, ..self }
    }

    pub(crate) fn with_method(self, method: &'static str) -> Self {
        Self { method: Some(method), ..self }
    }

    /// With a slash at the end of its path.
    pub(crate) fn with_slash(self) -> Self {
        Self { slash: true, ..self }
    }
}

/// In a JSON body: the list of parts of an object below the case's own namespace.
pub(crate) fn id(of: &str) -> Value {
    json!({ "$id": of })
}

/// A request that means something to every operation, for cases that go through all of them: what is
/// required is there, and names things that need not exist.
pub(crate) fn plausible(operation: Operation, table: &str) -> Request {
    use Operation as Op;
    let rows = Rows::words(&[(1, "ant")]);
    let request = operation.on(table).index("by_id");
    let version = json!({"version": 2, "manifest_path": "_versions/2.manifest"});
    let body = match operation {
        Op::ListAllTables => return operation.everywhere(),
        Op::ListNamespaces
        | Op::ListTables
        | Op::DropTable
        | Op::DropTableIndex
        | Op::ListTableVersions
        | Op::ListTableTags
        | Op::ListTableBranches => return request,
        Op::CreateTable | Op::InsertIntoTable => return request.rows(&rows),
        Op::MergeInsertIntoTable => {
            return request.query("on", "id").query("when_matched_update_all", true).rows(&rows);
        }
        Op::BatchCreateTableVersions => {
            let entry = json!({"id": id(table), "version": 2, "manifest_path": "_versions/2.manifest"});
            return operation.everywhere().json(json!({ "entries": [entry] }));
        }
        Op::BatchCommitTables => {
            let deregister = json!({"deregister_table": {"id": id(table)}});
            return operation.everywhere().json(json!({ "operations": [deregister] }));
        }
        Op::RegisterTable => json!({"location": "somewhere"}),
        Op::RenameTable => json!({"new_table_name": "renamed"}),
        Op::UpdateTable => json!({"updates": [["word", "'x'"]]}),
        Op::DeleteFromTable => json!({"predicate": "id = 1"}),
        Op::QueryTable | Op::AnalyzeTableQueryPlan => json!({"vector": {}, "k": 1}),
        Op::ExplainTableQueryPlan => json!({"query": {"vector": {}, "k": 1}}),
        Op::AlterTableAddColumns => json!({"new_columns": [{"name": "twice", "expression": "id * 2"}]}),
        Op::AlterTableAlterColumns => json!({"alterations": [{"path": "word", "rename": "text"}]}),
        Op::AlterTableDropColumns => json!({"columns": ["word"]}),
        Op::AlterTableBackfillColumns => json!({"column": "word"}),
        Op::UpdateTableSchemaMetadata => json!({"a": "b"}),
        Op::UpdateFieldMetadata => json!({"updates": [{"path": "id", "metadata": {"a": "b"}}]}),
        Op::RestoreTable => json!({"version": 1}),
        Op::CreateTableVersion => version,
        Op::BatchDeleteTableVersions => json!({"ranges": [{"start_version": 1, "end_version": 2}]}),
        Op::CreateTableIndex | Op::CreateTableScalarIndex => {
            json!({"column": "id", "index_type": "BTREE", "name": "by_id"})
        }
        Op::GetTableTagVersion | Op::DeleteTableTag => json!({"tag": "first"}),
        Op::CreateTableTag | Op::UpdateTableTag => json!({"tag": "first", "version": 1}),
        Op::CreateTableBranch | Op::DeleteTableBranch => json!({"name": "side"}),
        Op::CreateMaterializedView => {
            json!({"kind": "query", "source_query": "SELECT id FROM orders", "output_schema": ""})
        }
        Op::AlterTransaction => json!({"actions": [{"setPropertyAction": {"key": "a", "value": "b"}}]}),
        _ => json!({}),
    };
    request.json(body)
}
