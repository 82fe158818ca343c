//! Another Lance Namespace REST server: how it is asked, and what it answers.
//!
//! It differs in small ways from server to server; what differs is evened out here, so that nothing above
//! knows which server it is.

mod client;
mod ids;
mod names;
mod refusal;

pub(crate) use client::{Activity, HOP, Outgoing, Patience, Reached, Upstream, read};
pub(crate) use refusal::{MOST_ERROR_BYTES, refusal};
