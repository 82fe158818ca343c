//! `/api/v1/me` and `/api/v1/sessions`: what one is and where one is signed in.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use http::{Method, StatusCode};
use lakeglass_api::people::{Me, PrincipalKind, RoleGrant, SessionInfo};

use super::super::{Actor, Principal, Session};
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    let one = "/api/v1/sessions/{id}";
    vec![
        Route::api(Method::GET, "/api/v1/me", Who::SignedIn, me).doc::<__path_me>(),
        Route::api(Method::GET, "/api/v1/sessions", Who::SignedIn, list).doc::<__path_list>(),
        Route::api(Method::DELETE, one, Who::SignedIn, end).doc::<__path_end>(),
    ]
}

/// Who is asking, and with which rights
#[utoipa::path(get, path = "/api/v1/me", tag = "me", responses((status = 200, body = Me)))]
async fn me(actor: Actor) -> Json<Me> {
    let kind = match actor.principal {
        Principal::User(_) => PrincipalKind::User,
        Principal::Token(_) => PrincipalKind::Token,
        Principal::System(_) => PrincipalKind::System,
        Principal::Anonymous => PrincipalKind::Anonymous,
    };
    let grants = actor.grants().iter().map(|(scope, role)| RoleGrant { scope: scope.clone(), role: *role });
    let mut grants: Vec<_> = grants.collect();
    grants.sort_by(|a, b| a.scope.cmp(&b.scope));
    Json(Me { kind, name: actor.name, grants })
}

/// List one's own sessions, newest first; tokens have none
#[utoipa::path(get, path = "/api/v1/sessions", tag = "me",
    responses((status = 200, body = Vec<SessionInfo>)))]
async fn list(
    State(app): State<Arc<App>>,
    actor: Actor,
    session: Option<Session>,
) -> Result<Json<Vec<SessionInfo>>, Problem> {
    Ok(Json(app.auth.sessions(&actor, session.as_ref()).await?))
}

/// End one of one's own sessions
#[utoipa::path(delete, path = "/api/v1/sessions/{id}", tag = "me", params(("id" = String, Path)),
    responses((status = 204)))]
async fn end(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    app.auth.end_session(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
