//! Tags: names for versions, kept beside the table, whatever branch the version is on.

use lakeglass_ports::{Error, Result, TableLocation, TagRecord, VersionRef};
use lance::dataset::refs::{TagContents, check_valid_tag};

use super::versions::at;
use crate::error::map;
use crate::open::Lake;

pub(crate) async fn list(lake: &Lake, location: &TableLocation) -> Result<Vec<TagRecord>> {
    let dataset = lake.open(location, &VersionRef::Latest, None).await?;
    let tags = dataset.tags().list().await.map_err(map)?;
    let mut records: Vec<TagRecord> = tags.into_iter().map(|(name, tag)| record(name, tag)).collect();
    records.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(records)
}

pub(crate) async fn get(lake: &Lake, location: &TableLocation, name: &str) -> Result<TagRecord> {
    let dataset = lake.open(location, &VersionRef::Latest, None).await?;
    let tag = dataset.tags().get(name).await.map_err(|error| missing(error, name))?;
    Ok(record(name.to_owned(), tag))
}

fn record(name: String, tag: TagContents) -> TagRecord {
    TagRecord { name, version: tag.version, branch: tag.branch, manifest_size: tag.manifest_size as u64 }
}

pub(crate) async fn create(
    lake: &Lake,
    location: &TableLocation,
    name: &str,
    branch: Option<&str>,
    version: u64,
) -> Result<()> {
    check_name(name)?;
    let dataset = lake.open(location, &at(branch, Some(version)), None).await?;
    match dataset.tags().create(name, version).await {
        Err(lance_core::Error::RefConflict { .. }) => Err(Error::TagExists(name.to_owned())),
        other => other.map_err(map),
    }
}

pub(crate) async fn update(
    lake: &Lake,
    location: &TableLocation,
    name: &str,
    branch: Option<&str>,
    version: u64,
) -> Result<()> {
    let dataset = lake.open(location, &VersionRef::Latest, None).await?;
    dataset.tags().get(name).await.map_err(|error| missing(error, name))?;
    let dataset = lake.open(location, &at(branch, Some(version)), None).await?;
    dataset.tags().update(name, version).await.map_err(|error| missing(error, name))
}

pub(crate) async fn delete(lake: &Lake, location: &TableLocation, name: &str) -> Result<()> {
    let dataset = lake.open(location, &VersionRef::Latest, None).await?;
    dataset.tags().delete(name).await.map_err(|error| missing(error, name))
}

/// A tag that is not there, or could not be: both are not found.
fn missing(error: lance_core::Error, name: &str) -> Error {
    match error {
        lance_core::Error::RefNotFound { .. } | lance_core::Error::InvalidRef { .. } => {
            Error::NoSuchTag(super::shown(name))
        }
        other => map(other),
    }
}

fn check_name(name: &str) -> Result<()> {
    if name.len() > super::LONGEST_NAME {
        return Err(super::too_long("tag"));
    }
    check_valid_tag(name).map_err(map)
}
