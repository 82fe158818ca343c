//! The versions of a table, newest first, each a door to its rows.

use lakeglass_api::description::Version;
use leptos::prelude::*;

use super::rows::RowsAsk;
use super::{Head, TableTab, above};
use crate::links;
use crate::parts::{Empty, Icon, Listing, Look, Trail, empty, icon, link_button, moment, muted, panel};
use crate::text;

/// What reading gave.
#[derive(Debug, Clone)]
pub enum History {
    Versions {
        versions: Vec<Version>,
        /// Where the next page starts.
        next: Option<String>,
        total: Option<u64>,
    },
    NeverWritten,
    Unreachable(String),
}

#[derive(Debug, Clone)]
pub struct VersionsPage {
    pub head: Head,
    pub history: History,
    /// Where this page starts; none: at the newest.
    pub after: Option<String>,
    /// Where the pages before this one started.
    pub trail: Trail,
}

pub fn page(data: &VersionsPage) -> AnyView {
    let body = match &data.history {
        History::Versions { versions, next, total } => timeline(data, versions, next.as_deref(), *total),
        History::NeverWritten => {
            view! { <section class="panel">{empty(Empty::NeverWritten, Vec::new())}</section> }.into_any()
        }
        History::Unreachable(cause) => {
            let cause = text::visible(cause).trim_end_matches('.').to_owned();
            let why = Empty::Unreachable { what: "the versions".into(), cause };
            let again = link_button(own_path(data), "Try again", Look::Normal, Some(Icon::Refresh));
            view! { <section class="panel">{empty(why, vec![again])}</section> }.into_any()
        }
    };
    view! { {above(&data.head, TableTab::Versions)}{body} }.into_any()
}

fn own_path(data: &VersionsPage) -> String {
    links::table_tab(&data.head.reference(), "versions")
}

fn timeline(data: &VersionsPage, versions: &[Version], next: Option<&str>, total: Option<u64>) -> AnyView {
    if versions.is_empty() {
        let nothing = Empty::Nothing {
            what: "more versions".to_owned(),
            hint: "The page before this one holds the oldest.".to_owned(),
        };
        let first = link_button(own_path(data), "Newest versions", Look::Normal, None);
        return view! { <section class="panel">{empty(nothing, vec![first])}</section> }.into_any();
    }
    let items = versions
        .iter()
        .enumerate()
        .map(|(at, version)| entry(data, version, at == 0 && data.after.is_none()))
        .collect_view();
    let list = Listing {
        path: own_path(data),
        after: data.after.clone(),
        next: next.map(str::to_owned),
        trail: data.trail.clone(),
        total,
        ..Listing::default()
    };
    let body = view! { <ol class="timeline">{items}</ol>{list.pager("version", "versions")} }.into_any();
    panel("Versions", Some(muted("Read live, newest first")), body)
}

fn entry(data: &VersionsPage, version: &Version, latest: bool) -> AnyView {
    let id = text::visible(&version.id);
    let when = version.timestamp_ms.map_or_else(
        || view! { <span class="muted">"Time not read"</span> }.into_any(),
        |at| view! { {moment(at, data.head.now_ms)}<span class="muted">" · "<span class="keep">{text::utc(at)}</span></span> }.into_any(),
    );
    let operation = version.operation.as_ref().map(|op| {
        view! { <span class="badge text">{text::visible(op)}</span> }
    });
    let latest_badge = latest.then(|| view! { <span class="badge ok">"Latest"</span> });
    let references = version
        .references
        .iter()
        .map(|reference| {
            let glyph = if reference.kind == "branch" { Icon::Branch } else { Icon::Tag };
            let label = format!("{} {}", text::visible(&reference.kind), text::visible(&reference.name));
            view! { <span class="badge info">{icon(glyph)}{label}</span> }
        })
        .collect_view();
    let mut facts: Vec<String> =
        version.rows.map(|rows| text::plural(rows, "row", "rows")).into_iter().collect();
    facts.extend(
        version.summary.iter().map(|p| format!("{} {}", text::visible(&p.key), text::visible(&p.value))),
    );
    let facts = (!facts.is_empty()).then(|| view! { <p class="muted break">{facts.join(" · ")}</p> });
    let rows = data.head.has_rows.then(|| {
        let href = RowsAsk::of_version(&version.id).href(&data.head.reference());
        let label = format!("Rows of version {id}");
        view! { <a class="push" href=href aria-label=label>"Rows"</a> }
    });
    let class = latest.then_some("latest");
    view! {
        <li class=class>
            <div class="row"><strong class="mono">{id}</strong>{latest_badge}{operation}{references}{rows}</div>
            <p>{when}</p>
            {facts}
        </li>
    }
    .into_any()
}
