//! `/api/v1/audit`.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{Method, header};
use lakeglass_api::people::{AuditRecord, Outcome};
use lakeglass_api::{Page, Role};
use serde::Deserialize;

use super::Filter;
use crate::auth::Actor;
use crate::problem::Problem;
use crate::query::Query;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    let admin = Who::Server(Role::Admin);
    vec![
        Route::api(Method::GET, "/api/v1/audit", admin, list).doc::<__path_list>(),
        Route::api(Method::GET, "/api/v1/audit/download", admin, download).doc::<__path_download>(),
    ]
}

/// The filters and paging of a request.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    /// Exact name of the actor.
    actor: Option<String>,
    /// An action, `bucket.create`, or its noun, `bucket`.
    action: Option<String>,
    /// Part of the object.
    object: Option<String>,
    outcome: Option<Outcome>,
    /// Not before, milliseconds since 1970.
    from_ms: Option<i64>,
    /// Before, milliseconds since 1970.
    to_ms: Option<i64>,
    /// The `next` of the page before.
    after: Option<String>,
    /// 1 to 500, 50 by default.
    limit: Option<u32>,
}

impl Asked {
    fn filter(&self) -> Filter {
        Filter {
            actor: self.actor.clone(),
            action: self.action.clone(),
            object: self.object.clone(),
            outcome: self.outcome,
            from_ms: self.from_ms,
            to_ms: self.to_ms,
        }
    }
}

/// List audit records, newest first
#[utoipa::path(get, path = "/api/v1/audit", tag = "audit", params(Asked),
    responses((status = 200, body = Page<AuditRecord>)))]
async fn list(
    State(app): State<Arc<App>>,
    actor: Actor,
    Query(asked): Query<Asked>,
) -> Result<Json<Page<AuditRecord>>, Problem> {
    let page = app.audit.list(&actor, &asked.filter(), asked.after.as_deref(), asked.limit).await?;
    Ok(Json(page))
}

/// Download audit records as JSON lines, newest first, at most 100000
#[utoipa::path(get, path = "/api/v1/audit/download", tag = "audit", params(Asked),
    responses((status = 200, body = String, content_type = "application/jsonl")))]
async fn download(
    State(app): State<Arc<App>>,
    actor: Actor,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let lines = app.audit.download(&actor, asked.filter())?;
    let detail = serde_json::json!({});
    app.audit.record(&actor, "audit.download", "", Outcome::Done, detail).await;
    let headers = [
        (header::CONTENT_TYPE, "application/jsonl"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"lakeglass-audit.jsonl\""),
    ];
    Ok((headers, Body::from_stream(lines)).into_response())
}
