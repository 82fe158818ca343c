//! One connection while the server runs: what it is reached by, and what was learned about it.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lakeglass_api::BucketName;
use lakeglass_api::catalog::Backing;
use lakeglass_ports::{NamesError, Placed, TableLocation};

use super::breaker::Breaker;
use super::calls::Calls;
use super::store::Row;
use super::upstream::Upstream;

/// How long a described table is where it was. Vended keys live longer than this.
const PLACED_HOLDS: Duration = Duration::from_secs(20);
/// Tables remembered for one connection.
const MOST_PLACED: usize = 2000;

/// A connection.
pub(crate) struct Live {
    pub(crate) bucket_id: i64,
    pub(crate) bucket: BucketName,
    pub(crate) backing: Backing,
    pub(super) row: Row,
    /// None for a directory; an error when its credentials cannot be read.
    pub(super) upstream: Option<Result<Arc<Upstream>, ()>>,
    pub(super) breaker: Arc<Breaker>,
    pub(super) calls: Arc<Calls>,
    pub(super) roots: Vec<String>,
    pub(super) endpoints: Vec<String>,
    support: Mutex<BTreeMap<String, bool>>,
    placed: Mutex<HashMap<Vec<String>, Known>>,
}

/// A table that was described a moment ago.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) placed: Arc<Placed>,
    /// None until somebody opened it.
    pub(crate) location: Option<TableLocation>,
    at: Instant,
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live")
            .field("bucket", &self.bucket)
            .field("backing", &self.backing)
            .field("upstream", &self.upstream)
            .finish_non_exhaustive()
    }
}

impl Live {
    pub(super) fn new(
        row: Row,
        bucket: BucketName,
        upstream: Option<Result<Arc<Upstream>, ()>>,
        breaker: Arc<Breaker>,
        calls: Arc<Calls>,
    ) -> Self {
        let list = |text: &str| serde_json::from_str(text).unwrap_or_default();
        Self {
            bucket_id: row.bucket_id,
            bucket,
            backing: if row.backing == "directory" { Backing::Directory } else { Backing::Upstream },
            upstream,
            breaker,
            calls,
            roots: list(&row.roots),
            endpoints: list(&row.endpoints),
            support: Mutex::new(serde_json::from_str(&row.support).unwrap_or_default()),
            placed: Mutex::default(),
            row,
        }
    }

    /// The upstream, for a bucket over one.
    pub(crate) fn upstream(&self) -> Result<&Arc<Upstream>, super::Error> {
        match &self.upstream {
            Some(Ok(upstream)) => Ok(upstream),
            Some(Err(())) => Err(super::Error::Secret),
            None => Err(NamesError::Unsupported("being asked as a server".to_owned()).into()),
        }
    }

    /// Whether the other side has an operation; none: not known.
    pub(crate) fn supports(&self, operation: &str) -> Option<bool> {
        self.support.lock().unwrap_or_else(PoisonError::into_inner).get(operation).copied()
    }

    /// Keeps what was learned; true when it is new.
    pub(super) fn learn(&self, operation: &str, has: bool) -> bool {
        let mut support = self.support.lock().unwrap_or_else(PoisonError::into_inner);
        support.insert(operation.to_owned(), has) != Some(has)
    }

    pub(super) fn support(&self) -> BTreeMap<String, bool> {
        self.support.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<Vec<String>, Known>> {
        self.placed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was said of a table a moment ago.
    pub(super) fn recall(&self, table: &[String]) -> Option<Known> {
        self.known().get(table).filter(|known| known.at.elapsed() < PLACED_HOLDS).cloned()
    }

    pub(super) fn remember(&self, table: Vec<String>, placed: Arc<Placed>, location: Option<TableLocation>) {
        let mut known = self.known();
        if known.len() >= MOST_PLACED {
            known.retain(|_, one| one.at.elapsed() < PLACED_HOLDS);
        }
        if known.len() < MOST_PLACED {
            known.insert(table, Known { placed, location, at: Instant::now() });
        }
    }

    /// Forgets what was said of a table, or of all.
    pub(crate) fn forget(&self, table: Option<&[String]>) {
        match table {
            Some(table) => drop(self.known().remove(table)),
            None => self.known().clear(),
        }
    }
}
