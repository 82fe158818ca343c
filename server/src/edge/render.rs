//! Problems, written in the way of their surface, logged once; refusals go to the audit log.

use std::sync::Arc;

use askama::Template as _;
use axum::Json;
use axum::body::Body;
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use http::{HeaderValue, Method, StatusCode, Uri, header};
use http_body_util::{BodyExt as _, Limited};
use serde_json::json;

use super::context::{Nonce, RequestContext};
use crate::audit::Outcome;
use crate::auth::{Actor, Denied};
use crate::console::{Failed, Looks};
use crate::problem::Problem;
use crate::router::Surface;
use crate::state::App;

/// What is kept of a request until its answer is written.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) method: Method,
    pub(super) uri: Uri,
    pub(super) context: RequestContext,
    pub(super) nonce: Nonce,
    pub(super) looks: Looks,
}

/// What an error page shows.
#[derive(Debug, askama::Template)]
#[template(path = "error.html")]
pub struct ErrorView<'a> {
    pub status: u16,
    pub title: &'static str,
    pub detail: &'a str,
    /// `(address, text)` of what to do next.
    pub ways_out: &'a [(&'static str, &'static str)],
    pub request_id: &'a str,
    pub theme: &'a str,
    pub css: Option<String>,
    /// Address of the icon.
    pub icon: String,
    pub insecure: bool,
}

/// Longest plain-text answer of a rejected extractor that is kept as the cause.
const MAX_REASON: usize = 4096;

/// Turns a problem into the surface's own words; other answers pass.
pub(super) async fn finish(app: &Arc<App>, response: Response, surface: Surface, asked: &Asked) -> Response {
    let response = problem_of_plain(response, surface).await;
    let Some(problem) = response.extensions().get::<Problem>().cloned() else { return response };
    let actor = response.extensions().get::<Actor>();
    log(&problem);
    record_refusal(app, &problem, actor, asked).await;
    let mut written = match surface {
        Surface::Api => api(&problem, asked),
        Surface::Namespace => namespace(&problem, asked),
        Surface::Page => page(app, &problem, actor, asked).await,
        Surface::Open => (problem.status, format!("{}\n", problem.detail)).into_response(),
    };
    if let Some(seconds) = problem.retry_after {
        written.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    // Headers of the answer stay: `Allow` with 405, `Set-Cookie`.
    for (name, value) in response.headers() {
        if *name != header::CONTENT_TYPE && *name != header::CONTENT_LENGTH {
            written.headers_mut().append(name, value.clone());
        }
    }
    *written.extensions_mut() = response.extensions().clone();
    written
}

/// Makes a problem of an error that a router or extractor answered in plain text or not at all.
async fn problem_of_plain(mut response: Response, surface: Surface) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    let kind = response.headers().get(header::CONTENT_TYPE);
    let plain = kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
    let has_one = response.extensions().get::<Problem>().is_some();
    if !is_error || !plain || has_one || surface == Surface::Open {
        return response;
    }
    let body = std::mem::take(response.body_mut());
    let text = match Limited::new(body, MAX_REASON).collect().await {
        Ok(collected) => String::from_utf8_lossy(&collected.to_bytes()).into_owned(),
        Err(_) => String::new(),
    };
    // The status policy has no 422: what a person can mend is 400.
    let status = if status == StatusCode::UNPROCESSABLE_ENTITY { StatusCode::BAD_REQUEST } else { status };
    let text = Some(text.trim().to_owned()).filter(|text| !text.is_empty() && status.is_client_error());
    let problem = match status {
        StatusCode::METHOD_NOT_ALLOWED => {
            Problem::new(status, "method", "This address does not take that method")
        }
        StatusCode::NOT_FOUND => Problem::not_found("There is nothing at this address").code(0),
        StatusCode::PAYLOAD_TOO_LARGE => {
            Problem::new(status, "too-large", "The body is larger than this request takes")
        }
        _ if status.is_client_error() => {
            let detail = text
                .unwrap_or_else(|| status.canonical_reason().unwrap_or("The request is wrong").to_owned());
            Problem::new(status, "invalid", detail)
        }
        _ => {
            let mut problem = Problem::internal(format!("A handler answered {status} without a problem"));
            problem.status = status;
            problem
        }
    };
    *response.status_mut() = problem.status;
    response.extensions_mut().insert(problem);
    response
}

