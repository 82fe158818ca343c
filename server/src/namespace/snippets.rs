//! Connect snippets: a few lines for each client, filled with a table's names.
//!
//! A name is quoted for the language it stands in, so that code for any table is code. Each snippet
//! takes the token from the environment and is run by a test against a real server.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use http::{HeaderMap, Method, header};
use lakeglass_api::catalog::Table;
use lakeglass_api::{FormatId, NamespacePath, Role, Snippet, TableRef};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use super::errors::of_table;
use super::ids;
use crate::Problem;
use crate::auth::Actor;
use crate::router::{Route, Who};
use crate::state::App;

/// What stays as it is in one segment of a URL.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

macro_rules! template {
    ($name:ident, $path:literal, [$($flag:ident),*], $($field:ident),+) => {
        #[derive(Template)]
        #[template(path = $path, escape = "none")]
        struct $name<'a> { $($flag: bool,)* $($field: &'a str),+ }
    };
}

template!(Pylance, "snippets/pylance.txt", [local], endpoint, id);
template!(LanceNamespace, "snippets/lance-namespace.txt", [], endpoint, id, parent);
template!(LanceDb, "snippets/lancedb.txt", [local], endpoint, name, parent);
template!(LanceDbRemote, "snippets/lancedb-remote.txt", [], endpoint, database, name);
template!(DuckDb, "snippets/duckdb.txt", [], query_url);
template!(Polars, "snippets/polars.txt", [], query_url);
template!(Pandas, "snippets/pandas.txt", [], query_url);
template!(Daft, "snippets/daft.txt", [local], endpoint, id);
template!(Ray, "snippets/ray.txt", [local], endpoint, id);
template!(Curl, "snippets/curl.txt", [], describe_url, query_url, file);

