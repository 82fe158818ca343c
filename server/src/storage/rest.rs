//! `/api/v1/storages`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, Method, StatusCode, header};
use lakeglass_api::Role;
use lakeglass_api::catalog::{Storage, StorageKind};
use serde::Deserialize;

use super::{NewStorage, StorageChange};
use crate::auth::Actor;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    let (all, one) = ("/api/v1/storages", "/api/v1/storages/{storage}");
    let (viewer, admin) = (Who::Server(Role::Viewer), Who::Server(Role::Admin));
    vec![
        Route::api(Method::GET, all, viewer, list).doc::<__path_list>(),
        Route::api(Method::POST, all, admin, add).doc::<__path_add>(),
        Route::api(Method::GET, one, viewer, get).doc::<__path_get>(),
        Route::api(Method::PATCH, one, admin, change).doc::<__path_change>(),
        Route::api(Method::DELETE, one, admin, remove).doc::<__path_remove>(),
        Route::api(Method::POST, "/api/v1/storages/{storage}/check", admin, check).doc::<__path_check>(),
    ]
}

/// A storage's own keys. Never given back.
#[derive(Deserialize, utoipa::ToSchema)]
struct StorageKeys {
    access_key_id: String,
    secret_access_key: String,
}

impl StorageKeys {
    fn pair(self) -> (String, String) {
        (self.access_key_id, self.secret_access_key)
    }
}

#[derive(Deserialize, utoipa::ToSchema)]
struct AddStorage {
    /// 1 to 63 of `a-z`, `0-9` and `-`.
    name: String,
    kind: StorageKind,
    /// Absolute folder, or `bucket/prefix` in the object store.
    root: String,
    /// As this server sees it; none: the provider's own for the region.
    endpoint: Option<String>,
    /// As clients see it, when different.
    client_endpoint: Option<String>,
    region: Option<String>,
    #[serde(default)]
    path_style: bool,
    keys: Option<StorageKeys>,
    /// Clients above viewer may be given the keys themselves.
    #[serde(default)]
    vend_keys: bool,
    /// ARN of a role that the keys may assume to make temporary keys for clients.
    sts_role: Option<String>,
}

/// What to change; a field left out stays as it is.
#[derive(Deserialize, utoipa::ToSchema)]
struct ChangeStorage {
    /// As clients see it; empty: the same as the server.
    client_endpoint: Option<String>,
    keys: Option<StorageKeys>,
    vend_keys: Option<bool>,
    /// Empty: none any more.
    sts_role: Option<String>,
}

/// List storages
#[utoipa::path(get, path = "/api/v1/storages", tag = "storages",
    responses((status = 200, body = Vec<Storage>)))]
async fn list(State(app): State<Arc<App>>, actor: Actor) -> Result<Json<Vec<Storage>>, Problem> {
    Ok(Json(app.storages.list(&actor).await?))
}

/// Add a storage, once it passed its check
#[utoipa::path(post, path = "/api/v1/storages", tag = "storages", request_body = AddStorage,
    responses((status = 201, body = Storage)))]
async fn add(
    State(app): State<Arc<App>>,
    actor: Actor,
    Json(body): Json<AddStorage>,
) -> Result<Response, Problem> {
    let new = NewStorage {
        name: body.name,
        kind: body.kind,
        root: body.root,
        endpoint: body.endpoint,
        client_endpoint: body.client_endpoint,
        region: body.region,
        path_style: body.path_style,
        keys: body.keys.map(StorageKeys::pair),
        vend_keys: body.vend_keys,
        sts_role: body.sts_role,
    };
    let storage = app.storages.add(&actor, new).await?;
    let location = format!("/api/v1/storages/{}", storage.name);
    let mut response = (StatusCode::CREATED, Json(storage)).into_response();
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// Describe a storage
#[utoipa::path(get, path = "/api/v1/storages/{storage}", tag = "storages", params(("storage" = String, Path)),
    responses((status = 200, body = Storage)))]
async fn get(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(storage): Path<String>,
) -> Result<Json<Storage>, Problem> {
    Ok(Json(app.storages.get(&actor, &storage).await?))
}

/// Change a storage's keys or what clients are told
#[utoipa::path(patch, path = "/api/v1/storages/{storage}", tag = "storages",
    params(("storage" = String, Path)), request_body = ChangeStorage, responses((status = 200, body = Storage)))]
async fn change(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(storage): Path<String>,
    Json(body): Json<ChangeStorage>,
) -> Result<Json<Storage>, Problem> {
    let change = StorageChange {
        client_endpoint: body.client_endpoint,
        keys: body.keys.map(StorageKeys::pair),
        vend_keys: body.vend_keys,
        sts_role: body.sts_role,
    };
    Ok(Json(app.storages.change(&actor, &storage, change).await?))
}

/// Remove a storage that holds no bucket; its bytes stay
#[utoipa::path(delete, path = "/api/v1/storages/{storage}", tag = "storages",
    params(("storage" = String, Path)), responses((status = 204)))]
async fn remove(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(storage): Path<String>,
) -> Result<StatusCode, Problem> {
    app.storages.remove(&actor, &storage).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Check a storage again
#[utoipa::path(post, path = "/api/v1/storages/{storage}/check", tag = "storages",
    params(("storage" = String, Path)), responses((status = 200, body = Storage)))]
async fn check(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(storage): Path<String>,
) -> Result<Json<Storage>, Problem> {
    Ok(Json(app.storages.check(&actor, &storage).await?))
}