fn log(problem: &Problem) {
    let source = problem.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static));
    if problem.status.is_server_error() {
        tracing::error!(problem.kind, error = source, "{}", problem.detail);
    } else {
        tracing::debug!(problem.kind, error = source, "{}", problem.detail);
    }
}

/// Refused authorisations, and changes asked for by other sites.
async fn record_refusal(app: &Arc<App>, problem: &Problem, actor: Option<&Actor>, asked: &Asked) {
    let denied = problem.source.as_ref().is_some_and(|source| source.downcast_ref::<Denied>().is_some());
    if !denied && problem.kind != "cross-site" {
        return;
    }
    let nobody;
    let actor = if let Some(actor) = actor {
        actor
    } else {
        nobody = Actor::anonymous(asked.context.address, asked.context.id.clone());
        &nobody
    };
    let detail = json!({ "method": asked.method.as_str(), "status": problem.status.as_u16() });
    app.audit.record(actor, "request.refuse", asked.uri.path(), Outcome::Refused, detail).await;
}

fn api(problem: &Problem, asked: &Asked) -> Response {
    let mut document = json!({
        "type": format!("urn:lakeglass:problem:{}", problem.kind),
        "title": title(problem.status),
        "status": problem.status.as_u16(),
        "detail": problem.detail,
        "instance": asked.uri.path(),
        "request_id": asked.context.id,
    });
    if !problem.fields.is_empty() {
        document["errors"] = json!(problem.fields);
    }
    let mut response = (problem.status, Json(document)).into_response();
    let kind = HeaderValue::from_static("application/problem+json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    challenge(problem, &mut response);
    response
}

fn namespace(problem: &Problem, asked: &Asked) -> Response {
    let mut response = crate::namespace::error_response(problem, asked.uri.path());
    challenge(problem, &mut response);
    response
}

fn challenge(problem: &Problem, response: &mut Response) {
    if problem.status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
}

async fn page(app: &Arc<App>, problem: &Problem, actor: Option<&Actor>, asked: &Asked) -> Response {
    if problem.status == StatusCode::UNAUTHORIZED && problem.kind == "unauthenticated" {
        let next = asked.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
        let target = if asked.method == Method::GET && next != "/" {
            format!(
                "/sign-in?next={}",
                percent_encoding::utf8_percent_encode(next, percent_encoding::NON_ALPHANUMERIC)
            )
        } else {
            "/sign-in".to_owned()
        };
        return Redirect::to(&target).into_response();
    }
    if let Some(actor) = actor {
        let failed = Failed {
            nonce: &asked.nonce,
            method: &asked.method,
            uri: &asked.uri,
            looks: asked.looks,
            request_id: &asked.context.id,
        };
        return crate::console::error_page(app, actor, failed, problem).await;
    }
    let ways_out: &[(&str, &str)] = match problem.status.as_u16() {
        401 | 403 => &[("/", "Overview"), ("/sign-in", "Sign in as someone else")],
        404 => &[("/", "Overview"), ("/buckets", "All buckets")],
        _ => &[("/", "Overview")],
    };
    let view = ErrorView {
        status: problem.status.as_u16(),
        title: title(problem.status),
        detail: &problem.detail,
        ways_out,
        request_id: &asked.context.id,
        theme: asked.looks.theme.chosen().unwrap_or_default(),
        css: app.edge.assets.url("app.css"),
        icon: app.edge.assets.icon(),
        insecure: app.config.insecure_http,
    };
    match view.render() {
        Ok(text) => (problem.status, Html(text)).into_response(),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "The error page could not be drawn");
            (problem.status, Body::from(problem.detail.clone())).into_response()
        }
    }
}

fn title(status: StatusCode) -> &'static str {
    match status.as_u16() {
        400 => "The request is not right",
        401 => "Sign in first",
        403 => "Not allowed",
        404 => "Not found",
        405 => "Not that method",
        409 => "In the way of something else",
        413 => "Too large",
        421 => "Not this address",
        429 => "Too many requests",
        503 => "Not available now",
        500..=599 => "Something failed",
        _ => status.canonical_reason().unwrap_or("Refused"),
    }
}
