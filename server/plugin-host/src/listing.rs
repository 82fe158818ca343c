//! Listings in order of path, in bounded memory, whatever order the store gives.

use std::collections::BTreeMap;
use std::path::{Path as DiskPath, PathBuf};

use futures::TryStreamExt;
use object_store::path::Path;

use crate::bindings::lakeglass::describer::object_store::ObjectMeta;
use crate::bindings::lakeglass::describer::types::StoreError;
use crate::reads::store_error;
use crate::scope::Scope;

/// Entries one listing may walk through. A store that lists out of order has to be walked whole.
const MAX_WALK: usize = 200_000;

/// What is wanted: the first `limit` entries after `after`.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) folder: Path,
    /// The same folder as the guest calls it.
    pub(crate) prefix: String,
    pub(crate) delimited: bool,
    pub(crate) after: String,
    pub(crate) limit: usize,
}

/// The first entries by path: objects, and with `delimited` the folders between them.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// None stands for a folder.
    pub(crate) entries: BTreeMap<String, Option<ObjectMeta>>,
    /// More follow.
    pub(crate) more: bool,
}

impl Found {
    fn add(&mut self, wanted: &Wanted, path: String, meta: Option<ObjectMeta>) {
        if path.as_str() <= wanted.after.as_str() {
            return;
        }
        self.entries.insert(path, meta);
        if self.entries.len() > wanted.limit {
            self.entries.pop_last();
            self.more = true;
        }
    }
}

pub(crate) async fn list(scope: &Scope, wanted: Wanted) -> Result<Found, StoreError> {
    match &scope.folder {
        Some(folder) => {
            let (scope, folder) = (scope.clone(), folder.clone());
            tokio::task::spawn_blocking(move || on_disk(&scope, &folder, &wanted))
                .await
                .map_err(|_| StoreError::Unavailable("the disk could not be asked".to_owned()))?
        }
        None => in_store(scope, &wanted).await,
    }
}

async fn in_store(scope: &Scope, wanted: &Wanted) -> Result<Found, StoreError> {
    let mut found = Found::default();
    let folder = (!wanted.folder.as_ref().is_empty()).then_some(&wanted.folder);
    if wanted.delimited {
        let level = scope.location.store.list_with_delimiter(folder).await.map_err(store_error)?;
        for meta in level.objects {
            if let Some(path) = scope.relative(&meta.location) {
                found.add(wanted, path.clone(), Some(crate::reads::meta(path, &meta)));
            }
        }
        for prefix in level.common_prefixes {
            if let Some(path) = scope.relative(&prefix) {
                found.add(wanted, path, None);
            }
        }
        return Ok(found);
    }
    let mut objects = scope.location.store.list(folder);
    let mut walked = 0;
    while let Some(meta) = objects.try_next().await.map_err(store_error)? {
        walked += 1;
        if walked > MAX_WALK {
            return Err(StoreError::Quota(format!("{MAX_WALK} objects in one listing")));
        }
        if let Some(path) = scope.relative(&meta.location) {
            found.add(wanted, path.clone(), Some(crate::reads::meta(path, &meta)));
        }
    }
    Ok(found)
}

/// Walks the disk itself, so that symbolic links are passed by rather than followed.
fn on_disk(scope: &Scope, root: &DiskPath, wanted: &Wanted) -> Result<Found, StoreError> {
    let mut found = Found::default();
    let start = if wanted.prefix.is_empty() { root.to_owned() } else { root.join(&wanted.prefix) };
    let canonical = match (root.canonicalize(), start.canonicalize()) {
        (Ok(root), Ok(start)) if root.join(&wanted.prefix) == start || root == start => start,
        (Ok(_), Ok(_)) => return Err(StoreError::Denied),
        _ => return Ok(found),
    };
    let mut folders: Vec<(PathBuf, String)> = vec![(canonical, wanted.prefix.clone())];
    let mut walked = 0;
    while let Some((folder, prefix)) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            walked += 1;
            if walked > MAX_WALK {
                return Err(StoreError::Quota(format!("{MAX_WALK} objects in one listing")));
            }
            let name = entry.file_name();
            // Only names that can be asked for again.
            let Some(name) = name.to_str() else { continue };
            let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") };
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                if scope.object().is_some() {
                    continue;
                }
                if wanted.delimited {
                    found.add(wanted, path, None);
                } else {
                    folders.push((entry.path(), path));
                }
            } else if kind.is_file()
                && scope.shows(&path)
                && let Ok(meta) = entry.metadata()
            {
                let modified_ms = meta
                    .modified()
                    .ok()
                    .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
                    .and_then(|time| i64::try_from(time.as_millis()).ok());
                // No etag: a read gives the store's own.
                let object = ObjectMeta { path: path.clone(), size: meta.len(), etag: None, modified_ms };
                found.add(wanted, path, Some(object));
            }
        }
    }
    Ok(found)
}
