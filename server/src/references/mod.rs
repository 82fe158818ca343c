//! What names a table's states: versions, tags, branches and the transactions that made them.
//!
//! The service authorises through the catalog, lets the engine act, and records what was done. Reading
//! needs the viewer role: none of it is rows. Of a declared table there is nothing, and that is no
//! fault.

mod branches;
mod error;
mod tags;
mod transactions;
mod versions;

use lakeglass_api::catalog::TableState;
use lakeglass_api::{Role, TableRef};
use lakeglass_ports::{TableEngine, TableLocation};

use crate::audit::{Audit, Outcome};
use crate::auth::Actor;
use crate::catalog::Catalog;
use crate::engines::Engines;
use crate::jobs::Jobs;

pub use error::{Error, Result};
pub use transactions::{Alteration, Transaction};

/// Versions, tags and branches of tables. Clones share everything.
#[derive(Debug, Clone)]
pub struct References {
    catalog: Catalog,
    engines: Engines,
    audit: Audit,
    jobs: Jobs,
}

impl References {
    pub fn new(catalog: Catalog, engines: Engines, audit: Audit, jobs: Jobs) -> Self {
        Self { catalog, engines, audit, jobs }
    }

    fn engine(&self) -> &dyn TableEngine {
        self.engines.tables.as_ref()
    }

    /// Where a table lies that the actor may look at; none: declared, and nothing is written.
    async fn written(&self, actor: &Actor, table: &TableRef) -> Result<Option<TableLocation>> {
        let resolved = self.catalog.resolve_lance(actor, table, Role::Viewer).await?;
        Ok((resolved.table.state != TableState::Declared).then_some(resolved.location))
    }

    async fn record(&self, actor: &Actor, action: &'static str, table: &TableRef, detail: serde_json::Value) {
        self.audit.record(actor, action, &table.to_string(), Outcome::Done, detail).await;
    }
}
