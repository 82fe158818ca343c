//! A table's pages, one module a tab, and what stands above all of them.

pub mod connect;
pub mod overview;
pub mod rows;
pub mod settings;
pub mod versions;

#[cfg(test)]
mod tests;

use lakeglass_api::TableRef;
use lakeglass_api::catalog::{Table, TableState};
use lakeglass_api::description::{FailedLook, Observation};
use leptos::prelude::*;

use crate::frame::Crumb;
use crate::links;
use crate::parts::{self, Icon, Look, Tab, failed_look, heading, never_seen, post_button, seen};

/// What every tab shows of its table.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent yes-or-no facts, read by name")]
pub struct Head {
    pub table: Table,
    pub observation: Option<Observation>,
    /// The newest look, when it failed after the observation above.
    pub failed: Option<FailedLook>,
    /// The describer can read rows.
    pub has_rows: bool,
    /// The format has versions that can be listed.
    pub has_versions: bool,
    /// There is code to show for clients.
    pub has_snippets: bool,
    pub may_edit: bool,
    pub now_ms: i64,
}

impl Head {
    pub fn reference(&self) -> TableRef {
        self.table.reference()
    }

    /// Nothing was ever read of it, and there may be something to read.
    fn is_unknown(&self) -> bool {
        let written = self.failed.is_some() || self.table.state != TableState::Declared;
        self.observation.is_none() && written
    }

    /// From the list of buckets down to this table, or to a tab of it.
    pub fn crumbs(&self, tab: Option<&str>) -> Vec<Crumb> {
        let table = &self.table;
        let mut crumbs = vec![
            Crumb::link("Buckets", "/buckets"),
            Crumb::link(table.bucket.as_str(), links::bucket(&table.bucket)),
            Crumb::link(table.namespace.dotted(), links::namespace(&table.bucket, &table.namespace)),
        ];
        match tab {
            None => crumbs.push(Crumb::here(table.name.as_str())),
            Some(tab) => crumbs.extend([
                Crumb::link(table.name.as_str(), links::table(&self.reference())),
                Crumb::here(tab),
            ]),
        }
        crumbs
    }
}

/// The tabs of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableTab {
    Overview,
    Rows,
    Versions,
    Connect,
    Settings,
}

impl TableTab {
    /// The last part of its path; none for the table itself.
    pub fn path(self) -> Option<&'static str> {
        match self {
            Self::Overview => None,
            Self::Rows => Some("rows"),
            Self::Versions => Some("versions"),
            Self::Connect => Some("connect"),
            Self::Settings => Some("settings"),
        }
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Rows => "Rows",
            Self::Versions => "Versions",
            Self::Connect => "Connect",
            Self::Settings => "Settings",
        }
    }
}

/// The heading, the observation's age, and the tabs this table has.
fn above(head: &Head, current: TableTab) -> AnyView {
    let reference = head.reference();
    let beside = match &head.observation {
        Some(look) => {
            seen(look.taken_at_ms, head.now_ms, &look.observer, look.description.version.as_deref())
        }
        None => never_seen(),
    };
    // Where the page says that nothing was observed, the button stands there.
    let in_body = current == TableTab::Overview && head.is_unknown();
    let actions = if in_body { Vec::new() } else { vec![observe(head, Look::Normal)] };
    let failed = head.failed.as_ref().map(|look| failed_look(look, head.now_ms));
    let present = [
        (TableTab::Overview, true),
        (TableTab::Rows, head.has_rows),
        (TableTab::Versions, head.has_versions),
        (TableTab::Connect, head.has_snippets),
        (TableTab::Settings, true),
    ];
    let tabs = present
        .into_iter()
        .filter(|(_, present)| *present)
        .map(|(tab, _)| Tab {
            label: tab.label().to_owned(),
            href: match tab.path() {
                None => links::table(&reference),
                Some(path) => links::table_tab(&reference, path),
            },
            current: tab == current,
        })
        .collect();
    view! {
        {heading(head.table.name.as_str(), Some(beside), actions)}
        {failed}
        {parts::tabs("Table", tabs)}
    }
    .into_any()
}

/// Looks at the table now. Posts, because it writes an observation.
fn observe(head: &Head, look: Look) -> AnyView {
    let action = links::table_tab(&head.reference(), "observe");
    post_button(action, "Observe now", look, Some(Icon::Refresh), &[])
}
