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
    describers: Arc<[Arc<dyn Describer>]>,
    catalog: Catalog,
    jobs: Jobs,
}

impl Formats {
    /// The describers in order of preference: of two that answer for one format the first is asked.
    /// Registers the kind of job that scans large buckets.
    pub fn new(describers: &[Arc<dyn Describer>], catalog: Catalog, jobs: Jobs) -> Self {
        jobs.register(Arc::new(scan_job::ScanBucket));
        Self { describers: describers.into(), catalog, jobs }
    }

    /// Every format known to this version, then those that only a plugin knows. Usable ones first.
    pub fn cards(&self) -> Vec<FormatCard> {
        let known = catalogue::KNOWN.iter().map(|known| {
            let id = FormatId::new(known.id);
            match self.serving(&id) {
                Some((describer, info)) => catalogue::usable(known, &info, describer.observer()),
                None => catalogue::unavailable(known),
            }
        });
        let brought = self.describers.iter().flat_map(|describer| {
            let brought = describer.formats().into_iter().filter(|info| !catalogue::knows(&info.id));
            brought.map(|info| catalogue::brought(&info, describer.observer())).collect::<Vec<_>>()
        });
        let mut cards: Vec<FormatCard> = known.chain(brought).collect();
        cards.sort_by_key(|card| matches!(card.serving, Serving::Unavailable { .. }));
        cards
    }

    /// What answers for a format here; none: nothing does.
    pub fn describer(&self, format: &FormatId) -> Option<Arc<dyn Describer>> {
        self.serving(format).map(|(describer, _)| describer)
    }

    /// What can be done with a format here; none: nothing serves it.
    pub fn info(&self, format: &FormatId) -> Option<FormatInfo> {
        self.serving(format).map(|(_, info)| info)
    }

    /// A format's title, as its community writes it; its id when nobody here knows it.
    pub fn title(&self, format: &FormatId) -> String {
        let known = catalogue::KNOWN.iter().find(|known| known.id == format.as_str());
        known
            .map(|known| known.title.to_owned())
            .or_else(|| self.info(format).map(|info| info.title))
            .unwrap_or_else(|| format.to_string())
    }

    /// Every format served, each once.
    fn served(&self) -> Vec<FormatInfo> {
        let mut served: Vec<FormatInfo> = Vec::new();
        for info in self.describers.iter().flat_map(|describer| describer.formats()) {
            if !served.iter().any(|other| other.id == info.id) {
                served.push(info);
            }
        }
        served
    }

    fn serving(&self, format: &FormatId) -> Option<(Arc<dyn Describer>, FormatInfo)> {
        self.describers.iter().find_map(|describer| {
            let info = describer.formats().into_iter().find(|info| info.id == *format)?;
            Some((Arc::clone(describer), info))
        })
    }
}
