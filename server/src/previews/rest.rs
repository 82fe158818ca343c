//! `GET …/tables/{table}/rows`, and the same page as a file under `…/rows/download`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum_extra::extract::Query;
use http::{HeaderValue, Method, header};
use lakeglass_api::cells::Grid;
use lakeglass_api::{NamespacePath, Role, TableRef};
use serde::Deserialize;

use super::{Download, RowsParameters};
use crate::auth::Actor;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

const ROWS: &str = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/rows";
const DOWNLOAD: &str = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/rows/download";

pub(super) fn routes() -> Vec<Route> {
    let reader = Who::Bucket(Role::Reader);
    vec![
        Route::api(Method::GET, ROWS, reader, rows).doc::<__path_rows>(),
        Route::api(Method::GET, DOWNLOAD, reader, download).doc::<__path_download>(),
    ]
}

/// Read a page of rows, live
///
/// At most 200 rows and 15 s. Values are exact text; what was cut is in `notes`.
#[utoipa::path(get, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/rows", tag = "previews",
    params(("bucket" = String, Path), ("namespace" = String, Path, description = "Parts joined by `.`"),
        ("table" = String, Path), RowsParameters),
    responses((status = 200, body = Grid)))]
async fn rows(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(path): Path<(String, String, String)>,
    Query(parameters): Query<RowsParameters>,
) -> Result<Response, Problem> {
    let grid = app.previews.rows(&actor, &table(path)?, &parameters.query()?).await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(grid)).into_response())
}

/// The form of a download.
#[derive(Debug, Clone, Copy, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct Form {
    /// csv, json-lines or arrow
    #[param(inline)]
    format: Download,
}

/// Download a page of rows as a file
///
/// The same page as `rows` gives, with nothing cut: CSV with formulas made harmless, JSON lines, or an
/// Arrow stream.
#[utoipa::path(get, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/rows/download",
    tag = "previews",
    params(("bucket" = String, Path), ("namespace" = String, Path, description = "Parts joined by `.`"),
        ("table" = String, Path), Form, RowsParameters),
    responses((status = 200, content_type = "application/octet-stream")))]
async fn download(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(path): Path<(String, String, String)>,
    Query(form): Query<Form>,
    Query(parameters): Query<RowsParameters>,
) -> Result<Response, Problem> {
    let (table, query) = (table(path)?, parameters.query()?);
    let (media_type, name, bytes) = app.previews.download(&actor, &table, &query, form.format).await?;
    // Table names hold nothing that needs quoting.
    let disposition =
        HeaderValue::try_from(format!("attachment; filename=\"{name}\"")).map_err(Problem::internal)?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CONTENT_DISPOSITION, disposition),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox")),
    ];
    Ok((headers, bytes).into_response())
}

fn table((bucket, namespace, table): (String, String, String)) -> Result<TableRef, Problem> {
    Ok(TableRef {
        bucket: bucket.parse()?,
        namespace: NamespacePath::from_dotted(&namespace)?,
        table: table.parse()?,
    })
}
