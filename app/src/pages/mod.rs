//! One module a page: a data struct and the function that shows it.

pub mod attach;
pub mod bucket;
pub mod buckets;
pub mod errors;
pub mod formats;
pub mod jobs;
pub mod namespace;
pub mod new_bucket;
pub mod overview;
pub mod settings;
pub mod table;

#[cfg(test)]
mod tests;
