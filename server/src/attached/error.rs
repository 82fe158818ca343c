//! What can go wrong with an attached catalog, and how it reads as a problem.

use http::StatusCode;
use lakeglass_api::BucketName;
use lakeglass_ports::NamesError;

use crate::Problem;
use crate::auth::Denied;

/// A refusal or failure of an attached catalog, or of what is said about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Denied(#[from] Denied),
    #[error(transparent)]
    Names(#[from] NamesError),
    /// A field, and the rule it broke.
    #[error("{rule}")]
    Invalid { field: &'static str, rule: String },
    #[error("The bucket {0} is not attached to another catalog")]
    NotAttached(BucketName),
    /// The catalog did not pass its check.
    #[error("The catalog did not pass its check: {0}")]
    Check(String),
    /// Nobody said that this place may be opened.
    #[error(
        "The data of this table is at {0}, where this bucket may not look. An admin can name a storage for the bucket, or the place and its endpoint, in its connection"
    )]
    NotGranted(String),
    #[error("The attached catalog does not say where the data of this table is")]
    NoLocation,
    /// What attached buckets do not do.
    #[error("{0}")]
    Unsupported(String),
    #[error("The credentials of this connection cannot be read. Set them again")]
    Secret,
    #[error(transparent)]
    Storage(#[from] crate::storage::Error),
    #[error("The database failed")]
    Database(#[from] sqlx::Error),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn invalid(field: &'static str, rule: impl Into<String>) -> Self {
        Self::Invalid { field, rule: rule.into() }
    }
}

impl From<NamesError> for Problem {
    fn from(error: NamesError) -> Self {
        let detail = error.to_string();
        match error {
            NamesError::Refused { code, .. } => {
                Self::new(crate::namespace::status_of(code), "upstream", detail).code(code)
            }
            NamesError::Unsupported(_) => {
                Self::new(StatusCode::NOT_ACCEPTABLE, "unsupported", detail).code(0)
            }
            NamesError::Unavailable(_) => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "unreachable", detail).code(17).retry_after(5)
            }
            NamesError::TimedOut(_) => {
                Self::new(StatusCode::GATEWAY_TIMEOUT, "timed-out", detail).code(17).retry_after(5)
            }
            NamesError::Invalid(_) => Self::new(StatusCode::BAD_GATEWAY, "upstream", detail).code(17),
            NamesError::Internal(source) => Self::internal(source),
            _ => Self::internal(detail),
        }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let detail = error.to_string();
        match error {
            Error::Denied(denied) => denied.into(),
            Error::Names(source) => source.into(),
            Error::Invalid { field, rule } => Self::invalid(rule.clone()).field(field, rule).code(13),
            Error::NotAttached(_) => Self::not_found(detail),
            Error::Check(_) => Self::invalid(detail).code(13),
            Error::NotGranted(_) => Self::conflict("not-granted", detail).code(19),
            Error::NoLocation => Self::conflict("no-location", detail).code(19),
            Error::Unsupported(_) => Self::new(StatusCode::NOT_ACCEPTABLE, "unsupported", detail).code(0),
            Error::Secret => Self::new(StatusCode::SERVICE_UNAVAILABLE, "keys", detail).code(17),
            Error::Storage(source) => source.into(),
            Error::Database(source) => source.into(),
        }
    }
}
