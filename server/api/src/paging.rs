//! Keyset paging, the same for every list.

use serde::{Deserialize, Serialize};

/// What a list is asked for. `limit` is clamped to 1..=500 by the service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListQuery {
    /// Substring of the name, any case; empty or none: everything.
    pub search: Option<String>,
    /// A column this list can sort by; none: by name.
    pub sort: Option<String>,
    #[serde(default)]
    pub descending: bool,
    /// The `next` of the page before; opaque to callers.
    pub after: Option<String>,
    pub limit: Option<u32>,
}

/// One page of a list. Walking `next` visits everything exactly once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Pass as `after` for the page that follows; none at the end.
    pub next: Option<String>,
    /// How many match in all, where counting is cheap.
    pub total: Option<u64>,
}

impl<T> Page<T> {
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(f).collect(), next: self.next, total: self.total }
    }
}
