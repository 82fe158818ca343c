//! Rows, read live and never stored: a page of cells for people, and the same page as a file.
//!
//! The service asks the catalog for the table, the format's describer for rows, and turns them into
//! cells. Every look is in the audit log, without its data.

pub mod cells;
mod download;
mod error;
mod parameters;
mod rest;
mod service;
mod values;

#[cfg(test)]
mod tests;

pub use download::Download;
pub use error::{Error, Result};
pub use parameters::RowsParameters;
pub use service::{PreviewQuery, Previews};

use crate::router::Route;

pub fn routes() -> Vec<Route> {
    rest::routes()
}
