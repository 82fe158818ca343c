//! `/api/v1/formats`, and the scan of a bucket.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{Method, StatusCode};
use lakeglass_api::formats::{FormatCard, ScanReport};
use lakeglass_api::jobs::Job;
use lakeglass_api::{BucketName, Role};

use super::Scanned;
use crate::auth::Actor;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    let editor = Who::Bucket(Role::Editor);
    vec![
        Route::api(Method::GET, "/api/v1/formats", Who::SignedIn, list).doc::<__path_list>(),
        Route::api(Method::POST, "/api/v1/buckets/{bucket}/scan", editor, scan).doc::<__path_scan>(),
    ]
}

/// List the formats known to this version, usable ones first
#[utoipa::path(get, path = "/api/v1/formats", tag = "formats",
    responses((status = 200, body = Vec<FormatCard>)))]
async fn list(State(app): State<Arc<App>>, _actor: Actor) -> Json<Vec<FormatCard>> {
    Json(app.formats.all_cards().await)
}

/// Find tables of the bucket's format below its root and register them
///
/// A small bucket is scanned at once; for a large one the answer is the job that scans it.
#[utoipa::path(post, path = "/api/v1/buckets/{bucket}/scan", tag = "formats",
    params(("bucket" = String, Path)),
    responses((status = 200, body = ScanReport), (status = 202, body = Job)))]
async fn scan(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(bucket): Path<String>,
) -> Result<Response, Problem> {
    let bucket: BucketName = bucket.parse()?;
    Ok(match app.formats.scan(&actor, &bucket).await? {
        Scanned::Report(report) => Json(report).into_response(),
        Scanned::Job(job) => (StatusCode::ACCEPTED, Json(*job)).into_response(),
    })
}
