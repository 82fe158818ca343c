//! What can be refused of materialized views.

use http::StatusCode;

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
    #[error("{0}")]
    Definition(String),
    #[error("The output schema is not what the query gives: {0}")]
    Schema(String),
    #[error("{0} is not a materialized view")]
    NotAView(lakeglass_api::TableRef),
    #[error("{0}")]
    Unsupported(&'static str),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let detail = error.to_string();
        match error {
            Error::Catalog(source) => source.into(),
            Error::Engine(source) => source.into(),
            Error::Job(source) => source.into(),
            Error::Definition(_) => Self::invalid(detail.clone()).field("source_query", detail).code(13),
            Error::Schema(_) => Self::new(StatusCode::BAD_REQUEST, "schema-mismatch", detail).code(20),
            Error::NotAView(_) => Self::conflict("not-a-view", detail).code(19),
            Error::Unsupported(_) => Self::new(StatusCode::NOT_ACCEPTABLE, "unsupported", detail).code(0),
        }
    }
}
