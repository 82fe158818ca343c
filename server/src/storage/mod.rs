//! Storages: places for bytes, how they are checked, and how locations in them are opened.
//!
//! The catalog names places relative to a storage's root; this capability turns them into
//! [`TableLocation`]s that never lead outside, and is the only one that removes bytes.

mod address;
mod backend;
mod error;
mod form;
mod local;
mod outside;
mod probe;
pub(crate) mod relative;
mod rest;
mod s3;
mod service;
mod store;
mod temporary;
mod vend;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lakeglass_api::Role;
use lakeglass_api::catalog::{Storage, StorageKind};
use lakeglass_ports::TableLocation;

use crate::audit::Audit;
use crate::auth::Actor;
use crate::config::Config;
use crate::db::Db;
use crate::router::Route;
use crate::secrets::Secrets;

use address::Rule;
use backend::{Backend, Place};
pub use error::Error;
pub use form::{NewStorage, StorageChange};

/// The storage made at first start.
pub const DEFAULT: &str = "local";

/// How long a checked address is trusted.
const ADDRESS_HOLDS: Duration = Duration::from_secs(30);

pub fn routes() -> Vec<Route> {
    rest::routes()
}

/// The storages of this server.
#[derive(Debug, Clone)]
pub struct Storages {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    db: Db,
    secrets: Secrets,
    audit: Audit,
    rule: Rule,
    /// Roots inside it are kept relative to it, so that a data folder may be moved or restored elsewhere.
    data: PathBuf,
    /// Folders under which local storages may be.
    roots: Vec<PathBuf>,
    /// With when the address was last checked.
    opened: Mutex<HashMap<i64, (Arc<Backend>, Instant)>>,
    uris: Mutex<HashMap<i64, Arc<str>>>,
    sessions: temporary::Sessions,
}

impl Storages {
    /// Opens the capability; at first start makes the storage `local` at `<data>/buckets`.
    pub async fn open(db: Db, config: &Config, secrets: Secrets, audit: Audit) -> Result<Self, Error> {
        let data = config.data.canonicalize().map_err(Error::Folder)?;
        let mut roots = vec![data.clone()];
        roots.extend(config.storage_roots.iter().cloned());
        let rule = Rule { allow_private: config.allow_private_addresses };
        let (opened, uris) = (Mutex::default(), Mutex::default());
        let sessions = temporary::Sessions::default();
        let inner = Inner { db, secrets, audit, rule, data, roots, opened, uris, sessions };
        let storages = Self { inner: Arc::new(inner) };
        if storages.inner.db_is_empty().await? {
            let folder = storages.inner.data.join("buckets");
            let root = folder
                .to_str()
                .ok_or_else(|| Error::Location("The data folder's path must be valid UTF-8".to_owned()))?;
            let root = root.to_owned();
            storages.insert(NewStorage::local(DEFAULT.to_owned(), root)).await?;
        }
        Ok(storages)
    }

    /// Every storage. For anyone with a role on the server.
    pub async fn list(&self, actor: &Actor) -> Result<Vec<Storage>, Error> {
        actor.require_server(Role::Viewer)?;
        let mut storages = Vec::new();
        for counted in store::all(&self.inner.db.read).await? {
            storages.push(self.shown(counted).await);
        }
        Ok(storages)
    }

    /// One storage by name.
    pub async fn get(&self, actor: &Actor, name: &str) -> Result<Storage, Error> {
        actor.require_server(Role::Viewer)?;
        let counted = store::by_name(&self.inner.db.read, name).await?;
        Ok(self.shown(counted.ok_or_else(|| Error::NoSuchStorage(name.to_owned()))?).await)
    }

    /// Row id of a storage, and whether commits of table formats are safe in it.
    pub(crate) async fn find(&self, name: &str) -> Result<(i64, bool), Error> {
        let counted = store::by_name(&self.inner.db.read, name).await?;
        let row = counted.ok_or_else(|| Error::NoSuchStorage(name.to_owned()))?.row;
        Ok((row.id, row.conditional_put))
    }

    /// A table's place: `below` is relative to `root`, which is relative to the storage's root and is
    /// all that reads on behalf of the table may touch.
    pub async fn locate(&self, storage_id: i64, root: &str, below: &str) -> Result<TableLocation, Error> {
        relative::check(below)?;
        self.backend(storage_id).await?.locate(root, &relative::join(root, below)).await
    }

    /// A bucket's whole root, for scans.
    pub(crate) async fn locate_root(&self, storage_id: i64, root: &str) -> Result<TableLocation, Error> {
        self.backend(storage_id).await?.locate(root, root).await
    }

