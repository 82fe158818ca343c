//! `/api/v1`: people, their grants, tokens and sessions.

mod sessions;
mod tokens;
mod users;

use crate::router::Route;

pub(super) fn routes() -> Vec<Route> {
    [users::routes(), tokens::routes(), sessions::routes()].concat()
}
