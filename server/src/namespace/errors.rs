//! Problems in the namespace's shape: `{code, error, detail, instance}`, and a status by code.
//!
//! Clients decide by the code, so every error has one, those of the framework included.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use lance_namespace_reqwest_client::models::ErrorResponse;

use crate::Problem;

/// The status that the specification gives to a code.
pub fn status_of(code: u32) -> StatusCode {
    match code {
        1 | 4 | 6 | 8 | 10 | 11 | 12 | 22 => StatusCode::NOT_FOUND,
        2 | 3 | 5 | 7 | 9 | 14 | 19 | 23 => StatusCode::CONFLICT,
        13 | 20 => StatusCode::BAD_REQUEST,
        0 => StatusCode::NOT_ACCEPTABLE,
        15 => StatusCode::FORBIDDEN,
        16 => StatusCode::UNAUTHORIZED,
        17 => StatusCode::SERVICE_UNAVAILABLE,
        21 => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The code of a problem that names none, by its status.
fn code_of(status: StatusCode) -> u32 {
    match status.as_u16() {
        404 | 406 => 0,
        401 => 16,
        403 => 15,
        409 => 14,
        429 => 21,
        502..=504 => 17,
        500..=599 => 18,
        _ => 13,
    }
}

/// Writes a problem as clients of the namespace read it: its body and status; headers are the edge's.
/// `instance` is the request's path.
pub fn response(problem: &Problem, instance: &str) -> Response {
    let code = problem.namespace_code.unwrap_or_else(|| code_of(problem.status));
    // Only the framework's own statuses (unknown route, wrong method, too large, no answer in time) keep
    // theirs.
    let status = match problem.namespace_code {
        Some(code) if !matches!(problem.status.as_u16(), 404 | 405 | 413 | 504) => status_of(code),
        _ => problem.status,
    };
    let detail = problem
        .fields
        .iter()
        .map(|field| format!("{}: {}", field.field, field.message))
        .collect::<Vec<_>>()
        .join("; ");
    let body = ErrorResponse {
        context: None,
        error: Some(problem.detail.clone()),
        code: i32::try_from(code).unwrap_or(18),
        detail: Some(if detail.is_empty() { problem.kind.to_owned() } else { detail }),
        instance: Some(instance.to_owned()),
    };
    (status, axum::Json(body)).into_response()
}

/// A part of the request that is missing, and what it should be.
pub(super) fn required(field: &'static str, what: &str) -> Problem {
    Problem::invalid(format!("{field} is required: {what}"))
        .field(field, format!("is required: {what}"))
        .code(13)
}

/// What an absent or hidden namespace answers.
pub(super) fn no_namespace() -> Problem {
    Problem::not_found("There is no such namespace, or it is not shared with you").code(1)
}

pub(super) fn too_large(limit: u64) -> Problem {
    Problem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "too-large",
        format!("The body is larger than {limit} bytes; send it in parts"),
    )
    .code(13)
}

/// An error of an operation on a table: what is merely not found is the table.
pub(super) fn of_table(error: impl Into<Problem>) -> Problem {
    or_code(error.into(), 4)
}

/// An error of an operation on a namespace: what is merely not found is the namespace.
pub(super) fn of_namespace(error: impl Into<Problem>) -> Problem {
    or_code(error.into(), 1)
}

fn or_code(problem: Problem, code: u32) -> Problem {
    if problem.status == StatusCode::NOT_FOUND && problem.namespace_code.is_none() {
        problem.code(code)
    } else {
        problem
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn written(problem: Problem) -> (u16, serde_json::Value) {
        let response = response(&problem, "/lance/v1/table");
        let status = response.status().as_u16();
        let bytes = axum::body::to_bytes(response.into_body(), 4096).await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap())
    }

    #[tokio::test]
    async fn every_code_has_the_specifications_status() {
        let table = [
            (404, vec![1, 4, 6, 8, 10, 11, 12, 22]),
            (409, vec![2, 3, 5, 7, 9, 14, 19, 23]),
            (400, vec![13, 20]),
            (406, vec![0]),
            (403, vec![15]),
            (401, vec![16]),
            (503, vec![17]),
            (429, vec![21]),
            (500, vec![18]),
        ];
        for (status, codes) in table {
            for code in codes {
                let problem = Problem::new(status_of(code), "x", "Said plainly").code(code);
                let (got, body) = written(problem).await;
                assert_eq!((got, body["code"].as_u64()), (status, Some(u64::from(code))));
                assert_eq!(body["error"], "Said plainly");
                assert_eq!(body["instance"], "/lance/v1/table");
            }
        }
    }

    #[tokio::test]
    async fn errors_of_the_framework_have_codes_and_keep_their_status() {
        for (status, code) in
            [(404, 0), (405, 13), (413, 13), (415, 13), (401, 16), (403, 15), (429, 21), (500, 18)]
        {
            let problem = Problem::new(StatusCode::from_u16(status).unwrap(), "x", "Said plainly");
            let (got, body) = written(problem).await;
            assert_eq!((got, body["code"].as_u64()), (status, Some(code)));
        }
        let (status, body) = written(too_large(10)).await;
        assert_eq!((status, body["code"].as_u64()), (413, Some(13)));
    }

    #[test]
    fn what_is_hidden_is_not_found_as_what_was_asked_for() {
        let hidden = || Problem::from(crate::auth::Denied::Hidden);
        assert_eq!(of_table(hidden()).namespace_code, Some(4));
        assert_eq!(of_namespace(hidden()).namespace_code, Some(1));
        assert_eq!(of_table(Problem::not_found("x").code(11)).namespace_code, Some(11));
    }
}
