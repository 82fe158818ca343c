//! The Lance Namespace REST specification over the catalog, at `/lance/v1`.
//!
//! This capability owns how clients of that specification are read and answered: identifiers, modes,
//! lenient bodies, Arrow in and out, error codes. What happens is the catalog's and the engine's. It
//! also writes the snippets by which people connect.

mod arrow_in;
mod arrow_out;
mod batches;
mod branches;
mod call;
mod changes;
mod columns;
mod data;
mod errors;
mod full_text;
mod gateway;
mod ids;
mod indices;
mod metadata;
mod modes;
mod namespaces;
mod paging;
mod query;
mod requests;
mod responses;
mod routes;
mod schema;
mod snippets;
mod tables;
mod tags;
mod transactions;
mod types;
mod versions;
mod views;

pub use errors::{response as error_response, status_of};
pub(crate) use gateway::through;
pub use routes::routes;
pub use snippets::snippets;
