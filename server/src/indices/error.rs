//! What can be refused of indices.

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
    /// The job that was to build it ended without it; the problem is the one that it met.
    #[error("{}", .0.detail)]
    Build(Problem),
    #[error("The index could not be built: {0}")]
    Failed(String),
    #[error("The building of the index was cancelled")]
    Cancelled,
    #[error("Something failed inside the server")]
    Internal(#[source] serde_json::Error),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let detail = error.to_string();
        match error {
            Error::Catalog(source) => source.into(),
            Error::Engine(source) => source.into(),
            Error::Job(source) => source.into(),
            Error::Build(problem) => problem,
            Error::Failed(_) => Self::conflict("index", detail).code(19),
            Error::Cancelled => Self::conflict("cancelled", detail).code(14),
            Error::Internal(source) => Self::internal(source),
        }
    }
}
