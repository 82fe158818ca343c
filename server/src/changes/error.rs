//! What a change refuses, and how it reads as a problem.

use crate::{Problem, catalog, jobs};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Catalog(#[from] catalog::Error),
    #[error(transparent)]
    Engine(#[from] lakeglass_ports::Error),
    #[error(transparent)]
    Job(#[from] jobs::Error),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error {
            Error::Catalog(error) => error.into(),
            Error::Engine(error) => error.into(),
            Error::Job(error) => error.into(),
        }
    }
}
