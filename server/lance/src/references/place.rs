//! Where the files of a branch lie, found without opening a dataset.

use std::sync::Arc;

use futures::TryStreamExt;
use lakeglass_ports::{Error, Result, TableLocation, VersionRecord};
use lance::dataset::refs;
use lance_io::object_store::ObjectStore;
use lance_table::io::commit::ManifestNamingScheme;
use object_store::ObjectMeta;
use object_store::path::Path;

use crate::confine;
use crate::error::{map, store};
use crate::open::Lake;

/// The folder of a table's manifests, below the table's or a branch's own.
const VERSIONS: &str = "_versions";
/// Below it, one folder a branch.
const BRANCHES: &str = "tree";

/// A branch's place in its store.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) store: Arc<ObjectStore>,
    /// The table's folder, from the root of the store.
    pub(super) table: Path,
    /// The branch's folder; the table's own for the main branch.
    pub(super) branch: Path,
}

/// A manifest as its store lists it.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) version: u64,
    pub(super) naming: ManifestNamingScheme,
    meta: ObjectMeta,
}

impl Place {
    /// The place of a branch that exists; none: the main one, whether or not anything is written there.
    pub(super) async fn of(lake: &Lake, location: &TableLocation, branch: Option<&str>) -> Result<Self> {
        confine::check_location(location)?;
        let (store, table, _) = lake.builder(location).build_object_store().await.map_err(map)?;
        let Some(name) = named(branch) else {
            return Ok(Self { store, branch: table.clone(), table });
        };
        let missing = || Error::NoSuchBranch(name.to_owned());
        refs::check_valid_branch(name).map_err(|_| missing())?;
        let record = refs::branch_contents_path(&table, name);
        if !store.exists(&record).await.map_err(map)? {
            return Err(missing());
        }
        // As Lance has it: the name's parts are folders, as they are.
        let folder = Path::parse(format!("{table}/{BRANCHES}/{name}")).map_err(|_| missing())?;
        Ok(Self { store, table, branch: folder })
    }

    pub(super) fn manifests(&self) -> Path {
        self.branch.clone().join(VERSIONS)
    }

    /// Every attached version, oldest first, from one listing.
    pub(super) async fn found(&self) -> Result<Vec<Found>> {
        let listed = self.store.inner.list(Some(&self.manifests())).try_filter_map(|meta| async move {
            Ok(meta.location.filename().and_then(attached).map(|(version, naming)| Found {
                version,
                naming,
                meta,
            }))
        });
        let mut found: Vec<Found> = listed.try_collect().await.map_err(store)?;
        found.sort_unstable_by_key(|found| found.version);
        Ok(found)
    }
}

impl Found {
    pub(super) fn path(&self) -> &Path {
        &self.meta.location
    }

    pub(super) fn record(&self) -> VersionRecord {
        record(self.version, &self.meta)
    }
}

/// What a catalog tells of a version.
pub(super) fn record(version: u64, meta: &ObjectMeta) -> VersionRecord {
    VersionRecord {
        version,
        manifest_path: meta.location.to_string(),
        manifest_size: meta.size,
        e_tag: meta.e_tag.clone(),
        written_at_ms: meta.last_modified.timestamp_millis(),
    }
}

/// The version that a manifest's file name says, unless it is detached, staged or something else.
fn attached(name: &str) -> Option<(u64, ManifestNamingScheme)> {
    let naming = ManifestNamingScheme::detect_scheme(name)?;
    Some((naming.parse_version(name)?, naming))
}

/// A branch by its name; none for the main one, however it is spelled.
pub(super) fn named(branch: Option<&str>) -> Option<&str> {
    branch.filter(|name| !name.is_empty() && *name != refs::MAIN_BRANCH)
}
