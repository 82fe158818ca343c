//! The other side of the interface when built as a component: the host's imports as a [`Store`], and
//! the macro that exports a describer.

use crate::bindings::lakeglass::describer::{log, object_store};
use crate::store::Store;
use crate::{Level, ListOptions, ListPage, ObjectMeta, ReadRequest, StoreError};

/// What the host bound this call to.
#[derive(Debug)]
pub struct HostStore;

impl Store for HostStore {
    fn list(&self, options: &ListOptions) -> Result<ListPage, StoreError> {
        object_store::list_objects(options)
    }

    fn head(&self, path: &str) -> Result<ObjectMeta, StoreError> {
        object_store::head(path)
    }

    fn read(&self, request: &ReadRequest) -> Result<(ObjectMeta, Vec<u8>), StoreError> {
        object_store::read(request)
    }

    fn read_many(&self, requests: &[ReadRequest]) -> Vec<Result<(ObjectMeta, Vec<u8>), StoreError>> {
        object_store::read_many(requests)
    }

    fn relativize(&self, uri: &str) -> Option<String> {
        object_store::relativize(uri)
    }

    fn log(&self, level: Level, message: &str) {
        log::log(level, message);
    }
}
