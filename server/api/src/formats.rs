//! Table formats: their identifiers, and what this server can do with each.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A format's identifier: "lance", "csv", "iceberg". Lower-case text; a plugin may bring new ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct FormatId(String);

impl FormatId {
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    pub fn lance() -> Self {
        Self("lance".to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FormatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether tables of a format can be kept on this server, and by what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum Serving {
    /// A describer is enabled: `observer` names it, as "native lance 14.0.2" or "plugin csv 0.1.0".
    Usable { observer: String },
    /// Known to this version but nothing here reads it; `reason` is a sentence for people.
    Unavailable { reason: String },
}

/// One format as the console shows it: a card in New bucket, a row in Formats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct FormatCard {
    pub id: FormatId,
    /// As its own community writes it: "Lance", "Iceberg", "CSV".
    pub title: String,
    pub headline: String,
    pub summary: String,
    /// Clients that read it, most used first.
    pub clients: Vec<String>,
    pub serving: Serving,
    /// What serves it to clients here: "Lance Namespace REST", or "read by location".
    pub served_by: String,
    /// Path of the endpoint below the public URL ("/lance"); none when read by location only.
    pub endpoint_path: Option<String>,
    pub can_create_tables: bool,
    pub can_preview: bool,
    pub can_time_travel: bool,
    /// How the format's tables are recognised, one claim a line, in words.
    pub claims: Vec<String>,
}

/// What a scan of a bucket found. Lists stop at 200 entries; the counts do not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ScanReport {
    /// Objects listed.
    pub objects: u64,
    /// False when a bound was reached before everything was listed.
    pub complete: bool,
    /// Tables that have a name now, as `namespace.path/table`.
    pub registered: Vec<String>,
    pub registered_count: u64,
    /// Tables that had one before.
    pub known_count: u64,
    /// What was not registered, and why: conflicts, names that do not fit, content of another kind.
    pub skipped: Vec<Skipped>,
    pub skipped_count: u64,
}

/// An object or folder that a scan passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Skipped {
    /// Below the bucket's root. Any text: show it escaped.
    pub path: String,
    /// A sentence for people.
    pub reason: String,
}
