//! The rows of a table, read live for this page and kept nowhere.

mod ask;
mod detail;
mod tools;

pub use ask::{At, DEFAULT_LIMIT, Filter, MAX_FILTERS, RowsAsk, words};
pub use detail::{RowDetail, detail_part};

use lakeglass_api::cells::Grid;
use lakeglass_api::description::{Reference, Version};
use lakeglass_islands::RowsGrid;
use leptos::prelude::*;

use super::{Head, TableTab, above};
use crate::frame::Tone;
use crate::parts::{Empty, Icon, Look, Pager, empty, grid_cell, icon, link_button, notes, notice, pager};
use crate::text;

/// What reading gave.
#[derive(Debug, Clone)]
pub enum Reading {
    Rows(Box<Grid>),
    /// The person may see the table but not its rows.
    Denied,
    /// What was asked for cannot be: a filter that does not fit its column, a version that is gone.
    Refused(String),
    Unreachable(String),
    NeverWritten,
}

#[derive(Debug, Clone)]
pub struct RowsPage {
    pub head: Head,
    pub ask: RowsAsk,
    pub reading: Reading,
    /// Every top-level column, also those not asked for.
    pub columns: Vec<String>,
    /// Paths of columns that a filter can name, from the top level down.
    pub filterable: Vec<Vec<String>>,
    /// The describer understands filters.
    pub can_filter: bool,
    /// The newest versions, to choose from.
    pub versions: Vec<Version>,
    pub references: Vec<Reference>,
    /// The row asked for in full.
    pub detail: Option<RowDetail>,
}

pub fn page(data: &RowsPage) -> AnyView {
    let body = match &data.reading {
        Reading::Rows(grid) => read(data, grid),
        Reading::Denied => {
            let why = Empty::Denied { what: "the rows of this table".into(), needs: "reader".into() };
            view! { <section class="panel">{empty(why, Vec::new())}</section> }.into_any()
        }
        Reading::NeverWritten => {
            view! { <section class="panel">{empty(Empty::NeverWritten, Vec::new())}</section> }.into_any()
        }
        Reading::Unreachable(cause) => {
            let cause = text::visible(cause).trim_end_matches('.').to_owned();
            let again = link_button(
                data.ask.href(&data.head.reference()),
                "Try again",
                Look::Normal,
                Some(Icon::Refresh),
            );
            let why = Empty::Unreachable { what: "the rows".into(), cause };
            view! { <section class="panel">{empty(why, vec![again])}</section> }.into_any()
        }
        Reading::Refused(cause) => refused(data, cause),
    };
    view! { {above(&data.head, TableTab::Rows)}{body} }.into_any()
}

/// The question again, with what is wrong about it.
fn refused(data: &RowsPage, cause: &str) -> AnyView {
    let start = RowsAsk { columns: data.ask.columns.clone(), ..RowsAsk::default() };
    let start = start.href(&data.head.reference());
    let cause = text::visible(cause);
    view! {
        {notice(Tone::Bad, "These rows cannot be shown", view! { <p>{cause}</p><p><a href=start>"Show the latest rows without filters"</a></p> })}
        <section class="panel">{tools::bar(data, None)}{tools::chips(data)}</section>
    }
    .into_any()
}

fn read(data: &RowsPage, grid: &Grid) -> AnyView {
    let table = data.head.reference();
    let content = if grid.rows.is_empty() { no_rows(data, grid) } else { rows(data, grid) };
    let detail = data.detail.as_ref().map(|row| detail::beside(data, row));
    let step = |offset: u64| RowsAsk { offset, row: None, ..data.ask.clone() }.href(&table);
    let limit = u64::from(data.ask.limit);
    let last = grid.offset + u64::try_from(grid.rows.len()).unwrap_or(0);
    let summary = if grid.rows.is_empty() {
        "No rows".to_owned()
    } else {
        format!("Rows {} to {}", text::count(grid.offset + 1), text::count(last))
    };
    let page = Pager {
        summary,
        first: (grid.offset > limit).then(|| step(0)),
        previous: (grid.offset > 0).then(|| step(grid.offset.saturating_sub(limit))),
        next: grid.more.then(|| step(last)),
    };
    let noted = notes(&grid.notes).map(|notes| view! { <div class="chips">{notes}</div> });
    view! {
        {detail}
        <section class="panel" aria-label="Rows">
            {tools::bar(data, Some(grid))}
            {tools::chips(data)}
            {noted}
            {content}
            {pager(page)}
        </section>
        <p class="muted after">"Rows are read from storage for this page and kept nowhere."</p>
    }
    .into_any()
}

