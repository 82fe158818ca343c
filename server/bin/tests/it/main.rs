//! The one integration binary: every test starts the real server, with the real engines and database.

mod catalog;
mod commands;
mod crash;
mod demo;
mod imports;
mod observations;
mod server;
