//! The port for a table's indices.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{Error, Result, TableLocation, VersionRef};

/// An index to be made. Serialised into the job that makes it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexRequest {
    /// None: the main branch.
    pub branch: Option<String>,
    /// A path of fields, parts joined by `.`.
    pub column: String,
    /// The specification's words: `BTREE`, `BITMAP`, `LABEL_LIST`, `FTS`, `IVF_FLAT`, `IVF_PQ`, …
    pub kind: String,
    /// None: made from the column's name.
    pub name: Option<String>,
    /// For vectors: `l2`, `cosine`, `dot` or `hamming`. None: `l2`.
    pub distance_type: Option<String>,
    /// Replaces an index of the same name instead of refusing.
    pub replace: bool,
    pub vector: VectorOptions,
    pub text: TextOptions,
}

impl IndexRequest {
    /// On the main branch, with defaults throughout.
    pub fn new(column: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { column: column.into(), kind: kind.into(), ..Self::default() }
    }
}

/// How a vector index is built; what is not given is chosen from the rows and the vectors' dimension.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorOptions {
    pub partitions: Option<u32>,
    /// Rows a partition aims at; instead of `partitions`.
    pub partition_rows: Option<u32>,
    pub sub_vectors: Option<u32>,
    /// Bits of a quantiser's code.
    pub bits: Option<u32>,
    pub sample_rate: Option<u32>,
    pub iterations: Option<u32>,
    /// Edges of a node of the graph.
    pub edges: Option<u32>,
    pub ef_construction: Option<u32>,
}

/// How text is cut into terms; what is not given is Lance's default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextOptions {
    /// Keeps where terms stand, which phrase queries need.
    pub positions: Option<bool>,
    /// `simple`, `whitespace`, `raw`, `ngram`, …
    pub tokenizer: Option<String>,
    /// "English", …: for stems and stop words.
    pub language: Option<String>,
    /// Longer terms are left out.
    pub longest_term: Option<u32>,
    pub lower_case: Option<bool>,
    pub stem: Option<bool>,
    pub remove_stop_words: Option<bool>,
    pub ascii_folding: Option<bool>,
    pub shortest_ngram: Option<u32>,
    pub longest_ngram: Option<u32>,
    pub prefix_only: Option<bool>,
}

/// What is known of an index before it is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexPlan {
    pub name: String,
    /// The column by its canonical path.
    pub column: String,
    /// The specification's word.
    pub kind: &'static str,
}

/// How far the building of an index is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexProgress {
    /// "train ivf", "shuffle", …
    pub stage: String,
    pub done: u64,
    pub total: Option<u64>,
    /// A plural noun.
    pub unit: String,
}

/// Hears how far it is, often; it must not block.
pub type IndexProgressSink = Arc<dyn Fn(IndexProgress) + Send + Sync>;

/// One index of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexRecord {
    pub name: String,
    /// Of its first part.
    pub uuid: String,
    /// Canonical paths of fields.
    pub columns: Vec<String>,
    /// The specification's word: `BTREE`, `IVF_PQ`, …; "Unknown" for one that nothing here reads.
    pub kind: String,
    /// Of its details' message; empty for old indices.
    pub type_url: String,
    pub distance_type: Option<String>,
    /// Live rows that it covers.
    pub indexed_rows: u64,
    pub unindexed_rows: u64,
    pub bytes: Option<u64>,
    /// Parts that were built apart.
    pub segments: u64,
    /// Milliseconds since 1970.
    pub created_at_ms: Option<i64>,
    pub index_version: i32,
    /// As JSON; its shape depends on the kind.
    pub details: Option<String>,
}

fn no<T>() -> Result<T> {
    Err(Error::Unsupported("indices".to_owned()))
}

/// Indices of Lance tables.
#[async_trait]
pub trait TableIndices {
    /// Checks all that can be known before an index is built: column, type, name, parameters, rows
    /// enough to train on.
    async fn plan_index(&self, _location: &TableLocation, _request: &IndexRequest) -> Result<IndexPlan> {
        no()
    }

    /// Builds an index and gives the version that has it. May take as long as reading the column.
    async fn create_index(
        &self,
        _location: &TableLocation,
        _request: &IndexRequest,
        _progress: Option<IndexProgressSink>,
    ) -> Result<u64> {
        no()
    }

    /// All indices at a version, by name. Reads no index.
    async fn list_indices(&self, _location: &TableLocation, _at: &VersionRef) -> Result<Vec<IndexRecord>> {
        no()
    }

    /// Gives the version without it; its files stay until old versions are cleaned up.
    async fn drop_index(&self, _location: &TableLocation, _branch: Option<&str>, _name: &str) -> Result<u64> {
        no()
    }
}
