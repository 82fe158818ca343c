//! People, sessions and API tokens: who is asking, and what they may do.

mod actor;

pub use actor::{Actor, Denied, Principal};

use crate::router::Route;

pub fn routes() -> Vec<Route> {
    Vec::new()
}
