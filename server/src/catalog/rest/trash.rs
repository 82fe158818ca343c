//! `/api/v1/buckets/{bucket}/trash`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use http::{Method, StatusCode};
use lakeglass_api::catalog::{Table, TrashedTable};
use lakeglass_api::{Page, Role, TableName};
use serde::Deserialize;

use super::Asked;
use crate::auth::Actor;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    let (all, one) = ("/api/v1/buckets/{bucket}/trash", "/api/v1/buckets/{bucket}/trash/{id}");
    let back = "/api/v1/buckets/{bucket}/trash/{id}/restore";
    let (viewer, editor) = (Who::Bucket(Role::Viewer), Who::Bucket(Role::Editor));
    vec![
        Route::api(Method::GET, all, viewer, list).doc::<__path_list>(),
        Route::api(Method::POST, back, editor, restore).doc::<__path_restore>(),
        Route::api(Method::DELETE, one, editor, delete).doc::<__path_delete>(),
    ]
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
struct Restore {
    /// A name, when the old one is taken.
    name: Option<TableName>,
}

/// List tables in Trash, longest there first
#[utoipa::path(get, path = "/api/v1/buckets/{bucket}/trash", tag = "trash",
    params(("bucket" = String, Path), Asked), responses((status = 200, body = Page<TrashedTable>)))]
async fn list(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(bucket): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Json<Page<TrashedTable>>, Problem> {
    Ok(Json(app.catalog.trash(&actor, &bucket.parse()?, &asked.into()).await?))
}

/// Bring a table back from Trash
#[utoipa::path(post, path = "/api/v1/buckets/{bucket}/trash/{id}/restore", tag = "trash",
    params(("bucket" = String, Path), ("id" = i64, Path)), request_body = Restore,
    responses((status = 200, body = Table)))]
async fn restore(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path((bucket, id)): Path<(String, i64)>,
    Json(body): Json<Restore>,
) -> Result<Json<Table>, Problem> {
    app.catalog.check_in_trash(&actor, &bucket.parse()?, id).await?;
    Ok(Json(app.catalog.restore_from_trash(&actor, id, body.name.as_ref()).await?))
}

/// Remove a table in Trash with its bytes
#[utoipa::path(delete, path = "/api/v1/buckets/{bucket}/trash/{id}", tag = "trash",
    params(("bucket" = String, Path), ("id" = i64, Path)), responses((status = 204)))]
async fn delete(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path((bucket, id)): Path<(String, i64)>,
) -> Result<StatusCode, Problem> {
    app.catalog.check_in_trash(&actor, &bucket.parse()?, id).await?;
    app.catalog.delete_from_trash(&actor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
