//! Opening datasets: one session, handles cached by location, the latest version checked every time.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use lakeglass_ports::{Error, Result, TableLocation, VersionRef};
use lance::Dataset;
use lance::dataset::builder::DatasetBuilder;
use lance::session::Session;
use lance_io::object_store::ObjectStoreRegistry;
use moka::future::Cache;
use tokio::sync::OwnedMutexGuard;

use crate::CacheSize;
use crate::confine;
use crate::cost::{Meter, store_params};
use crate::error::map;

/// Handles kept open at most; each holds a manifest.
const HANDLES: u64 = 512;

/// A location and the options it is reached by, hashed: changed keys open a new handle.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    uri: String,
    options: u64,
}

impl Key {
    fn of(location: &TableLocation) -> Self {
        let mut hasher = DefaultHasher::new();
        location.options.hash(&mut hasher);
        Self { uri: location.uri.clone(), options: hasher.finish() }
    }
}

/// The process's one session and its open datasets.
#[derive(Debug)]
pub(crate) struct Lake {
    cache: CacheSize,
    registry: Arc<ObjectStoreRegistry>,
    session: RwLock<Arc<Session>>,
    /// Handles on the main branch, as they were when opened. Never used without a look at the latest
    /// version.
    handles: Cache<Key, Dataset>,
    /// Changes that rewrite rows or columns, by location: one at a time.
    turns: Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>,
}

impl Lake {
    pub(crate) fn new(cache: CacheSize) -> Self {
        let registry = Arc::new(ObjectStoreRegistry::default());
        let session =
            RwLock::new(Arc::new(Session::new(cache.indices, cache.metadata, Arc::clone(&registry))));
        let handles = Cache::builder()
            .max_capacity(HANDLES)
            .time_to_idle(std::time::Duration::from_mins(30))
            .support_invalidation_closures()
            .build();
        Self { cache, registry, session, handles, turns: Mutex::default() }
    }

    pub(crate) fn session(&self) -> Arc<Session> {
        Arc::clone(&self.session.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn builder(&self, location: &TableLocation) -> DatasetBuilder {
        DatasetBuilder::from_uri(&location.uri)
            .with_store_params(store_params(&location.options))
            .with_session(self.session())
    }

    /// The main branch's handle, as old as it may be.
    async fn handle(&self, location: &TableLocation) -> Result<Dataset> {
        let key = Key::of(location);
        if let Some(known) = self.handles.get(&key).await {
            return Ok(known);
        }
        let dataset = self.builder(location).load().await.map_err(map)?;
        self.handles.insert(key, dataset.clone()).await;
        Ok(dataset)
    }

    /// Keeps a handle that a write made.
    pub(crate) async fn keep(&self, location: &TableLocation, dataset: &Dataset) {
        if dataset.manifest().branch.is_none() {
            self.handles.insert(Key::of(location), dataset.clone()).await;
        }
    }

    /// Waits until no other change of this process rewrites the table. First come, first served.
    pub(crate) async fn turn(&self, location: &TableLocation) -> OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            let known = turns.get(&location.uri).and_then(Weak::upgrade);
            known.unwrap_or_else(|| {
                turns.retain(|_, turn| turn.strong_count() > 0);
                let turn = Arc::new(tokio::sync::Mutex::new(()));
                turns.insert(location.uri.clone(), Arc::downgrade(&turn));
                turn
            })
        };
        turn.lock_owned().await
    }

    /// The dataset at a version, fresh and confined. Reads go through `meter` when one is given.
    pub(crate) async fn open(
        &self,
        location: &TableLocation,
        at: &VersionRef,
        meter: Option<&mut Meter>,
    ) -> Result<Dataset> {
        confine::check_location(location)?;
        let known = self.handle(location).await?;
        let dataset = match meter {
            Some(meter) => meter.watch(&known).await?,
            None => known,
        };
        let opened = checkout(dataset, at).await;
        if matches!(opened, Err(Error::NotFound)) {
            self.handles.invalidate(&Key::of(location)).await;
        }
        let opened = opened?;
        confine::check_dataset(location, &opened)?;
        Ok(opened)
    }

