//! What a scan or a look for a format refuses.

use lakeglass_api::FormatId;

use crate::problem::Problem;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Catalog(#[from] crate::catalog::Error),
    #[error(transparent)]
    Jobs(#[from] crate::jobs::Error),
    #[error("Nothing on this server reads {0}, so its tables cannot be found")]
    Unserved(FormatId),
    #[error("The bucket's objects cannot be listed")]
    Listing(#[source] object_store::Error),
    #[error("The scan was stopped")]
    Stopped,
}

pub(super) type Result<T, E = Error> = std::result::Result<T, E>;

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let detail = error.to_string();
        match error {
            Error::Catalog(source) => source.into(),
            Error::Jobs(source) => source.into(),
            Error::Unserved(_) => Self::conflict("unserved-format", detail),
            Error::Listing(source) => Self::new(http::StatusCode::SERVICE_UNAVAILABLE, "unreachable", detail)
                .retry_after(5)
                .caused_by(source),
            Error::Stopped => Self::conflict("stopped", detail),
        }
    }
}
