//! Why a table could not be observed.

use lakeglass_api::FormatId;

use crate::problem::Problem;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Catalog(#[from] crate::catalog::Error),
    #[error("Nothing has been written to this table yet, so there is nothing to observe")]
    NothingWritten,
    #[error("Nothing on this server reads {0}")]
    Unserved(FormatId),
    /// The place holds something else by now.
    #[error("The table is kept as {expected}, and what was found there is {found}")]
    OtherFormat { expected: FormatId, found: FormatId },
    #[error(transparent)]
    Describer(#[from] lakeglass_ports::Error),
    #[error("The observations cannot be read or written")]
    Store(#[source] sqlx::Error),
    #[error("A kept observation cannot be read")]
    Kept(#[source] serde_json::Error),
}

pub(super) type Result<T, E = Error> = std::result::Result<T, E>;

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let detail = error.to_string();
        match error {
            Error::Catalog(source) => source.into(),
            Error::NothingWritten => Self::conflict("nothing-written", detail).code(19),
            Error::Unserved(_) => Self::conflict("unserved-format", detail).code(19),
            Error::OtherFormat { .. } => Self::conflict("other-format", detail).code(19),
            Error::Describer(source) => source.into(),
            Error::Store(source) => Self::internal(source),
            Error::Kept(source) => Self::internal(source),
        }
    }
}
