//! Lists that the server searches, sorts and pages. All state lives in the address, so a list can be
//! linked to, and nothing here needs a script.

use leptos::prelude::*;

use super::form::hidden;
use super::table::{Column, Pager, SortLink, pager};
use crate::{links, text};

/// How the list on a page was asked for, and where it goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Path of the page, without a query.
    pub path: String,
    pub search: String,
    /// Column it is sorted by; none: by name.
    pub sort: Option<String>,
    pub descending: bool,
    /// Set when this is not the first page.
    pub after: Option<String>,
    /// Where the next page starts; none: this is the last.
    pub next: Option<String>,
    /// How many match in all, where that is known.
    pub total: Option<u64>,
    /// Other choices that must survive a search, a sort or a step: filters of the page.
    pub keep: Vec<(&'static str, String)>,
}

impl Listing {
    /// Whether something narrows the list, so that its emptiness says nothing about what exists.
    pub fn is_narrowed(&self) -> bool {
        !self.search.is_empty()
            || self.after.is_some()
            || self.keep.iter().any(|(_, value)| !value.is_empty())
    }

    /// The first page, sorted as it is now.
    pub fn first(&self) -> String {
        self.address(self.sort.as_deref(), self.descending, None)
    }

    /// The list with nothing searched, filtered or sorted.
    pub fn everything(&self) -> String {
        self.path.clone()
    }

    fn address(&self, sort: Option<&str>, descending: bool, after: Option<&str>) -> String {
        let pairs = [("search", self.search.as_str())]
            .into_iter()
            .chain(self.keep.iter().map(|(key, value)| (*key, value.as_str())))
            .chain([
                ("sort", sort.unwrap_or_default()),
                ("descending", if descending { "true" } else { "" }),
                ("after", after.unwrap_or_default()),
            ]);
        links::with_query(&self.path, pairs)
    }

    /// Makes a column's heading sort by `key`, or the other way round when it does already; `None` is
    /// the list's own order, by name. Numbers sort largest first, names from the start of the alphabet.
    pub fn sortable(&self, column: Column, key: Option<&'static str>) -> Column {
        let current = self.sort.as_deref() == key;
        let descending = if current { !self.descending } else { column.numeric };
        let href = self.address(key, descending, None);
        column.sorted_by(SortLink { href, active: current.then_some(self.descending) })
    }

    /// The search box. `label` says what is searched: "Search tables".
    pub fn search_box(&self, label: &'static str) -> AnyView {
        let kept = self.keep.iter().map(|(key, value)| hidden(key, value.clone())).collect_view();
        let sort = self.sort.clone().map(|sort| hidden("sort", sort));
        let descending = self.descending.then(|| hidden("descending", "true"));
        let clear = (!self.search.is_empty()).then(|| {
            let all = Self { search: String::new(), ..self.clone() };
            view! { <a href=all.first()>"Clear search"</a> }
        });
        view! {
            <form class="search" role="search" method="get" action=self.path.clone()>
                <label class="sr" for="search">{label}</label>
                <input type="search" id="search" name="search" value=self.search.clone() placeholder=label
                    autocomplete="off" data-search=""/>
                {kept}{sort}{descending}
                <button class="button" type="submit">"Search"</button>
                {clear}
            </form>
        }
        .into_any()
    }

    /// How many there are and the steps to the first and the next page; nothing when all is in sight
    /// and its number unknown.
    pub fn pager(&self, one: &str, many: &str) -> AnyView {
        let summary = self.total.map(|total| text::plural(total, one, many)).unwrap_or_default();
        let first = self.after.is_some().then(|| self.first());
        let next =
            self.next.as_deref().map(|next| self.address(self.sort.as_deref(), self.descending, Some(next)));
        if summary.is_empty() && first.is_none() && next.is_none() {
            return ().into_any();
        }
        pager(Pager { summary, first, previous: None, next })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_orders_keep_search_and_filters() {
        let listing = Listing {
            path: "/jobs".into(),
            search: "a&b".into(),
            sort: Some("rows".into()),
            descending: true,
            keep: vec![("state", "failed".into())],
            ..Listing::default()
        };
        assert_eq!(listing.first(), "/jobs?search=a%26b&state=failed&sort=rows&descending=true");
        let column = listing.sortable(Column::text("Name"), None);
        assert_eq!(column.sort.unwrap().href, "/jobs?search=a%26b&state=failed");
        let column = listing.sortable(Column::number("Rows"), Some("rows"));
        assert_eq!(column.sort.unwrap().active, Some(true));
        assert!(listing.is_narrowed());
    }
}
