//! `/api/v1/tokens`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use http::{Method, StatusCode};
use lakeglass_api::Page;
use lakeglass_api::people::{NewToken, RoleGrant, Token};
use serde::Deserialize;

use super::super::{Actor, NewTokenRequest};
use super::users::Asked;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    let one = "/api/v1/tokens/{id}";
    vec![
        Route::api(Method::GET, "/api/v1/tokens", Who::SignedIn, list).doc::<__path_list>(),
        Route::api(Method::POST, "/api/v1/tokens", Who::SignedIn, create).doc::<__path_create>(),
        Route::api(Method::DELETE, one, Who::SignedIn, revoke).doc::<__path_revoke>(),
    ]
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
struct CreateToken {
    name: String,
    /// At least one; none stronger than the maker holds.
    grants: Vec<RoleGrant>,
    /// 1 to 366.
    days: u32,
}

/// List one's own API tokens; all of them for admins of the server
#[utoipa::path(get, path = "/api/v1/tokens", tag = "tokens", params(Asked),
    responses((status = 200, body = Page<Token>)))]
async fn list(
    State(app): State<Arc<App>>,
    actor: Actor,
    Query(asked): Query<Asked>,
) -> Result<Json<Page<Token>>, Problem> {
    Ok(Json(app.auth.tokens(&actor, &asked.into()).await?))
}

/// Make an API token; the answer is the only place its secret is ever shown
#[utoipa::path(post, path = "/api/v1/tokens", tag = "tokens", request_body = CreateToken,
    responses((status = 201, body = NewToken)))]
async fn create(
    State(app): State<Arc<App>>,
    actor: Actor,
    Json(new): Json<CreateToken>,
) -> Result<(StatusCode, Json<NewToken>), Problem> {
    let request = NewTokenRequest { name: new.name, grants: new.grants, days: new.days };
    Ok((StatusCode::CREATED, Json(app.auth.create_token(&actor, request).await?)))
}

/// Revoke an API token; it stops working at once
#[utoipa::path(delete, path = "/api/v1/tokens/{id}", tag = "tokens", params(("id" = String, Path)),
    responses((status = 204)))]
async fn revoke(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    app.auth.revoke_token(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
