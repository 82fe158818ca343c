//! A bucket: the namespaces in it, how clients reach it, and the ways to its settings and Trash.

pub mod connection;
pub mod settings;
pub mod trash;

use lakeglass_api::catalog::{Backing, Bucket, Namespace};
use leptos::prelude::*;

use crate::parts::{
    Column, Endpoint, Form, Icon, Listing, Look, Nothing, Tab, Tile, address, cell, copy, error_summary,
    format_badge, format_title, heading, num, post_button, section, submit, table, tabs, text_field, tiles,
};
use crate::{links, text};

/// What stands above every page of a bucket.
#[derive(Debug, Clone)]
pub struct Head {
    pub bucket: Bucket,
    pub endpoint: Endpoint,
    /// Whether its tables are found by scanning its folder, rather than made through this server.
    pub scans: bool,
    pub may_edit: bool,
    pub may_administer: bool,
    /// The request's time, milliseconds since 1970.
    pub now_ms: i64,
}

/// The pages of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Namespaces,
    /// Of attached buckets, for who administers them.
    Connection,
    Settings,
    /// Of managed buckets: what is attached has its own.
    Trash,
}

#[derive(Debug, Clone)]
pub struct BucketPage {
    pub head: Head,
    pub namespaces: Vec<Namespace>,
    pub list: Listing,
    /// The form of a new namespace: field `namespace`.
    pub form: Form,
}

pub fn page(data: BucketPage) -> AnyView {
    let BucketPage { head, namespaces, list, form } = data;
    let create = (head.may_edit && !head.scans).then(|| create_form(&head.bucket, &form));
    let body = if namespaces.is_empty() { nothing(&head, &list) } else { rows(&list, namespaces) };
    view! {
        {above(&head, Part::Namespaces)}
        {error_summary(&form)}
        {head.bucket.health.as_ref().and_then(|health| connection::trouble(health, head.now_ms))}
        {totals(&head)}
        <div class="with-aside">
            <div class="panel">
                <header><h2>"Namespaces"</h2>{list.search_box("Search namespaces")}</header>
                {body}
                {list.pager("namespace", "namespaces")}
            </div>
            <div class="stack">{create}{connect(&head)}</div>
        </div>
    }
    .into_any()
}

/// Name, badge, description, actions and tabs of a bucket.
pub fn above(head: &Head, part: Part) -> AnyView {
    let bucket = &head.bucket;
    let scan = (head.scans && head.may_edit).then(|| {
        let action = links::bucket_tab(&bucket.name, "scan");
        post_button(action, "Find tables", Look::Primary, Some(Icon::Search), &[])
    });
    let protected = bucket.protected.then(|| view! { <span class="badge unset">"Protected"</span> });
    let reach = bucket.health.as_ref().map(connection::reach);
    let beside = view! { {format_badge(bucket.format.as_ref())}{protected}{reach} }.into_any();
    let description = (!bucket.description.is_empty())
        .then(|| view! { <p class="muted lead">{text::visible(&bucket.description)}</p> });
    let tab =
        |label: &str, href: String, this: Part| Tab { label: label.to_owned(), href, current: this == part };
    let managed = bucket.backing == Backing::Managed;
    let all = [
        (true, tab("Namespaces", links::bucket(&bucket.name), Part::Namespaces)),
        (
            !managed && head.may_administer,
            tab("Connection", links::bucket_tab(&bucket.name, "connection"), Part::Connection),
        ),
        (true, tab("Settings", links::bucket_tab(&bucket.name, "settings"), Part::Settings)),
        (managed, tab("Trash", links::bucket_tab(&bucket.name, "trash"), Part::Trash)),
    ];
    let tabs = tabs("Bucket", all.into_iter().filter(|(here, _)| *here).map(|(_, tab)| tab).collect());
    view! { {heading(bucket.name.as_str(), Some(beside), scan.into_iter().collect())}{description}{tabs} }
        .into_any()
}

