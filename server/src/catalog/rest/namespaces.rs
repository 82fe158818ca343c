//! `/api/v1/buckets/{bucket}/namespaces`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use http::Method;
use lakeglass_api::catalog::{Namespace, Properties};
use lakeglass_api::{NamespacePath, Page, Role};
use serde::Deserialize;

use super::{Asked, made, namespace};
use crate::auth::Actor;
use crate::catalog::{CascadeList, NamespaceMode};
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    let all = "/api/v1/buckets/{bucket}/namespaces";
    let one = "/api/v1/buckets/{bucket}/namespaces/{namespace}";
    let cascade = "/api/v1/buckets/{bucket}/namespaces/{namespace}/cascade";
    let (viewer, editor) = (Who::Bucket(Role::Viewer), Who::Bucket(Role::Editor));
    vec![
        Route::api(Method::GET, all, viewer, list).doc::<__path_list>(),
        Route::api(Method::POST, all, editor, create).doc::<__path_create>(),
        Route::api(Method::GET, one, viewer, get).doc::<__path_get>(),
        Route::api(Method::PATCH, one, editor, change).doc::<__path_change>(),
        Route::api(Method::DELETE, one, editor, delete).doc::<__path_delete>(),
        Route::api(Method::GET, cascade, viewer, cascade_list).doc::<__path_cascade_list>(),
    ]
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
struct CreateNamespace {
    /// Parts from the bucket down, joined by `.`; all but the last must exist.
    namespace: String,
    #[serde(default)]
    properties: Properties,
    /// Answer with the namespace when it exists already, instead of a conflict.
    #[serde(default)]
    exist_ok: bool,
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
struct ChangeNamespace {
    /// Replaces all properties.
    properties: Properties,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct Below {
    /// The namespace whose children to list; none: those directly in the bucket.
    parent: Option<String>,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct Deletion {
    /// Also everything in it, as `…/cascade` lists it. Needs the admin role.
    #[serde(default)]
    cascade: bool,
}

/// List namespaces
#[utoipa::path(get, path = "/api/v1/buckets/{bucket}/namespaces", tag = "namespaces",
    params(("bucket" = String, Path), Below, Asked), responses((status = 200, body = Page<Namespace>)))]
async fn list(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(bucket): Path<String>,
    Query(below): Query<Below>,
    Query(asked): Query<Asked>,
) -> Result<Json<Page<Namespace>>, Problem> {
    let parent = NamespacePath::from_dotted(below.parent.as_deref().unwrap_or_default())?;
    Ok(Json(app.catalog.namespaces(&actor, &bucket.parse()?, &parent, &asked.into()).await?))
}

/// Create a namespace
#[utoipa::path(post, path = "/api/v1/buckets/{bucket}/namespaces", tag = "namespaces",
    params(("bucket" = String, Path)), request_body = CreateNamespace,
    responses((status = 201, body = Namespace), (status = 200, body = Namespace)))]
async fn create(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(bucket): Path<String>,
    Json(body): Json<CreateNamespace>,
) -> Result<Response, Problem> {
    let path = namespace(&body.namespace)?;
    let mode = if body.exist_ok { NamespaceMode::ExistOk } else { NamespaceMode::Create };
    let bucket = bucket.parse()?;
    let (found, new) = app.catalog.create_namespace(&actor, &bucket, &path, body.properties, mode).await?;
    if new {
        let location = format!("/api/v1/buckets/{bucket}/namespaces/{path}");
        return Ok(made(&location, found));
    }
    Ok(Json(found).into_response())
}

/// Describe a namespace
#[utoipa::path(get, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}", tag = "namespaces",
    params(("bucket" = String, Path), ("namespace" = String, Path, description = "Parts joined by .")),
    responses((status = 200, body = Namespace)))]
async fn get(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path((bucket, path)): Path<(String, String)>,
) -> Result<Json<Namespace>, Problem> {
    Ok(Json(app.catalog.namespace(&actor, &bucket.parse()?, &namespace(&path)?).await?))
}

/// Change a namespace
#[utoipa::path(patch, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}", tag = "namespaces",
    params(("bucket" = String, Path), ("namespace" = String, Path, description = "Parts joined by .")),
    request_body = ChangeNamespace, responses((status = 200, body = Namespace)))]
async fn change(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path((bucket, path)): Path<(String, String)>,
    Json(body): Json<ChangeNamespace>,
) -> Result<Json<Namespace>, Problem> {
    let (bucket, path) = (bucket.parse()?, namespace(&path)?);
    Ok(Json(app.catalog.set_namespace_properties(&actor, &bucket, &path, body.properties).await?))
}

/// Drop a namespace; answers with what it was
#[utoipa::path(delete, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}", tag = "namespaces",
    params(("bucket" = String, Path), ("namespace" = String, Path, description = "Parts joined by ."), Deletion),
    responses((status = 200, body = Namespace)))]
async fn delete(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path((bucket, path)): Path<(String, String)>,
    Query(deletion): Query<Deletion>,
) -> Result<Json<Namespace>, Problem> {
    let (bucket, path) = (bucket.parse()?, namespace(&path)?);
    Ok(Json(app.catalog.drop_namespace(&actor, &bucket, &path, deletion.cascade).await?))
}

/// List what dropping a namespace with cascade would remove
#[utoipa::path(get, path = "/api/v1/buckets/{bucket}/namespaces/{namespace}/cascade", tag = "namespaces",
    params(("bucket" = String, Path), ("namespace" = String, Path, description = "Parts joined by .")),
    responses((status = 200, body = CascadeList)))]
async fn cascade_list(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path((bucket, path)): Path<(String, String)>,
) -> Result<Json<CascadeList>, Problem> {
    Ok(Json(app.catalog.cascade_list(&actor, &bucket.parse()?, &namespace(&path)?).await?))
}
