//! What the catalog refuses, with the rule, and how it reads as a problem.

use http::StatusCode;
use lakeglass_api::{BucketName, FormatId, NameError, TableRef};

use crate::Problem;
use crate::auth::Denied;

/// A refusal or failure of the catalog.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Denied(#[from] Denied),
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("There is no bucket {0}")]
    NoSuchBucket(BucketName),
    #[error("A bucket named {0} exists already")]
    BucketExists(BucketName),
    #[error(
        "The bucket {bucket} is not empty: it holds {namespaces} namespaces, {tables} tables and {trashed} tables in Trash"
    )]
    BucketNotEmpty { bucket: BucketName, namespaces: u64, tables: u64, trashed: u64 },
    #[error("There is no namespace {0}")]
    NoSuchNamespace(String),
    #[error("{what} named {name} exists already")]
    NamespaceExists { what: &'static str, name: String },
    #[error(
        "The namespace {namespace} is not empty: it holds {namespaces} namespaces, {tables} tables and {trashed} tables in Trash"
    )]
    NamespaceNotEmpty { namespace: String, namespaces: u64, tables: u64, trashed: u64 },
    #[error("There is no table {0}")]
    NoSuchTable(TableRef),
    #[error("There is no such table in Trash")]
    NotInTrash,
    #[error("{what} named {name} exists already")]
    TableExists { what: &'static str, name: String },
    /// A field, and the rule it broke.
    #[error("{rule}")]
    Invalid { field: &'static str, rule: String },
    /// The bucket holds another format.
    #[error("The bucket {bucket} holds {holds} tables only, and this one would be {asked}")]
    WrongFormat { bucket: BucketName, holds: FormatId, asked: FormatId },
    /// Rows and columns are changed in Lance tables only.
    #[error("This is a {0} table; this is done to Lance tables only")]
    OtherFormat(FormatId),
    /// A name is reserved, and no version exists.
    #[error("The table is declared and nothing was written to it yet; insert rows first")]
    OnlyDeclared,
    #[error("Nothing on this server reads {0}. Pick a format that Formats lists as usable")]
    UnservedFormat(FormatId),
    #[error("{0} is protected. An admin of the bucket can take the protection off in its settings")]
    Protected(String),
    /// Another entry has this place, or a place inside or around it.
    #[error("This location overlaps the one of {0}. Two tables may not share bytes")]
    Overlaps(String),
    /// The table is not in a state that allows this.
    #[error("{0}")]
    State(String),
    #[error("Another change of {0} is under way. Try again in a moment")]
    Busy(String),
    #[error(transparent)]
    Storage(#[from] crate::storage::Error),
    #[error(transparent)]
    Attached(#[from] crate::attached::Error),
    #[error(transparent)]
    Engine(#[from] lakeglass_ports::Error),
    #[error("The database failed")]
    Database(#[from] sqlx::Error),
    /// A fault of ours.
    #[error("Something failed inside the server")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn invalid(field: &'static str, rule: impl Into<String>) -> Self {
        Self::Invalid { field, rule: rule.into() }
    }

    pub(crate) fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(source.into())
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let detail = error.to_string();
        match error {
            Error::Denied(denied) => denied.into(),
            Error::Name(name) => Self::from(name).code(13),
            Error::NoSuchBucket(_) | Error::NoSuchNamespace(_) => Self::not_found(detail).code(1),
            Error::BucketExists(_) | Error::NamespaceExists { .. } => {
                Self::conflict("name-taken", detail.clone()).field("name", detail).code(2)
            }
            Error::BucketNotEmpty { .. } | Error::NamespaceNotEmpty { .. } => {
                Self::conflict("not-empty", detail).code(3)
            }
            Error::NoSuchTable(_) | Error::NotInTrash => Self::not_found(detail).code(4),
            Error::TableExists { .. } => {
                Self::conflict("name-taken", detail.clone()).field("name", detail).code(5)
            }
            Error::Invalid { field, rule } => Self::invalid(detail).field(field, rule).code(13),
            Error::WrongFormat { .. } | Error::UnservedFormat(_) => {
                Self::invalid(detail.clone()).field("format", detail).code(13)
            }
            Error::OtherFormat(_) => Self::new(StatusCode::NOT_ACCEPTABLE, "other-format", detail).code(0),
            Error::OnlyDeclared => Self::conflict("only-declared", detail).code(19),
            Error::Protected(_) => Self::conflict("protected", detail).code(19),
            Error::Overlaps(_) => Self::invalid(detail.clone()).field("location", detail).code(13),
            Error::State(_) => Self::conflict("state", detail).code(19),
            Error::Busy(_) => Self::new(StatusCode::CONFLICT, "busy", detail).code(14).retry_after(1),
            Error::Storage(source) => source.into(),
            Error::Attached(source) => source.into(),
            Error::Engine(source) => source.into(),
            Error::Database(source) => source.into(),
            Error::Internal(source) => Self::internal(source),
        }
    }
}
