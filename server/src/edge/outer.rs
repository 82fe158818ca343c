//! The outermost layer: what every response gets, whichever route or none answered.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use axum::body::HttpBody as _;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures::FutureExt as _;
use http::{HeaderValue, header};
use tracing::Instrument as _;

use super::context::{Nonce, RequestContext};
use super::{headers, metrics, origin, render};
use crate::problem::Problem;
use crate::router::Surface;
use crate::state::App;

/// The answer where no route is.
pub(super) async fn no_route() -> Problem {
    Problem::not_found("There is nothing at this address").code(0)
}

pub(super) async fn outer(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let context = RequestContext::of(&app.config, &request);
    let nonce = Nonce::new();
    let unread = may_stay_unread(&request);
    request.extensions_mut().insert(context.clone());
    request.extensions_mut().insert(nonce.clone());
    // No query: it may hold a set-up code.
    let span = tracing::info_span!(
        "request",
        request.id = context.id,
        method = %request.method(),
        path = request.uri().path(),
        token.id = tracing::field::Empty,
    );
    async move {
        let asked = render::Asked {
            method: request.method().clone(),
            uri: request.uri().clone(),
            context,
            nonce,
            looks: crate::console::looks(request.headers()),
        };
        let answered = AssertUnwindSafe(admit(&app, request, next)).catch_unwind().await;
        let response = answered.unwrap_or_else(|panic| Problem::internal(reason(&*panic)).into_response());
        let surface = surface(&response, &asked);
        let mut response = render::finish(&app, response, surface, &asked).await;
        if unread && !response.status().is_success() {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        headers::add(response.headers_mut(), &asked.context, &asked.nonce, app.config.is_https());
        metrics::record(&response, &asked.method, surface, started.elapsed());
        tracing::info!(
            status = response.status().as_u16(),
            duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            "Answered"
        );
        response
    }
    .instrument(span)
    .await
}

/// Whether a refusal may come before the body's end. The connection can then carry no further request, and the
/// client has to be told: else it sends one into a closing connection.
fn may_stay_unread(request: &Request) -> bool {
    let kind =
        request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let small =
        ["application/json", "application/x-www-form-urlencoded"].iter().any(|known| kind.starts_with(known));
    !small && !request.body().is_end_stream()
}

async fn admit(app: &Arc<App>, request: Request, next: Next) -> Response {
    let checked =
        origin::check_host(&app.config, &request).and_then(|()| origin::check_site(&app.config, &request));
    match checked {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// The surface of the route that answered; where none did, by the path.
fn surface(response: &Response, asked: &render::Asked) -> Surface {
    let path = asked.uri.path();
    let under =
        |prefix: &str| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    response.extensions().get::<Surface>().copied().unwrap_or({
        if under("/lance") {
            Surface::Namespace
        } else if under("/api") {
            Surface::Api
        } else {
            Surface::Page
        }
    })
}

fn reason(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("A handler panicked: {}", text.unwrap_or_default())
}
