//! The console: pages for people, over the same services as REST.

mod preferences;
pub mod session;
mod tables;
mod visit;

use crate::router::Route;

pub fn routes() -> Vec<Route> {
    [session::routes(), preferences::routes(), tables::routes()].concat()
}
