//! One row in full: beside the grid without scripts, in a drawer with them.

use lakeglass_api::cells::{Cell, GridColumn};
use leptos::prelude::*;

use super::{RowsAsk, RowsPage};
use crate::parts::{Look, full_cell, link_button};
use crate::text;

/// A row read alone, every column of it.
#[derive(Debug, Clone)]
pub struct RowDetail {
    /// Its offset under the page's filters, from 0.
    pub offset: u64,
    pub columns: Vec<GridColumn>,
    /// None: there is no such row.
    pub cells: Option<Vec<Cell>>,
}

/// On the page itself, above the grid.
pub(super) fn beside(data: &RowsPage, row: &RowDetail) -> AnyView {
    let table = data.head.reference();
    let to = |offset: u64| format!("{}#row", RowsAsk { row: Some(offset), ..data.ask.clone() }.href(&table));
    let close = RowsAsk { row: None, ..data.ask.clone() }.href(&table);
    let previous =
        row.offset.checked_sub(1).map(|offset| link_button(to(offset), "Previous", Look::Normal, None));
    let next = row.cells.is_some().then(|| link_button(to(row.offset + 1), "Next", Look::Normal, None));
    view! {
        <section class="panel" id="row" aria-labelledby="row-title">
            <header>
                {title(row, "row-title")}
                <span class="row push">{previous}{next}{link_button(close, "Close", Look::Quiet, None)}</span>
            </header>
            {fields(row)}
        </section>
    }
    .into_any()
}

/// The same alone, for the drawer.
pub fn detail_part(row: &RowDetail) -> AnyView {
    view! { <section aria-labelledby="drawer-title"><div class="drawer-title">{title(row, "drawer-title")}</div>{fields(row)}</section> }
        .into_any()
}

fn title(row: &RowDetail, id: &'static str) -> AnyView {
    view! { <h2 id=id>{format!("Row {}", text::count(row.offset + 1))}</h2> }.into_any()
}

fn fields(row: &RowDetail) -> AnyView {
    let Some(cells) = &row.cells else {
        return view! { <p class="body muted">"There is no such row under these filters."</p> }.into_any();
    };
    let fields = cells.iter().zip(&row.columns).map(|(cell, column)| full_cell(cell, column)).collect_view();
    view! { <dl class="detail">{fields}</dl> }.into_any()
}
