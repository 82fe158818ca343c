//! What can go wrong with a job's request, and how it leaves the server.

use crate::auth::Denied;
use crate::problem::Problem;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Denied(#[from] Denied),
    #[error("There is no kind of job named {0}")]
    NoSuchKind(String),
    #[error("Only the server itself starts jobs of the kind {0}")]
    NotForPeople(String),
    #[error("There is no such job, or it is not shared with you")]
    NoSuchJob,
    /// A job of this kind works on the object already.
    #[error("This is under way already: job {id}. Wait for it, or cancel it")]
    Unfinished { id: String },
    #[error("The job is over. Nothing is left to cancel")]
    Over,
    /// A parameter broke its rule.
    #[error("The parameter {name} is wrong. {rule}")]
    Parameter { name: String, rule: String },
    #[error("The object of a job is \"server\", a bucket, or bucket$namespace$table")]
    Object,
    #[error("The list cannot be sorted by {0}. Jobs are listed newest first")]
    Sort(String),
    #[error("The jobs cannot be read or written")]
    Store(#[from] sqlx::Error),
}

pub(super) type Result<T, E = Error> = std::result::Result<T, E>;

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let detail = error.to_string();
        match error {
            Error::Denied(denied) => denied.into(),
            Error::NoSuchKind(_) | Error::NoSuchJob => Self::not_found(detail),
            Error::NotForPeople(_) => Self::forbidden(detail),
            Error::Unfinished { .. } => Self::conflict("under-way", detail),
            Error::Over => Self::conflict("over", detail),
            Error::Parameter { ref name, ref rule } => Self::invalid(&detail).field(name, rule),
            Error::Object => Self::invalid(&detail).field("object", detail),
            Error::Sort(_) => Self::invalid(&detail).field("sort", detail),
            Error::Store(source) => Self::internal(source),
        }
    }
}
