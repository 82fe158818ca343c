//! Is this table healthy, and what is in it: totals, schema, indices, references, properties.

use lakeglass_api::catalog::TableState;
use lakeglass_api::description::{Description, Field, Observation, Property, Severity};
use leptos::prelude::*;

use super::{Head, TableTab, above, observe};
use crate::parts::{
    Column, Empty, Icon, Look, Tile, address, cell, copy, empty, icon, moment, muted, notes, num, panel,
    section, table, tiles,
};
use crate::text;

#[derive(Debug, Clone)]
pub struct OverviewPage {
    pub head: Head,
}

pub fn page(data: &OverviewPage) -> AnyView {
    let head = &data.head;
    let body = match &head.observation {
        Some(look) => described(head, look),
        None => unknown(head),
    };
    view! { {above(head, TableTab::Overview)}{body} }.into_any()
}

/// Nothing was ever read of this table: the reason why, and what is known without reading it.
fn unknown(head: &Head) -> AnyView {
    let (why, actions) = match (&head.failed, head.table.state) {
        (Some(look), _) => {
            let cause = text::visible(&look.cause);
            let cause = cause.trim_end_matches('.').to_owned();
            (Empty::Unreachable { what: "this table".to_owned(), cause }, vec![observe(head, Look::Normal)])
        }
        (None, TableState::Declared) => (Empty::NeverWritten, Vec::new()),
        (None, _) => (Empty::NotObserved, vec![observe(head, Look::Primary)]),
    };
    let totals = vec![
        Tile::new("Rows", None).note("Not observed"),
        Tile::new("Size", None).note("Not observed"),
        Tile::new("Versions", None).note("Not observed"),
    ];
    view! {
        {tiles(totals)}
        <div class="stack">
            <section class="panel">{empty(why, actions)}</section>
            {section("Where it is", None, place(head, None))}
            {properties("Properties", head.table.properties.iter().map(|(k, v)| (k.clone(), v.clone())).collect())}
        </div>
    }
    .into_any()
}

fn described(head: &Head, look: &Observation) -> AnyView {
    let what = &look.description;
    let mut own: Vec<(String, String)> =
        head.table.properties.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
    own.sort();
    view! {
        {tiles(totals(head, look))}
        {noted(what)}
        <div class="with-aside">
            <div class="stack">
                {schema(what)}
                {indices(what)}
                {properties("Set in the table", pairs(&what.properties))}
                {properties("Set in this catalog", own)}
            </div>
            <div class="stack">
                {section("Where it is", None, place(head, Some(what)))}
                {references(head, what)}
                {section("About this observation", None, observation(head, look))}
            </div>
        </div>
    }
    .into_any()
}

/// What the reader said of its own answer, as loud as its loudest note.
fn noted(what: &Description) -> Option<AnyView> {
    let class =
        if what.notes.iter().all(|note| note.severity == Severity::Info) { "notice" } else { "notice warn" };
    notes(&what.notes)
        .map(|notes| view! { <div class=class>{icon(Icon::Info)}<div>{notes}</div></div> }.into_any())
}

fn totals(head: &Head, look: &Observation) -> Vec<Tile> {
    let what = &look.description;
    let totals = &what.totals;
    let mut out = Vec::new();
    let mut rows = Tile::new("Rows", totals.rows.map(text::count_of));
    match totals.deleted_rows {
        _ if totals.rows.is_none() => rows = rows.note("Not known without reading every row"),
        Some(deleted) if deleted.value > 0 => {
            rows = rows.note(format!("{} more deleted, still on disk", text::count_of(deleted)));
        }
        _ => {}
    }
    out.push(rows);
    out.push(Tile::new("Size", totals.bytes.map(|bytes| text::bytes(bytes.value))));
    let files = if what.format.as_str() == "lance" { "Fragments" } else { "Files" };
    if let Some(count) = totals.files {
        out.push(Tile::new(files, Some(text::count_of(count))));
    }
    if totals.versions.is_some() || what.version.is_some() {
        let mut versions = Tile::new("Versions", totals.versions.map(text::count_of));
        if let Some(version) = &what.version {
            let version = text::visible(version);
            let when = what.version_timestamp_ms.map(|at| format!(", {}", text::ago(at, head.now_ms)));
            versions = versions.note(format!("latest {version}{}", when.unwrap_or_default()));
        }
        out.push(versions);
    }
    if !what.indices.is_empty() {
        let behind: u64 = what.indices.iter().filter_map(|index| index.rows_not_covered).max().unwrap_or(0);
        let note = if behind > 0 {
            format!("{} not covered", text::plural(behind, "row", "rows"))
        } else {
            "all rows covered, as far as known".to_owned()
        };
        let count = u64::try_from(what.indices.len()).ok().map(text::count);
        out.push(Tile::new("Indices", count).note(note));
    }
    out
}

