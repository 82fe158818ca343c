//! An opened storage: its object store, and how places in it are named.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt};
use lakeglass_ports::{Grant, TableLocation};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};

use super::{Error, local, relative};

/// Where the bytes really are.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// The canonical folder.
    Local(PathBuf),
    S3,
}

/// An opened storage.
#[derive(Clone)]
pub(super) struct Backend {
    /// URI of the root, without a trailing slash.
    pub(super) uri: String,
    pub(super) store: Arc<dyn ObjectStore>,
    /// The root inside `store`.
    pub(super) base: String,
    pub(super) place: Place,
    /// For Lance, in `object_store`'s spelling. Hold secrets.
    pub(super) options: BTreeMap<String, String>,
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Backend").field("uri", &self.uri).field("place", &self.place).finish_non_exhaustive()
    }
}

impl Backend {
    /// A location with its grant, both relative to the root. Links on the way are refused.
    pub(super) async fn locate(&self, grant: &str, path: &str) -> Result<TableLocation, Error> {
        relative::check(path)?;
        if let Place::Local(root) = &self.place {
            local::refuse_links(root, path).await?;
        }
        Ok(TableLocation {
            uri: relative::append(&self.uri, path),
            options: self.options.clone(),
            store: Arc::clone(&self.store),
            prefix: self.prefix(path)?,
            grants: [Grant::new(&relative::append(&self.uri, grant))].into(),
        })
    }

    fn prefix(&self, path: &str) -> Result<Path, Error> {
        Path::parse(relative::join(&self.base, path))
            .map_err(|_| Error::Location("This location cannot be used in an object store".to_owned()))
    }

    /// Whether nothing is stored at a place or below it.
    pub(super) async fn is_free(&self, path: &str) -> Result<bool, Error> {
        match &self.place {
            Place::Local(root) => {
                local::refuse_links(root, path).await?;
                local::is_free(root.join(path)).await
            }
            Place::S3 => {
                let first = self.store.list(Some(&self.prefix(path)?)).next().await;
                Ok(first.transpose().map_err(Error::Store)?.is_none())
            }
        }
    }

    /// Removes everything at a place and below it, and local folders that become empty by it, up to
    /// `keep`. Nothing there is fine.
    pub(super) async fn remove(&self, keep: &str, path: &str) -> Result<(), Error> {
        relative::check(path)?;
        match &self.place {
            Place::Local(root) => {
                local::refuse_links(root, path).await?;
                local::remove(root.join(path)).await?;
                let above = path.rsplit_once('/').map_or("", |(above, _)| above);
                local::prune(root.join(keep), root.join(above)).await
            }
            Place::S3 => {
                let prefix = self.prefix(path)?;
                let found = self.store.list(Some(&prefix)).map_ok(|object| object.location).boxed();
                let mut removed = self.store.delete_stream(found);
                while let Some(result) = removed.next().await {
                    gone(result.map(|_| ()))?;
                }
                // A listing below a prefix leaves out an object of exactly that name.
                gone(self.store.delete(&prefix).await)
            }
        }
    }
}

/// An object that is gone already was removed.
fn gone(result: Result<(), object_store::Error>) -> Result<(), Error> {
    match result {
        Err(error) if !matches!(error, object_store::Error::NotFound { .. }) => Err(Error::Store(error)),
        _ => Ok(()),
    }
}
