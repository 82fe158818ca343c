//! `/api/v1/buckets/{bucket}/namespaces/{namespace}/tables` and `/api/v1/tables`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use futures::StreamExt;
use http::Method;
use lakeglass_api::catalog::{Properties, Table};
use lakeglass_api::{NamespacePath, Page, Role, TableName, TableRef};
use lakeglass_ports::BatchStream;
use serde::Deserialize;

use super::{Asked, WithDeclared, made, namespace, table};
use crate::auth::Actor;
use crate::catalog::{Column, TableMode, schema};
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

const ALL: &str = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables";
const ONE: &str = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}";
const DEREGISTER: &str = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/deregister";

pub(super) fn routes() -> Vec<Route> {
    let (viewer, editor) = (Who::Bucket(Role::Viewer), Who::Bucket(Role::Editor));
    vec![
        Route::api(Method::GET, "/api/v1/tables", Who::SignedIn, list_all).doc::<__path_list_all>(),
        Route::api(Method::GET, ALL, viewer, list).doc::<__path_list>(),
        Route::api(Method::POST, ALL, editor, create).doc::<__path_create>(),
        Route::api(Method::GET, ONE, viewer, get).doc::<__path_get>(),
        Route::api(Method::PATCH, ONE, editor, change).doc::<__path_change>(),
        Route::api(Method::DELETE, ONE, editor, drop_one).doc::<__path_drop_one>(),
        Route::api(Method::POST, DEREGISTER, editor, deregister).doc::<__path_deregister>(),
    ]
}

/// A table to be made, declared or registered. Rows are written through the Lance namespace, or directly
/// at the location.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
struct AddTable {
    name: TableName,
    /// Make an empty table of these columns; none: only reserve a place for a client to write to.
    #[serde(default)]
    columns: Vec<Column>,
    /// Below the bucket's root: relative, or a URI. With `register` the table that is there already;
    /// else the place to reserve, by layout when left out.
    location: Option<String>,
    /// Give a name to a table that exists, instead of reserving a place for one.
    #[serde(default)]
    register: bool,
    /// With `register`: put the table that has the name now into Trash.
    #[serde(default)]
    overwrite: bool,
    #[serde(default)]
    properties: Properties,
}

/// What to change; a field left out stays as it is.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
struct ChangeTable {
    name: Option<TableName>,
    /// Parts joined by `.`, in the same bucket.
    namespace: Option<String>,
    /// Replaces all properties.
    properties: Option<Properties>,
    /// Needs the admin role.
    protected: Option<bool>,
}

/// List tables of every bucket, in the order they were made
#[utoipa::path(get, path = "/api/v1/tables", tag = "tables", params(Asked, WithDeclared),
    responses((status = 200, body = Page<TableRef>)))]
async fn list_all(
    State(app): State<Arc<App>>,
    actor: Actor,
    Query(declared): Query<WithDeclared>,
    Query(asked): Query<Asked>,
) -> Result<Json<Page<TableRef>>, Problem> {
    Ok(Json(app.catalog.all_tables(&actor, &asked.into(), declared.wanted()).await?))
}

/// List tables of a namespace
#[utoipa::path(get, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables", tag = "tables",
    params(("bucket" = String, Path), ("namespace" = String, Path), Asked, WithDeclared),
    responses((status = 200, body = Page<Table>)))]
async fn list(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path((bucket, path)): Path<(String, String)>,
    Query(declared): Query<WithDeclared>,
    Query(asked): Query<Asked>,
) -> Result<Json<Page<Table>>, Problem> {
    let (bucket, path) = (bucket.parse()?, namespace(&path)?);
    Ok(Json(app.catalog.tables(&actor, &bucket, &path, &asked.into(), declared.wanted()).await?))
}

/// Create an empty table, declare one, or register one that exists
#[utoipa::path(post, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables", tag = "tables",
    params(("bucket" = String, Path), ("namespace" = String, Path)), request_body = AddTable,
    responses((status = 201, body = Table)))]
