//! What can go wrong with a storage, and how it reads as a problem.

use http::StatusCode;

use crate::Problem;
use crate::auth::Denied;

/// A refusal or failure of the storage capability.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Denied(#[from] Denied),
    #[error("There is no storage {0}")]
    NoSuchStorage(String),
    #[error("A storage named {0} exists already")]
    NameTaken(String),
    /// A field, and the rule it broke.
    #[error("{rule}")]
    Invalid { field: &'static str, rule: String },
    /// Its root is equal to, inside or around another storage's.
    #[error("This root overlaps the storage {0}. Roots of two storages may not nest")]
    Overlaps(String),
    #[error("The storage {0} holds buckets. Delete them first")]
    InUse(String),
    /// The probe found that the storage cannot be used; says which step and why.
    #[error("The storage did not pass its check at \"{step}\": {cause}")]
    Probe { step: &'static str, cause: String },
    /// A location outside what may be touched, or one that leads outside by a link.
    #[error("{0}")]
    Location(String),
    /// The endpoint's name leads by now to an address that may not be used, or nowhere.
    #[error("The storage cannot be reached at its address: {0}")]
    Address(String),
    #[error("The storage failed: {}", plain(.0))]
    Store(#[source] object_store::Error),
    #[error("The storage's folder cannot be used: {0}")]
    Folder(#[source] std::io::Error),
    /// No temporary keys could be had for a client; says why.
    #[error("The storage gave no temporary keys: {0}")]
    Role(String),
    #[error("The storage's keys cannot be read. Set them again")]
    Keys,
    #[error("The database failed")]
    Database(#[from] sqlx::Error),
}

/// An object store's error without addresses, paths or response bodies.
pub(crate) fn plain(error: &object_store::Error) -> &'static str {
    use object_store::Error as E;
    match error {
        E::NotFound { .. } => "nothing is there",
        E::AlreadyExists { .. } => "the object exists already",
        E::Precondition { .. } => "another writer came first",
        E::PermissionDenied { .. } => "access was refused",
        E::Unauthenticated { .. } => "the keys were not accepted",
        E::NotSupported { .. } | E::NotImplemented { .. } => "it does not support this operation",
        E::InvalidPath { .. } => "the path is not valid",
        _ => "it could not be reached or answered with an error",
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let detail = error.to_string();
        match error {
            Error::Denied(denied) => denied.into(),
            Error::NoSuchStorage(_) => Self::not_found(detail),
            Error::NameTaken(_) => Self::conflict("name-taken", detail),
            Error::Invalid { field, rule } => Self::invalid(rule.clone()).field(field, rule).code(13),
            Error::Overlaps(_) => Self::conflict("overlaps", detail),
            Error::InUse(_) => Self::conflict("in-use", detail),
            Error::Probe { .. } => Self::invalid(detail),
            Error::Location(_) => Self::invalid(detail.clone()).field("location", detail).code(13),
            Error::Store(source) => {
                let status = StatusCode::SERVICE_UNAVAILABLE;
                Self::new(status, "unreachable", detail).code(17).retry_after(5).caused_by(source)
            }
            Error::Folder(source) => {
                let status = StatusCode::SERVICE_UNAVAILABLE;
                Self::new(status, "unreachable", "The storage's folder cannot be used. The log says why")
                    .code(17)
                    .caused_by(source)
            }
            Error::Address(_) => {
                let status = StatusCode::SERVICE_UNAVAILABLE;
                Self::new(status, "unreachable", detail).code(17).retry_after(30)
            }
            Error::Role(_) => {
                let status = StatusCode::SERVICE_UNAVAILABLE;
                Self::new(status, "no-keys", detail).code(17).retry_after(30)
            }
            Error::Keys => Self::new(StatusCode::SERVICE_UNAVAILABLE, "keys", detail).code(17),
            Error::Database(source) => source.into(),
        }
    }
}
