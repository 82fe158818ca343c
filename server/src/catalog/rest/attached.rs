//! `/api/v1/buckets/{bucket}/connection` and `…/calls`: what an attached bucket is connected to.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use http::Method;
use lakeglass_api::attached::{Connection, UpstreamCall};
use lakeglass_api::catalog::Backing;
use lakeglass_api::{BucketName, Role};
use serde::Deserialize;

use crate::attached::{NewConnection, SecretChange};
use crate::auth::Actor;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

/// Calls given when not said.
const CALLS: usize = 100;

pub(super) fn routes() -> Vec<Route> {
    let one = "/api/v1/buckets/{bucket}/connection";
    let (check_path, calls_path) =
        ("/api/v1/buckets/{bucket}/connection/check", "/api/v1/buckets/{bucket}/calls");
    let admin = Who::Bucket(Role::Admin);
    vec![
        Route::api(Method::GET, one, admin, get).doc::<__path_get>(),
        Route::api(Method::PATCH, one, admin, change).doc::<__path_change>(),
        Route::api(Method::POST, check_path, admin, check).doc::<__path_check>(),
        Route::api(Method::GET, calls_path, admin, calls).doc::<__path_calls>(),
    ]
}

/// A connection, or what to change of one: a field left out keeps its value or default.
#[derive(Default, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub(super) struct SetConnection {
    /// Upstream: where its REST API is; `/v1/…` follows it.
    url: Option<String>,
    /// Upstream: the namespace of theirs that is the bucket; empty: all of theirs.
    parent: Option<Vec<String>>,
    /// Upstream: what parts of identifiers are joined by; `$` by default.
    delimiter: Option<String>,
    /// Upstream: the header that carries the credentials; `authorization` by default.
    header: Option<String>,
    /// The header's whole value, such as `Bearer …`. Sealed, never given back; empty: takes it away.
    secret: Option<String>,
    /// The storage whose keys open the data; empty: none. A directory is in it.
    storage: Option<String>,
    /// Directory: folder or prefix in the storage.
    prefix: Option<String>,
    /// Upstream: URIs below which vended locations are opened; none: all of the storage, if one is named.
    roots: Option<Vec<String>>,
    /// Upstream: endpoints that vended locations may be opened by.
    endpoints: Option<Vec<String>>,
    /// Clients above viewer may be given the keys that the upstream vends.
    vend: Option<bool>,
}

impl SetConnection {
    /// These values over those of a connection.
    pub(super) fn over(self, mut kept: NewConnection) -> NewConnection {
        let text = |sent: Option<String>, kept: Option<String>| match sent {
            Some(sent) => Some(sent).filter(|text| !text.trim().is_empty()),
            None => kept,
        };
        kept.url = text(self.url, kept.url);
        kept.parent = self.parent.unwrap_or(kept.parent);
        kept.delimiter = text(self.delimiter, kept.delimiter);
        kept.header = text(self.header, kept.header);
        kept.secret = match self.secret {
            None => SecretChange::Keep,
            Some(value) if value.is_empty() => SecretChange::Remove,
            Some(value) => SecretChange::Set(value),
        };
        kept.storage = text(self.storage, kept.storage);
        kept.prefix = text(self.prefix, kept.prefix);
        kept.roots = self.roots.unwrap_or(kept.roots);
        kept.endpoints = self.endpoints.unwrap_or(kept.endpoints);
        kept.vend = self.vend.unwrap_or(kept.vend);
        kept
    }

    /// A connection of these values.
    pub(super) fn of_new(self, backing: Backing) -> NewConnection {
        self.over(NewConnection::blank(backing))
    }
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct Newest {
    /// 1 to 500, 100 by default.
    limit: Option<usize>,
}

/// Describe what an attached bucket is connected to
#[utoipa::path(get, path = "/api/v1/buckets/{bucket}/connection", tag = "buckets",
    params(("bucket" = String, Path)), responses((status = 200, body = Connection)))]
async fn get(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(bucket): Path<String>,
) -> Result<Json<Connection>, Problem> {
    Ok(Json(app.catalog.connection(&actor, &bucket.parse()?).await?))
}

/// Change a connection. Needs the admin role on the server
#[utoipa::path(patch, path = "/api/v1/buckets/{bucket}/connection", tag = "buckets",
    params(("bucket" = String, Path)), request_body = SetConnection,
    responses((status = 200, body = Connection)))]
async fn change(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(bucket): Path<String>,
    Json(body): Json<SetConnection>,
) -> Result<Json<Connection>, Problem> {
    let bucket: BucketName = bucket.parse()?;
    let kept = NewConnection::of(&app.catalog.connection(&actor, &bucket).await?);
    Ok(Json(app.catalog.change_connection(&actor, &bucket, body.over(kept)).await?))
}

/// Check a connection now; the answer says what it met
#[utoipa::path(post, path = "/api/v1/buckets/{bucket}/connection/check", tag = "buckets",
    params(("bucket" = String, Path)), responses((status = 200, body = Connection)))]
async fn check(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(bucket): Path<String>,
) -> Result<Json<Connection>, Problem> {
    Ok(Json(app.catalog.check_connection(&actor, &bucket.parse()?).await?))
}

/// List the newest calls made to an attached catalog since this server started
#[utoipa::path(get, path = "/api/v1/buckets/{bucket}/calls", tag = "buckets",
    params(("bucket" = String, Path), Newest), responses((status = 200, body = Vec<UpstreamCall>)))]
async fn calls(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(bucket): Path<String>,
    Query(newest): Query<Newest>,
) -> Result<Json<Vec<UpstreamCall>>, Problem> {
    let limit = newest.limit.unwrap_or(CALLS);
    Ok(Json(app.catalog.calls(&actor, &bucket.parse()?, limit).await?))
}
