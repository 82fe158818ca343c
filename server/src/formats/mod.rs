//! Formats: what this version knows, what reads each here, and the search for tables in a bucket.
//!
//! Everything else asks here for a format's describer, and never which kind of describer it is.

mod catalogue;
mod claims;
mod error;
mod naming;
mod rest;
mod scan;
mod scan_job;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use lakeglass_api::FormatId;
use lakeglass_api::formats::{FormatCard, Serving};
use lakeglass_ports::{Describer, FormatInfo};

use crate::catalog::Catalog;
use crate::engines::Describers;
use crate::jobs::Jobs;
use crate::router::Route;

pub use error::Error;
pub use scan::Scanned;

pub fn routes() -> Vec<Route> {
    rest::routes()
}

/// The formats of this server. Clones share everything.
#[derive(Debug, Clone)]
pub struct Formats {
    describers: Describers,
    catalog: Catalog,
    jobs: Jobs,
}

impl Formats {
    /// Registers the kind of job that scans large buckets.
    pub fn new(describers: Describers, catalog: Catalog, jobs: Jobs) -> Self {
        jobs.register(Arc::new(scan_job::ScanBucket));
        Self { describers, catalog, jobs }
    }

    /// Every format known to this version, then those that only a plugin knows. Usable ones first. With
    /// the describers that are here now: [`all_cards`](Self::all_cards) waits for those on their way.
    pub fn cards(&self) -> Vec<FormatCard> {
        let known = catalogue::KNOWN.iter().map(|known| {
            let id = FormatId::new(known.id);
            match self.describers.serving_now(&id) {
                Some((describer, info)) => catalogue::usable(known, &info, describer.observer()),
                None => catalogue::unavailable(known),
            }
        });
        let all = self.describers.all();
        let brought = all.iter().flat_map(|describer| {
            let brought = describer.formats().into_iter().filter(|info| !catalogue::knows(&info.id));
            brought.map(|info| catalogue::brought(&info, describer.observer())).collect::<Vec<_>>()
        });
        let mut cards: Vec<FormatCard> = known.chain(brought).collect();
        cards.sort_by_key(|card| matches!(card.serving, Serving::Unavailable { .. }));
        cards
    }

    /// The cards once every describer is here: for choosing among them.
    pub async fn all_cards(&self) -> Vec<FormatCard> {
        self.describers.settled().await;
        self.cards()
    }

    /// What answers for a format here; none: nothing does.
    pub async fn describer(&self, format: &FormatId) -> Option<Arc<dyn Describer>> {
        self.describers.serving(format).await.map(|(describer, _)| describer)
    }

    /// What can be done with a format here; none: nothing serves it.
    pub async fn info(&self, format: &FormatId) -> Option<FormatInfo> {
        self.describers.serving(format).await.map(|(_, info)| info)
    }

    /// A format's title, as its community writes it; its id when nobody here knows it.
    pub fn title(&self, format: &FormatId) -> String {
        let known = catalogue::KNOWN.iter().find(|known| known.id == format.as_str());
        known
            .map(|known| known.title.to_owned())
            .or_else(|| self.describers.serving_now(format).map(|(_, info)| info.title))
            .unwrap_or_else(|| format.to_string())
    }

    /// Every format served, each once.
    async fn served(&self) -> Vec<FormatInfo> {
        self.describers.settled().await;
        let mut served: Vec<FormatInfo> = Vec::new();
        for info in self.describers.all().iter().flat_map(|describer| describer.formats()) {
            if !served.iter().any(|other| other.id == info.id) {
                served.push(info);
            }
        }
        served
    }
}