fn schema(what: &Description) -> AnyView {
    let top = what.schema.iter().filter(|field| field.parent.is_none()).count();
    let mut remarks = vec![text::plural(u64::try_from(top).unwrap_or(u64::MAX), "column", "columns")];
    if let Some(version) = &what.format_version {
        remarks.push(format!("file format {}", text::visible(version)));
    }
    remarks.extend(what.features.iter().map(|feature| text::visible(feature)));
    if what.schema.is_empty() {
        let nothing = Empty::Nothing {
            what: "columns".to_owned(),
            hint: "The table exists and its schema has no field.".to_owned(),
        };
        return panel("Schema", Some(muted(remarks.join(" · "))), empty(nothing, Vec::new()));
    }
    let shown = Shown {
        comments: what.schema.iter().any(|field| field.doc.is_some() || !field.properties.is_empty()),
        indices: !what.indices.is_empty(),
    };
    let rows = (0..what.schema.len()).map(|at| field(what, at, shown)).collect();
    let columns = ["Column", "Type", "Nullable"]
        .into_iter()
        .chain(shown.comments.then_some("Comment"))
        .chain(shown.indices.then_some("Index"))
        .map(Column::text)
        .collect();
    panel("Schema", Some(muted(remarks.join(" · "))), table("Schema", columns, rows))
}

/// Columns of the schema's table that have something to say.
#[derive(Debug, Clone, Copy)]
struct Shown {
    comments: bool,
    indices: bool,
}

fn field(what: &Description, at: usize, shown: Shown) -> Vec<AnyView> {
    let field = &what.schema[at];
    let depth = depth(&what.schema, at);
    let class = match depth {
        0 => "mono",
        1 => "mono indent-1",
        2 => "mono indent-2",
        3 => "mono indent-3",
        _ => "mono indent-4",
    };
    let path = path(&what.schema, at).join(".");
    let marks = what
        .indices
        .iter()
        .filter(|index| index.columns.contains(&path))
        .map(|index| {
            let kind = text::visible(&index.kind);
            match index.rows_not_covered {
                Some(behind) if behind > 0 => {
                    let label = format!("{kind} · {} not covered", text::count(behind));
                    view! { <span class="badge warn">{label}</span> }.into_any()
                }
                _ => view! { <span class="badge text">{kind}</span> }.into_any(),
            }
        })
        .collect::<Vec<_>>();
    let name = text::visible(&field.name);
    let extra = (!field.properties.is_empty()).then(|| {
        let items = field
            .properties
            .iter()
            .map(|p| {
                let line = format!("{} = {}", text::visible(&p.key), text::visible(&p.value));
                view! { <li class="mono break">{line}</li> }
            })
            .collect_view();
        let count = u64::try_from(field.properties.len()).unwrap_or(u64::MAX);
        view! {
            <details><summary class="muted">{text::plural(count, "property", "properties")}</summary><ul class="notes">{items}</ul></details>
        }
    });
    let doc = field.doc.as_ref().map(|doc| text::visible(doc));
    let mut cells = vec![
        cell(view! { <span class=class>{name}</span> }),
        cell(view! { <span class="mono type">{text::visible(&field.type_name)}</span> }),
        cell(if field.nullable { "yes" } else { "no" }),
    ];
    if shown.comments {
        cells.push(cell(view! { <span class="comment">{doc}</span>{extra} }));
    }
    if shown.indices {
        cells.push(cell(view! { <span class="row">{marks}</span> }));
    }
    cells
}

/// How deep a field is nested. A parent stands before its children, so this ends.
fn depth(schema: &[Field], at: usize) -> usize {
    path(schema, at).len() - 1
}

/// Names from the top level down to a field.
pub(super) fn path(schema: &[Field], at: usize) -> Vec<String> {
    let mut names = vec![schema[at].name.clone()];
    let mut here = at;
    while let Some(parent) = schema[here].parent.and_then(|parent| usize::try_from(parent).ok()) {
        // A describer that lies about its parents must not make a loop.
        if parent >= here {
            break;
        }
        names.push(schema[parent].name.clone());
        here = parent;
    }
    names.reverse();
    names
}

