//! Versions, tags, branches and transactions: what names a table's states.

mod branches;
mod commits;
mod place;
mod port;
mod tags;
mod transactions;
mod versions;

use futures::{StreamExt, TryStreamExt};
use lakeglass_api::description::Reference;
use lakeglass_ports::{Error, Result};
use lance::Dataset;

use crate::error::map;
pub(crate) use versions::at;

/// Bytes of a tag's or branch's name; with `.json` it is the name of a file.
const LONGEST_NAME: usize = 200;

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

fn too_long(what: &str) -> Error {
    Error::InvalidRequest(format!("Use at most {LONGEST_NAME} bytes for the name of a {what}"))
}

/// A name that a client sent, cut for a message.
fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(80).collect()
}
