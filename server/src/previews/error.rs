//! Why there are no rows, and what that means at the edge.

use http::StatusCode;
use lakeglass_api::FormatId;

use crate::problem::Problem;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Catalog(#[from] crate::catalog::Error),
    /// What the describer said.
    #[error(transparent)]
    Reader(#[from] lakeglass_ports::Error),
    /// A place is reserved, and no client has written to it yet.
    #[error("Nothing has been written to this table yet, so it has no rows")]
    NeverWritten,
    #[error("Nothing on this server reads {0} tables. An admin can install a plugin that does")]
    NoReader(FormatId),
    #[error("The reader of {0} tables shows no rows")]
    NoPreview(FormatId),
    #[error("The reader of {0} tables cannot filter rows")]
    NoFilter(FormatId),
    /// A part of the question that cannot be answered: the parameter and the rule.
    #[error("{1}")]
    Invalid(&'static str, String),
    /// Rows that could not be written as a file.
    #[error("The rows cannot be written as {0}")]
    Write(&'static str, #[source] arrow_schema::ArrowError),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let detail = error.to_string();
        match error {
            Error::Catalog(error) => error.into(),
            // The table is there: what is wrong is the question.
            Error::Reader(lakeglass_ports::Error::NoSuchColumn(name)) => {
                Self::new(StatusCode::BAD_REQUEST, "no-such-column", detail).field("column", name).code(12)
            }
            Error::Reader(error) => error.into(),
            Error::NeverWritten => Self::conflict("never-written", detail).code(19),
            Error::NoReader(_) | Error::NoPreview(_) | Error::NoFilter(_) => {
                Self::new(StatusCode::NOT_ACCEPTABLE, "unsupported", detail)
            }
            Error::Invalid(field, rule) => Self::invalid(detail).field(field, rule),
            Error::Write(_, source) => Self::internal(source),
        }
    }
}
