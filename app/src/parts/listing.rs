//! Lists that the server searches, sorts and pages. All state lives in the address, so a list can be
//! linked to, and nothing here needs a script.

use leptos::prelude::*;

use super::button::{Look, link_button};
use super::empty::{Empty, empty};
use super::form::hidden;
use super::table::{Column, Pager, SortLink, pager};
use super::trail::Trail;
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
    /// Where the pages before this one started.
    pub trail: Trail,
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
        self.step(None, &Trail::default())
    }

    /// Another page of the list as it is sorted now.
    fn step(&self, after: Option<&str>, trail: &Trail) -> String {
        let first = self.address(self.sort.as_deref(), self.descending);
        links::add_query(&first, [("after", after.unwrap_or_default()), ("back", &trail.encode())])
    }

    /// The list with nothing searched, filtered or sorted.
    pub fn everything(&self) -> String {
        self.path.clone()
    }

    /// The first page, sorted in a way.
    fn address(&self, sort: Option<&str>, descending: bool) -> String {
        let pairs = [("search", self.search.as_str())]
            .into_iter()
            .chain(self.keep.iter().map(|(key, value)| (*key, value.as_str())))
            .chain([
                ("sort", sort.unwrap_or_default()),
                ("descending", if descending { "true" } else { "" }),
            ]);
        links::with_query(&self.path, pairs)
    }

    /// Makes a column's heading sort by `key`, or the other way round when it does already; `None` is
    /// the list's own order, by name. Numbers sort largest first, names from the start of the alphabet.
    pub fn sortable(&self, column: Column, key: Option<&'static str>) -> Column {
        let current = self.sort.as_deref() == key;
        let descending = if current { !self.descending } else { column.numeric };
        let href = self.address(key, descending);
        column.sorted_by(SortLink { href, active: current.then_some(self.descending) })
    }

    /// Whether there is nothing at all, and nothing narrowed the list to that.
    pub fn is_bare(&self) -> bool {
        self.total == Some(0) && !self.is_narrowed()
    }

    /// The head of the list's panel: its search, and a quiet remark. None over a list with nothing in it.
    pub fn head(&self, label: &'static str, remark: Option<&'static str>) -> Option<AnyView> {
        let remark = remark.map(|remark| view! { <span class="muted">{remark}</span> });
        (!self.is_bare()).then(|| view! { <header>{self.search_box(label)}{remark}</header> }.into_any())
    }

    /// The search box; nothing where there is nothing to search. `label` says what is searched: "Search
    /// tables".
    pub fn search_box(&self, label: &'static str) -> Option<AnyView> {
        if self.is_bare() {
            return None;
        }
        let kept = self.keep.iter().map(|(key, value)| hidden(key, value.clone())).collect_view();
        let sort = self.sort.clone().map(|sort| hidden("sort", sort));
        let descending = self.descending.then(|| hidden("descending", "true"));
        let clear = (!self.search.is_empty()).then(|| {
            let all = Self { search: String::new(), ..self.clone() };
            view! { <a href=all.first()>"Clear search"</a> }
        });
        let form = view! {
            <form class="search" role="search" method="get" action=self.path.clone()>
                <label class="sr" for="search">{label}</label>
                <input type="search" id="search" name="search" value=self.search.clone() placeholder=label
                    autocomplete="off" data-search=""/>
                {kept}{sort}{descending}
                <button class="button" type="submit">"Search"</button>
                {clear}
            </form>
        };
        Some(form.into_any())
    }

    /// How many there are and the steps to the first, the previous and the next page; nothing when all
    /// is in sight and its number unknown.
    pub fn pager(&self, one: &str, many: &str) -> AnyView {
        let total = self.total.filter(|total| *total > 0);
        let summary = total.map(|total| text::plural(total, one, many)).unwrap_or_default();
        let previous = self.trail.back().map(|(after, trail)| self.step(after, &trail));
        // The page before may be the first: one way there is enough.
        let first =
            self.after.is_some().then(|| self.first()).filter(|first| previous.as_ref() != Some(first));
        let next =
            self.next.as_deref().map(|next| self.step(Some(next), &self.trail.onward(self.after.as_deref())));
        if summary.is_empty() && first.is_none() && previous.is_none() && next.is_none() {
            return ().into_any();
        }
        pager(Pager { summary, first, previous, next })
    }
}

/// What a list says when it has no rows.
#[derive(Debug, Clone, Copy)]
pub struct Nothing<'a> {
    /// "table": of what nothing matches.
    pub one: &'static str,
    /// Where was searched: "Nothing in this namespace has this in its name."
    pub missed: &'static str,
    /// The way back to the whole list: "Show all tables".
    pub show_all: &'static str,
    /// "tables here yet": of what there is none at all.
    pub what: &'static str,
    /// What would put something there.
    pub hint: &'a str,
}

impl Listing {
    /// Why there are no rows: nothing matches, or there is nothing at all. `actions` help with the second.
    pub fn nothing(&self, words: Nothing<'_>, actions: Vec<AnyView>) -> AnyView {
        if self.is_narrowed() {
            let why =
                Empty::Nothing { what: format!("{} matches", words.one), hint: words.missed.to_owned() };
            return empty(why, vec![link_button(self.everything(), words.show_all, Look::Normal, None)]);
        }
        empty(Empty::Nothing { what: words.what.to_owned(), hint: words.hint.to_owned() }, actions)
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

    #[test]
    fn a_list_with_nothing_in_it_offers_no_search() {
        let bare = Listing { total: Some(0), ..Listing::default() };
        let narrowed = Listing { search: "x".into(), ..bare.clone() };
        let offers = |list: Listing| {
            crate::frame::render_part(move || list.head("Search jobs", Some("a remark")).into_any())
                .contains("Search jobs")
        };
        assert!(!offers(bare) && offers(narrowed) && offers(Listing::default()));
    }

    #[test]
    fn a_page_leads_to_the_one_before_it_and_to_the_first() {
        let links = |list: &Listing| {
            let html = crate::frame::render_part(|| list.pager("job", "jobs"));
            let hrefs = html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
            hrefs.map(|href| href.replace("&amp;", "&")).collect::<Vec<_>>()
        };
        let page = |after: Option<&str>, trail: &str, next: Option<&str>| Listing {
            path: "/jobs".into(),
            after: after.map(Into::into),
            next: next.map(Into::into),
            trail: Trail::parse(trail),
            ..Listing::default()
        };
        assert_eq!(links(&page(None, "", Some("b"))), ["/jobs?after=b&back=%2A"]);
        assert_eq!(links(&page(Some("b"), "*", Some("c"))), ["/jobs", "/jobs?after=c&back=%2A%2Cb"]);
        assert_eq!(links(&page(Some("c"), "*,b", None)), ["/jobs", "/jobs?after=b&back=%2A"]);
        // A link from elsewhere, which does not say how one came here.
        assert_eq!(links(&page(Some("c"), "", None)), ["/jobs"]);
    }
}