async fn create(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path((bucket, path)): Path<(String, String)>,
    Json(body): Json<AddTable>,
) -> Result<Response, Problem> {
    let table = TableRef { bucket: bucket.parse()?, namespace: namespace(&path)?, table: body.name };
    if !body.columns.is_empty() {
        if body.register || body.location.is_some() {
            let detail = "A table with columns is made at the place of its name";
            return Err(Problem::invalid(detail).field("columns", "Leave location and register out"));
        }
        let rows = empty(&body.columns)?;
        let mode = TableMode::Create;
        let (added, _) = app.catalog.create_table(&actor, &table, rows, mode, body.properties).await?;
        return Ok(made(&path_of(&table), added));
    }
    let added = if body.register {
        let location = body.location.ok_or_else(|| {
            Problem::invalid("Say where the table is").field("location", "Needed to register a table")
        })?;
        app.catalog.register_table(&actor, &table, &location, body.overwrite, body.properties).await?
    } else {
        app.catalog.declare_table(&actor, &table, body.location.as_deref(), body.properties).await?
    };
    Ok(made(&path_of(&table), added))
}

/// Describe a table's entry
#[utoipa::path(get, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}", tag = "tables",
    params(("bucket" = String, Path), ("namespace" = String, Path), ("table" = String, Path)),
    responses((status = 200, body = Table)))]
async fn get(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(parts): Path<(String, String, String)>,
) -> Result<Json<Table>, Problem> {
    Ok(Json(app.catalog.table(&actor, &table(parts)?).await?))
}

/// Change a table's entry: properties, protection, name or namespace
#[utoipa::path(patch, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}", tag = "tables",
    params(("bucket" = String, Path), ("namespace" = String, Path), ("table" = String, Path)),
    request_body = ChangeTable, responses((status = 200, body = Table)))]
async fn change(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(parts): Path<(String, String, String)>,
    Json(body): Json<ChangeTable>,
) -> Result<Json<Table>, Problem> {
    let reference = table(parts)?;
    let new_namespace = body.namespace.as_deref().map(namespace).transpose()?;
    let mut latest = app.catalog.table(&actor, &reference).await?;
    if let Some(properties) = body.properties {
        latest = app.catalog.set_table_properties(&actor, &reference, properties).await?;
    }
    if let Some(protected) = body.protected {
        latest = app.catalog.protect_table(&actor, &reference, protected).await?;
    }
    // Last, since the name leads to the table.
    if body.name.is_some() || new_namespace.is_some() {
        let name = body.name.unwrap_or_else(|| reference.table.clone());
        let target: Option<&NamespacePath> = new_namespace.as_ref();
        latest = app.catalog.rename_table(&actor, &reference, &name, target).await?;
    }
    Ok(Json(latest))
}

/// Drop a table with its bytes; answers with what it was
#[utoipa::path(delete, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}", tag = "tables",
    params(("bucket" = String, Path), ("namespace" = String, Path), ("table" = String, Path)),
    responses((status = 200, body = Table)))]
async fn drop_one(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(parts): Path<(String, String, String)>,
) -> Result<Json<Table>, Problem> {
    Ok(Json(app.catalog.drop_table(&actor, &table(parts)?).await?))
}

/// Put a table into Trash; its bytes are kept
#[utoipa::path(post, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/deregister",
    tag = "tables", params(("bucket" = String, Path), ("namespace" = String, Path), ("table" = String, Path)),
    responses((status = 200, body = Table)))]
async fn deregister(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(parts): Path<(String, String, String)>,
) -> Result<Json<Table>, Problem> {
    Ok(Json(app.catalog.deregister_table(&actor, &table(parts)?).await?))
}

/// No rows, of these columns.
fn empty(columns: &[Column]) -> Result<BatchStream, Problem> {
    let schema = schema(columns).map_err(|faults| {
        let problem = Problem::invalid("Some columns cannot be made");
        faults
            .into_iter()
            .fold(problem, |problem, (place, fault)| problem.field(format!("columns[{place}]"), fault))
    })?;
    Ok(BatchStream { schema: Arc::new(schema), batches: futures::stream::empty().boxed() })
}

fn path_of(table: &TableRef) -> String {
    format!("/api/v1/buckets/{}/namespaces/{}/tables/{}", table.bucket, table.namespace, table.table)
}