    /// The URI of a place, as clients reach it.
    pub(crate) async fn uri(&self, storage_id: i64, path: &str) -> Result<String, Error> {
        let known = self.inner.uris.lock().unwrap_or_else(PoisonError::into_inner).get(&storage_id).cloned();
        let base = match known {
            Some(base) => base,
            None => self.keep_uri(storage_id).await?,
        };
        Ok(relative::append(&base, path))
    }

    /// Whether nothing is stored at a place or below it.
    pub(crate) async fn is_free(&self, storage_id: i64, path: &str) -> Result<bool, Error> {
        self.backend(storage_id).await?.is_free(path).await
    }

    /// Makes the folder of a bucket visible where folders are a thing (local storages).
    pub(crate) async fn make_root(&self, storage_id: i64, path: &str) -> Result<(), Error> {
        relative::check(path)?;
        match &self.backend(storage_id).await?.place {
            Place::Local(root) => {
                local::refuse_links(root, path).await?;
                tokio::fs::create_dir_all(root.join(path)).await.map_err(Error::Folder)
            }
            Place::S3 => Ok(()),
        }
    }

    /// Removes everything at a place and below it, and empty local folders above it up to `keep`.
    pub(crate) async fn remove_bytes(&self, storage_id: i64, keep: &str, path: &str) -> Result<(), Error> {
        self.backend(storage_id).await?.remove(keep, path).await
    }

    async fn row(&self, id: i64) -> Result<store::Row, Error> {
        store::by_id(&self.inner.db.read, id).await?.ok_or_else(|| Error::NoSuchStorage(id.to_string()))
    }

    /// An opened storage. An object store's address is checked when it is opened and every half minute
    /// of use: table engines connect by themselves, and what a name answers may have changed.
    async fn backend(&self, id: i64) -> Result<Arc<Backend>, Error> {
        let known = self.opened().get(&id).cloned();
        let backend = match known {
            Some((backend, checked)) if checked.elapsed() < ADDRESS_HOLDS => return Ok(backend),
            Some((backend, _)) => backend,
            None => {
                let row = self.row(id).await?;
                Arc::new(match row.kind.as_str() {
                    "local" => local::open(&self.folder(&row), &self.inner.roots).await?.1,
                    _ => self.open_s3(&row)?,
                })
            }
        };
        if let Some(endpoint) = backend.options.get("aws_endpoint") {
            let checked = self.inner.rule.endpoint("endpoint", endpoint).await;
            checked.map_err(|error| Error::Address(error.to_string()))?;
        }
        self.opened().insert(id, (Arc::clone(&backend), Instant::now()));
        Ok(backend)
    }

    /// The URI of a storage's root. It never changes, and lists need it while a storage is out of reach.
    async fn keep_uri(&self, storage_id: i64) -> Result<Arc<str>, Error> {
        let row = self.row(storage_id).await?;
        let uri = match row.kind.as_str() {
            "local" => local::uri(&self.folder(&row))?,
            _ => s3::uri(&row.root)?,
        };
        let uri: Arc<str> = uri.into();
        self.inner.uris.lock().unwrap_or_else(PoisonError::into_inner).insert(storage_id, Arc::clone(&uri));
        Ok(uri)
    }

    /// The absolute folder of a local storage.
    fn folder(&self, row: &store::Row) -> PathBuf {
        self.inner.data.join(&row.root)
    }

    async fn shown(&self, counted: store::Counted) -> Storage {
        let store::Counted { row, buckets } = counted;
        let local = (row.kind == "local").then(|| self.folder(&row));
        let free_bytes = match &local {
            Some(folder) => local::free_bytes(folder.clone()).await,
            None => None,
        };
        Storage {
            name: row.name,
            kind: if local.is_some() { StorageKind::Local } else { StorageKind::S3 },
            root: local.map_or(row.root, |folder| folder.to_string_lossy().into_owned()),
            endpoint: row.endpoint,
            client_endpoint: row.client_endpoint,
            region: row.region,
            path_style: row.path_style,
            keys_set_at_ms: row.keys_set_at,
            vend_keys: row.vend_keys,
            sts_role: row.sts_role,
            created_at_ms: row.created_at,
            buckets: u64::try_from(buckets).unwrap_or(0),
            free_bytes,
        }
    }

    fn opened(&self) -> std::sync::MutexGuard<'_, HashMap<i64, (Arc<Backend>, Instant)>> {
        // The map is whole between statements, so a panic elsewhere cannot have broken it.
        self.inner.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    async fn db_is_empty(&self) -> Result<bool, Error> {
        Ok(store::all(&self.db.read).await?.is_empty())
    }
}

#[cfg(test)]
mod tests;
