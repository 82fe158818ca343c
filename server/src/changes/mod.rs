//! Changes of written Lance tables: rows merged, updated and removed, columns, metadata, and computed
//! columns filled as a job.
//!
//! The service authorises and announces through the catalog and records what was done; how it is done
//! is the table engine's. Making tables and inserting rows is the catalog's own.

mod backfill;
mod error;
mod service;

pub use error::{Error, Result};
pub use service::{Backfill, Changes};
