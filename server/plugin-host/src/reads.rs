//! A guest's reads: paths checked, sizes clamped, every one counted against the call's budgets.

use futures::StreamExt;
use object_store::{GetOptions, GetRange, ObjectStoreExt};

use crate::bindings::lakeglass::describer::object_store::{
    ListOptions, ListPage, ObjectMeta, Range, ReadRequest,
};
use crate::bindings::lakeglass::describer::types::StoreError;
use crate::config::Limits;
use crate::listing::{self, Wanted};
use crate::scope::Scope;

/// One read, in bytes.
const READ_CLAMP: u64 = 8 << 20;
/// One `read-many`, in bytes.
const MANY_CLAMP: u64 = 32 << 20;
/// Requests one `read-many` may hold.
const MANY_REQUESTS: usize = 1000;
/// Reads of one `read-many` under way at once.
const PARALLEL: usize = 8;
const LIST_CLAMP: u32 = 1000;

/// The store of one call, with what is left of its budgets.
#[derive(Debug)]
pub(crate) struct Reads {
    scope: Scope,
    requests: u64,
    bytes: u64,
    pages: u64,
    max_requests: u64,
    max_bytes: u64,
    max_pages: u64,
}

type Bytes = (ObjectMeta, Vec<u8>);

impl Reads {
    pub(crate) fn new(scope: Scope, limits: &Limits) -> Self {
        Self {
            scope,
            requests: 0,
            bytes: 0,
            pages: 0,
            max_requests: limits.requests,
            max_bytes: limits.read_bytes,
            max_pages: limits.list_pages,
        }
    }

    /// Requests made and bytes read.
    pub(crate) fn spent(&self) -> (u64, u64) {
        (self.requests, self.bytes)
    }

    pub(crate) fn relativize(&self, uri: &str) -> Option<String> {
        self.scope.relativize(uri)
    }

    pub(crate) async fn list(&mut self, options: ListOptions) -> Result<ListPage, StoreError> {
        self.charge_request()?;
        if self.pages >= self.max_pages {
            return Err(StoreError::Quota(format!("{} pages of listings", self.max_pages)));
        }
        self.pages += 1;
        let after = options.page_token.or(options.start_after).unwrap_or_default();
        let wanted = Wanted {
            folder: self.scope.resolve_folder(&options.prefix)?,
            prefix: options.prefix,
            delimited: options.delimited,
            after,
            limit: options.max_keys.clamp(1, LIST_CLAMP) as usize,
        };
        let found = listing::list(&self.scope, wanted).await?;
        let next = found.more.then(|| found.entries.keys().next_back().cloned()).flatten();
        let mut page = ListPage { objects: Vec::new(), prefixes: Vec::new(), next };
        for (path, entry) in found.entries {
            match entry {
                Some(meta) => page.objects.push(meta),
                None => page.prefixes.push(path),
            }
        }
        Ok(page)
    }

    pub(crate) async fn head(&mut self, path: &str) -> Result<ObjectMeta, StoreError> {
        self.charge_request()?;
        head(&self.scope, path).await
    }

    pub(crate) async fn read(&mut self, request: ReadRequest) -> Result<Bytes, StoreError> {
        self.charge_request()?;
        self.charge_bytes(length(&request.range))?;
        let result = read(&self.scope, &request).await;
        self.settle(&request.range, &result);
        result
    }

    pub(crate) async fn read_many(&mut self, requests: Vec<ReadRequest>) -> Vec<Result<Bytes, StoreError>> {
        let mut together = 0;
        let mut allowed = Vec::with_capacity(requests.len());
        for (index, request) in requests.iter().enumerate() {
            let wanted = length(&request.range);
            let verdict = if index >= MANY_REQUESTS {
                Err(StoreError::Quota(format!("{MANY_REQUESTS} requests in one read")))
            } else if together + wanted > MANY_CLAMP {
                Err(StoreError::Quota(format!("{} MiB in one read", MANY_CLAMP >> 20)))
            } else {
                self.charge_request().and_then(|()| self.charge_bytes(wanted))
            };
            together += if verdict.is_ok() { wanted } else { 0 };
            allowed.push(verdict);
        }
        let scope = &self.scope;
        let mut work = Vec::with_capacity(requests.len());
        for (request, verdict) in requests.into_iter().zip(allowed) {
            work.push(async move {
                let charged = verdict.is_ok();
                let result = match verdict {
                    Ok(()) => read(scope, &request).await,
                    Err(refusal) => Err(refusal),
                };
                (charged, request.range, result)
            });
        }
        let results: Vec<_> = futures::stream::iter(work).buffered(PARALLEL).collect().await;
        let mut answers = Vec::with_capacity(results.len());
        for (charged, range, result) in results {
            if charged {
                self.settle(&range, &result);
            }
            answers.push(result);
        }
        answers
    }

