//! What an import refuses.

use http::StatusCode;

use crate::auth::Denied;
use crate::problem::Problem;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Denied(#[from] Denied),
    #[error("There is no such file here. It was imported or is older than an hour: send it again")]
    NoSuchFile,
    #[error("The file is empty")]
    Empty,
    #[error("The file is larger than {0} bytes")]
    TooLarge(u64),
    #[error("Too many files wait to be imported. Import them, or try again in an hour")]
    Full,
    #[error("The file stopped coming before its end. Send it again")]
    BrokenOff,
    /// What is wrong with the file, in a sentence.
    #[error("{0}")]
    Unreadable(String),
    /// A choice of the person, and the rule it broke.
    #[error("{rule}")]
    Invalid { field: &'static str, rule: String },
    #[error(transparent)]
    Catalog(#[from] crate::catalog::Error),
    #[error(transparent)]
    Jobs(#[from] crate::jobs::Error),
    #[error("The spool cannot be used")]
    Spool(#[from] std::io::Error),
}

pub(super) type Result<T, E = Error> = std::result::Result<T, E>;

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let detail = error.to_string();
        match error {
            Error::Denied(denied) => denied.into(),
            Error::NoSuchFile => Self::not_found(detail).field("file", "Send the file again"),
            Error::Empty | Error::BrokenOff => Self::invalid(detail.clone()).field("file", detail),
            Error::TooLarge(_) => {
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", detail.clone()).field("file", detail)
            }
            Error::Full => Self::new(StatusCode::TOO_MANY_REQUESTS, "limit", detail).retry_after(600),
            Error::Unreadable(_) => {
                Self::new(StatusCode::BAD_REQUEST, "unreadable", detail.clone()).field("file", detail)
            }
            Error::Invalid { field, rule } => Self::invalid(rule.clone()).field(field, rule),
            Error::Catalog(source) => source.into(),
            Error::Jobs(source) => source.into(),
            Error::Spool(source) => Self::internal(source),
        }
    }
}
