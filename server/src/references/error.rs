//! What can be refused of versions, tags, branches and transactions.

use crate::problem::Problem;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Catalog(#[from] crate::catalog::Error),
    #[error(transparent)]
    Engine(#[from] lakeglass_ports::Error),
    #[error(transparent)]
    Job(#[from] crate::jobs::Error),
    /// What was asked for breaks a rule, which is told.
    #[error("{0}")]
    Invalid(&'static str),
    /// The transaction is in no state for this.
    #[error("{0}")]
    State(&'static str),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error {
            Error::Catalog(source) => source.into(),
            Error::Engine(source) => source.into(),
            Error::Job(source) => source.into(),
            Error::Invalid(rule) => Self::invalid(rule).code(13),
            Error::State(detail) => Self::conflict("state", detail).code(19),
        }
    }
}
