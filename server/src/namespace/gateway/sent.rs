//! What is sent on: headers without what is between two neighbours or meant for us, bodies with our
//! identifiers turned into theirs.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use hyper::body::{Frame, SizeHint};
use serde_json::{Map, Value, json};

use super::super::ids::Identifier;
use super::super::requests;
use super::Found;
use super::operation::Operation;
use crate::Problem;
use crate::attached::{Activity, Patience};
use crate::catalog::ROOT;

/// How long an operation may take whose work is rows.
const LONG: Duration = Duration::from_mins(10);

/// Headers of one connection, and those that say who asks here.
fn stays_here(name: &HeaderName) -> bool {
    const NAMES: [&str; 27] = [
        "accept-encoding",
        "authorization",
        "connection",
        "content-length",
        "cookie",
        "expect",
        "forwarded",
        "host",
        "keep-alive",
        "origin",
        "priority",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "referer",
        "set-cookie",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "upgrade-insecure-requests",
        "user-agent",
        "via",
        "x-api-key",
        "x-lancedb-database",
        "x-real-ip",
        "x-request-id",
    ];
    NAMES.contains(&name.as_str())
        || ["sec-", "x-forwarded-", "cf-"].iter().any(|start| name.as_str().starts_with(start))
}

/// The headers that an upstream is to have.
pub(super) fn headers(sent: &HeaderMap, operation: &Operation) -> HeaderMap {
    // A sender may name more headers that are for its neighbour only.
    let named = sent.get_all(header::CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let named: Vec<String> =
        named.flat_map(|value| value.split(',')).map(|name| name.trim().to_ascii_lowercase()).collect();
    let mut headers = HeaderMap::new();
    for (name, value) in sent {
        if !stays_here(name) && !named.iter().any(|other| other == name.as_str()) {
            headers.append(name.clone(), value.clone());
        }
    }
    if operation.has_object() {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    headers
}

pub(super) fn patience(operation: &Operation) -> Patience {
    if operation.is_long() { Patience::Whole(LONG) } else { Patience::metadata() }
}

/// A body as a JSON object; nothing is an empty one.
pub(super) fn object(bytes: &[u8]) -> Result<Map<String, Value>, Problem> {
    let text = bytes.trim_ascii();
    if text.is_empty() || text == b"null" {
        return Ok(Map::new());
    }
    // The message names a position and a type, never the text around it.
    serde_json::from_slice(text)
        .map_err(|error| Problem::invalid(format!("The body cannot be read: {error}")).code(13))
}

/// The parts that a body names something by.
fn parts(body: &Map<String, Value>, field: &'static str) -> Result<Option<Vec<String>>, Problem> {
    match body.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => serde_json::from_value(value.clone())
            .map(Some)
            .map_err(|_| Problem::invalid(format!("{field} is a list of texts")).code(13)),
    }
}

/// Refuses a body whose id is not the path's.
pub(super) fn agrees(body: &Map<String, Value>, id: &Identifier) -> Result<(), Problem> {
    match parts(body, "id")? {
        Some(parts) => id.agrees(&parts),
        None => Ok(()),
    }
}

/// Turns a body into the upstream's terms. What proves who asks here is taken out.
pub(super) fn theirs(
    body: &mut Map<String, Value>,
    found: &Found,
    operation: &Operation,
) -> Result<(), Problem> {
    let upstream = found.live.upstream()?;
    body.remove("identity");
    let options = body.remove("storage_options");
    requests::refuse_storage_options(options.is_some_and(|options| {
        options.as_object().is_none_or(|options| !options.is_empty()) && !options.is_null()
    }))?;
    body.insert("id".to_owned(), json!(upstream.parts(&found.below)));
    if operation.name() == "table/rename"
        && let Some(target) = parts(body, "new_namespace_id")?
    {
        let target = found.id.beside(&target);
        let Some((_, below)) = target.split_first().filter(|(bucket, _)| *bucket == found.bucket.as_str())
        else {
            let detail = "A table moves within its bucket only; copy it to another one";
            return Err(Problem::new(http::StatusCode::NOT_ACCEPTABLE, "unsupported", detail).code(0));
        };
        let below = if below == [ROOT] { &[] } else { below };
        body.insert("new_namespace_id".to_owned(), json!(upstream.parts(below)));
    }
    Ok(())
}

/// A body of rows to be sent as it arrives, and how long its answer is waited for: as long as it moves.
pub(super) fn stream(body: Body) -> (reqwest::Body, Patience) {
    let activity = Arc::new(Activity::new());
    let upload = Upload { body: Mutex::new(body), activity: Arc::clone(&activity) };
    (reqwest::Body::wrap(upload), Patience::WhileActive(activity))
}

/// A body that notes when it moves. Behind a mutex, which nobody waits for, only to be `Sync`.
struct Upload {
    body: Mutex<Body>,
    activity: Arc<Activity>,
}

impl HttpBody for Upload {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let body = self.body.get_mut().unwrap_or_else(PoisonError::into_inner);
        let polled = Pin::new(body).poll_frame(context);
        if polled.is_ready() {
            self.activity.moved();
        }
        polled
    }

    fn size_hint(&self) -> SizeHint {
        self.body.lock().unwrap_or_else(PoisonError::into_inner).size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_and_headers_between_neighbours_stay_here() {
        let mut sent = HeaderMap::new();
        for (name, value) in [
            ("authorization", "Bearer lg_secret"),
            ("x-api-key", "lg_secret"),
            ("cookie", "session=1"),
            ("connection", "close, X-Hop"),
            ("x-hop", "1"),
            ("te", "trailers"),
            ("content-length", "7"),
            ("x-forwarded-for", "10.0.0.1"),
            ("sec-fetch-site", "none"),
            ("x-lance-ctx-trace", "abc"),
            ("accept", "application/vnd.apache.arrow.file"),
        ] {
            sent.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let operation = Operation::of("/lance/v1/table/{id}/query").unwrap();
        let headers = headers(&sent, &operation);
        let names: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        assert_eq!(headers["x-lance-ctx-trace"], "abc");
        assert_eq!(headers["accept"], "application/vnd.apache.arrow.file");
        assert_eq!(names.len(), 3, "{names:?}");
    }

    #[test]
    fn a_body_must_be_an_object_that_agrees_with_the_path() {
        assert!(object(b" ").unwrap().is_empty() && object(b"null").unwrap().is_empty());
        assert!(object(b"[]").is_err() && object(b"{").is_err());
        let id = Identifier::parse("lake$a", None, None).unwrap();
        assert!(agrees(&object(br#"{"id": ["lake", "a"]}"#).unwrap(), &id).is_ok());
        assert!(agrees(&object(br#"{"id": ["lake", "b"]}"#).unwrap(), &id).is_err());
        assert!(agrees(&object(br#"{"id": "lake"}"#).unwrap(), &id).is_err());
    }
}
