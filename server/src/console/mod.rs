//! The console: pages for people, over the same services as REST.
//!
//! Handlers parse, ask services, and hand data to the pages of `lakeglass_app`; they decide nothing
//! and see no SQL. Forms post plainly, answer with 303 and a message kept on the server, or show
//! themselves again with what was typed and what was wrong.

mod attach;
mod bucket;
mod buckets;
mod columns;
mod create_table;
mod errors;
mod fields;
mod formats;
mod import_table;
mod jobs;
mod listing;
mod namespaces;
mod overview;
mod preferences;
pub mod session;
mod settings;
mod tables;
mod trash;
mod visit;

pub(crate) use errors::{Failed, page as error_page};
pub(crate) use preferences::{Looks, read as looks};

use crate::router::Route;

pub fn routes() -> Vec<Route> {
    [
        session::routes(),
        preferences::routes(),
        overview::routes(),
        buckets::routes(),
        bucket::routes(),
        attach::routes(),
        trash::routes(),
        namespaces::routes(),
        create_table::routes(),
        import_table::routes(),
        tables::routes(),
        formats::routes(),
        jobs::routes(),
        settings::routes(),
    ]
    .concat()
}

#[cfg(test)]
mod tests;
