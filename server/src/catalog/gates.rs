//! Per-table gates inside this process: writes of rows pass together, a first write or a removal alone;
//! of changes to the catalog's rows and markers one at a time, and mending keeps off those under way.
//!
//! They spare clients of this server needless conflicts. What keeps data safe is the store's own commit
//! and the catalog's intents, which hold for writers elsewhere too.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

/// How long a removal waits for writes of rows to end.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(super) struct Gates {
    gates: Mutex<HashMap<i64, Weak<RwLock<()>>>>,
}

impl Gates {
    /// Passes together with others.
    pub(super) async fn shared(&self, id: i64) -> OwnedRwLockReadGuard<()> {
        self.gate(id).read_owned().await
    }

    /// Passes alone, once those inside have left.
    pub(super) async fn alone(&self, id: i64) -> OwnedRwLockWriteGuard<()> {
        self.gate(id).write_owned().await
    }

    /// Passes alone, or not at all when those inside stay for 10 s.
    pub(super) async fn alone_soon(&self, id: i64) -> Option<OwnedRwLockWriteGuard<()>> {
        tokio::time::timeout(PATIENCE, self.gate(id).write_owned()).await.ok()
    }

    /// Passes alone at once, or not at all.
    pub(super) fn alone_now(&self, id: i64) -> Option<OwnedRwLockWriteGuard<()>> {
        self.gate(id).try_write_owned().ok()
    }

    /// Whether someone is inside or waits.
    pub(super) fn is_busy(&self, id: i64) -> bool {
        let gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.get(&id).is_some_and(|gate| gate.strong_count() > 0)
    }

    fn gate(&self, id: i64) -> Arc<RwLock<()>> {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gate) = gates.get(&id).and_then(Weak::upgrade) {
            return gate;
        }
        gates.retain(|_, gate| gate.strong_count() > 0);
        let gate = Arc::new(RwLock::new(()));
        gates.insert(id, Arc::downgrade(&gate));
        gate
    }
}
