//! What the server still waits for. Fixed words only: `/readyz` shows them to anyone.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Names of what is not there yet.
#[derive(Debug, Default)]
pub struct Readiness {
    waiting: Mutex<BTreeSet<&'static str>>,
}

impl Readiness {
    /// `/readyz` names this until [`done`](Self::done).
    pub fn wait_for(&self, what: &'static str) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(what);
    }

    pub fn done(&self, what: &'static str) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(what);
    }

    pub fn waiting(&self) -> Vec<&'static str> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }
}
