//! `/api/v1/buckets`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use http::{Method, StatusCode};
use lakeglass_api::catalog::{Backing, Bucket, Properties};
use lakeglass_api::{BucketName, FormatId, Page, Role};
use serde::Deserialize;

use super::attached::SetConnection;
use super::{Asked, made};
use crate::auth::Actor;
use crate::catalog::{BucketChange, NewBucket};
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    let (all, one) = ("/api/v1/buckets", "/api/v1/buckets/{bucket}");
    vec![
        Route::api(Method::GET, all, Who::SignedIn, list).doc::<__path_list>(),
        Route::api(Method::POST, all, Who::Server(Role::Editor), create).doc::<__path_create>(),
        Route::api(Method::GET, one, Who::Bucket(Role::Viewer), get).doc::<__path_get>(),
        Route::api(Method::PATCH, one, Who::Bucket(Role::Admin), change).doc::<__path_change>(),
        Route::api(Method::DELETE, one, Who::Bucket(Role::Admin), delete).doc::<__path_delete>(),
    ]
}

/// A bucket to be made.
#[derive(Deserialize, utoipa::ToSchema)]
struct CreateBucket {
    name: BucketName,
    /// The one format it will hold, as `/api/v1/formats` names it; none: unset, accepts any.
    format: Option<FormatId>,
    /// Name of a storage; none: `local`. For managed buckets.
    storage: Option<String>,
    /// Where its names live; none: `managed`.
    backing: Option<Backing>,
    /// What it is attached to, unless it is managed. Needs the admin role on the server.
    connection: Option<SetConnection>,
    #[serde(default)]
    description: String,
    #[serde(default)]
    properties: Properties,
}

/// What to change; a field left out stays as it is.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
struct ChangeBucket {
    description: Option<String>,
    /// Replaces all properties.
    properties: Option<Properties>,
    protected: Option<bool>,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct Deletion {
    /// The bucket's name once more, to delete everything in it.
    with_contents: Option<String>,
}

/// List buckets
#[utoipa::path(get, path = "/api/v1/buckets", tag = "buckets", params(Asked),
    responses((status = 200, body = Page<Bucket>)))]
async fn list(
    State(app): State<Arc<App>>,
    actor: Actor,
    Query(asked): Query<Asked>,
) -> Result<Json<Page<Bucket>>, Problem> {
    Ok(Json(app.catalog.buckets(&actor, &asked.into()).await?))
}

/// Create a bucket
#[utoipa::path(post, path = "/api/v1/buckets", tag = "buckets", request_body = CreateBucket,
    responses((status = 201, body = Bucket)))]
async fn create(
    State(app): State<Arc<App>>,
    actor: Actor,
    Json(body): Json<CreateBucket>,
) -> Result<Response, Problem> {
    let CreateBucket { name, format, storage, backing, connection, description, properties } = body;
    let new = NewBucket { name, format, storage, description, properties };
    let bucket = match (backing.unwrap_or(Backing::Managed), connection) {
        (Backing::Managed, None) => app.catalog.create_bucket(&actor, new).await?,
        (Backing::Managed, Some(_)) => {
            let rule = "Say which backing the connection is of: upstream or directory";
            return Err(Problem::invalid(rule).field("backing", rule));
        }
        (backing, connection) => {
            let connection = connection.unwrap_or_default().of_new(backing);
            app.catalog.attach_bucket(&actor, new, connection).await?
        }
    };
    Ok(made(&format!("/api/v1/buckets/{}", bucket.name), bucket))
}

/// Describe a bucket
#[utoipa::path(get, path = "/api/v1/buckets/{bucket}", tag = "buckets", params(("bucket" = String, Path)),
    responses((status = 200, body = Bucket)))]
async fn get(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(bucket): Path<String>,
) -> Result<Json<Bucket>, Problem> {
    Ok(Json(app.catalog.bucket(&actor, &bucket.parse()?).await?))
}

/// Change a bucket
#[utoipa::path(patch, path = "/api/v1/buckets/{bucket}", tag = "buckets", params(("bucket" = String, Path)),
    request_body = ChangeBucket, responses((status = 200, body = Bucket)))]
async fn change(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(bucket): Path<String>,
    Json(body): Json<ChangeBucket>,
) -> Result<Json<Bucket>, Problem> {
    let ChangeBucket { description, properties, protected } = body;
    let change = BucketChange { description, properties, protected };
    Ok(Json(app.catalog.update_bucket(&actor, &bucket.parse()?, change).await?))
}

/// Delete a bucket: an empty one, or with its name given again everything in it
#[utoipa::path(delete, path = "/api/v1/buckets/{bucket}", tag = "buckets",
    params(("bucket" = String, Path), Deletion), responses((status = 204)))]
async fn delete(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(bucket): Path<String>,
    Query(deletion): Query<Deletion>,
) -> Result<StatusCode, Problem> {
    let typed = deletion.with_contents.as_deref();
    app.catalog.delete_bucket(&actor, &bucket.parse()?, typed).await?;
    Ok(StatusCode::NO_CONTENT)
}
