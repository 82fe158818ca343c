//! The only input a describer has: objects under the root of one table.

use crate::{Error, Level, ListOptions, ListPage, ObjectMeta, Range, ReadRequest, StoreError};

/// Reads below one root. Paths are relative, separated by `/`; for a single object the root is its
/// folder, and only the object and its siblings `NAME-*` and `NAME.*` are visible.
pub trait Store {
    /// One page, in lexicographic order of path.
    fn list(&self, options: &ListOptions) -> Result<ListPage, StoreError>;

    fn head(&self, path: &str) -> Result<ObjectMeta, StoreError>;

    /// One read, of 8 MiB at most.
    fn read(&self, request: &ReadRequest) -> Result<(ObjectMeta, Vec<u8>), StoreError>;

    /// Several reads, fetched in parallel; 32 MiB in all. One answer for each request, in order.
    fn read_many(&self, requests: &[ReadRequest]) -> Vec<Result<(ObjectMeta, Vec<u8>), StoreError>>;

    /// Maps an absolute URI in metadata to a path under the root; none: outside what may be read.
    fn relativize(&self, uri: &str) -> Option<String>;

    fn log(&self, level: Level, message: &str);

    /// Reads from `offset`, up to `length` bytes; pinned to `etag` where one is given.
    fn read_span(
        &self,
        path: &str,
        offset: u64,
        length: u32,
        etag: Option<&str>,
    ) -> Result<(ObjectMeta, Vec<u8>), StoreError> {
        self.read(&ReadRequest {
            path: path.to_owned(),
            range: Range::Span((offset, length)),
            etag: etag.map(str::to_owned),
        })
    }
}

/// Turns a store's refusal into the describer's error, with the path it was about.
pub fn at(path: &str) -> impl Fn(StoreError) -> Error + '_ {
    move |error| Error::Store((path.to_owned(), error))
}
