//! The service against a real database and catalog, and the files it writes.

mod files;
mod service;
