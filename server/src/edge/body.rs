//! Request bodies: capped before they are read, and not waited for without end.

use std::time::Duration;

use axum::body::Body;
use http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt as _, Limited};
use tower_http::timeout::TimeoutBody;

use crate::config::Config;
use crate::problem::Problem;
use crate::router::BodyLimit;

/// Longest silence inside a body.
const SILENCE: Duration = Duration::from_secs(30);
/// After a refusal this much is read and thrown away, so that a client in the middle of sending sees
/// the answer instead of a closed connection.
const DRAIN_BYTES: usize = 4 << 20;
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// How many bytes a route takes.
pub(super) fn limit(config: &Config, limit: BodyLimit) -> u64 {
    match limit {
        BodyLimit::None => 0,
        BodyLimit::Metadata => Config::MAX_JSON_BYTES as u64,
        BodyLimit::Data => config.max_arrow_bytes,
    }
}

#[expect(clippy::result_large_err, reason = "the body goes back to be drained; made once a request")]
/// Refuses a body that says it is too large; one that does not say is cut off at the limit.
pub(super) fn cap(headers: &HeaderMap, body: Body, limit: u64) -> Result<Body, (Problem, Body)> {
    let announced =
        headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err((too_large(limit), body));
    }
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    Ok(Body::new(TimeoutBody::new(SILENCE, Limited::new(body, limit))))
}

pub(super) fn too_large(limit: u64) -> Problem {
    let detail = if limit == 0 {
        "This request takes no body".to_owned()
    } else {
        format!("The body is larger than the {limit} bytes that this request takes")
    };
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", detail)
}

/// Reads a refused body to its end, within bounds.
pub(super) async fn drain(body: Body) {
    let mut body = Limited::new(body, DRAIN_BYTES);
    let reading = async { while let Some(Ok(_)) = body.frame().await {} };
    // Past the bounds the connection closes.
    let _ = tokio::time::timeout(DRAIN_TIME, reading).await;
}
