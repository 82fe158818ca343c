//! Indices of tables: built as jobs, listed with those still being built, dropped.
//!
//! Building may take as long as reading a column, so it is a job whatever its size; who asked waits for
//! it for a while.

mod build;
mod error;
mod service;

pub use error::{Error, Result};
pub use service::{Building, Indices, Started};

pub(crate) use build::BuildIndex;