    /// The newest version of the main branch without its manifest; none when nothing is written.
    pub(crate) async fn latest_version(&self, location: &TableLocation) -> Result<Option<u64>> {
        confine::check_location(location)?;
        let latest = if let Some(known) = self.handles.get(&Key::of(location)).await {
            known.latest_version_id().await.map_err(map)
        } else {
            let (store, base, commits) = self.builder(location).build_object_store().await.map_err(map)?;
            commits.resolve_latest_location(&base, &store).await.map(|found| found.version).map_err(map)
        };
        match latest {
            Ok(version) => Ok(Some(version)),
            Err(Error::NotFound) => {
                self.handles.invalidate(&Key::of(location)).await;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Forgets everything below a location. The session is replaced as a whole: some of its entries
    /// are keyed by version or fragment number only, and another table may come to stand at the place.
    pub(crate) async fn forget(&self, location: &TableLocation) {
        let below = format!("{}/", location.uri);
        let uri = location.uri.clone();
        // Only fails when closures are not supported, which `new` asks for.
        let _ =
            self.handles.invalidate_entries_if(move |key, _| key.uri == uri || key.uri.starts_with(&below));
        let fresh =
            Arc::new(Session::new(self.cache.indices, self.cache.metadata, Arc::clone(&self.registry)));
        *self.session.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        // Other handles hold the session before; they are opened again on the new one.
        self.handles.invalidate_all();
        self.handles.run_pending_tasks().await;
    }
}

/// The newest version of a branch; none is the main one.
pub(crate) fn newest(branch: Option<&str>) -> VersionRef {
    branch.map_or(VersionRef::Latest, |branch| VersionRef::Branch(branch.to_owned(), None))
}

/// Moves a handle to a version. Its error names what was missing.
async fn checkout(mut dataset: Dataset, at: &VersionRef) -> Result<Dataset> {
    match at {
        VersionRef::Latest => {
            dataset.checkout_latest().await.map_err(map)?;
            Ok(dataset)
        }
        VersionRef::Version(text) => {
            let version = number(text)?;
            missing(dataset.checkout_version((None, Some(version))).await, || {
                Error::NoSuchVersion(text.clone())
            })
        }
        VersionRef::Tag(tag) => {
            let found = dataset.tags().get(tag).await;
            let contents = missing(found, || Error::NoSuchTag(tag.clone()))?;
            let place = (contents.branch.as_deref(), Some(contents.version));
            missing(dataset.checkout_version(place).await, || {
                Error::NoSuchVersion(format!("{} that tag {tag} names", contents.version))
            })
        }
        VersionRef::Branch(branch, version) if branch == "main" => {
            let at = version.clone().map_or(VersionRef::Latest, VersionRef::Version);
            Box::pin(checkout(dataset, &at)).await
        }
        VersionRef::Branch(branch, version) => {
            missing(dataset.branches().get(branch).await, || Error::NoSuchBranch(branch.clone()))?;
            let number = version.as_deref().map(number).transpose()?;
            missing(dataset.checkout_version((Some(branch.as_str()), number)).await, || match version {
                Some(version) => Error::NoSuchVersion(format!("{version} on branch {branch}")),
                None => Error::NoSuchBranch(branch.clone()),
            })
        }
    }
}

fn number(text: &str) -> Result<u64> {
    text.parse().map_err(|_| Error::InvalidRequest("A version is a whole number from 1".to_owned()))
}

/// What is not there by the name of what was asked for.
fn missing<T>(result: lance_core::Result<T>, name: impl FnOnce() -> Error) -> Result<T> {
    match result {
        Ok(found) => Ok(found),
        Err(
            lance_core::Error::NotFound { .. }
            | lance_core::Error::DatasetNotFound { .. }
            | lance_core::Error::VersionNotFound { .. }
            | lance_core::Error::RefNotFound { .. }
            | lance_core::Error::InvalidRef { .. },
        ) => Err(name()),
        Err(other) => Err(map(other)),
    }
}

/// Metadata maps in order of their keys.
pub(crate) fn sorted(map: &HashMap<String, String>) -> Vec<(&String, &String)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_unstable();
    entries
}
