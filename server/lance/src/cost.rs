//! What a read costs: requests and bytes of one call, apart from what others read at the same time.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use lakeglass_api::description::Cost;
use lakeglass_ports::{Error, Result};
use lance::Dataset;
use lance_io::object_store::providers::local::FileStoreProvider;
use lance_io::object_store::{
    ObjectStoreParams, ObjectStoreProvider, StorageOptionsAccessor, WrappingObjectStore,
};
use lance_io::utils::tracking_store::IOTracker;

use crate::error::map;

/// Counts the requests of one call.
#[derive(Debug)]
pub(crate) struct Meter {
    tracker: IOTracker,
    started: Instant,
}

impl Meter {
    pub(crate) fn start() -> Self {
        Self { tracker: IOTracker::default(), started: Instant::now() }
    }

    /// The same dataset, its reads counted by this meter.
    ///
    /// Local files are read past the object store, so a local dataset is given a store of its own with
    /// a counter of its own; the clients of remote stores are kept and wrapped.
    pub(crate) async fn watch(&mut self, dataset: &Dataset) -> Result<Dataset> {
        let store = dataset.object_store(None).await.map_err(map)?;
        if !store.is_local() {
            let wrapper: Arc<dyn WrappingObjectStore> = Arc::new(self.tracker.clone());
            return Ok(dataset.with_object_store_wrappers([wrapper]));
        }
        let root = url::Url::parse("file:///").map_err(Error::internal)?;
        let params = dataset.store_params().cloned().unwrap_or_default();
        let own = FileStoreProvider.new_store(root, &params).await.map_err(map)?;
        self.tracker = own.io_tracker().clone();
        let wrapper: Arc<dyn WrappingObjectStore> = Arc::new(self.tracker.clone());
        Ok(dataset.with_object_store(Arc::new(own), Some(params)).with_object_store_wrappers([wrapper]))
    }

    pub(crate) fn cost(&self) -> Cost {
        let stats = self.tracker.stats();
        Cost {
            requests: stats.read_iops,
            bytes: stats.read_bytes,
            elapsed_ms: u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// Lance's parameters for a location's store options.
pub(crate) fn store_params(options: &std::collections::BTreeMap<String, String>) -> ObjectStoreParams {
    let accessor = (!options.is_empty()).then(|| {
        let options: HashMap<String, String> = options.clone().into_iter().collect();
        Arc::new(StorageOptionsAccessor::with_static_options(options))
    });
    ObjectStoreParams { storage_options_accessor: accessor, ..ObjectStoreParams::default() }
}
