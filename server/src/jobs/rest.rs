//! `/api/v1/jobs`: list, start, look at, follow and cancel.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use lakeglass_api::jobs::{Job, JobKindInfo, JobState, LogLine};
use lakeglass_api::{ListQuery, Page};
use serde::Deserialize;

use super::JobFilter;
use crate::auth::Actor;
use crate::problem::Problem;
use crate::query::Query;
use crate::router::{Route, Who};
use crate::state::App;

/// One stream of events lasts this long at most; a browser then asks again, with its rights of then.
const STREAM_TIME: Duration = Duration::from_mins(5);

pub(super) fn routes() -> Vec<Route> {
    let any = Who::SignedIn;
    vec![
        Route::api(Method::GET, "/api/v1/job-kinds", any, kinds).doc::<__path_kinds>(),
        Route::api(Method::GET, "/api/v1/jobs", any, list).doc::<__path_list>(),
        Route::api(Method::POST, "/api/v1/jobs", any, start).doc::<__path_start>(),
        Route::api(Method::GET, "/api/v1/jobs/{id}", any, get).doc::<__path_get>(),
        Route::api(Method::GET, "/api/v1/jobs/{id}/log", any, log).doc::<__path_log>(),
        Route::api(Method::GET, "/api/v1/jobs/{id}/events", any, events).doc::<__path_events>(),
        Route::api(Method::POST, "/api/v1/jobs/{id}/cancel", any, cancel).doc::<__path_cancel>(),
    ]
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    state: Option<JobState>,
    /// A kind's name: `observe-sweep`.
    kind: Option<String>,
    /// Exactly: `server`, a bucket, or `bucket$namespace$table`.
    object: Option<String>,
    /// Part of the object or title, any case.
    search: Option<String>,
    /// The `next` of the page before.
    after: Option<String>,
    /// 1 to 500, 50 by default.
    limit: Option<u32>,
}

/// A job to start.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
struct StartJob {
    /// A kind that `/api/v1/job-kinds` lists as startable.
    kind: String,
    /// What to work on: `server`, a bucket, or `bucket$namespace$table`.
    object: String,
    /// As the kind describes them; those left out have their default.
    #[serde(default)]
    #[schema(value_type = Object)]
    parameters: serde_json::Value,
}

/// List the kinds of job, with the parameters of each
#[utoipa::path(get, path = "/api/v1/job-kinds", tag = "jobs",
    responses((status = 200, body = Vec<JobKindInfo>)))]
async fn kinds(State(app): State<Arc<App>>, _actor: Actor) -> Json<Vec<JobKindInfo>> {
    Json(app.jobs.kinds())
}

/// List jobs, newest first
#[utoipa::path(get, path = "/api/v1/jobs", tag = "jobs", params(Asked),
    responses((status = 200, body = Page<Job>)))]
async fn list(
    State(app): State<Arc<App>>,
    actor: Actor,
    Query(asked): Query<Asked>,
) -> Result<Json<Page<Job>>, Problem> {
    let filter = JobFilter { state: asked.state, kind: asked.kind, object: asked.object };
    let query =
        ListQuery { search: asked.search, after: asked.after, limit: asked.limit, ..ListQuery::default() };
    Ok(Json(app.jobs.list(&actor, filter, &query).await?))
}

/// Start a job of a kind that people may start
#[utoipa::path(post, path = "/api/v1/jobs", tag = "jobs", request_body = StartJob,
    responses((status = 202, body = Job)))]
async fn start(
    State(app): State<Arc<App>>,
    actor: Actor,
    Json(body): Json<StartJob>,
) -> Result<Response, Problem> {
    let job = app.jobs.start_by_hand(&actor, &body.kind, &body.object, body.parameters).await?;
    let place = HeaderValue::try_from(format!("/api/v1/jobs/{}", job.id)).map_err(Problem::internal)?;
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, place)], Json(job)).into_response())
}

/// Describe a job with its attempts
#[utoipa::path(get, path = "/api/v1/jobs/{id}", tag = "jobs", params(("id" = String, Path)),
    responses((status = 200, body = Job)))]
async fn get(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(id): Path<String>,
) -> Result<Json<Job>, Problem> {
    Ok(Json(app.jobs.job(&actor, &id).await?))
}

/// Read the last lines of a job's log, oldest first
#[utoipa::path(get, path = "/api/v1/jobs/{id}/log", tag = "jobs", params(("id" = String, Path)),
    responses((status = 200, body = Vec<LogLine>)))]
async fn log(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(id): Path<String>,
) -> Result<Json<Vec<LogLine>>, Problem> {
    Ok(Json(app.jobs.log(&actor, &id).await?))
}

/// Cancel a job
#[utoipa::path(post, path = "/api/v1/jobs/{id}/cancel", tag = "jobs", params(("id" = String, Path)),
    responses((status = 200, body = Job)))]
async fn cancel(
    State(app): State<Arc<App>>,
    actor: Actor,
    Path(id): Path<String>,
) -> Result<Json<Job>, Problem> {
    Ok(Json(app.jobs.cancel(&actor, &id).await?))
}

/// Follow a job: an event named `job` with the job as JSON now and after each change
///
/// The stream ends when the job is over. A browser that asks again for a job that is over gets 204,
/// which tells it to stop.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/events", tag = "jobs", params(("id" = String, Path)),
    responses((status = 200, body = String, content_type = "text/event-stream"), (status = 204)))]
async fn events(
    State(app): State<Arc<App>>,
    actor: Actor,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let again = headers.contains_key("last-event-id");
    if again && app.jobs.job(&actor, &id).await?.state.is_over() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let mut number = 0_u64;
    let jobs = app.jobs.watch(&actor, &id).await?;
    let shutdown = app.shutdown.clone();
    let end = async move {
        tokio::select! {
            () = tokio::time::sleep(STREAM_TIME) => {}
            () = shutdown.cancelled() => {}
        }
    };
    let events = jobs.take_until(end).map(move |job| {
        number += 1;
        let event = Event::default().event("job").id(number.to_string());
        // A job always has a JSON form; should it not, the watcher misses one change.
        Ok::<_, Infallible>(event.json_data(&job).unwrap_or_default())
    });
    let mut response = Sse::new(events).keep_alive(KeepAlive::default()).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}
