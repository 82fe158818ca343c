//! One route's layer: who asks, may they, how often, how large.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::RequestExt as _;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{RawPathParams, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::Method;
use hyper::body::{Frame, SizeHint};
use lakeglass_api::BucketName;
use tokio::sync::OwnedSemaphorePermit;

use super::context::RequestContext;
use super::{body, health, rates};
use crate::auth::{Actor, Authenticated, Denied};
use crate::problem::Problem;
use crate::router::{BodyLimit, Route, Surface, Who};
use crate::state::App;

#[derive(Debug, Clone)]
pub(super) struct GuardState {
    app: Arc<App>,
    method: Method,
    path: &'static str,
    who: Who,
    surface: Surface,
    limit: u64,
}

/// The pattern of the route that answered, for metrics. A response extension.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pattern(pub(super) &'static str);

impl GuardState {
    pub(super) fn new(app: &Arc<App>, route: &Route) -> Self {
        let limit = body::limit(&app.config, route.body);
        debug_assert!(
            route.body == BodyLimit::None || route.method != Method::GET,
            "{route:?} takes a body with GET"
        );
        let open = route.path == health::METRICS && app.config.open_metrics;
        Self {
            app: Arc::clone(app),
            method: route.method.clone(),
            path: route.path,
            who: if open { Who::Anyone } else { route.who },
            surface: route.surface,
            limit,
        }
    }

    fn serves(&self, method: &Method) -> bool {
        *method == self.method || (*method == Method::HEAD && self.method == Method::GET)
    }
}

pub(super) async fn guard(State(state): State<GuardState>, mut request: Request, next: Next) -> Response {
    let mut response = if state.serves(request.method()) {
        match admit(&state, &mut request).await {
            Ok(turn) => {
                let actor = request.extensions().get::<Authenticated>().map(|found| found.actor.clone());
                let mut response = hold(next.run(request).await, turn);
                response.extensions_mut().extend(actor_extension(actor));
                response
            }
            Err(problem) => {
                let actor = request.extensions().get::<Authenticated>().map(|found| found.actor.clone());
                if problem.status == http::StatusCode::PAYLOAD_TOO_LARGE {
                    body::drain(request.into_body()).await;
                }
                let mut response = problem.into_response();
                response.extensions_mut().extend(actor_extension(actor));
                response
            }
        }
    } else {
        // The method router's own answer: 405 with what is allowed.
        next.run(request).await
    };
    response.extensions_mut().insert(state.surface);
    response.extensions_mut().insert(Pattern(state.path));
    response
}

/// For the record of refusals, written when the problem is.
fn actor_extension(actor: Option<Actor>) -> http::Extensions {
    let mut extensions = http::Extensions::new();
    if let Some(actor) = actor {
        extensions.insert(actor);
    }
    extensions
}

async fn admit(state: &GuardState, request: &mut Request) -> Result<Option<OwnedSemaphorePermit>, Problem> {
    if state.surface == Surface::Open && state.who == Who::Anyone {
        cap(state, request)?;
        return Ok(None);
    }
    let context = request.extensions().get::<RequestContext>().cloned();
    let (address, id) = context.map_or((None, String::new()), |context| (context.address, context.id));
    let found = state.app.auth.authenticate(request.headers(), address, &id).await;
    let principal = found.as_ref().ok().and_then(Option::as_ref).map(|found| &found.actor.principal);
    let turn = state.app.edge.rates.admit(rates::Key::of(principal, address))?;
    let found = found?;
    let actor = found.as_ref().map(|found| found.actor.clone());
    if let Some(found) = found {
        request.extensions_mut().insert(found);
    }
    check(state.who, actor.as_ref(), request).await?;
    cap(state, request)?;
    Ok(Some(turn))
}

async fn check(who: Who, actor: Option<&Actor>, request: &mut Request) -> Result<(), Problem> {
    let needed = || actor.ok_or_else(Problem::unauthenticated);
    match who {
        Who::Anyone => {}
        Who::SignedIn => {
            needed()?;
        }
        Who::Server(role) => needed()?.require_server(role)?,
        Who::Bucket(role) => {
            let actor = needed()?;
            let parameters = request.extract_parts::<RawPathParams>().await;
            let name = parameters.ok().and_then(|parameters| {
                let (_, value) = parameters.iter().find(|(name, _)| *name == "bucket")?;
                value.parse::<BucketName>().ok()
            });
            // A name that no bucket can have is a bucket that does not exist.
            actor.require(&name.ok_or(Denied::Hidden)?, role)?;
        }
    }
    Ok(())
}

fn cap(state: &GuardState, request: &mut Request) -> Result<(), Problem> {
    let whole = std::mem::take(request.body_mut());
    match body::cap(request.headers(), whole, state.limit) {
        Ok(capped) => {
            *request.body_mut() = capped;
            Ok(())
        }
        Err((problem, whole)) => {
            *request.body_mut() = whole;
            Err(problem)
        }
    }
}

/// Keeps a principal's turn until the answer's last byte.
fn hold(response: Response, turn: Option<OwnedSemaphorePermit>) -> Response {
    let Some(turn) = turn else { return response };
    response.map(|body| Body::new(Held { body, _turn: turn }))
}

/// A body as it is, length included, with the turn it is sent in.
struct Held {
    body: Body,
    _turn: OwnedSemaphorePermit,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
