//! What the host is given, and the limits of a call.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How the host works. The key proves that compiled code was written by this server.
#[derive(Clone)]
pub struct HostConfig {
    /// Folder for compiled code, made with mode 0700; none: compile at every start.
    pub cache: Option<PathBuf>,
    pub key: [u8; 32],
    pub limits: Limits,
    /// Calls that run at once; more wait.
    pub calls: usize,
    /// How long a call waits for its turn.
    pub queue: Duration,
}

impl HostConfig {
    /// Default limits, twice as many calls at once as processors.
    pub fn new(cache: PathBuf, key: [u8; 32]) -> Self {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            cache: Some(cache),
            key,
            limits: Limits::default(),
            calls: processors * 2,
            queue: Duration::from_secs(10),
        }
    }
}

impl fmt::Debug for HostConfig {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostConfig")
            .field("cache", &self.cache)
            .field("limits", &self.limits)
            .field("calls", &self.calls)
            .finish_non_exhaustive()
    }
}

/// What one call may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// All linear memories together, in bytes.
    pub memory: usize,
    /// All tables together, in elements.
    pub table_elements: usize,
    /// Wall clock of `info`.
    pub info: Duration,
    /// Wall clock of `detect`.
    pub detect: Duration,
    /// Wall clock of `describe` and `history`.
    pub describe: Duration,
    pub preview: Duration,
    /// Requests to the store, listings included.
    pub requests: u64,
    /// Bytes read from the store.
    pub read_bytes: u64,
    /// Pages of listings.
    pub list_pages: u64,
    /// Bytes lifted out of the guest in one crossing.
    pub lifted_bytes: usize,
    /// Bytes of Arrow that a preview may answer with.
    pub preview_bytes: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 256 << 20,
            table_elements: 100_000,
            info: Duration::from_secs(5),
            detect: Duration::from_secs(15),
            describe: Duration::from_mins(1),
            preview: Duration::from_secs(15),
            requests: 10_000,
            read_bytes: 512 << 20,
            list_pages: 1000,
            lifted_bytes: 16 << 20,
            preview_bytes: 8 << 20,
        }
    }
}
