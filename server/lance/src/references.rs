//! Tags and branches.

use futures::{StreamExt, TryStreamExt};
use lakeglass_api::description::Reference;
use lakeglass_ports::{Error, Result, TableLocation, VersionRef};
use lance::Dataset;

use crate::error::map;
use crate::open::Lake;

/// Branches whose newest version is looked up at once.
const PARALLEL: usize = 8;

/// Tags by version, newest first, then branches by name.
pub(crate) async fn list(dataset: &Dataset) -> Result<Vec<Reference>> {
    let tags = dataset.tags().list_tags_ordered(None).await.map_err(map)?;
    let mut references: Vec<Reference> = tags
        .into_iter()
        .map(|(name, tag)| Reference {
            name,
            kind: "tag".to_owned(),
            version: tag.version.to_string(),
            branch: tag.branch,
        })
        .collect();
    let mut names: Vec<String> = dataset.list_branches().await.map_err(map)?.into_keys().collect();
    names.sort_unstable();
    let branches: Vec<Reference> = futures::stream::iter(names)
        .map(|name| async move {
            let newest = dataset.checkout_branch(&name).await.map_err(map)?;
            Ok::<_, Error>(Reference {
                version: newest.version_id().to_string(),
                branch: None,
                kind: "branch".to_owned(),
                name,
            })
        })
        .buffered(PARALLEL)
        .try_collect()
        .await?;
    references.extend(branches);
    Ok(references)
}

/// Tags a version of the main branch.
pub(crate) async fn create_tag(lake: &Lake, location: &TableLocation, tag: &str, version: u64) -> Result<()> {
    let dataset = lake.open(location, &VersionRef::Version(version.to_string()), None).await?;
    match dataset.tags().create(tag, version).await {
        Err(lance_core::Error::RefConflict { .. }) => {
            Err(Error::InvalidRequest(format!("There is a tag {tag} already")))
        }
        other => other.map_err(map),
    }
}
