//! Files that become tables: received into a spool, looked at, and imported as a job.
//!
//! A spool file has mode 0600, belongs to who sent it, and is removed when it was imported or after an
//! hour. Rows stream from it into the catalog's own write path; memory holds a few batches.

mod arrow;
mod csv;
mod error;
mod job;
mod reader;
mod rest;
mod service;
mod spool;
#[cfg(test)]
mod tests;

pub use error::Error;
pub use reader::Choices;
pub use service::Imports;

use crate::router::Route;

pub fn routes() -> Vec<Route> {
    rest::routes()
}
