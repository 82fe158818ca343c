//! Operations on buckets that are attached to an upstream: passed on to it, or done here when it lacks them.
//!
//! One layer in front of the native handlers. It knows from the route which operation it is, checks the
//! actor's role before anything is sent, and hands what the upstream does not do to the handler behind it,
//! which resolves the table there and works on its data here. Directories, and managed buckets, go straight
//! to their handlers.

mod answer;
mod operation;
mod sent;

use std::sync::Arc;

use axum::RequestExt as _;
use axum::body::{Body, Bytes};
use axum::extract::{RawPathParams, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use axum::routing::MethodRouter;
use http::request::Parts;
use lakeglass_api::catalog::Backing;
use lakeglass_api::{BucketName, NamespacePath, Role, TableRef};
use lakeglass_ports::NamesError;

use self::operation::{Kind, Operation};
use super::call::{self, DATABASE_HEADER, Parameters};
use super::errors::{of_namespace, of_table};
use super::ids::Identifier;
use crate::Problem;
use crate::attached::{Attached, Live, Outgoing};
use crate::auth::{Actor, Authenticated};
use crate::catalog::{Noticed, ROOT};
use crate::router::Route;
use crate::state::App;

/// What the layer of one route is given.
#[derive(Debug, Clone)]
struct Gate {
    app: Arc<App>,
    operation: Operation,
}

/// Puts the layer in front of one operation's handler.
pub(crate) fn through(
    app: &Arc<App>,
    route: &Route,
    handler: MethodRouter<Arc<App>>,
) -> MethodRouter<Arc<App>> {
    let Some(operation) = Operation::of(route.path) else { return handler };
    let gate = Gate { app: Arc::clone(app), operation };
    handler.layer(axum::middleware::from_fn_with_state(gate, pass))
}

/// The parts of an identifier that a handler is to take instead of the path's. A request extension.
#[derive(Debug, Clone)]
struct Instead(Vec<String>);

async fn pass(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    if gate.app.attached.has_passed(request.headers()) {
        let detail =
            "This request came back to the server that sent it: two buckets are attached to each other";
        return Problem::invalid(detail).code(13).into_response();
    }
    let (request, found) = match find(&gate, request).await {
        Ok(found) => found,
        Err(problem) => return problem.into_response(),
    };
    let Some(found) = found else { return next.run(request).await };
    match relay(&gate, found, request).await {
        Ok(Relayed::Answered(response)) => response,
        Ok(Relayed::Here(request)) => next.run(*request).await,
        Err(problem) => problem.into_response(),
    }
}

/// What a request is about, when that is in an attached bucket.
struct Found {
    live: Arc<Live>,
    id: Identifier,
    bucket: BucketName,
    /// Parts below the bucket, in the upstream's terms.
    below: Vec<String>,
    actor: Actor,
    /// The caller needs more of a described table than the specification's answer.
    remote: bool,
}

impl Found {
    /// As our own names have it, if they can.
    fn table(&self) -> Option<TableRef> {
        let (name, namespace) = self.below.split_last()?;
        let namespace = match namespace {
            [] => NamespacePath::new([ROOT]),
            parts => NamespacePath::new(parts.iter().cloned()),
        };
        Some(TableRef { bucket: self.bucket.clone(), namespace: namespace.ok()?, table: name.parse().ok()? })
    }

    fn namespace(&self) -> Option<NamespacePath> {
        NamespacePath::new(self.below.iter().cloned()).ok()
    }
}

enum Relayed {
    Answered(Response),
    /// The native handler does it.
    Here(Box<Request>),
}

/// Whether the request is about an attached bucket.
async fn find(gate: &Gate, mut request: Request) -> Result<(Request, Option<Found>), Problem> {
    if !gate.app.attached.has_any() {
        return Ok((request, None));
    }
    let parameters = request.extract_parts::<RawPathParams>().await;
    let Some(id) = parameters
        .ok()
        .and_then(|all| all.iter().find(|(name, _)| *name == "id").map(|(_, value)| value.to_owned()))
    else {
        return Ok((request, None));
    };
    let query = Parameters::parse(request.uri().query().unwrap_or_default());
    let database = request.headers().get(DATABASE_HEADER).and_then(|value| value.to_str().ok());
    let remote = database.is_some();
    let id = Identifier::parse(&id, query.get("delimiter"), database)?;
    let Some((first, below)) = id.parts().split_first() else { return Ok((request, None)) };
    let Some(live) = first.parse::<BucketName>().ok().and_then(|bucket| gate.app.attached.find(&bucket))
    else {
        return Ok((request, None));
    };
    // What concerns the bucket as such is ours.
    if below.is_empty() && !gate.operation.is_list() {
        return Ok((request, None));
    }
    let actor = request.extensions().get::<Authenticated>().map(|found| found.actor.clone());
    let actor = actor.ok_or_else(Problem::unauthenticated)?;
    let mut below = below.to_vec();
    if below.first().is_some_and(|part| part == ROOT) && below.len() <= gate.operation.depth_of_root() {
        below.remove(0);
    }
    let bucket = live.bucket.clone();
    let found = Found { live, id, bucket, below, actor, remote };
    let request = match gate.operation.kind() {
        Kind::Table if found.below.len() == 1 => in_root(&found, request),
        _ => request,
    };
    if found.live.backing == Backing::Directory {
        let request = without_id(gate, &found, request).await?;
        return Ok((request, None));
    }
    Ok((request, Some(found)))
}

/// Names a table outside of namespaces as handlers here know it.
fn in_root(found: &Found, mut request: Request) -> Request {
    let parts = [found.bucket.as_str(), ROOT].map(str::to_owned);
    request.extensions_mut().insert(Instead(parts.into_iter().chain(found.below.clone()).collect()));
    request
}

/// Takes the id out of a body whose table is named otherwise here, once it agreed with the path.
async fn without_id(gate: &Gate, found: &Found, request: Request) -> Result<Request, Problem> {
    if request.extensions().get::<Instead>().is_none() || gate.operation.carries_rows() {
        return Ok(request);
    }
    let (parts, body) = request.into_parts();
    let bytes = call::bytes(parts.clone(), body, &gate.app).await?;
    here(gate, found, parts, bytes)
}

/// A request for the native handler.
fn here(gate: &Gate, found: &Found, mut parts: Parts, bytes: Bytes) -> Result<Request, Problem> {
    if parts.extensions.get::<Instead>().is_none() || !gate.operation.has_object() {
        return Ok(Request::from_parts(parts, Body::from(bytes)));
    }
    let mut body = sent::object(&bytes)?;
    sent::agrees(&body, &found.id)?;
    body.remove("id");
    let bytes = Bytes::from(serde_json::Value::Object(body).to_string());
    parts.headers.insert(http::header::CONTENT_LENGTH, bytes.len().into());
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// Passes a request on, unless it is to be done here.
async fn relay(gate: &Gate, found: Found, request: Request) -> Result<Relayed, Problem> {
    let (operation, attached) = (&gate.operation, &gate.app.attached);
    if operation.carries_rows() {
        authorise(&found, operation.need(&serde_json::Map::new()), operation)?;
        // A body of rows is never sent to find out.
        if attached.has(&found.live, operation.name()).await != Some(true) {
            return Ok(Relayed::Here(Box::new(request)));
        }
        let (parts, body) = request.into_parts();
        let (body, patience) = sent::stream(body);
        let out = outgoing(&found, operation, &parts, body, patience)?;
        let response = found.live.upstream()?.send(out).await?;
        return match finish(gate, &found, response).await? {
            Some(response) => Ok(Relayed::Answered(response)),
            // The rows are gone: sent again they are written here.
            None => Err(Problem::from(NamesError::Unavailable(
                "it does not take rows any more. Send them again, and they are written from here".to_owned(),
            ))),
        };
    }
    let (parts, body) = request.into_parts();
    let bytes = match operation.kind() {
        Kind::List => Bytes::new(),
        _ => call::bytes(parts.clone(), body, &gate.app).await?,
    };
    let mut object = if operation.has_object() { sent::object(&bytes)? } else { serde_json::Map::new() };
    sent::agrees(&object, &found.id)?;
    authorise(&found, operation.need(&object), operation)?;
    let describes_more = found.remote && operation.name() == "table/describe";
    if describes_more || found.live.supports(operation.name()) == Some(false) {
        return Ok(Relayed::Here(Box::new(here(gate, &found, parts, bytes)?)));
    }
    if let Some(refusal) = refuse_protected(gate, &found, &object).await {
        return Err(refusal);
    }
    let body = if operation.has_object() {
        sent::theirs(&mut object, &found, operation)?;
        reqwest::Body::from(serde_json::Value::Object(object.clone()).to_string())
    } else {
        reqwest::Body::from(bytes.clone())
    };
    let out = outgoing(&found, operation, &parts, body, sent::patience(operation))?;
    let response = found.live.upstream()?.send(out).await?;
    match finish(gate, &found, response).await? {
        Some(response) => {
            notice(gate, &found, &object).await;
            Ok(Relayed::Answered(response))
        }
        None => Ok(Relayed::Here(Box::new(here(gate, &found, parts, bytes)?))),
    }
}

fn authorise(found: &Found, need: Role, operation: &Operation) -> Result<(), Problem> {
    let refused = |denied| match operation.kind() {
        Kind::Table => of_table(denied),
        _ => of_namespace(denied),
    };
    found.actor.require(&found.bucket, need).map_err(refused)
}

/// The request as the upstream is to have it.
fn outgoing(
    found: &Found,
    operation: &Operation,
    parts: &Parts,
    body: reqwest::Body,
    patience: crate::attached::Patience,
) -> Result<Outgoing, Problem> {
    let upstream = found.live.upstream()?;
    let parameters = url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
    let query: Vec<(String, String)> =
        parameters.into_owned().filter(|(name, _)| name != "delimiter").collect();
    if query.iter().any(|(name, value)| name == "storage_options" && !matches!(value.as_str(), "" | "{}")) {
        super::requests::refuse_storage_options(true)?;
    }
    Ok(Outgoing {
        method: parts.method.clone(),
        operation: operation.name().to_owned(),
        object: upstream.text(&found.below)?,
        path: operation.path(&upstream.encoded(&found.below)?, parts.uri.path()),
        query: query.into_iter().chain(upstream.delimiter()).collect(),
        headers: sent::headers(&parts.headers, operation),
        body,
        patience,
        actor: Some(found.actor.name.clone()),
    })
}

/// The upstream's answer as ours; none when it lacks the operation.
async fn finish(
    gate: &Gate,
    found: &Found,
    response: reqwest::Response,
) -> Result<Option<Response>, Problem> {
    let operation = &gate.operation;
    let role = found.actor.role_in(&found.bucket).unwrap_or(Role::Viewer);
    match answer::of(response, found, operation, role).await {
        Ok(response) => {
            if operation.carries_rows() {
                notice(gate, found, &serde_json::Map::new()).await;
            }
            Ok(Some(response))
        }
        Err(error) if error.is_unsupported() => {
            gate.app.attached.learn(&found.live, operation.name(), false).await;
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Protection is ours: an upstream knows nothing of it.
async fn refuse_protected(
    gate: &Gate,
    found: &Found,
    body: &serde_json::Map<String, serde_json::Value>,
) -> Option<Problem> {
    let catalog = &gate.app.catalog;
    let refused = match gate.operation.name() {
        "table/drop" | "table/deregister" | "table/rename" | "table/register" => {
            catalog.refuse_protected_table(&found.table()?).await
        }
        "namespace/drop" if operation::cascades(body) => {
            catalog.refuse_protected_in(&found.bucket, &found.namespace()?).await
        }
        _ => return None,
    };
    refused.err().map(Into::into)
}

/// Tells the catalog what changed there.
async fn notice(gate: &Gate, found: &Found, body: &serde_json::Map<String, serde_json::Value>) {
    let noticed = match (gate.operation.name(), gate.operation.need(body)) {
        (_, Role::Viewer | Role::Reader) => return,
        ("namespace/drop", _) => found.namespace().map_or(Noticed::Names, Noticed::NamespaceDropped),
        ("namespace/create" | "table/declare" | "table/register", _) => Noticed::Names,
        ("table/drop" | "table/deregister" | "table/rename", _) => {
            found.table().map_or(Noticed::Names, Noticed::TableGone)
        }
        _ => found.table().map_or(Noticed::Names, Noticed::Written),
    };
    let told = gate.app.catalog.noticed(&found.actor, &found.bucket, gate.operation.name(), &noticed).await;
    if let Err(error) = told {
        tracing::warn!(bucket = %found.bucket, %error, "a change in an attached catalog could not be noted");
    }
}

/// The identifier that the layer wants a handler to take.
pub(super) fn instead(parts: &Parts, id: Identifier) -> Identifier {
    match parts.extensions.get::<Instead>() {
        Some(Instead(names)) => id.named(names.clone()),
        None => id,
    }
}
