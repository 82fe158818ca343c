//! Code by which people connect a client to a table.

use serde::{Deserialize, Serialize};

/// One client's few lines, ready to run with a token in `LAKEGLASS_TOKEN`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Snippet {
    /// A stable word: "pylance", "lance-namespace", "lancedb", "duckdb", "polars", "curl".
    pub client: String,
    /// As the client writes its own name.
    pub title: String,
    /// What it is written in: "python" or "bash".
    pub language: String,
    pub code: String,
}
