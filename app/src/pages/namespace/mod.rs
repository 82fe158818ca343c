//! A namespace: its tables, the namespaces inside it, and what can be made or dropped here.

pub mod create_table;
pub mod drop;

use lakeglass_api::attached::Health;
use lakeglass_api::catalog::{Namespace, Table};
use leptos::prelude::*;

use super::bucket::connection::trouble;
use crate::parts::{
    Column, Form, Icon, Listing, Look, Nothing, cell, error_summary, format_badge, heading, link_button,
    moment, num, section, state_badge, status, submit, table, text_field,
};
use crate::{Tone, links, text};

/// An observation older than this is called stale: one day.
pub const STALE_AFTER_MS: i64 = 86_400_000;

#[derive(Debug, Clone)]
pub struct NamespacePage {
    pub namespace: Namespace,
    pub tables: Vec<Table>,
    pub list: Listing,
    /// Namespaces directly inside, the first of them when `more_children`.
    pub children: Vec<Namespace>,
    pub more_children: bool,
    /// Whether a table can be made here by a form; else the reason.
    pub create: Result<(), String>,
    /// How the catalog behind an attached bucket fares.
    pub health: Option<Health>,
    pub may_edit: bool,
    pub now_ms: i64,
    /// The form of a namespace inside: field `namespace`.
    pub form: Form,
}

pub fn page(data: NamespacePage) -> AnyView {
    let NamespacePage {
        namespace,
        tables,
        list,
        children,
        more_children,
        create,
        health,
        may_edit,
        now_ms,
        form,
    } = data;
    let mut actions = Vec::new();
    if may_edit {
        let drop = format!("{}/drop", links::namespace(&namespace.bucket, &namespace.path));
        actions.push(link_button(drop, "Drop namespace", Look::Normal, Some(Icon::Trash)));
        if create.is_ok() {
            actions.push(create_link(&namespace));
        }
    }
    let beside = view! {
        <span class="muted">{format!("{} in {}", text::plural(namespace.tables, "table", "tables"), namespace.bucket)}</span>
    };
    let body = if tables.is_empty() {
        nothing(&namespace, &list, &create, may_edit)
    } else {
        rows(&list, &tables, now_ms)
    };
    view! {
        {heading(&namespace.path.dotted(), Some(beside.into_any()), actions)}
        {error_summary(&form)}
        {health.and_then(|health| trouble(&health, now_ms))}
        <div class="stack">
            <div class="panel">
                {list.head("Search tables", Some("Rows and size come from observations; a dash means nothing has looked yet."))}
                {body}
                {list.pager("table", "tables")}
            </div>
            {inside(&namespace, children, more_children, may_edit, &form)}
        </div>
    }
    .into_any()
}

fn create_link(namespace: &Namespace) -> AnyView {
    let href = links::new_table(&namespace.bucket, &namespace.path);
    link_button(href, "Create table", Look::Primary, Some(Icon::Plus))
}

fn nothing(namespace: &Namespace, list: &Listing, create: &Result<(), String>, may_edit: bool) -> AnyView {
    let (hint, actions) = match create {
        Ok(()) if may_edit => (
            "Create one here, or let a client write one through the endpoint of the bucket.".to_owned(),
            vec![create_link(namespace)],
        ),
        Ok(()) => ("Nothing has been created here. Creating needs the editor role.".to_owned(), Vec::new()),
        Err(reason) => (reason.clone(), Vec::new()),
    };
    let words = Nothing {
        one: "table",
        missed: "Nothing in this namespace has this in its name.",
        show_all: "Show all tables",
        what: "tables here yet",
        hint: &hint,
    };
    list.nothing(words, actions)
}

fn rows(list: &Listing, tables: &[Table], now_ms: i64) -> AnyView {
    let columns = vec![
        list.sortable(Column::text("Table"), None),
        Column::text("Format"),
        list.sortable(Column::number("Rows"), Some("rows")),
        list.sortable(Column::number("Size"), Some("bytes")),
        list.sortable(Column::text("Observed"), Some("observed")),
    ];
    table("Tables", columns, tables.iter().map(|table| row(table, now_ms)).collect())
}

fn row(table: &Table, now_ms: i64) -> Vec<AnyView> {
    let protected = table.protected.then(|| view! { " "<span class="badge unset">"Protected"</span> });
    let state = state_badge(table.state).map(|badge| view! { " "{badge} });
    vec![
        cell(
            view! { <a class="name" href=links::table(&table.reference())>{table.name.to_string()}</a>{state}{protected} },
        ),
        cell(format_badge(Some(&table.format))),
        num(table.rows.map(text::count)),
        num(table.bytes.map(text::bytes)),
        cell(observed(table.observed_at_ms, now_ms)),
    ]
}

/// How old an observation is; a word besides the number once it is older than a day.
pub fn observed(at_ms: Option<i64>, now_ms: i64) -> AnyView {
    let Some(at_ms) = at_ms else { return view! { <span class="muted">"never"</span> }.into_any() };
    let stale = (now_ms.saturating_sub(at_ms) > STALE_AFTER_MS).then(|| status(Tone::Warn, "Stale"));
    view! { <span class="row keep">{moment(at_ms, now_ms)}{stale}</span> }.into_any()
}

fn inside(
    namespace: &Namespace,
    children: Vec<Namespace>,
    more: bool,
    may_edit: bool,
    form: &Form,
) -> Option<AnyView> {
    if children.is_empty() && !may_edit {
        return None;
    }
    let list = if children.is_empty() {
        view! { <p class="muted">"No namespace is inside this one."</p> }.into_any()
    } else {
        let items = children
            .into_iter()
            .map(|child| {
                let href = links::namespace(&child.bucket, &child.path);
                let leaf = child.path.leaf().unwrap_or_default().to_owned();
                let tables = text::plural(child.tables, "table", "tables");
                view! { <li><a href=href>{leaf}</a>" "<span class="muted">{tables}</span></li> }
            })
            .collect_view();
        view! { <ul class="links">{items}</ul> }.into_any()
    };
    let more = more.then(|| view! { <p class="muted">"Only the first are listed here."</p> });
    let form = may_edit.then(|| {
        let action = format!("{}/namespaces", links::namespace(&namespace.bucket, &namespace.path));
        view! {
            <form class="row end" method="post" action=action>
                {text_field(form, "namespace", "New namespace inside", "")}
                {submit("Create", Look::Normal, Some(Icon::Plus))}
            </form>
        }
    });
    Some(section("Namespaces inside", None, view! { {list}{more}{form} }.into_any()))
}