fn indices(what: &Description) -> Option<AnyView> {
    if what.indices.is_empty() {
        return None;
    }
    let rows = what
        .indices
        .iter()
        .map(|index| {
            let columns: Vec<_> = index.columns.iter().map(|column| text::visible(column)).collect();
            vec![
                cell(view! { <span class="mono break">{text::visible(&index.name)}</span> }),
                cell(text::visible(&index.kind)),
                cell(view! { <span class="mono break">{columns.join(", ")}</span> }),
                num(index.rows_covered.map(text::count)),
                num(index.rows_not_covered.map(text::count)),
                num(index.bytes.map(text::bytes)),
            ]
        })
        .collect();
    let columns = vec![
        Column::text("Name"),
        Column::text("Type"),
        Column::text("Columns"),
        Column::number("Rows covered"),
        Column::number("Not covered"),
        Column::number("Size"),
    ];
    Some(panel("Indices", None, table("Indices", columns, rows)))
}

fn references(head: &Head, what: &Description) -> Option<AnyView> {
    if what.references.is_empty() {
        return None;
    }
    let items = what
        .references
        .iter()
        .map(|reference| {
            let glyph = if reference.kind == "branch" { Icon::Branch } else { Icon::Tag };
            let at = super::rows::RowsAsk::of_reference(reference);
            let href = at.href(&head.reference());
            let name = text::visible(&reference.name);
            let version = format!(" · version {}", text::visible(&reference.version));
            let label = if head.has_rows {
                view! { <a href=href>{name}</a> }.into_any()
            } else {
                view! { <span>{name}</span> }.into_any()
            };
            let kind = text::visible(&reference.kind);
            view! { <li class="break">{icon(glyph)}" "{label}<span class="muted">{format!(" {kind}{version}")}</span></li> }
        })
        .collect_view();
    Some(section("Tags and branches", None, view! { <ul class="notes">{items}</ul> }.into_any()))
}

fn place(head: &Head, what: Option<&Description>) -> AnyView {
    let location = head.table.location.as_str();
    let created = moment(head.table.created_at_ms, head.now_ms);
    let protected = if head.table.protected { "yes, it cannot be dropped" } else { "no" };
    let format = what.map_or(&head.table.format, |what| &what.format);
    view! {
        <div class="endpoint">{address(location)}{copy(location, "Copy location")}</div>
        <dl class="pairs">
            <dt>"Format"</dt><dd>{crate::parts::format_title(format)}</dd>
            <dt>"Registered"</dt><dd>{created}</dd>
            <dt>"Protected"</dt><dd>{protected}</dd>
        </dl>
    }
    .into_any()
}

fn observation(head: &Head, look: &Observation) -> AnyView {
    let cost = format!(
        "{}, {}, {}",
        text::plural(look.cost.requests, "request", "requests"),
        text::bytes(look.cost.bytes),
        text::duration_ms(look.cost.elapsed_ms)
    );
    view! {
        <dl class="pairs">
            <dt>"Taken"</dt><dd>{moment(look.taken_at_ms, head.now_ms)}<span class="muted">" · "<span class="keep">{text::utc(look.taken_at_ms)}</span></span></dd>
            <dt>"By"</dt><dd>{text::visible(&look.observer)}</dd>
            <dt>"Cost"</dt><dd>{cost}</dd>
        </dl>
        <p class="muted">"An observation describes one moment and guards nothing. Rows are read live."</p>
    }
    .into_any()
}

fn pairs(properties: &[Property]) -> Vec<(String, String)> {
    properties.iter().map(|p| (p.key.clone(), p.value.clone())).collect()
}

/// A panel of keys and values; nothing when there are none.
fn properties(title: &'static str, pairs: Vec<(String, String)>) -> Option<AnyView> {
    if pairs.is_empty() {
        return None;
    }
    let items = pairs
        .into_iter()
        .map(|(key, value)| {
            view! { <dt class="mono">{text::visible(&key)}</dt><dd class="mono">{text::visible(&value)}</dd> }
        })
        .collect_view();
    Some(section(title, None, view! { <dl class="pairs">{items}</dl> }.into_any()))
}
