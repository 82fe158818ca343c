//! A conformance suite for servers of the Lance Namespace REST specification.
//!
//! The suite is one table of cases ([`cases`]): state before, a request, what must come back, and what must
//! be true afterwards. It speaks plain HTTP to any URL, builds everything below namespaces of its own with
//! names that nobody else has, and removes them again; it touches nothing that it did not make.
//!
//! It knows nothing of how a server is built: it depends on no other crate of this workspace.

mod case;
mod cases;
mod given;
mod markdown;
mod operations;
mod place;
mod report;
mod request;
mod rows;
mod run;
mod scope;
mod server;
mod shapes;
mod verify;
mod words;

pub use case::{Case, Group, Need, Source};
pub use cases::all as cases;
pub use markdown::compare;
pub use operations::{Carries, Details, Operation};
pub use report::{Line, Outcome, Report};
pub use request::{Body, Request, Target, Who};
pub use rows::Rows;
pub use run::run;
pub use shapes::Shape;

/// The version of the specification that the cases are written from: that of the released client whose
/// models the shapes are transcribed from.
pub const SPECIFICATION: &str = "0.13";

/// What to run the suite against, and as whom.
#[derive(Clone, Default)]
pub struct Options {
    /// What stands before `/v1/…`.
    pub url: String,
    /// What the report calls the server.
    pub name: String,
    /// Headers of the owner, as `name: value`.
    pub headers: Vec<String>,
    /// Headers of somebody who may read the owner's rows and not write.
    pub reader: Vec<String>,
    /// Headers of somebody who may see nothing of the owner's.
    pub stranger: Vec<String>,
    /// Parts joined by `$` of an existing namespace to build everything in; else one is found by probing.
    pub root: Option<String>,
    /// The server's largest Arrow body in bytes, where known; else nothing larger is tried.
    pub max_arrow_bytes: Option<u64>,
    /// Whether the server names and bounds things as Lakeglass does.
    pub own: bool,
    /// Only cases whose operation, group or title holds this, in any case.
    pub only: Option<String>,
    /// How many cases run side by side; 0: four.
    pub jobs: usize,
}

// Headers hold credentials.
impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("url", &self.url).field("root", &self.root).finish_non_exhaustive()
    }
}

/// Why the suite could not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("The URL must be http or https, without a query: what stands before /v1/")]
    Url,
    #[error("A header is written as 'name: value'")]
    Header,
    #[error("No HTTP client could be made")]
    Client(#[source] reqwest::Error),
    #[error("No place for tables was found: {0}")]
    NoPlace(String),
}
