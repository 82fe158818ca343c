//! The audit capability.

use crate::router::Route;

pub fn routes() -> Vec<Route> {
    Vec::new()
}
