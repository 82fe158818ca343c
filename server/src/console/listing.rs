//! The query of a list's page, as addresses write it.

use lakeglass_api::{ListQuery, Page};
use lakeglass_app::parts::{Listing, Trail};
use serde::Deserialize;

/// `?search=…&sort=…&descending=true&after=…&back=…`. Anything else in the address is left alone.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Asked {
    search: Option<String>,
    sort: Option<String>,
    descending: Option<String>,
    after: Option<String>,
    back: Option<String>,
}

/// Rows of a page of the console.
const ROWS: u32 = 50;

impl Asked {
    /// What to ask the service.
    pub(super) fn query(&self) -> ListQuery {
        ListQuery {
            search: some(self.search.as_ref()),
            sort: some(self.sort.as_ref()),
            descending: self.descending.as_deref() == Some("true"),
            after: some(self.after.as_ref()),
            limit: Some(ROWS),
        }
    }

    /// How the page at `path` shows the answer.
    pub(super) fn listing<T>(&self, path: impl Into<String>, page: &Page<T>) -> Listing {
        let query = self.query();
        Listing {
            path: path.into(),
            search: query.search.unwrap_or_default(),
            sort: query.sort,
            descending: query.descending,
            after: query.after,
            next: page.next.clone(),
            trail: Trail::parse(self.back.as_deref().unwrap_or_default()),
            total: page.total,
            keep: Vec::new(),
        }
    }
}

fn some(text: Option<&String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty()).cloned()
}
