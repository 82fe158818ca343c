//! Above the grid: which version, which columns, which rows, and taking them away as a file.
//!
//! Each control is a GET form or a link that leads to another address of the same page.

use lakeglass_api::Operator;
use lakeglass_api::cells::Grid;
use leptos::prelude::*;

use super::{At, RowsAsk, RowsPage, cost_line, words};
use crate::links;
use crate::parts::{Icon, Look, hidden, icon, submit};
use crate::text;

pub(super) fn bar(data: &RowsPage, grid: Option<&Grid>) -> AnyView {
    let cost = grid.map(cost_line);
    view! {
        <div class="tools">
            {version(data, grid)}
            {data.can_filter.then(|| filter(data))}
            {columns(data)}
            {grid.map(|_| download(data))}
            {cost}
        </div>
    }
    .into_any()
}

/// The conditions that hold now, each with a link that removes it.
pub(super) fn chips(data: &RowsPage) -> Option<AnyView> {
    if data.ask.filters.is_empty() {
        return None;
    }
    let table = data.head.reference();
    let chips = data
        .ask
        .filters
        .iter()
        .enumerate()
        .map(|(at, filter)| {
            let mut filters = data.ask.filters.clone();
            filters.remove(at);
            let without = RowsAsk { filters, offset: 0, row: None, ..data.ask.clone() };
            let column = text::visible(&filter.column.join("."));
            let words = words(filter.op);
            let value = filter.op.takes_value().then(|| {
                let shown = if filter.value.is_empty() {
                    "empty text".to_owned()
                } else {
                    text::visible(&filter.value)
                };
                view! { <code>{shown}</code> }
            });
            let remove = format!("Remove the filter on {column}");
            view! {
                <li class="chip">
                    <code>{column}</code><span>{words}</span>{value}
                    <a href=without.href(&table) aria-label=remove>{icon(Icon::Close)}</a>
                </li>
            }
        })
        .collect_view();
    Some(view! { <ul class="chips" aria-label="Filters">{chips}</ul> }.into_any())
}

/// The state that a form of this page keeps, as hidden inputs.
fn kept(ask: &RowsAsk, but: &[&str]) -> AnyView {
    ask.pairs()
        .into_iter()
        .filter(|(key, _)| !but.contains(key))
        .map(|(key, value)| hidden(key, value))
        .collect_view()
        .into_any()
}

fn version(data: &RowsPage, grid: Option<&Grid>) -> Option<AnyView> {
    if !data.head.has_versions && data.references.is_empty() {
        return None;
    }
    let chosen = data.ask.at.encode();
    let latest = match grid.and_then(|grid| grid.version.as_ref()) {
        Some(version) if data.ask.at == At::Latest => format!("Latest, {}", text::visible(version)),
        _ => "Latest".to_owned(),
    };
    let mut choices = vec![(String::new(), latest)];
    choices.extend(data.references.iter().map(|reference| {
        let ask = RowsAsk::of_reference(reference);
        let kind = text::visible(&reference.kind);
        let name = text::visible(&reference.name);
        (ask.at.encode(), format!("{kind} {name} · {}", text::visible(&reference.version)))
    }));
    choices.extend(data.versions.iter().map(|version| {
        let when = version.timestamp_ms.map(|at| format!(" · {}", text::utc(at))).unwrap_or_default();
        (At::Version(version.id.clone()).encode(), format!("{}{when}", text::visible(&version.id)))
    }));
    // A link may name a version that is not among the newest.
    if choices.iter().all(|(value, _)| *value != chosen) {
        let label = match &data.ask.at {
            At::Latest => String::new(),
            At::Version(version) => text::visible(version),
            At::Tag(tag) => format!("tag {}", text::visible(tag)),
            At::Branch(branch, None) => format!("branch {}", text::visible(branch)),
            At::Branch(branch, Some(version)) => {
                format!("branch {} · {}", text::visible(branch), text::visible(version))
            }
        };
        choices.push((chosen.clone(), label));
    }
    let options = choices
        .into_iter()
        .map(|(value, label)| {
            let selected = value == chosen;
            view! { <option value=value selected=selected>{label}</option> }
        })
        .collect_view();
    Some(
        view! {
            <form class="row" method="get" action=path(data)>
                {kept(&data.ask, &["at", "offset", "row"])}
                <label for="at">"Version"</label>
                <select id="at" name="at" class="pick-version">{options}</select>
                {submit("Show", Look::Normal, None)}
            </form>
        }
        .into_any(),
    )
}

