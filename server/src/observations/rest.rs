//! `…/tables/{table}/observations` and `…/tables/{table}/versions`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use http::Method;
use lakeglass_api::description::{Observation, TableObservations, Version};
use lakeglass_api::{NamespacePath, Page, Role, TableRef};
use serde::Deserialize;

use crate::auth::Actor;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

const OBSERVATIONS: &str = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/observations";
const VERSIONS: &str = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/versions";

pub(super) fn routes() -> Vec<Route> {
    let viewer = Who::Bucket(Role::Viewer);
    vec![
        Route::api(Method::GET, OBSERVATIONS, viewer, list).doc::<__path_list>(),
        Route::api(Method::POST, OBSERVATIONS, viewer, observe).doc::<__path_observe>(),
        Route::api(Method::GET, VERSIONS, viewer, versions).doc::<__path_versions>(),
    ]
}

fn table((bucket, namespace, table): (String, String, String)) -> Result<TableRef, Problem> {
    Ok(TableRef {
        bucket: bucket.parse()?,
        namespace: NamespacePath::from_dotted(&namespace)?,
        table: table.parse()?,
    })
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct HowMany {
    /// Entries of the history: 1 to 500, 20 by default.
    limit: Option<u32>,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct VersionsAsked {
    /// The `next` of the page before.
    after: Option<String>,
    /// 1 to 200, 50 by default.
    limit: Option<u32>,
}

/// The last observation of a table, the newest failure, and the history
#[utoipa::path(get, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/observations",
    tag = "observations",
    params(("bucket" = String, Path), ("namespace" = String, Path), ("table" = String, Path), HowMany),
    responses((status = 200, body = TableObservations)))]
async fn list(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(parts): Path<(String, String, String)>,
    Query(asked): Query<HowMany>,
) -> Result<Json<TableObservations>, Problem> {
    let table = table(parts)?;
    let (latest, failed) = app.observations.latest(&actor, &table).await?;
    let history = app.observations.history(&actor, &table, asked.limit.unwrap_or(20)).await?;
    Ok(Json(TableObservations { latest, failed, history }))
}

/// Observe a table now
#[utoipa::path(post, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/observations",
    tag = "observations",
    params(("bucket" = String, Path), ("namespace" = String, Path), ("table" = String, Path)),
    responses((status = 200, body = Observation)))]
async fn observe(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(parts): Path<(String, String, String)>,
) -> Result<Json<Observation>, Problem> {
    Ok(Json(app.observations.observe(&actor, &table(parts)?).await?))
}

/// List a table's versions, newest first, read live
#[utoipa::path(get, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/versions",
    tag = "observations",
    params(("bucket" = String, Path), ("namespace" = String, Path), ("table" = String, Path), VersionsAsked),
    responses((status = 200, body = Page<Version>)))]
async fn versions(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(parts): Path<(String, String, String)>,
    Query(asked): Query<VersionsAsked>,
) -> Result<Json<Page<Version>>, Problem> {
    let limit = asked.limit.unwrap_or(50);
    let page = app.observations.versions(&actor, &table(parts)?, asked.after.as_deref(), limit).await?;
    Ok(Json(Page { items: page.versions, next: page.next, total: page.total }))
}
