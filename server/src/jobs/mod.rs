//! Long work: anything that may outlast a request is a job.
//!
//! A [`JobKind`] says what it does, what it can be told and how it runs; [`Jobs`] keeps the queue,
//! runs at most as many at once as a lane has slots, renews leases, carries out cancels, keeps
//! attempts and logs, and takes up again what a stopped server left behind. Kinds are registered
//! before [`Jobs::run`]; a kind holds no state of its own between runs.

mod error;
mod kind;
mod parameters;
mod rest;
mod run;
mod service;
mod store;
#[cfg(test)]
mod tests;
mod worker;

pub use error::Error;
pub use kind::{JobFailure, JobKind};
pub use lakeglass_api::jobs::{ParameterSpec, ParameterType};
pub use run::JobRun;
pub use service::{JobFilter, Jobs};

use crate::router::Route;

pub fn routes() -> Vec<Route> {
    rest::routes()
}
