//! Cells as the grid and the row's details draw them. Exact text only; nothing here parses a number.

use std::fmt::Write as _;

use lakeglass_api::cells::{Cell, GridColumn};
use leptos::prelude::*;

use super::button::copy;
use crate::text;

/// Columns of a sparkline's drawing.
const SPARK_WIDTH: usize = 110;
/// Height of its drawing; the top and bottom two units stay free for the line's own width.
const SPARK_HEIGHT: u32 = 20;

/// One cell of the grid: a line, cut by the style sheet, whole in the row's details.
pub fn grid_cell(cell: &Cell, column: Option<&GridColumn>) -> AnyView {
    let class = if column.is_some_and(|column| column.numeric) { "cell num" } else { "cell" };
    view! { <td class=class>{line(cell)}</td> }.into_any()
}

fn line(cell: &Cell) -> AnyView {
    match cell {
        Cell::Null => view! { <span class="null">"null"</span> }.into_any(),
        Cell::Text { text, .. } if text.is_empty() => view! { <span class="blank">"empty"</span> }.into_any(),
        Cell::Text { text, cut_from } => {
            let cut = cut_from.map(|length| {
                let length = text::bytes(length);
                view! { <span class="cut">{format!(" … of {length}")}</span> }
            });
            view! { {text.clone()}{cut} }.into_any()
        }
        Cell::Number { text } | Cell::Json { text, .. } => view! { {text.clone()} }.into_any(),
        Cell::Special { text } => view! { <span class="special">{text.clone()}</span> }.into_any(),
        Cell::Time { text, title } => view! { <time title=title.clone()>{text.clone()}</time> }.into_any(),
        Cell::Binary { length, media, .. } => {
            let what = media.clone().unwrap_or_else(|| "bytes".to_owned());
            view! { <span class="cut">{format!("{what} · {}", text::bytes(*length))}</span> }.into_any()
        }
        Cell::Vector { dimension, norm, nans, spark, .. } => {
            let warning =
                (*nans > 0).then(|| view! { <span class="special">{format!(" · {nans} NaN")}</span> });
            view! {
                {sparkline(spark, *dimension, "spark")}
                <span class="cut">{format!(" {dimension} · norm {norm}")}</span>
                {warning}
            }
            .into_any()
        }
        Cell::Nested { summary, .. } => view! { {summary.clone()} }.into_any(),
    }
}

/// One value in full, with a button that copies it.
pub fn full_cell(cell: &Cell, column: &GridColumn) -> AnyView {
    let name = text::visible(&column.name);
    let type_name = text::visible(&column.type_name);
    let button = exact(cell).map(|text| copy(text, format!("Copy {name}")));
    view! {
        <div>
            <dt><span>{name}</span><small>{type_name}</small>{button}</dt>
            <dd>{whole(cell)}</dd>
        </div>
    }
    .into_any()
}

fn whole(cell: &Cell) -> AnyView {
    match cell {
        Cell::Text { text, cut_from } if !text.is_empty() => {
            let cut = cut_from.map(|length| {
                let length = text::bytes(length);
                view! { <p class="cut">{format!("Cut here; the whole text is {length}.")}</p> }
            });
            view! { <pre class="value">{text.clone()}</pre>{cut} }.into_any()
        }
        Cell::Time { text, title } => {
            view! { <span class="mono">{text.clone()}</span>" "<span class="muted">{title.clone()}</span> }
                .into_any()
        }
        Cell::Binary { length, head, media, href } => {
            let media = media.as_ref().map(|media| format!(" · {media}")).unwrap_or_default();
            let link = href.clone().map(|href| view! { <p><a href=href>"Download these bytes"</a></p> });
            view! {
                <p class="muted">{format!("{} bytes{media}", text::count(*length))}</p>
                <pre class="value">{head.clone()}</pre>
                {link}
            }
            .into_any()
        }
        Cell::Vector { dimension, norm, min, max, nans, zeros, head, spark } => {
            let more = usize::try_from(*dimension).unwrap_or(usize::MAX).saturating_sub(head.len());
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            let facts = format!(
                "{dimension} values · norm {norm} · min {min} · max {max} · {nans} NaN · {zeros} zero"
            );
            let warning = (nans > &0 || zeros == dimension).then(|| {
                view! { <p class="special">"Cosine distance is not defined for this vector."</p> }
            });
            view! {
                {sparkline(spark, *dimension, "spark large")}
                <p class="muted">{facts}</p>
                {warning}
                <pre class="value">{format!("{}{more}", head.join(", "))}</pre>
            }
            .into_any()
        }
        Cell::Nested { full, cut, .. } => {
            let cut = cut.then(|| view! { <p class="cut">"Some of it was left out."</p> });
            view! { <pre class="value">{full.clone()}</pre>{cut} }.into_any()
        }
        Cell::Json { text, pretty } => {
            let exact = (text != pretty).then(|| {
                view! { <details><summary>"Exact text"</summary><pre class="value">{text.clone()}</pre></details> }
            });
            view! { <pre class="value">{pretty.clone()}</pre>{exact} }.into_any()
        }
        Cell::Null | Cell::Text { .. } | Cell::Number { .. } | Cell::Special { .. } => {
            view! { <span class="mono">{line(cell)}</span> }.into_any()
        }
    }
}

/// What the copy button copies; nothing for null.
fn exact(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Null => None,
        Cell::Text { text, .. }
        | Cell::Number { text }
        | Cell::Special { text }
        | Cell::Time { text, .. }
        | Cell::Json { text, .. } => Some(text.clone()),
        Cell::Binary { head, .. } => Some(head.clone()),
        Cell::Vector { head, .. } => Some(format!("[{}]", head.join(", "))),
        Cell::Nested { full, .. } => Some(full.clone()),
    }
}

/// A line through at most 64 points of 0 to 100, by attributes and classes only.
fn sparkline(points: &[u8], dimension: u32, class: &'static str) -> Option<AnyView> {
    if points.len() < 2 {
        return None;
    }
    let mut path = String::new();
    for (i, point) in points.iter().enumerate() {
        let x = i * SPARK_WIDTH / (points.len() - 1);
        let y = SPARK_HEIGHT - 2 - u32::from((*point).min(100)) * (SPARK_HEIGHT - 4) / 100;
        // Writing to a String cannot fail.
        let _ = write!(path, "{} {x} {y}", if i == 0 { "M" } else { " L" });
    }
    let label = format!("Shape of {dimension} values");
    Some(
        view! {
            <svg class=class viewBox="0 0 110 20" preserveAspectRatio="none" role="img" aria-label=label>
                <path d=path></path>
            </svg>
        }
        .into_any(),
    )
}
