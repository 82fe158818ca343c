//! `/api/v1/users`.

use std::fmt;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use http::{Method, StatusCode};
use lakeglass_api::people::User;
use lakeglass_api::{ListQuery, Page, Role, Scope};
use serde::Deserialize;

use super::super::{Actor, NewUser};
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    let admin = Who::Server(Role::Admin);
    let one = "/api/v1/users/{name}";
    vec![
        Route::api(Method::GET, "/api/v1/users", admin, list).doc::<__path_list>(),
        Route::api(Method::POST, "/api/v1/users", admin, add).doc::<__path_add>(),
        Route::api(Method::GET, one, Who::SignedIn, get).doc::<__path_get>(),
        Route::api(Method::PUT, "/api/v1/users/{name}/grants", Who::SignedIn, grant).doc::<__path_grant>(),
        Route::api(Method::POST, "/api/v1/users/{name}/disable", admin, disable).doc::<__path_disable>(),
        Route::api(Method::POST, "/api/v1/users/{name}/enable", admin, enable).doc::<__path_enable>(),
        Route::api(Method::PUT, "/api/v1/users/{name}/password", admin, password).doc::<__path_password>(),
    ]
}

/// Search and paging of a list of users or tokens.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Asked {
    /// Part of the name, any case.
    search: Option<String>,
    /// The `next` of the page before.
    after: Option<String>,
    /// 1 to 500, 100 by default.
    limit: Option<u32>,
}

impl From<Asked> for ListQuery {
    fn from(asked: Asked) -> Self {
        Self { search: asked.search, after: asked.after, limit: asked.limit, ..Self::default() }
    }
}

#[derive(Deserialize, utoipa::ToSchema)]
struct AddUser {
    name: String,
    /// 12 to 128 characters.
    password: String,
    /// Role on the server; none: sees only what buckets grant.
    role: Option<Role>,
}

impl fmt::Debug for AddUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AddUser").field("name", &self.name).field("role", &self.role).finish_non_exhaustive()
    }
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
struct SetGrant {
    scope: Scope,
    /// None takes the role away.
    role: Option<Role>,
}

#[derive(Deserialize, utoipa::ToSchema)]
struct SetPassword {
    /// 12 to 128 characters.
    password: String,
}

impl fmt::Debug for SetPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SetPassword").finish_non_exhaustive()
    }
}

/// List people, by name
#[utoipa::path(get, path = "/api/v1/users", tag = "users", params(Asked),
    responses((status = 200, body = Page<User>)))]
async fn list(
    State(app): State<Arc<App>>,
    actor: Actor,
    Query(asked): Query<Asked>,
) -> Result<Json<Page<User>>, Problem> {
    Ok(Json(app.auth.users(&actor, &asked.into()).await?))
}

/// Add a person
#[utoipa::path(post, path = "/api/v1/users", tag = "users", request_body = AddUser,
    responses((status = 201, body = User)))]
async fn add(
    State(app): State<Arc<App>>,
    actor: Actor,
    Json(new): Json<AddUser>,
) -> Result<(StatusCode, Json<User>), Problem> {
    let new_user = NewUser { name: &new.name, password: &new.password, role: new.role };
    Ok((StatusCode::CREATED, Json(app.auth.add_user(&actor, new_user).await?)))
}

/// Describe a person; anyone may ask about themselves
#[utoipa::path(get, path = "/api/v1/users/{name}", tag = "users", params(("name" = String, Path)),
    responses((status = 200, body = User)))]
async fn get(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(name): Path<String>,
) -> Result<Json<User>, Problem> {
    Ok(Json(app.auth.user(&actor, &name).await?))
}

/// Give or take a role on the server or in a bucket; their sessions end
#[utoipa::path(put, path = "/api/v1/users/{name}/grants", tag = "users", params(("name" = String, Path)),
    request_body = SetGrant, responses((status = 200, body = User)))]
async fn grant(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(name): Path<String>,
    Json(grant): Json<SetGrant>,
) -> Result<Json<User>, Problem> {
    Ok(Json(app.auth.set_role(&actor, &name, &grant.scope, grant.role).await?))
}

/// End a person's sessions and tokens, and refuse new ones
#[utoipa::path(post, path = "/api/v1/users/{name}/disable", tag = "users", params(("name" = String, Path)),
    responses((status = 200, body = User)))]
async fn disable(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(name): Path<String>,
) -> Result<Json<User>, Problem> {
    Ok(Json(app.auth.disable_user(&actor, &name).await?))
}

/// Let a disabled person sign in again
#[utoipa::path(post, path = "/api/v1/users/{name}/enable", tag = "users", params(("name" = String, Path)),
    responses((status = 200, body = User)))]
async fn enable(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(name): Path<String>,
) -> Result<Json<User>, Problem> {
    Ok(Json(app.auth.enable_user(&actor, &name).await?))
}

/// Set a person's password; their sessions end
#[utoipa::path(put, path = "/api/v1/users/{name}/password", tag = "users", params(("name" = String, Path)),
    request_body = SetPassword, responses((status = 204)))]
async fn password(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(name): Path<String>,
    Json(new): Json<SetPassword>,
) -> Result<StatusCode, Problem> {
    app.auth.set_password(&actor, &name, &new.password).await?;
    Ok(StatusCode::NO_CONTENT)
}
