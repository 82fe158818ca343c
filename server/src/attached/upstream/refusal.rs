//! Errors as upstreams write them: the specification's shape, or whatever a proxy before it says.

use http::StatusCode;
use lakeglass_ports::NamesError;
use serde::Deserialize;

/// The most of an error that is read.
pub(crate) const MOST_ERROR_BYTES: usize = 64 << 10;
/// The most of its text that is passed on.
const LONGEST: usize = 2000;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    code: Option<i64>,
    #[serde(alias = "message")]
    error: Option<String>,
    detail: Option<serde_json::Value>,
}

/// An error by its status and body. 501, and what no route answers, are an operation that is not there;
/// 401 is about this server's own credentials, so it is no fault of the caller.
pub(crate) fn refusal(status: StatusCode, body: &[u8]) -> NamesError {
    let said: Said = serde_json::from_slice(body).unwrap_or_default();
    let text = said.error.filter(|text| !text.trim().is_empty());
    let text = text.or_else(|| said.detail.and_then(|detail| detail.as_str().map(str::to_owned)));
    let code = said.code.and_then(|code| u32::try_from(code).ok()).filter(|code| *code <= 23);
    let message = cut(text.unwrap_or_else(|| format!("it answered {status}")));
    match (status.as_u16(), code) {
        (401, _) => NamesError::Unavailable(
            "it did not accept the credentials of this connection. An admin can set others".to_owned(),
        ),
        (501, _) | (404 | 405, None | Some(0)) | (_, Some(0)) => NamesError::Unsupported(message),
        (_, Some(code)) => NamesError::Refused { code, message },
        (403, None) => NamesError::Refused { code: 15, message },
        (409, None) => NamesError::Refused { code: 14, message },
        (429, None) => NamesError::Refused { code: 21, message },
        (502..=504, None) => NamesError::Unavailable(message),
        (400..=499, None) => NamesError::Refused { code: 13, message },
        (300..=399, None) => {
            NamesError::Invalid("it redirects elsewhere. Give the address that it redirects to".to_owned())
        }
        (_, None) => NamesError::Refused { code: 18, message },
    }
}

fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, body: &str) -> NamesError {
        refusal(StatusCode::from_u16(status).unwrap(), body.as_bytes())
    }

    #[test]
    fn codes_pass_and_what_is_not_there_is_unsupported() {
        let refused = of(404, r#"{"code": 4, "error": "Table not found"}"#);
        assert!(refused.is_missing() && refused.to_string() == "Table not found");
        for (status, body) in [
            (501, r#"{"code": 0, "error": "no"}"#),
            (501, ""),
            (404, "404 page not found"),
            (405, ""),
            (406, r#"{"code": 0, "error": "no"}"#),
            (400, r#"{"code": 0}"#),
        ] {
            assert!(of(status, body).is_unsupported(), "{status} {body}");
        }
        assert!(matches!(of(409, "{}"), NamesError::Refused { code: 14, .. }));
        assert!(matches!(of(500, "<html>"), NamesError::Refused { code: 18, .. }));
    }

    #[test]
    fn a_fault_of_the_connection_is_not_the_callers() {
        assert!(matches!(of(401, r#"{"code": 16, "error": "bad token"}"#), NamesError::Unavailable(_)));
        assert!(matches!(of(502, "<html>"), NamesError::Unavailable(_)));
        assert!(matches!(of(302, ""), NamesError::Invalid(_)));
        let long = of(400, &format!(r#"{{"code": 13, "error": "{}"}}"#, "ü".repeat(5000)));
        assert!(long.to_string().len() <= LONGEST);
    }
}
