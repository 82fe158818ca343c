//! Answers: the specification's models, filled from the catalog's types. Lists are never null, and
//! properties are null only where none are kept.

use std::collections::HashMap;

use axum::response::{IntoResponse, Response};
use http::header;
use lakeglass_api::catalog::Properties;
use serde::Serialize;

/// 200 with a JSON body.
pub(super) fn json<T: Serialize>(value: &T) -> Response {
    axum::Json(value).into_response()
}

/// 200 with `{}`: released clients cannot read an empty 204.
pub(super) fn done() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], "{}").into_response()
}

/// 200 without a body, as the specification has it for "exists".
pub(super) fn exists() -> Response {
    ().into_response()
}

#[expect(clippy::unnecessary_wraps, reason = "as the models want it")]
pub(super) fn properties(properties: Properties) -> Option<HashMap<String, String>> {
    Some(properties.into_iter().collect())
}

/// The specification's versions are signed; one beyond that is left out rather than wrong.
pub(super) fn version(version: u64) -> Option<i64> {
    i64::try_from(version).ok()
}

#[expect(clippy::unnecessary_wraps, reason = "as the models want it")]
pub(super) fn rows(rows: u64) -> Option<i64> {
    Some(number(rows))
}

/// A number of the specification, which are signed; one beyond that is the largest.
pub(super) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
