//! Materialized views: tables that hold the answer of a query over another table of their bucket, and
//! can be filled again.
//!
//! A view is an ordinary table with its definition in its properties, so that it is read, listed and
//! dropped like any other. Filling it replaces its rows by a new version, as a job.

mod definition;
mod error;
mod refresh;
mod service;

pub use definition::Definition;
pub use error::{Error, Result};
pub use service::{NewView, Views};

pub(crate) use refresh::RefreshView;
