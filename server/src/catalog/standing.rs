//! The tables that stand out: largest, not looked at for long, or not readable. For overviews.

use lakeglass_api::catalog::Table;

use super::error::Result;
use super::{Catalog, store};
use crate::auth::Actor;

/// By what tables stand out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Most bytes first, as last observed.
    Largest,
    /// Created tables whose newest look failed; the newest such look first.
    LookFailed,
    /// Created tables whose last observation is older than this time, or missing; oldest first.
    ObservedBefore(i64),
}

impl Catalog {
    /// At most `limit` (1 to 100) of the tables that the actor may see.
    pub async fn standing(&self, actor: &Actor, which: Standing, limit: u32) -> Result<Vec<Table>> {
        let visible = actor.visible_buckets();
        let limit = limit.clamp(1, 100);
        let rows = store::standing::page(&self.db.read, which, visible.as_deref(), limit).await?;
        let mut tables = Vec::with_capacity(rows.len());
        for row in rows {
            tables.push(self.shown(row).await?);
        }
        Ok(tables)
    }
}
