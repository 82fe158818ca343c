//! The server: an axum edge over capabilities, each in its own folder.
//!
//! A request passes the layers of [`router`], becomes an [`auth::Actor`], reaches a handler that only
//! parses, and then a service that authorises and acts. Engines are behind `lakeglass_ports`; this
//! crate links neither lance nor wasmtime.

pub mod attached;
pub mod audit;
pub mod auth;
pub mod catalog;
pub mod changes;
pub mod clock;
pub mod config;
pub mod console;
pub mod db;
pub mod demo;
pub mod edge;
pub mod engines;
pub mod formats;
pub mod imports;
pub mod indices;
pub mod jobs;
pub mod namespace;
pub mod observations;
pub mod openapi;
pub mod previews;
pub mod problem;
mod query;
pub mod references;
pub mod router;
pub mod secrets;
pub mod serve;
pub mod state;
pub mod storage;
#[cfg(test)]
mod testing;
pub mod views;

pub use config::Config;
pub use engines::Engines;
pub use problem::Problem;
pub use serve::serve;
pub use state::App;
