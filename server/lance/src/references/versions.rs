//! Listing, describing, deleting and restoring versions.

use std::collections::HashSet;

use lakeglass_ports::{
    Error, Result, TableLocation, VersionRange, VersionRecord, VersionRecords, VersionRef, VersionsRequest,
};
use object_store::ObjectStoreExt;

use super::place::{Found, Place, named};
use crate::error::{map, store};
use crate::open::Lake;

pub(crate) async fn list(
    lake: &Lake,
    location: &TableLocation,
    request: &VersionsRequest,
) -> Result<VersionRecords> {
    let place = Place::of(lake, location, request.branch.as_deref()).await?;
    let found = place.found().await?;
    // A range of what is left, in the order asked for.
    let (start, end) = match (request.after, request.newest_first) {
        (None, _) => (0, found.len()),
        (Some(after), true) => (0, found.partition_point(|one| one.version < after)),
        (Some(after), false) => (found.partition_point(|one| one.version <= after), found.len()),
    };
    let left = &found[start..end];
    let wanted = request.limit.clamp(1, left.len().max(1));
    let versions: Vec<VersionRecord> = if request.newest_first {
        left.iter().rev().take(wanted).map(Found::record).collect()
    } else {
        left.iter().take(wanted).map(Found::record).collect()
    };
    let more = versions.len() < left.len();
    let next = versions.last().filter(|_| more).map(|last| last.version);
    Ok(VersionRecords { versions, next })
}

pub(crate) async fn describe(
    lake: &Lake,
    location: &TableLocation,
    branch: Option<&str>,
    version: Option<u64>,
) -> Result<VersionRecord> {
    let place = Place::of(lake, location, branch).await?;
    let found = place.found().await?;
    let one = match version {
        None => found.last(),
        Some(version) => {
            found.binary_search_by_key(&version, |one| one.version).ok().and_then(|at| found.get(at))
        }
    };
    one.map(Found::record).ok_or_else(|| match version {
        None => Error::NotFound,
        Some(version) => missing(version, branch),
    })
}

pub(super) fn missing(version: u64, branch: Option<&str>) -> Error {
    Error::NoSuchVersion(match named(branch) {
        None => version.to_string(),
        Some(branch) => format!("{version} on branch {branch}"),
    })
}

pub(crate) async fn delete(
    lake: &Lake,
    location: &TableLocation,
    branch: Option<&str>,
    ranges: &[VersionRange],
) -> Result<u64> {
    let place = Place::of(lake, location, branch).await?;
    let dataset = lake.open(location, &VersionRef::Latest, None).await?;
    let found = place.found().await?;
    let Some(newest) = found.last().map(|one| one.version) else { return Ok(0) };
    let wanted = found
        .iter()
        .filter(|one| one.version != newest && ranges.iter().any(|range| range.contains(one.version)));
    let mut deleted = 0;
    let standing = standing(&dataset, named(branch)).await?;
    for one in wanted.filter(|one| !standing.contains(&one.version)) {
        match place.store.inner.delete(one.path()).await {
            Ok(()) => deleted += 1,
            Err(object_store::Error::NotFound { .. }) => {}
            Err(error) => return Err(store(error)),
        }
    }
    Ok(deleted)
}

/// Versions of a branch that tags name or branches were made from.
async fn standing(dataset: &lance::Dataset, branch: Option<&str>) -> Result<HashSet<u64>> {
    let tags = dataset.tags().list().await.map_err(map)?;
    let tagged = tags.values().filter(|tag| named(tag.branch.as_deref()) == branch).map(|tag| tag.version);
    let branches = dataset.list_branches().await.map_err(map)?;
    let parents = branches
        .values()
        .filter(|child| named(child.parent_branch.as_deref()) == branch)
        .map(|child| child.parent_version);
    Ok(tagged.chain(parents).collect())
}

pub(crate) async fn restore(
    lake: &Lake,
    location: &TableLocation,
    branch: Option<&str>,
    version: u64,
) -> Result<u64> {
    let mut dataset = lake.open(location, &at(branch, Some(version)), None).await?;
    dataset.restore().await.map_err(map)?;
    lake.keep(location, &dataset).await;
    Ok(dataset.version_id())
}

/// A version of a branch, as datasets are opened by.
pub(crate) fn at(branch: Option<&str>, version: Option<u64>) -> VersionRef {
    let version = version.map(|version| version.to_string());
    match (named(branch), version) {
        (Some(branch), version) => VersionRef::Branch(branch.to_owned(), version),
        (None, Some(version)) => VersionRef::Version(version),
        (None, None) => VersionRef::Latest,
    }
}
