//! Demo data: real, small and openly licensed, loaded as a job through the product's own write path.
//!
//! `data/LICENCES.md` names sources and licences. Loading takes up where it was left: what a table
//! holds says which step is next, so a step done twice changes nothing. A table that somebody changed
//! is left alone.

mod digits;
mod load;
mod penguins;
mod png;
mod steps;
#[cfg(test)]
mod tests;

use std::io::Read;
use std::sync::Arc;

pub use load::LoadDemo;

use crate::auth::Actor;
use crate::jobs::JobFilter;
use crate::state::App;

/// The bucket of the Lance tables.
pub const BUCKET: &str = "demo";
/// The bucket of files that a plugin reads.
pub const FILES: &str = "demo-files";

/// Starts the loading job, unless it ran before: whoever removed the demo wants it gone.
pub(crate) async fn start_once(app: &Arc<App>) {
    let actor = Actor::system("demo");
    let filter = JobFilter { kind: Some(load::NAME.to_owned()), ..JobFilter::default() };
    match app.jobs.list(&actor, filter, &lakeglass_api::ListQuery::default()).await {
        Ok(page) if page.items.iter().any(|job| job.state != lakeglass_api::jobs::JobState::Failed) => return,
        Ok(_) => {}
        Err(error) => {
            tracing::warn!(%error, "The demo data cannot be loaded");
            return;
        }
    }
    if let Err(error) = app.jobs.start(&actor, load::NAME, "server", serde_json::Value::Null).await {
        tracing::warn!(%error, "The demo data cannot be loaded");
    }
}

/// An embedded file as it was before it was compressed.
fn unpacked(compressed: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(compressed).read_to_end(&mut bytes)?;
    Ok(bytes)
}
