//! The one error that engines and describers return.

/// What went wrong below a port. Messages are fit for people: no server path, no backtrace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing of that format is at the location.
    #[error("No table was found at this location")]
    NotFound,
    #[error("This is not a table of that format")]
    NotThisFormat,
    /// A feature or table version that the reader does not handle, by name.
    #[error("Not supported by this reader: {0}")]
    Unsupported(String),
    #[error("The table's files do not make sense: {0}")]
    Corrupt(String),
    #[error("The storage refused access")]
    Denied,
    /// A path or URI named inside the table that no grant covers.
    #[error("The table refers to a place outside what it may read: {0}")]
    OutsideGrant(String),
    #[error("There is no version {0}")]
    NoSuchVersion(String),
    #[error("There is no tag {0}")]
    NoSuchTag(String),
    #[error("There is no branch {0}")]
    NoSuchBranch(String),
    #[error("There is no column {0}")]
    NoSuchColumn(String),
    #[error("There is no index {0}")]
    NoSuchIndex(String),
    #[error("There is no transaction {0}")]
    NoSuchTransaction(String),
    #[error("There is a tag {0} already")]
    TagExists(String),
    #[error("There is a branch {0} already")]
    BranchExists(String),
    #[error("There is an index {0} already")]
    IndexExists(String),
    /// Something else stands on what was to be removed; the text says what.
    #[error("{0}")]
    InUse(String),
    #[error("{0}")]
    InvalidRequest(String),
    /// Rows that do not fit the table's schema.
    #[error("The rows do not fit the table's schema: {0}")]
    SchemaMismatch(String),
    #[error("The table exists already")]
    AlreadyExists,
    /// Another writer won; the same call may succeed when repeated.
    #[error("Another writer changed the table at the same time")]
    Conflict,
    #[error("Stopped after {0} s")]
    TimedOut(u64),
    /// A budget of the call is spent: "256 MiB of memory", "1,000 requests".
    #[error("Stopped at a limit: {0}")]
    Quota(String),
    #[error("The storage cannot be reached: {0}")]
    Unavailable(String),
    /// A plugin trapped, lied or broke its contract; names plugin and version.
    #[error("{plugin}: {cause}")]
    Plugin { plugin: String, cause: String },
    /// A fault of ours or of a library. The source is for the log.
    #[error("Something failed inside the server")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(source.into())
    }
}
