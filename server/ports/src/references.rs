//! The port for what names a table's states: versions, tags, branches, and the transactions that made
//! them.

use std::collections::BTreeMap;

use async_trait::async_trait;

use crate::{Error, Result, TableLocation};

/// A version as a catalog tracks it: what the store says of its manifest, which is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRecord {
    pub version: u64,
    /// The manifest's path from the root of its store, without a leading `/`.
    pub manifest_path: String,
    /// In bytes.
    pub manifest_size: u64,
    pub e_tag: Option<String>,
    /// When the manifest was written, in milliseconds since 1970.
    pub written_at_ms: i64,
}

/// Which versions to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionsRequest {
    /// None: the main branch.
    pub branch: Option<String>,
    /// Goes on after this version, in the order asked for.
    pub after: Option<u64>,
    /// At most this many, 1 or more.
    pub limit: usize,
    pub newest_first: bool,
}

/// A page of versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRecords {
    pub versions: Vec<VersionRecord>,
    /// The version after which the next page goes on; none at the end.
    pub next: Option<u64>,
}

/// How a manifest's file is named after its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManifestNaming {
    /// `_versions/7.manifest`
    V1,
    /// `_versions/18446744073709551608.manifest`: counted down, so that the newest lists first.
    V2,
}

/// A version to be committed from a manifest that lies beside the table already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVersion {
    pub branch: Option<String>,
    pub version: u64,
    /// Below the table's location: from the root of the store, as a URI, or from the table's folder.
    pub manifest_path: String,
    /// In bytes; checked when given.
    pub manifest_size: Option<u64>,
    /// Checked when given.
    pub e_tag: Option<String>,
    /// None: as the table's other manifests.
    pub naming: Option<ManifestNaming>,
}

/// Versions from `start` up to and without `end`; no end: all from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionRange {
    pub start: u64,
    pub end: Option<u64>,
}

impl VersionRange {
    pub fn contains(&self, version: u64) -> bool {
        version >= self.start && self.end.is_none_or(|end| version < end)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagRecord {
    pub name: String,
    pub version: u64,
    /// None: the main branch.
    pub branch: Option<String>,
    /// In bytes.
    pub manifest_size: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchRecord {
    pub name: String,
    /// None: made from the main branch.
    pub parent_branch: Option<String>,
    pub parent_version: u64,
    /// Seconds since 1970, as Lance keeps it.
    pub created_at_s: u64,
    /// In bytes.
    pub manifest_size: u64,
    pub metadata: BTreeMap<String, String>,
}

/// What names a committed transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransactionName {
    /// The version that it made.
    Version(u64),
    Uuid(String),
}

/// A transaction that made a version of the main branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionRecord {
    pub uuid: String,
    /// The version that it made.
    pub version: u64,
    /// The version that it was made from.
    pub read_version: u64,
    /// "Append", "Overwrite", "`CreateIndex`", …
    pub operation: String,
    /// Milliseconds since 1970.
    pub committed_at_ms: i64,
    pub properties: BTreeMap<String, String>,
}

fn no<T>() -> Result<T> {
    Err(Error::Unsupported("versions, tags and branches".to_owned()))
}

/// Versions, tags and branches of Lance tables. `branch`: none is the main one, and a missing one is
/// [`Error::NoSuchBranch`], never the main one.
#[async_trait]
pub trait TableReferences {
    /// Versions from the names of their manifests: one listing, no manifest read. A table without a
    /// version has none.
    async fn list_versions(
        &self,
        _location: &TableLocation,
        _request: &VersionsRequest,
    ) -> Result<VersionRecords> {
        no()
    }

    /// One version; none given: the newest.
    async fn describe_version(
        &self,
        _location: &TableLocation,
        _branch: Option<&str>,
        _version: Option<u64>,
    ) -> Result<VersionRecord> {
        no()
    }

    /// Whether a new version could be committed now: its manifest is one of that version, lies inside
    /// the table, names nothing outside the grants, and the version follows the newest.
    async fn check_version(&self, _location: &TableLocation, _new: &NewVersion) -> Result<()> {
        no()
    }

    /// Commits a version by putting its manifest in its place, if nothing is there:
    /// [`Error::Conflict`] when the version exists. What was staged stays.
    async fn create_version(&self, _location: &TableLocation, _new: &NewVersion) -> Result<VersionRecord> {
        no()
    }

    /// Takes back a version just committed, unless another one followed it by now. False: it stays.
    async fn withdraw_version(
        &self,
        _location: &TableLocation,
        _branch: Option<&str>,
        _version: u64,
    ) -> Result<bool> {
        no()
    }

    /// Removes the staged manifest of a version that was committed. None there is fine.
    async fn clear_staged(&self, _location: &TableLocation, _new: &NewVersion) -> Result<()> {
        no()
    }

    /// Removes the records of versions and no data. The newest one, tagged ones and those that a branch
    /// was made from stay, whatever is asked for. Gives how many were removed.
    async fn delete_versions(
        &self,
        _location: &TableLocation,
        _branch: Option<&str>,
        _ranges: &[VersionRange],
    ) -> Result<u64> {
        no()
    }

    /// Makes an earlier version the newest, as a new version, whose number it gives.
    async fn restore(&self, _location: &TableLocation, _branch: Option<&str>, _version: u64) -> Result<u64> {
        no()
    }

    /// All tags, by name.
    async fn list_tags(&self, _location: &TableLocation) -> Result<Vec<TagRecord>> {
        no()
    }

    async fn tag(&self, _location: &TableLocation, _name: &str) -> Result<TagRecord> {
        no()
    }

    /// [`Error::TagExists`] when there is one of that name.
    async fn create_tag(
        &self,
        _location: &TableLocation,
        _name: &str,
        _branch: Option<&str>,
        _version: u64,
    ) -> Result<()> {
        no()
    }

    /// Points a tag to another version.
    async fn update_tag(
        &self,
        _location: &TableLocation,
        _name: &str,
        _branch: Option<&str>,
        _version: u64,
    ) -> Result<()> {
        no()
    }

    async fn delete_tag(&self, _location: &TableLocation, _name: &str) -> Result<()> {
        no()
    }

    /// All branches besides the main one, by name.
    async fn list_branches(&self, _location: &TableLocation) -> Result<Vec<BranchRecord>> {
        no()
    }

    /// Makes a branch of a version (none: the newest) of another (none: the main one).
    /// [`Error::BranchExists`] when there is one of that name.
    async fn create_branch(
        &self,
        _location: &TableLocation,
        _name: &str,
        _from_branch: Option<&str>,
        _from_version: Option<u64>,
    ) -> Result<()> {
        no()
    }

    /// Removes a branch with its versions. [`Error::InUse`] when tags or branches stand on it.
    async fn delete_branch(&self, _location: &TableLocation, _name: &str) -> Result<()> {
        no()
    }

    /// [`Error::NoSuchTransaction`] when none of the kept versions was made by it.
    async fn transaction(
        &self,
        _location: &TableLocation,
        _name: &TransactionName,
    ) -> Result<TransactionRecord> {
        no()
    }
}
