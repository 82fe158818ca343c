//! The port that writes and queries Lance tables.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use async_trait::async_trait;
use futures::stream::BoxStream;

use crate::{
    FullText, Result, TableChanges, TableIndices, TableInspection, TableLocation, TableReferences, VersionRef,
};

/// Record batches of one schema, produced as they are consumed.
pub struct BatchStream {
    pub schema: SchemaRef,
    pub batches: BoxStream<'static, Result<RecordBatch>>,
}

impl std::fmt::Debug for BatchStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchStream").field("schema", &self.schema).finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CreateMode {
    /// [`Error::AlreadyExists`](crate::Error::AlreadyExists) when a version exists.
    Create,
    /// A new version that replaces all rows and the schema; the versions before stay.
    Overwrite,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertMode {
    Append,
    Overwrite,
}

/// What a write made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    pub version: u64,
    pub rows: u64,
}

/// Columns of a query's answer, in order; an alias maps a name to a SQL expression over columns.
#[derive(Debug, Clone, PartialEq)]
pub enum Projection {
    All,
    Columns(Vec<String>),
    Aliases(Vec<(String, String)>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct VectorQuery {
    /// None: the table's only vector column.
    pub column: Option<String>,
    /// One or more query vectors; several answer with a `query_index` column.
    pub vectors: Vec<Vec<f32>>,
    pub distance_type: Option<String>,
    /// Partitions of the index searched at least; more when too few rows were found, up to the most.
    pub minimum_nprobes: Option<usize>,
    pub maximum_nprobes: Option<usize>,
    pub refine_factor: Option<u32>,
    pub ef: Option<usize>,
    pub lower_bound: Option<f32>,
    pub upper_bound: Option<f32>,
    pub bypass_index: bool,
    pub fast_search: bool,
}

/// A query as the Lance Namespace specification shapes it.
#[derive(Debug, Clone, PartialEq)]
pub struct TableQuery {
    pub at: VersionRef,
    pub projection: Projection,
    /// A SQL predicate over the table's columns, from a client that may read every row.
    pub filter: Option<String>,
    pub prefilter: bool,
    pub vector: Option<VectorQuery>,
    pub full_text: Option<FullText>,
    /// None: no limit.
    pub limit: Option<u64>,
    pub offset: u64,
    pub with_row_id: bool,
}

/// Reads and writes Lance at a location. Every call checks the latest version; handles are cached by
/// location and never trusted past it. Bodies stream: memory does not grow with the table.
#[async_trait]
pub trait TableEngine:
    TableChanges + TableInspection + TableReferences + TableIndices + Send + Sync + std::fmt::Debug
{
    /// The newest version on the main branch, without reading its manifest; none: nothing written.
    async fn latest_version(&self, location: &TableLocation) -> Result<Option<u64>>;

    /// Writes a first version, or with [`CreateMode::Overwrite`] a next one. An empty stream makes an
    /// empty table of its schema.
    async fn create(&self, location: &TableLocation, rows: BatchStream, mode: CreateMode) -> Result<Written>;

    /// Adds or replaces rows; retries by itself when another append came between.
    async fn insert(
        &self,
        location: &TableLocation,
        rows: BatchStream,
        mode: InsertMode,
        branch: Option<&str>,
    ) -> Result<Written>;

    /// Live rows, or those that a SQL predicate keeps.
    async fn count_rows(
        &self,
        location: &TableLocation,
        at: &VersionRef,
        predicate: Option<&str>,
    ) -> Result<u64>;

    async fn query(&self, location: &TableLocation, query: TableQuery) -> Result<BatchStream>;

    /// The Arrow schema at a version, its metadata, and the version's number.
    async fn schema(
        &self,
        location: &TableLocation,
        at: &VersionRef,
    ) -> Result<(u64, SchemaRef, BTreeMap<String, String>)>;

    /// Forgets cached handles under a location, after its bytes were removed or replaced.
    async fn forget(&self, location: &TableLocation);
}
