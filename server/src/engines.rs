//! What `bin` brings in: the table engine, and the describers, of which some may still be on their way.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use lakeglass_api::FormatId;
use lakeglass_ports::{Describer, FormatInfo, TableEngine};
use tokio::sync::watch;

/// Longest wait for a describer that may still be on its way: compiling one takes seconds.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Clone)]
pub struct Engines {
    pub describers: Describers,
    pub tables: Arc<dyn TableEngine>,
}

/// The describers of this server, in order of preference: of two that answer for one format the first is
/// asked. Clones share them.
///
/// Components are compiled while the server is ready already, so a look-up that finds nothing waits as
/// long as more may come.
#[derive(Debug, Clone)]
pub struct Describers {
    all: Arc<RwLock<All>>,
    /// How many loads are under way.
    loads: watch::Sender<usize>,
}

type All = Arc<[Arc<dyn Describer>]>;

/// More describers may come, for as long as this lives.
#[derive(Debug)]
pub struct Loading(Describers);

impl Describers {
    pub fn new(all: Vec<Arc<dyn Describer>>) -> Self {
        Self { all: Arc::new(RwLock::new(all.into())), loads: watch::Sender::new(0) }
    }

    /// Those that are here now.
    pub fn all(&self) -> Arc<[Arc<dyn Describer>]> {
        // The list is replaced whole, so a panic elsewhere cannot have broken it.
        Arc::clone(&self.all.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Says that more are on their way.
    pub fn loading(&self) -> Loading {
        self.loads.send_modify(|loads| *loads += 1);
        Loading(self.clone())
    }

    /// What answers for a format, and what it can do with it; none: nothing here does.
    pub async fn serving(&self, format: &FormatId) -> Option<(Arc<dyn Describer>, FormatInfo)> {
        if let Some(found) = self.serving_now(format) {
            return Some(found);
        }
        self.settled().await;
        self.serving_now(format)
    }

    /// The same among those that are here now.
    pub fn serving_now(&self, format: &FormatId) -> Option<(Arc<dyn Describer>, FormatInfo)> {
        self.all().iter().find_map(|describer| {
            let info = describer.formats().into_iter().find(|info| info.id == *format)?;
            Some((Arc::clone(describer), info))
        })
    }

    /// Waits until no load is under way, for at most half a minute.
    pub async fn settled(&self) {
        let mut loads = self.loads.subscribe();
        // Too long, and what is here has to do. The sender lives in `self`, so it cannot have gone.
        let _ = tokio::time::timeout(PATIENCE, loads.wait_for(|loads| *loads == 0)).await;
    }
}

impl Loading {
    /// One that is ready, after all others.
    pub fn add(&self, describer: Arc<dyn Describer>) {
        let mut all = self.0.all.write().unwrap_or_else(PoisonError::into_inner);
        *all = all.iter().cloned().chain([describer]).collect();
    }
}

impl Drop for Loading {
    fn drop(&mut self) {
        self.0.loads.send_modify(|loads| *loads -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Lines;

    fn csv() -> FormatId {
        FormatId::new("csv")
    }

    #[tokio::test]
    async fn a_look_up_waits_for_what_is_on_its_way() {
        let describers = Describers::new(Vec::new());
        let loading = describers.loading();
        let asking = tokio::spawn({
            let describers = describers.clone();
            async move { describers.serving(&csv()).await.is_some() }
        });
        tokio::task::yield_now().await;
        assert!(!asking.is_finished());
        loading.add(Arc::new(Lines));
        drop(loading);
        assert!(asking.await.unwrap());
    }

    #[tokio::test]
    async fn with_nothing_on_its_way_nothing_is_waited_for() {
        let describers = Describers::new(Vec::new());
        drop(describers.loading());
        let asked = tokio::time::timeout(PATIENCE / 2, describers.serving(&csv())).await;
        assert!(asked.unwrap().is_none());
    }
}
