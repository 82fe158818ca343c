//! The console capability.

pub mod session;

use crate::router::Route;

pub fn routes() -> Vec<Route> {
    session::routes()
}
