//! What a describer says of a table, and the observation that keeps it.
//!
//! Absent means unknown, never zero. Versions and snapshot ids are text: Lance's are unsigned
//! 64-bit and may use the top bit, Iceberg's are signed, and JavaScript holds neither.

use serde::{Deserialize, Serialize};

use crate::FormatId;

/// A number, and whether it was read from metadata that cannot be off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Count {
    pub value: u64,
    pub exact: bool,
}

impl Count {
    pub fn exact(value: u64) -> Self {
        Self { value, exact: true }
    }

    pub fn about(value: u64) -> Self {
        Self { value, exact: false }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Property {
    pub key: String,
    pub value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Info,
    Warning,
    Error,
}

/// Something a reader should know: a guess made, a part not read, a feature not applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Note {
    pub severity: Severity,
    /// A stable short word: "inferred-types", "outside-grant".
    pub code: String,
    pub message: String,
}

/// One column or nested field. A schema is a pre-order list: a parent stands before its children.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Field {
    /// Index of the parent in the same list, smaller than this field's own; none at the top.
    pub parent: Option<u32>,
    pub name: String,
    pub id: Option<i64>,
    /// As the format spells it: `fixed_size_list<float32, 64>`, `decimal(10, 2)`.
    pub type_name: String,
    pub nullable: bool,
    pub doc: Option<String>,
    pub properties: Vec<Property>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Totals {
    /// Live rows.
    pub rows: Option<Count>,
    /// Rows deleted but still on disk.
    pub deleted_rows: Option<Count>,
    /// Fragments (Lance) or data files.
    pub files: Option<Count>,
    /// Bytes of the described version's data files.
    pub bytes: Option<Count>,
    pub versions: Option<Count>,
}

/// A tag or branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Reference {
    pub name: String,
    /// "tag" or "branch".
    pub kind: String,
    pub version: String,
    /// The branch a tag points into, when not the main one.
    pub branch: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Index {
    pub name: String,
    /// In the format's words: `BTree`, `IVF_PQ`, `Inverted`.
    pub kind: String,
    pub columns: Vec<String>,
    pub rows_covered: Option<u64>,
    pub rows_not_covered: Option<u64>,
    pub bytes: Option<u64>,
}

/// One version (Lance), snapshot (Iceberg) or commit (Delta).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Version {
    pub id: String,
    /// Milliseconds since 1970, UTC; none when reading it would cost a manifest.
    pub timestamp_ms: Option<i64>,
    pub operation: Option<String>,
    pub rows: Option<u64>,
    pub summary: Vec<Property>,
    /// Tags and branches that point here.
    pub references: Vec<Reference>,
}

/// What a table is, at one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Description {
    pub format: FormatId,
    /// The format's own version: "2.2" for Lance's file format.
    pub format_version: Option<String>,
    /// The version described; none where the format has no versions.
    pub version: Option<String>,
    pub version_timestamp_ms: Option<i64>,
    pub schema: Vec<Field>,
    pub totals: Totals,
    pub references: Vec<Reference>,
    pub indices: Vec<Index>,
    /// Named features in use: "stable row ids", "deletion vectors".
    pub features: Vec<String>,
    /// Table configuration and metadata.
    pub properties: Vec<Property>,
    pub notes: Vec<Note>,
}

/// What a read cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Cost {
    /// Requests to the store.
    pub requests: u64,
    /// Bytes read from the store.
    pub bytes: u64,
    pub elapsed_ms: u64,
}

/// The last description of a table: when, by whom, of which version. Never authoritative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Observation {
    /// Milliseconds since 1970, UTC.
    pub taken_at_ms: i64,
    /// "native lance 14.0.2", "plugin csv 0.1.0".
    pub observer: String,
    pub description: Description,
    pub cost: Cost,
}

/// Why the newest look at a table failed, kept beside the last observation that succeeded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct FailedLook {
    pub at_ms: i64,
    pub observer: String,
    pub cause: String,
}

/// What is kept of a table: the last look that succeeded, the newest that did not, and earlier ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TableObservations {
    /// None: never observed as a table of its present format.
    pub latest: Option<Observation>,
    /// Set when the newest look failed.
    pub failed: Option<FailedLook>,
    /// Newest first, the latest included; one for each version of the table.
    pub history: Vec<Observation>,
}