/// Nothing came back: because of the filters, of the page, or because the table is empty.
fn no_rows(data: &RowsPage, grid: &Grid) -> AnyView {
    let table = data.head.reference();
    let (hint, action) = if !data.ask.filters.is_empty() {
        let all = RowsAsk { filters: Vec::new(), offset: 0, row: None, ..data.ask.clone() };
        (
            "No row holds for all filters at once.",
            Some(link_button(all.href(&table), "Remove the filters", Look::Normal, None)),
        )
    } else if grid.offset > 0 {
        let first = RowsAsk { offset: 0, row: None, ..data.ask.clone() };
        (
            "The table has fewer rows than this page starts after.",
            Some(link_button(first.href(&table), "First page", Look::Normal, None)),
        )
    } else {
        ("The table was read, and this version of it holds no rows.", None)
    };
    empty(Empty::Nothing { what: "rows".into(), hint: hint.into() }, action.into_iter().collect())
}

/// The grid as plain markup; the island around it adds keys and the drawer.
fn rows(data: &RowsPage, grid: &Grid) -> AnyView {
    let heads = grid
        .columns
        .iter()
        .map(|column| {
            let class = column.numeric.then_some("num");
            let nullable = if column.nullable { "" } else { ", not null" };
            let kind = format!("{}{nullable}", text::visible(&column.type_name));
            let name = text::visible(&column.name);
            view! { <th scope="col" class=class title=name.clone()>{name.clone()}<small title=kind.clone()>{kind.clone()}</small></th> }
        })
        .collect_view();
    let table = data.head.reference();
    let pinned = pinned(data, grid);
    let body = grid
        .rows
        .iter()
        .zip(grid.offset..)
        .map(|(cells, offset)| {
            let ask = RowsAsk { row: Some(offset), ..pinned.clone() };
            let cells = cells
                .iter()
                .enumerate()
                .map(|(at, cell)| grid_cell(cell, grid.columns.get(at)))
                .collect_view();
            let number = text::count(offset + 1);
            let label = format!("Row {number} in full");
            view! {
                <tr>
                    <td class="num mono">
                        <a href=format!("{}#row", ask.href(&table)) data-row="" data-part=ask.part_href(&table) aria-label=label>{number}</a>
                    </td>
                    {cells}
                </tr>
            }
        })
        .collect_view();
    view! {
        <RowsGrid>
            <div class="scroll grid" tabindex="0" role="region" aria-label="Rows of the table">
                <table>
                    <caption class="sr">"Rows, read live"</caption>
                    <thead><tr><th scope="col" class="num">"Row"</th>{heads}</tr></thead>
                    <tbody>{body}</tbody>
                </table>
            </div>
        </RowsGrid>
    }
    .into_any()
}

/// The same question, at the version that was read: a row's number means nothing at another one.
fn pinned(data: &RowsPage, grid: &Grid) -> RowsAsk {
    let at = match (&data.ask.at, &grid.version) {
        (At::Latest, Some(version)) => At::Version(version.clone()),
        (At::Branch(branch, None), Some(version)) => At::Branch(branch.clone(), Some(version.clone())),
        (at, _) => at.clone(),
    };
    RowsAsk { at, ..data.ask.clone() }
}

/// `Live · version 6 · 3 requests · 41 KiB · 9 ms`.
fn cost_line(grid: &Grid) -> AnyView {
    let version = grid.version.as_ref().map(|version| format!(" · version {}", text::visible(version)));
    let line = format!(
        "Live, read just now{} · {} · {} · {}",
        version.unwrap_or_default(),
        text::plural(grid.cost.requests, "request", "requests"),
        text::bytes(grid.cost.bytes),
        text::duration_ms(grid.cost.elapsed_ms)
    );
    view! { <span class="seen push">{icon(Icon::Clock)}<span>{line}</span></span> }.into_any()
}
