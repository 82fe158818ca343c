//! The one error that leaves the server, whatever surface it leaves by.
//!
//! Handlers return [`Problem`]. As a response it is only a status with the problem attached; the layer
//! of the route's [`Surface`](crate::router::Surface) then writes it as RFC 9457 problem JSON, as a
//! page with ways out, or in the namespace's shape. Causes are logged there, once.

use std::error::Error as StdError;
use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use http::StatusCode;

/// A field of the request that was wrong, and the rule it broke.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FieldError {
    pub field: String,
    pub message: String,
}

#[derive(Debug, Clone)]
pub struct Problem {
    pub status: StatusCode,
    /// A stable slug, the last segment of the problem type: "not-found", "name-taken".
    pub kind: &'static str,
    /// One sentence for people: what went wrong and what to do.
    pub detail: String,
    pub fields: Vec<FieldError>,
    /// Seconds, sent as `Retry-After`.
    pub retry_after: Option<u64>,
    /// For the log only.
    pub source: Option<Arc<dyn StdError + Send + Sync>>,
    /// The Lance Namespace code, when the default for the status is not it.
    pub namespace_code: Option<u32>,
}

impl Problem {
    pub fn new(status: StatusCode, kind: &'static str, detail: impl Into<String>) -> Self {
        Self {
            status,
            kind,
            detail: detail.into(),
            fields: Vec::new(),
            retry_after: None,
            source: None,
            namespace_code: None,
        }
    }

    pub fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid", detail)
    }

    pub fn unauthenticated() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthenticated", "Sign in, or send an API token")
    }

    pub fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", detail)
    }

    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", detail)
    }

    pub fn conflict(kind: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, kind, detail)
    }

    /// A fault of ours: the person sees a request id, the log sees the source.
    pub fn internal(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let mut problem = Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "Something failed inside the server. The request id finds the cause in its log",
        );
        problem.source = Some(Arc::from(source.into()));
        problem
    }

    #[must_use]
    pub fn field(mut self, field: impl Into<String>, message: impl Into<String>) -> Self {
        self.fields.push(FieldError { field: field.into(), message: message.into() });
        self
    }

    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    #[must_use]
    pub fn code(mut self, namespace_code: u32) -> Self {
        self.namespace_code = Some(namespace_code);
        self
    }

    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(Arc::from(source.into()));
        self
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<crate::auth::Denied> for Problem {
    /// Keeps the refusal as the source: by it the edge records refused authorisations.
    fn from(denied: crate::auth::Denied) -> Self {
        let problem = match denied {
            crate::auth::Denied::Hidden => {
                Self::not_found("There is nothing here, or it is not shared with you")
            }
            crate::auth::Denied::Forbidden(needed) => {
                Self::forbidden(format!("This needs the {needed} role here. Ask an admin"))
            }
        };
        problem.caused_by(denied)
    }
}

impl From<lakeglass_api::NameError> for Problem {
    fn from(error: lakeglass_api::NameError) -> Self {
        Self::invalid(error.to_string()).field(error.what, error.rule)
    }
}

impl From<lakeglass_ports::Error> for Problem {
    /// What a reader or writer says, with its status. Never a bare 500 for something a person can mend.
    fn from(error: lakeglass_ports::Error) -> Self {
        use lakeglass_ports::Error as E;
        let detail = error.to_string();
        match error {
            E::NotFound => Self::not_found(detail).code(4),
            E::NoSuchVersion(_) => Self::not_found(detail).code(11),
            E::NoSuchTag(_) => Self::not_found(detail).code(8),
            E::NoSuchBranch(_) => Self::not_found(detail).code(22),
            E::NoSuchColumn(_) => Self::not_found(detail).code(12),
            E::NoSuchIndex(_) => Self::not_found(detail).code(6),
            E::NoSuchTransaction(_) => Self::not_found(detail).code(10),
            E::TagExists(_) => Self::conflict("exists", detail).code(9),
            E::BranchExists(_) => Self::conflict("exists", detail).code(23),
            E::IndexExists(_) => Self::conflict("exists", detail).code(7),
            E::InUse(_) => Self::conflict("in-use", detail).code(19),
            E::InvalidRequest(_) => Self::invalid(detail).code(13),
            E::SchemaMismatch(_) => Self::new(StatusCode::BAD_REQUEST, "schema-mismatch", detail).code(20),
            E::AlreadyExists => Self::conflict("exists", detail).code(5),
            E::Conflict => Self::conflict("concurrent-change", detail).code(14),
            E::NotThisFormat | E::Corrupt(_) | E::OutsideGrant(_) => {
                Self::conflict("unreadable", detail).code(19)
            }
            E::Unsupported(_) => Self::new(StatusCode::NOT_ACCEPTABLE, "unsupported", detail).code(0),
            E::Denied => Self::new(StatusCode::SERVICE_UNAVAILABLE, "storage-denied", detail).code(17),
            E::TimedOut(_) | E::Quota(_) => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "limit", detail).code(17).retry_after(1)
            }
            E::Unavailable(_) => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "unreachable", detail).code(17).retry_after(5)
            }
            E::Plugin { .. } => Self::new(StatusCode::BAD_GATEWAY, "plugin", detail).code(18),
            E::Internal(source) => Self::internal(source),
            _ => Self::internal(detail),
        }
    }
}

impl From<sqlx::Error> for Problem {
    fn from(error: sqlx::Error) -> Self {
        Self::internal(error)
    }
}
