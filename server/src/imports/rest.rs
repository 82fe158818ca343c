//! `/api/v1/buckets/{bucket}/files` and the import of a table. Handlers parse; the service decides.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use http::{Method, StatusCode};
use lakeglass_api::imports::ReceivedFile;
use lakeglass_api::jobs::Job;
use lakeglass_api::{NamespacePath, Role, TableRef};
use serde::Deserialize;

use super::Choices;
use crate::auth::Actor;
use crate::problem::Problem;
use crate::router::{BodyLimit, Route, Who};
use crate::state::App;

const FILES: &str = "/api/v1/buckets/{bucket}/files";
const FILE: &str = "/api/v1/buckets/{bucket}/files/{file}";
const IMPORT: &str = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/import";

pub(super) fn routes() -> Vec<Route> {
    let editor = Who::Bucket(Role::Editor);
    vec![
        Route::api(Method::POST, FILES, editor, receive).body(BodyLimit::Data).doc::<__path_receive>(),
        Route::api(Method::GET, FILE, editor, look).doc::<__path_look>(),
        Route::api(Method::DELETE, FILE, editor, discard).doc::<__path_discard>(),
        Route::api(Method::POST, IMPORT, editor, import).doc::<__path_import>(),
    ]
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct Named {
    /// What the file is called, for people.
    #[serde(default)]
    name: String,
}

/// How to read a CSV file.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct Reading {
    /// detect, comma, semicolon, tab or bar.
    #[serde(default)]
    delimiter: String,
    /// Whether the first line names the columns: detect, yes or no.
    #[serde(default)]
    header: String,
}

/// Which file becomes the table, and how a CSV file is read.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
struct Import {
    /// The id that the file got when it was received.
    file: String,
    /// detect, comma, semicolon, tab or bar.
    #[serde(default)]
    delimiter: String,
    /// Whether the first line names the columns: detect, yes or no.
    #[serde(default)]
    header: String,
}

/// Send an Arrow, Parquet or CSV file that a table will be made of
#[utoipa::path(post, path = "/api/v1/buckets/{bucket}/files", tag = "imports",
    params(("bucket" = String, Path), Named),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 201, body = ReceivedFile)))]
async fn receive(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(bucket): Path<String>,
    Query(named): Query<Named>,
    body: Body,
) -> Result<(StatusCode, Json<ReceivedFile>), Problem> {
    let bucket = bucket.parse()?;
    let file = app.imports.receive(&actor, &bucket, &named.name, body.into_data_stream()).await?;
    Ok((StatusCode::CREATED, Json(file)))
}

/// What a received file holds
#[utoipa::path(get, path = "/api/v1/buckets/{bucket}/files/{file}", tag = "imports",
    params(("bucket" = String, Path), ("file" = String, Path), Reading),
    responses((status = 200, body = ReceivedFile)))]
async fn look(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path((_bucket, file)): Path<(String, String)>,
    Query(reading): Query<Reading>,
) -> Result<Json<ReceivedFile>, Problem> {
    let choices = Choices::from_words(&reading.delimiter, &reading.header)?;
    Ok(Json(app.imports.look(&actor, &file, choices).await?))
}

/// Forget a received file
#[utoipa::path(delete, path = "/api/v1/buckets/{bucket}/files/{file}", tag = "imports",
    params(("bucket" = String, Path), ("file" = String, Path)),
    responses((status = 204)))]
async fn discard(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path((_bucket, file)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    app.imports.discard(&actor, &file).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Make a table of a received file, as a job
#[utoipa::path(post, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/import",
    tag = "imports",
    params(("bucket" = String, Path), ("namespace" = String, Path), ("table" = String, Path)),
    request_body = Import,
    responses((status = 202, body = Job)))]
async fn import(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path((bucket, namespace, table)): Path<(String, String, String)>,
    Json(asked): Json<Import>,
) -> Result<(StatusCode, Json<Job>), Problem> {
    let namespace = NamespacePath::from_dotted(&namespace)?;
    let table = TableRef { bucket: bucket.parse()?, namespace, table: table.parse()? };
    let choices = Choices::from_words(&asked.delimiter, &asked.header)?;
    let job = app.imports.start(&actor, &table, &asked.file, choices).await?;
    Ok((StatusCode::ACCEPTED, Json(job)))
}
