//! The part of the table engine that tells how a table is laid out and how a query would run.

use async_trait::async_trait;

use crate::{Error, Result, TableLocation, TableQuery, VersionRef};

/// How many live rows fragments hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FragmentLengths {
    pub min: u64,
    pub max: u64,
    /// Rounded down.
    pub mean: u64,
    pub p25: u64,
    pub p50: u64,
    pub p75: u64,
    pub p99: u64,
}

/// A version in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TableStats {
    /// Size of the data files that this version refers to, indices and deletion files aside.
    pub bytes: u64,
    /// Live rows.
    pub rows: u64,
    pub indices: u64,
    pub fragments: u64,
    /// Fragments that compaction would join with others, by its usual target.
    pub small_fragments: u64,
    pub lengths: FragmentLengths,
}

/// Looks at tables and queries without answering the query.
#[async_trait]
pub trait TableInspection: Send + Sync {
    async fn stats(&self, _location: &TableLocation, _at: &VersionRef) -> Result<TableStats> {
        Err(Error::Unsupported("statistics".to_owned()))
    }

    /// The plan of a query, as text, without running it.
    async fn explain(
        &self,
        _location: &TableLocation,
        _query: &TableQuery,
        _verbose: bool,
    ) -> Result<String> {
        Err(Error::Unsupported("query plans".to_owned()))
    }

    /// Runs a query, throws its rows away and gives the plan with what each step took.
    async fn analyze(&self, _location: &TableLocation, _query: &TableQuery) -> Result<String> {
        Err(Error::Unsupported("query plans".to_owned()))
    }
}
