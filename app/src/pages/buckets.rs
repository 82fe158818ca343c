//! Buckets: which catalogs there are, what they hold, and where clients reach them.

use lakeglass_api::catalog::{Backing, Bucket};
use leptos::prelude::*;

use crate::parts::{
    Column, Endpoint, Icon, Listing, Look, Nothing, cell, format_badge, heading, link_button, num, table,
};
use crate::{links, text};

/// One bucket, and where clients reach it.
#[derive(Debug, Clone)]
pub struct Row {
    pub bucket: Bucket,
    pub endpoint: Endpoint,
}

#[derive(Debug, Clone)]
pub struct Buckets {
    pub rows: Vec<Row>,
    pub list: Listing,
    /// Whether the person may create one.
    pub may_create: bool,
}

pub fn page(data: Buckets) -> AnyView {
    let Buckets { rows, list, may_create } = data;
    let new = || link_button("/new-bucket", "New bucket", Look::Primary, Some(Icon::Plus));
    let actions =
        if may_create && (list.is_narrowed() || !rows.is_empty()) { vec![new()] } else { Vec::new() };
    let remark = "Rows and size are sums over observations; a dash means nothing has looked yet.";
    let head = list.head("Search buckets", (!rows.is_empty()).then_some(remark));
    let body =
        if rows.is_empty() { nothing(&list, may_create, may_create.then(new)) } else { rows_of(&list, rows) };
    view! {
        {heading("Buckets", None, actions)}
        <div class="panel">{head}{body}{list.pager("bucket", "buckets")}</div>
    }
    .into_any()
}

fn nothing(list: &Listing, may_create: bool, new: Option<AnyView>) -> AnyView {
    let hint = if may_create {
        "A bucket is a catalog: it holds tables of one format and gives clients one address."
    } else {
        "None is shared with you. An admin of this server can give you a role in one, or create one."
    };
    let words = Nothing {
        one: "bucket",
        missed: "Nothing that you may see has this in its name.",
        show_all: "Show all buckets",
        what: "buckets yet",
        hint,
    };
    list.nothing(words, new.into_iter().collect())
}

fn rows_of(list: &Listing, rows: Vec<Row>) -> AnyView {
    let columns = vec![
        list.sortable(Column::text("Bucket"), None),
        Column::text("Format"),
        Column::text("Backing"),
        list.sortable(Column::number("Tables"), Some("tables")),
        list.sortable(Column::number("Rows"), Some("rows")),
        list.sortable(Column::number("Size"), Some("bytes")),
        Column::text("Clients reach it at"),
    ];
    table("Buckets", columns, rows.into_iter().map(row).collect())
}

fn row(row: Row) -> Vec<AnyView> {
    let Row { bucket, endpoint } = row;
    let name = bucket.name.to_string();
    let lock = bucket.protected.then(|| view! { " "<span class="badge unset">"Protected"</span> });
    // Some were looked at and some were not: the sum is a floor, and says so.
    let partial = (bucket.unobserved > 0 && bucket.rows.is_some())
        .then(|| view! { <small class="muted">{format!("{} not observed", text::count(bucket.unobserved))}</small> });
    let rows = match bucket.rows {
        Some(rows) => view! { <td class="num">{text::count(rows)}{partial}</td> }.into_any(),
        None => num(None),
    };
    let backing = format!("{} · {}", backing(bucket.backing), bucket.storage);
    vec![
        cell(view! { <a class="name" href=links::bucket(&bucket.name)>{name}</a>{lock} }),
        cell(format_badge(bucket.format.as_ref())),
        cell(view! { <span class="keep">{backing}</span> }),
        num(Some(text::count(bucket.tables))),
        rows,
        num(bucket.bytes.map(text::bytes)),
        cell(endpoint.line()),
    ]
}

/// Where a bucket's names live, in a word.
pub fn backing(backing: Backing) -> &'static str {
    match backing {
        Backing::Managed => "Managed",
        Backing::Directory => "Directory",
        Backing::Upstream => "Upstream",
    }
}