fn filter(data: &RowsPage) -> AnyView {
    let columns = data
        .filterable
        .iter()
        .map(|path| {
            let value = serde_json::json!(path).to_string();
            view! { <option value=value>{text::visible(&path.join("."))}</option> }
        })
        .collect_view();
    let operators = Operator::ALL.map(|op| view! { <option value=op.code()>{words(op)}</option> }).to_vec();
    view! {
        <details>
            <summary class="button quiet">{icon(Icon::Filter)}"Filter"</summary>
            <form class="pop" method="get" action=path(data)>
                {kept(&data.ask, &["offset", "row"])}
                <div class="columns">
                    <div class="field"><label for="column">"Column"</label><select id="column" name="column">{columns}</select></div>
                    <div class="field"><label for="op">"Comparison"</label><select id="op" name="op">{operators}</select></div>
                    <div class="field"><label for="value">"Value"</label><input type="text" id="value" name="value" autocomplete="off" spellcheck="false" aria-describedby="value-hint"/></div>
                </div>
                <p class="hint" id="value-hint">"The value is read as the column’s type. For “is one of”, separate values with commas."</p>
                <div class="row">{submit("Add filter", Look::Normal, None)}</div>
            </form>
        </details>
    }
    .into_any()
}

fn columns(data: &RowsPage) -> Option<AnyView> {
    if data.columns.len() < 2 {
        return None;
    }
    let all = data.columns.len();
    let shown = if data.ask.columns.is_empty() { all } else { data.ask.columns.len() };
    let boxes = data
        .columns
        .iter()
        .map(|column| {
            let checked = data.ask.columns.is_empty() || data.ask.columns.contains(column);
            view! {
                <label class="check">
                    <input type="checkbox" name="show" value=column.clone() checked=checked/>
                    <span class="mono break">{text::visible(column)}</span>
                </label>
            }
        })
        .collect_view();
    let everything = RowsAsk { columns: Vec::new(), ..data.ask.clone() }.href(&data.head.reference());
    Some(
        view! {
            <details>
                <summary class="button quiet">{icon(Icon::Columns)}{format!("Columns {shown} of {all}")}</summary>
                <form class="pop" method="get" action=path(data)>
                    {kept(&data.ask, &["show", "row"])}
                    <fieldset><legend class="sr">"Columns to show"</legend><div class="pick">{boxes}</div></fieldset>
                    <div class="row">{submit("Show these", Look::Normal, None)}<a href=everything>"Show all"</a></div>
                </form>
            </details>
        }
        .into_any(),
    )
}

fn download(data: &RowsPage) -> AnyView {
    let table = data.head.reference();
    let links = [("csv", "CSV"), ("json-lines", "JSON lines"), ("arrow", "Arrow")]
        .map(|(format, label)| {
            let href = RowsAsk { row: None, ..data.ask.clone() }.download_href(&table, format);
            view! { <a class="button" href=href download="">{label}</a> }
        })
        .to_vec();
    view! {
        <details>
            <summary class="button quiet">{icon(Icon::Download)}"Download"</summary>
            <div class="pop"><p class="hint">"The rows of this page, with these columns and filters."</p><div class="row">{links}</div></div>
        </details>
    }
    .into_any()
}

/// Where the page's own forms lead.
fn path(data: &RowsPage) -> String {
    links::table_tab(&data.head.reference(), "rows")
}
