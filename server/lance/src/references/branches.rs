//! Branches: chains of versions of their own that begin at a version of another.

use std::collections::BTreeMap;

use lakeglass_ports::{BranchRecord, Error, Result, TableLocation, VersionRef};
use lance::dataset::refs::check_valid_branch;

use super::place::{Place, named};
use super::versions::at;
use crate::cost::store_params;
use crate::error::map;
use crate::open::Lake;

pub(crate) async fn list(lake: &Lake, location: &TableLocation) -> Result<Vec<BranchRecord>> {
    let dataset = lake.open(location, &VersionRef::Latest, None).await?;
    let branches = dataset.list_branches().await.map_err(map)?;
    let mut records: Vec<BranchRecord> = branches
        .into_iter()
        .map(|(name, branch)| BranchRecord {
            name,
            parent_branch: named(branch.parent_branch.as_deref()).map(str::to_owned),
            parent_version: branch.parent_version,
            created_at_s: branch.create_at,
            manifest_size: branch.manifest_size as u64,
            metadata: branch.metadata.into_iter().collect::<BTreeMap<_, _>>(),
        })
        .collect();
    records.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(records)
}

pub(crate) async fn create(
    lake: &Lake,
    location: &TableLocation,
    name: &str,
    from_branch: Option<&str>,
    from_version: Option<u64>,
) -> Result<()> {
    if name.len() > super::LONGEST_NAME {
        return Err(super::too_long("branch"));
    }
    check_valid_branch(name).map_err(map)?;
    let exists = || Error::BranchExists(name.to_owned());
    match Place::of(lake, location, Some(name)).await {
        Ok(_) => return Err(exists()),
        Err(Error::NoSuchBranch(_)) => {}
        Err(other) => return Err(other),
    }
    let mut source = lake.open(location, &at(from_branch, from_version), None).await?;
    let version = source.version_id();
    let params = Some(store_params(&location.options));
    match source.create_branch(name, (named(from_branch), Some(version)), params).await {
        Ok(_) => Ok(()),
        // The branch's first version is put only where none is, so one of two creators gets here.
        Err(
            lance_core::Error::RefConflict { .. }
            | lance_core::Error::DatasetAlreadyExists { .. }
            | lance_core::Error::CommitConflict { .. },
        ) => Err(exists()),
        // A creator that finds the version put tries its commit again as one of an ordinary write, which
        // Lance 14 cannot do for the clone that a branch begins with, and calls a fault of its own.
        Err(lance_core::Error::Internal { message, .. }) if message.starts_with("Clone operation") => {
            Err(exists())
        }
        Err(other) => Err(map(other)),
    }
}

pub(crate) async fn delete(lake: &Lake, location: &TableLocation, name: &str) -> Result<()> {
    let Some(name) = named(Some(name)) else {
        return Err(Error::InvalidRequest("The main branch cannot be deleted; drop the table".to_owned()));
    };
    Place::of(lake, location, Some(name)).await?;
    let mut dataset = lake.open(location, &VersionRef::Latest, None).await?;
    match dataset.delete_branch(name).await {
        Ok(()) => {
            // Another branch may come to stand at its place, with versions of the same numbers.
            lake.forget(location).await;
            Ok(())
        }
        Err(lance_core::Error::RefConflict { .. }) => {
            Err(Error::InUse(format!("Tags or other branches stand on branch {name}. Delete those first")))
        }
        Err(lance_core::Error::RefNotFound { .. }) => Err(Error::NoSuchBranch(name.to_owned())),
        Err(other) => Err(map(other)),
    }
}
