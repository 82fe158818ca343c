//! Upstreams' answers as ours: identifiers in our terms, lists of leaf names, credentials by role.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderName, StatusCode, header};
use lakeglass_api::Role;
use lakeglass_ports::{NamesError, NamesResult};
use serde_json::{Value, json};
use tower_http::timeout::TimeoutBody;

use super::super::responses;
use super::operation::{Kind, Operation};
use super::{Attached, Found};
use crate::attached::{MOST_ERROR_BYTES, read, refusal};

/// The most that an answer may hold whose names are turned into ours.
const MOST_BYTES: usize = 16 << 20;
/// Longest silence inside an answer.
const SILENCE: Duration = Duration::from_mins(1);

/// Headers that an answer keeps.
const KEPT: [&str; 3] = ["content-encoding", "content-type", "retry-after"];

/// The answer to be given; an error as the upstream means it.
pub(super) async fn of(
    response: reqwest::Response,
    found: &Found,
    operation: &Operation,
    role: Role,
) -> NamesResult<Response> {
    let status = response.status();
    if !status.is_success() {
        let read = tokio::time::timeout(SILENCE, read(response, MOST_ERROR_BYTES)).await;
        let bytes = read.map_err(|_| NamesError::TimedOut(SILENCE.as_secs()))?;
        return Err(refusal(status, &bytes.unwrap_or_default()));
    }
    let is_json = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .is_some_and(|kind| kind.starts_with("application/json"));
    if is_json && names_things(operation) {
        let read = tokio::time::timeout(SILENCE, read(response, MOST_BYTES)).await;
        let bytes = read.map_err(|_| NamesError::TimedOut(SILENCE.as_secs()))??;
        if bytes.trim_ascii().is_empty() {
            return Ok(responses::done());
        }
        let mut body: Value = serde_json::from_slice(&bytes)
            .map_err(|_| NamesError::Invalid("its answer is not JSON".to_owned()))?;
        ours(&mut body, found, operation, role);
        return Ok((status, axum::Json(body)).into_response());
    }
    if status == StatusCode::NO_CONTENT && !operation.name().ends_with("/exists") {
        // Released clients cannot read an empty 204.
        return Ok(responses::done());
    }
    let headers = response.headers().clone();
    // What was compressed was not asked for, and is passed on as it is.
    let kept = |name: &HeaderName| KEPT.contains(&name.as_str()) || name.as_str().starts_with("x-lance-");
    let body: http::Response<reqwest::Body> = response.into();
    let mut answer = Body::new(TimeoutBody::new(SILENCE, body.into_body())).into_response();
    *answer.status_mut() = status;
    answer.headers_mut().remove(header::CONTENT_TYPE);
    for (name, value) in headers.iter().filter(|(name, _)| kept(name)) {
        answer.headers_mut().append(name, value.clone());
    }
    Ok(answer)
}

/// Whether an operation's answer holds identifiers or credentials.
fn names_things(operation: &Operation) -> bool {
    operation.kind() != Kind::Table
        || matches!(
            operation.name(),
            "table/describe"
                | "table/declare"
                | "table/register"
                | "table/create"
                | "table/drop"
                | "table/deregister"
        )
}

fn ours(body: &mut Value, found: &Found, operation: &Operation, role: Role) {
    let Some(body) = body.as_object_mut() else { return };
    let Ok(upstream) = found.live.upstream() else { return };
    for field in ["id", "namespace"] {
        let Some(parts) =
            body.get(field).and_then(|parts| serde_json::from_value::<Vec<String>>(parts.clone()).ok())
        else {
            continue;
        };
        let below = upstream.below(&parts).unwrap_or(&parts);
        let bucket = [found.bucket.as_str().to_owned()];
        body.insert(field.to_owned(), json!(bucket.iter().chain(below).collect::<Vec<_>>()));
    }
    if operation.is_list() {
        let field = if operation.name() == "namespace/list" { "namespaces" } else { "tables" };
        let names: Vec<String> =
            body.get(field).and_then(|names| serde_json::from_value(names.clone()).ok()).unwrap_or_default();
        let leaves: Vec<String> = names.iter().filter_map(|name| upstream.leaf(&found.below, name)).collect();
        body.insert(field.to_owned(), json!(leaves));
        if body.get("page_token").is_some_and(|token| token.as_str() == Some("")) {
            body.remove("page_token");
        }
    }
    if let Some(options) = body.get_mut("storage_options").filter(|options| !options.is_null()) {
        let vended: BTreeMap<String, String> = serde_json::from_value(options.take()).unwrap_or_default();
        *options = json!(Attached::for_client(&found.live, role, &vended));
    }
}
