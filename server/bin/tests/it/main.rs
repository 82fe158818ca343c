//! The one integration binary: every test starts the real server, with the real engines and database.
#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

mod attached;
mod batches;
mod catalog;
mod changes;
mod commands;
mod conformance;
mod crash;
mod demo;
mod imports;
mod indices;
mod observations;
mod people;
mod references;
mod security;
mod server;
