//! Buckets, namespaces, tables and storages as REST and pages show them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::attached::Health;
use crate::{BucketName, FormatId, NamespacePath, TableName, TableRef};

/// String properties that people and clients set.
pub type Properties = BTreeMap<String, String>;

/// Where a bucket's names live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Backing {
    /// Names in this server's database, data in a storage.
    Managed,
    /// An existing Lance directory namespace.
    Directory,
    /// Another Lance Namespace REST server.
    Upstream,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Bucket {
    pub name: BucketName,
    /// The one format it holds; none: unset, mixed or unknown.
    pub format: Option<FormatId>,
    pub backing: Backing,
    /// Name of the storage that holds its bytes.
    pub storage: String,
    /// URI of its root, as clients reach it.
    pub root: String,
    pub description: String,
    pub properties: Properties,
    pub protected: bool,
    pub created_at_ms: i64,
    pub tables: u64,
    /// Sums over the latest observations; none when nothing in it was observed yet.
    pub rows: Option<u64>,
    pub bytes: Option<u64>,
    /// Tables without any observation, left out of the sums.
    pub unobserved: u64,
    /// How the catalog that it is attached to fares; none for managed buckets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<Health>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Namespace {
    pub bucket: BucketName,
    pub path: NamespacePath,
    pub properties: Properties,
    pub created_at_ms: i64,
    /// Tables directly inside, not counting Trash.
    pub tables: u64,
    /// Namespaces directly inside.
    pub namespaces: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum TableState {
    /// Location reserved, nothing written.
    Declared,
    /// A version exists.
    Created,
    /// In Trash: data kept, name free.
    Deregistered,
}

/// A table as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Table {
    pub bucket: BucketName,
    pub namespace: NamespacePath,
    pub name: TableName,
    pub format: FormatId,
    pub state: TableState,
    /// URI as clients reach it.
    pub location: String,
    pub properties: Properties,
    pub protected: bool,
    pub created_at_ms: i64,
    pub updated_at_ms: i64,
    /// From the latest observation; none: never looked.
    pub rows: Option<u64>,
    pub bytes: Option<u64>,
    pub observed_at_ms: Option<i64>,
}

impl Table {
    /// Its full name.
    pub fn reference(&self) -> TableRef {
        TableRef { bucket: self.bucket.clone(), namespace: self.namespace.clone(), table: self.name.clone() }
    }
}

/// A table in Trash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TrashedTable {
    /// Identifies it while its name may be in use again.
    pub id: i64,
    pub table: Table,
    pub trashed_at_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum StorageKind {
    Local,
    S3,
}

/// A place for bytes. Secrets never appear here: only that they are set, and since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Storage {
    pub name: String,
    pub kind: StorageKind,
    /// Absolute folder, or `bucket/prefix` in the object store.
    pub root: String,
    /// Endpoint as this server sees it (S3 only).
    pub endpoint: Option<String>,
    /// Endpoint as clients see it, when different.
    pub client_endpoint: Option<String>,
    pub region: Option<String>,
    pub path_style: bool,
    pub keys_set_at_ms: Option<i64>,
    /// Readers and editors are given the keys themselves, where no temporary ones can be had.
    pub vend_keys: bool,
    /// ARN of the role that is assumed to make temporary keys for clients.
    pub sts_role: Option<String>,
    pub created_at_ms: i64,
    pub buckets: u64,
    pub free_bytes: Option<u64>,
}
