//! Identifiers and data types shared by the server, the console and the browser's islands.
//!
//! Depends on serde and its like only, and builds for wasm32. Nothing here reads, writes or decides.

pub mod access;
pub mod attached;
pub mod catalog;
pub mod cells;
pub mod conditions;
pub mod description;
pub mod formats;
pub mod imports;
pub mod jobs;
pub mod names;
pub mod numbers;
pub mod paging;
pub mod people;
pub mod snippets;

pub use access::{Role, Scope};
pub use conditions::Operator;
pub use formats::FormatId;
pub use names::{BucketName, NameError, NamespacePath, TableName, TableRef};
pub use paging::{ListQuery, Page};
pub use snippets::Snippet;
