//! Native Lance: the describer that reads tables and the engine that writes and queries them.
//!
//! The only crate that names lance and datafusion. [`open`] gives both over one session, so that
//! caches are shared and bounded for the whole process.

mod changes;
mod confine;
mod cost;
mod describe;
mod describer;
mod engine;
mod error;
mod filter;
mod full_text;
mod history;
mod indices;
mod inspection;
mod open;
mod preview;
mod query;
mod references;
mod schema;
mod write;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use lakeglass_ports::{Describer, TableEngine};

pub use describer::NativeLance;
pub use engine::Engine;

/// How much memory the session's caches may hold, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheSize {
    /// Opened indices.
    pub indices: usize,
    /// Manifests, file footers, deletion vectors.
    pub metadata: usize,
}

impl Default for CacheSize {
    fn default() -> Self {
        Self { indices: 256 << 20, metadata: 128 << 20 }
    }
}

/// The native describer and the table engine, over one session.
pub fn open(cache: CacheSize) -> (Arc<dyn Describer>, Arc<dyn TableEngine>) {
    let lake = Arc::new(open::Lake::new(cache));
    (Arc::new(NativeLance::new(Arc::clone(&lake))), Arc::new(Engine::new(lake)))
}
