//! The part of the table engine that changes rows, columns and metadata.
//!
//! Every method makes one new version, or none when it fails, of the main branch or of the one that is
//! named; a branch that is not there is [`Error::NoSuchBranch`] and never a write to main.

use std::collections::BTreeMap;
use std::time::Duration;

use arrow_schema::DataType;
use async_trait::async_trait;

use crate::{BatchStream, Error, Result, TableLocation, Written};

/// What becomes of rows that the sent rows match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhenMatched {
    Keep,
    /// Replaced by the sent row.
    Update,
    /// Replaced where a SQL predicate holds; its columns are `source.x` (sent) and `target.x` (stored).
    UpdateIf(String),
}

/// What becomes of stored rows that no sent row matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhenNotMatchedBySource {
    Keep,
    Delete,
    /// Removed where a SQL predicate over the table's columns holds.
    DeleteIf(String),
}

/// How sent rows meet stored ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The key: rows match when all of these columns are equal. One column at least.
    pub on: Vec<String>,
    pub when_matched: WhenMatched,
    /// Whether sent rows that match none are added.
    pub insert_not_matched: bool,
    pub when_not_matched_by_source: WhenNotMatchedBySource,
    /// How long the work may take before it commits. Past it nothing was changed.
    pub timeout: Option<Duration>,
    /// Whether an index on the key may be used.
    pub use_index: bool,
}

/// What a merge did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merged {
    pub version: u64,
    pub inserted: u64,
    pub updated: u64,
    pub deleted: u64,
    /// 1, or more when other writers came between.
    pub attempts: u32,
}

/// Where a new column's values come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnSource {
    /// A SQL expression over the other columns, evaluated once over the rows that are there.
    Expression(String),
    /// A SQL expression that is kept with the column, which starts out null and is filled by
    /// [`TableChanges::backfill`].
    Computed(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewColumn {
    pub name: String,
    pub source: ColumnSource,
}

/// A change of one column; what is none stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnChange {
    /// Names from the top level down, joined by `.`; a name with a dot stands in backticks.
    pub path: String,
    pub rename: Option<String>,
    pub nullable: Option<bool>,
    /// The values are cast; one that does not fit fails the whole change.
    pub data_type: Option<DataType>,
}

/// A change of one column's metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldMetadataChange {
    pub path: String,
    /// Values to set; none removes the key.
    pub entries: BTreeMap<String, Option<String>>,
    /// Whether keys that are not named go.
    pub replace: bool,
}

/// Metadata by column path.
pub type FieldMetadata = BTreeMap<String, BTreeMap<String, String>>;

fn unsupported<T>(what: &str) -> Result<T> {
    Err(Error::Unsupported(what.to_owned()))
}

/// Changes rows, columns and metadata of a written table.
///
/// An engine that cannot do one of these leaves it as it is here: [`Error::Unsupported`].
#[async_trait]
pub trait TableChanges: Send + Sync {
    /// Updates, adds and removes rows by key, in one version. Sent rows are read once, in bounded
    /// memory; the work is done again when another writer changed the same rows.
    async fn merge(
        &self,
        _location: &TableLocation,
        _rows: BatchStream,
        _merge: &Merge,
        _branch: Option<&str>,
    ) -> Result<Merged> {
        unsupported("merging rows")
    }

    /// Sets columns to SQL expressions in the rows that a predicate keeps (none: all). How many rows
    /// were updated, and the version; the version before, when no row was.
    async fn update(
        &self,
        _location: &TableLocation,
        _updates: &[(String, String)],
        _predicate: Option<&str>,
        _branch: Option<&str>,
    ) -> Result<Written> {
        unsupported("updating rows")
    }

    /// Removes the rows that a SQL predicate keeps: how many, and the version.
    async fn delete(
        &self,
        _location: &TableLocation,
        _predicate: &str,
        _branch: Option<&str>,
    ) -> Result<Written> {
        unsupported("deleting rows")
    }

    /// Adds columns, all in one version: all evaluated at once, or all computed.
    async fn add_columns(
        &self,
        _location: &TableLocation,
        _columns: &[NewColumn],
        _branch: Option<&str>,
    ) -> Result<u64> {
        unsupported("adding columns")
    }

    async fn alter_columns(
        &self,
        _location: &TableLocation,
        _changes: &[ColumnChange],
        _branch: Option<&str>,
    ) -> Result<u64> {
        unsupported("altering columns")
    }

    /// Removes columns from the newest version; older versions keep them.
    async fn drop_columns(
        &self,
        _location: &TableLocation,
        _paths: &[String],
        _branch: Option<&str>,
    ) -> Result<u64> {
        unsupported("dropping columns")
    }

    /// Replaces the schema's metadata: the version, and what is kept now.
    async fn replace_schema_metadata(
        &self,
        _location: &TableLocation,
        _metadata: &BTreeMap<String, String>,
        _branch: Option<&str>,
    ) -> Result<(u64, BTreeMap<String, String>)> {
        unsupported("changing schema metadata")
    }

    /// The version, and what is kept now of each column that was named.
    async fn update_field_metadata(
        &self,
        _location: &TableLocation,
        _changes: &[FieldMetadataChange],
        _branch: Option<&str>,
    ) -> Result<(u64, FieldMetadata)> {
        unsupported("changing column metadata")
    }

    /// The expression of a computed column. [`Error::InvalidRequest`] when the column is not computed.
    async fn computed_expression(
        &self,
        _location: &TableLocation,
        _column: &str,
        _branch: Option<&str>,
    ) -> Result<String> {
        unsupported("computed columns")
    }

    /// Fills a computed column where a predicate holds; none: where it is null.
    async fn backfill(
        &self,
        _location: &TableLocation,
        _column: &str,
        _predicate: Option<&str>,
        _branch: Option<&str>,
    ) -> Result<Written> {
        unsupported("computed columns")
    }
}