/// Snippets for a table, for a server reached at `public_url`. Empty for a table that is not Lance:
/// those are read by their location.
pub fn snippets(public_url: &str, table: &Table) -> Vec<Snippet> {
    if table.format != FormatId::lance() {
        return Vec::new();
    }
    let reference = table.reference();
    let base = public_url.trim_end_matches('/');
    let dollar_id = reference.to_string();
    let segment = utf8_percent_encode(&dollar_id, SEGMENT);
    let endpoint = python_text(&format!("{base}/lance"));
    let query = format!("{base}/lance/v1/table/{segment}/query");
    let describe = format!("{base}/lance/v1/table/{segment}/describe?load_detailed_metadata=true");
    let id = python_list(&ids::table_parts(&reference));
    let parent = python_list(&ids::namespace_parts(&reference));
    let name = python_text(table.name.as_str());
    let local = table.location.starts_with("file:") || table.location.starts_with('/');

    let one = |client: &str, title: &str, language: &str, code: Result<String, askama::Error>| {
        // Rendering into a text cannot fail; a client whose code is missing would be no help.
        code.ok().map(|code| Snippet {
            client: client.to_owned(),
            title: title.to_owned(),
            language: language.to_owned(),
            code: code.trim_end().to_owned() + "\n",
        })
    };
    let query_url = python_text(&query);
    let database = python_text(&format!("db://{}", ids::namespace_parts(&reference).join("$")));
    [
        one("pylance", "pylance", "python", Pylance { local, endpoint: &endpoint, id: &id }.render()),
        one(
            "lance-namespace",
            "lance-namespace",
            "python",
            LanceNamespace { endpoint: &endpoint, id: &id, parent: &parent }.render(),
        ),
        one(
            "lancedb",
            "LanceDB",
            "python",
            LanceDb { local, endpoint: &endpoint, name: &name, parent: &parent }.render(),
        ),
        one(
            "lancedb-remote",
            "LanceDB, remote",
            "python",
            LanceDbRemote { endpoint: &endpoint, database: &database, name: &name }.render(),
        ),
        one("duckdb", "DuckDB", "python", DuckDb { query_url: &query_url }.render()),
        one("polars", "Polars", "python", Polars { query_url: &query_url }.render()),
        one("pandas", "pandas", "python", Pandas { query_url: &query_url }.render()),
        one("daft", "Daft", "python", Daft { local, endpoint: &endpoint, id: &id }.render()),
        one("ray", "Ray", "python", Ray { local, endpoint: &endpoint, id: &id }.render()),
        one(
            "curl",
            "curl",
            "bash",
            Curl {
                describe_url: &shell_word(&describe),
                query_url: &shell_word(&query),
                file: &shell_word(&format!("{}.arrow", table.name)),
            }
            .render(),
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A Python text literal.
fn python_text(text: &str) -> String {
    let mut literal = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            c if c.is_control() => literal.extend(format!("\\U{:08x}", u32::from(c)).chars()),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

fn python_list(parts: &[String]) -> String {
    let items: Vec<String> = parts.iter().map(|part| python_text(part)).collect();
    format!("[{}]", items.join(", "))
}

/// One word of a POSIX shell.
fn shell_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[derive(Debug, Deserialize)]
pub(super) struct TablePath {
    bucket: String,
    namespace: String,
    table: String,
}

pub(super) fn route() -> Route {
    let path = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/snippets";
    Route::api(Method::GET, path, Who::Bucket(Role::Viewer), read).doc::<__path_read>()
}

/// Code by which clients connect to a table
#[utoipa::path(
    get,
    path = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/snippets",
    tag = "tables",
    operation_id = "listConnectSnippets",
    params(
        ("bucket" = String, Path, description = "Name of the bucket"),
        ("namespace" = String, Path, description = "Parts of the namespace, joined by dots"),
        ("table" = String, Path, description = "Name of the table"),
    ),
    responses((status = 200, description = "One for each client; none for a table that is not Lance", body = Vec<Snippet>))
)]
async fn read(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(path): Path<TablePath>,
    headers: HeaderMap,
) -> Result<axum::Json<Vec<Snippet>>, Problem> {
    let reference = TableRef {
        bucket: path.bucket.parse()?,
        namespace: NamespacePath::from_dotted(&path.namespace)?,
        table: path.table.parse()?,
    };
    let table = app.catalog.table(&actor, &reference).await.map_err(of_table)?;
    Ok(axum::Json(snippets(&origin(&app, &headers), &table)))
}

/// Where people reach this server: what was configured, else what the request was sent to.
fn origin(app: &App, headers: &HeaderMap) -> String {
    if let Some(url) = &app.config.public_url {
        return url.to_string();
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    format!("http://{}", host.map_or_else(|| app.config.listen.to_string(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use lakeglass_api::catalog::{Properties, TableState};

    use super::*;

    fn table(location: &str, format: FormatId) -> Table {
        Table {
            bucket: "vision".parse().unwrap(),
            namespace: NamespacePath::new(["mnist", "v1"]).unwrap(),
            name: "train.2024".parse().unwrap(),
            format,
            state: TableState::Created,
            location: location.to_owned(),
            properties: Properties::new(),
            protected: false,
            created_at_ms: 0,
            updated_at_ms: 0,
            rows: None,
            bytes: None,
            observed_at_ms: None,
        }
    }

    #[test]
    fn every_client_has_a_snippet_with_the_tables_names() {
        let table = table("file:///data/vision/mnist.v1/train.2024", FormatId::lance());
        let all = snippets("http://127.0.0.1:8080/", &table);
        let clients: Vec<&str> = all.iter().map(|snippet| snippet.client.as_str()).collect();
        let python =
            ["pylance", "lance-namespace", "lancedb", "lancedb-remote", "duckdb", "polars", "pandas"];
        assert_eq!(clients, [python.as_slice(), &["daft", "ray", "curl"]].concat());
        for snippet in &all {
            assert!(snippet.code.contains("LAKEGLASS_TOKEN"), "{}", snippet.client);
            assert!(snippet.code.contains("http://127.0.0.1:8080/lance"), "{}", snippet.client);
            assert!(snippet.code.contains("train.2024"), "{}", snippet.client);
        }
        assert!(all[0].code.contains(r#"["vision", "mnist", "v1", "train.2024"]"#));
        assert!(all[0].code.contains("own disk"));
        assert!(all[3].code.contains(r#""db://vision$mnist$v1""#));
        assert!(all[9].code.contains("/table/vision%24mnist%24v1%24train.2024/query'"));
    }

    #[test]
    fn a_table_in_an_object_store_is_reached_from_anywhere_and_other_formats_have_none() {
        let remote = snippets("https://lake.example", &table("s3://lake/vision/t", FormatId::lance()));
        assert!(remote.iter().all(|snippet| !snippet.code.contains("own disk")));
        assert!(snippets("https://lake.example", &table("s3://lake/t.csv", FormatId::new("csv"))).is_empty());
    }

    #[test]
    fn names_are_quoted_for_the_language_they_stand_in() {
        assert_eq!(python_text("a\"b\\c\nd é"), "\"a\\\"b\\\\c\\U0000000ad é\"");
        assert_eq!(shell_word("a'; rm b"), r"'a'\''; rm b'");
    }
}