fn totals(head: &Head) -> AnyView {
    let bucket = &head.bucket;
    let mut rows = Tile::new("Rows", bucket.rows.map(text::count));
    if bucket.tables > 0 && bucket.unobserved > 0 {
        rows = rows.note(format!("{} not observed", text::plural(bucket.unobserved, "table", "tables")));
    }
    tiles(vec![
        Tile::new("Tables", Some(text::count(bucket.tables))),
        rows,
        Tile::new("Size", bucket.bytes.map(text::bytes)),
        Tile::new("Created", Some(day(bucket.created_at_ms)))
            .note(text::ago(bucket.created_at_ms, head.now_ms)),
    ])
}

/// The date of a moment, without its time.
fn day(at_ms: i64) -> String {
    text::utc(at_ms).chars().take(10).collect()
}

fn nothing(head: &Head, list: &Listing) -> AnyView {
    let hint = if head.scans {
        let title = head.bucket.format.as_ref().map_or_else(|| "table".to_owned(), format_title);
        format!(
            "Put {title} files below the folder at the side, then press Find tables. A file at the top goes \
             into the namespace “default”; a folder becomes a namespace."
        )
    } else if head.may_edit {
        "Tables live in a namespace. Create one here, or let a client do it through the endpoint.".to_owned()
    } else {
        "Nothing has been created in this bucket. Creating needs the editor role.".to_owned()
    };
    let words = Nothing {
        one: "namespace",
        missed: "Nothing in this bucket has this in its name.",
        show_all: "Show all namespaces",
        what: "namespaces yet",
        hint: &hint,
    };
    list.nothing(words, Vec::new())
}

fn rows(list: &Listing, namespaces: Vec<Namespace>) -> AnyView {
    let columns = vec![
        list.sortable(Column::text("Namespace"), None),
        Column::number("Tables"),
        Column::number("Namespaces inside"),
        Column::text("Created"),
    ];
    let rows = namespaces
        .into_iter()
        .map(|namespace| {
            let href = links::namespace(&namespace.bucket, &namespace.path);
            vec![
                cell(view! { <a class="name" href=href>{namespace.path.dotted()}</a> }),
                num(Some(text::count(namespace.tables))),
                num(Some(text::count(namespace.namespaces))),
                cell(view! { <span class="keep">{text::utc(namespace.created_at_ms)}</span> }),
            ]
        })
        .collect();
    table("Namespaces", columns, rows)
}

fn create_form(bucket: &Bucket, form: &Form) -> AnyView {
    let body = view! {
        <form class="stack" method="post" action=links::bucket_tab(&bucket.name, "namespaces")>
            {text_field(form, "namespace", "Name", "Letters, digits, _ and -. A dot goes one level down: sales.eu")}
            <div class="row">{submit("Create namespace", Look::Primary, Some(Icon::Plus))}</div>
        </form>
    };
    section("New namespace", None, body.into_any())
}

fn connect(head: &Head) -> AnyView {
    let try_it = head.endpoint.namespace.as_ref().map(|name| {
        let command = format!(
            "curl -H \"x-api-key: $LAKEGLASS_TOKEN\" \\\n  \"{}/v1/namespace/{name}/list\"",
            head.endpoint.address
        );
        view! {
            <p class="muted">
                "With an "<a href="/settings/tokens">"API token"</a>" in LAKEGLASS_TOKEN, this lists its namespaces:"
            </p>
            <pre class="snippet" tabindex="0"><code>{command.clone()}</code></pre>
            <div class="row">{copy(command, "Copy command")}</div>
            <p class="muted">"The Connect tab of each table has snippets for Python, DuckDB and Polars."</p>
        }
    });
    // Said once when the folder is the address.
    let folder = (head.endpoint.address != head.bucket.root)
        .then(|| view! { <dt>"Folder"</dt><dd>{address(&head.bucket.root)}</dd> });
    let body = view! {
        {head.endpoint.panel()}
        {try_it}
        <dl class="pairs">
            <dt>"Served as"</dt><dd>{head.endpoint.served_by.clone()}</dd>
            <dt>"Storage"</dt><dd>{text::visible(&head.bucket.storage)}</dd>
            {folder}
        </dl>
    };
    section("Connect", None, body.into_any())
}