    fn charge_request(&mut self) -> Result<(), StoreError> {
        if self.requests >= self.max_requests {
            return Err(StoreError::Quota(format!("{} requests", self.max_requests)));
        }
        self.requests += 1;
        Ok(())
    }

    /// Takes the most a read can bring off the budget; [`settle`](Self::settle) gives back the rest.
    fn charge_bytes(&mut self, most: u64) -> Result<(), StoreError> {
        if self.bytes + most > self.max_bytes {
            return Err(StoreError::Quota(format!("{} MiB read", self.max_bytes >> 20)));
        }
        self.bytes += most;
        Ok(())
    }

    fn settle(&mut self, range: &Range, result: &Result<Bytes, StoreError>) {
        let read = result.as_ref().map_or(0, |(_, bytes)| bytes.len() as u64);
        self.bytes = self.bytes - length(range) + read;
    }
}

/// The most bytes a range can bring.
fn length(range: &Range) -> u64 {
    match range {
        Range::Whole => READ_CLAMP,
        Range::Span((_, length)) | Range::Tail(length) => u64::from(*length).min(READ_CLAMP),
    }
}

async fn head(scope: &Scope, path: &str) -> Result<ObjectMeta, StoreError> {
    let location = scope.resolve(path)?;
    scope.leads_there(path).await?;
    let found = scope.location.store.head(&location).await.map_err(store_error)?;
    Ok(meta(path.to_owned(), &found))
}

async fn read(scope: &Scope, request: &ReadRequest) -> Result<Bytes, StoreError> {
    let location = scope.resolve(&request.path)?;
    scope.leads_there(&request.path).await?;
    let most = length(&request.range);
    let range = match request.range {
        Range::Whole => None,
        Range::Span((offset, _)) => {
            let end = offset.checked_add(most).ok_or(StoreError::BadRange)?;
            Some(GetRange::Bounded(offset..end))
        }
        Range::Tail(_) => Some(GetRange::Suffix(most)),
    };
    let nothing = most == 0;
    let options = GetOptions {
        if_match: request.etag.clone(),
        range: if nothing { None } else { range },
        head: nothing,
        ..GetOptions::default()
    };
    let result = match scope.location.store.get_opts(&location, options).await {
        Ok(result) => result,
        Err(error @ (object_store::Error::NotFound { .. } | object_store::Error::Precondition { .. })) => {
            return Err(store_error(error));
        }
        // A range past the end is an error to stores, each in its own words, and nothing to read here.
        Err(error) => {
            let found = head(scope, &request.path).await?;
            if request.etag.is_some() && request.etag != found.etag {
                return Err(StoreError::Changed);
            }
            return match request.range {
                Range::Span((offset, _)) if offset >= found.size => Ok((found, Vec::new())),
                Range::Tail(_) if found.size == 0 => Ok((found, Vec::new())),
                _ => Err(store_error(error)),
            };
        }
    };
    let found = meta(request.path.clone(), &result.meta);
    if nothing {
        return Ok((found, Vec::new()));
    }
    if result.range.end - result.range.start > READ_CLAMP {
        return Err(StoreError::BadRange);
    }
    let bytes = result.bytes().await.map_err(store_error)?;
    Ok((found, bytes.into()))
}

pub(crate) fn meta(path: String, found: &object_store::ObjectMeta) -> ObjectMeta {
    ObjectMeta {
        path,
        size: found.size,
        etag: found.e_tag.clone(),
        modified_ms: Some(found.last_modified.timestamp_millis()),
    }
}

/// A store's error without its details: they name places that a guest has no business knowing.
pub(crate) fn store_error(error: object_store::Error) -> StoreError {
    use object_store::Error as E;
    match error {
        E::NotFound { .. } => StoreError::NotFound,
        E::Precondition { .. } | E::NotModified { .. } => StoreError::Changed,
        E::PermissionDenied { .. } | E::Unauthenticated { .. } => StoreError::Denied,
        E::InvalidPath { .. } => StoreError::BadPath,
        other => {
            tracing::debug!(error = %other, "a plugin's read failed");
            StoreError::Unavailable("the storage did not answer the read".to_owned())
        }
    }
}
