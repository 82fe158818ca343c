//! Catalogs that exist elsewhere and are attached as buckets: how they are reached, whether they answer, and
//! what they have of the specification.
//!
//! [`Names`](lakeglass_ports::Names) is how the catalog asks them, whatever they are. This capability
//! authorises nobody: the catalog's service does, before anything is sent. Credentials leave it only in
//! requests to the server that they are for.

mod breaker;
mod calls;
mod directory;
mod error;
mod live;
mod probe;
mod service;
mod settings;
mod store;
mod upstream;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use http::HeaderValue;
use lakeglass_api::BucketName;

use crate::db::Db;
use crate::secrets::Secrets;
use crate::storage::Storages;

pub use error::{Error, Result};
pub(crate) use live::Live;
pub(crate) use settings::Prepared;
pub use settings::{NewConnection, SecretChange};
pub(crate) use upstream::{Activity, MOST_ERROR_BYTES, Outgoing, Patience, read, refusal};

/// The attached catalogs of this server. Clones share everything.
#[derive(Debug, Clone)]
pub struct Attached {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    db: Db,
    secrets: Secrets,
    storages: Storages,
    /// This server among others, in the header that finds loops.
    instance: HeaderValue,
    client: reqwest::Client,
    live: RwLock<HashMap<BucketName, Arc<Live>>>,
}

impl Attached {
    /// Reads the connections that are kept. Connects to none.
    pub async fn open(db: Db, storages: Storages, secrets: Secrets) -> Result<Self> {
        let id = hex::encode(&secrets.subkey("instance")[..8]);
        let instance = HeaderValue::from_str(&id).map_err(lakeglass_ports::NamesError::internal)?;
        let client = storages.http().map_err(lakeglass_ports::NamesError::internal)?;
        let inner = Inner { db, secrets, storages, instance, client, live: RwLock::default() };
        let this = Self { inner: Arc::new(inner) };
        for row in store::all(&this.inner.db.read).await? {
            let live = this.enliven(row)?;
            this.map().insert(live.bucket.clone(), Arc::new(live));
        }
        Ok(this)
    }

    fn map(&self) -> std::sync::RwLockWriteGuard<'_, HashMap<BucketName, Arc<Live>>> {
        self.inner.live.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection of a bucket; none for one that is not attached.
    pub(crate) fn find(&self, bucket: &BucketName) -> Option<Arc<Live>> {
        self.inner.live.read().unwrap_or_else(PoisonError::into_inner).get(bucket).cloned()
    }

    /// As [`Attached::find`], for a bucket that must be attached.
    pub(crate) fn of(&self, bucket: &BucketName) -> Result<Arc<Live>> {
        self.find(bucket).ok_or_else(|| Error::NotAttached(bucket.clone()))
    }

    /// Whether any bucket is attached.
    pub(crate) fn has_any(&self) -> bool {
        !self.inner.live.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Every connection.
    pub(crate) fn all(&self) -> Vec<Arc<Live>> {
        self.inner.live.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Whether a request that names these servers has been here.
    pub(crate) fn has_passed(&self, hops: &http::HeaderMap) -> bool {
        let hops = hops.get_all(upstream::HOP);
        let own = self.inner.instance.as_bytes();
        hops.iter()
            .any(|value| value.as_bytes().split(|byte| *byte == b',').any(|one| one.trim_ascii() == own))
    }
}
