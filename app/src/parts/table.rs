//! Tables of lists, and the links that page through them.

use leptos::prelude::*;

/// Where a click on a column's heading leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortLink {
    pub href: String,
    /// Whether the list is sorted by this column now, and if so downwards.
    pub active: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub label: String,
    /// Aligned to the right, digits of one width.
    pub numeric: bool,
    pub sort: Option<SortLink>,
}

impl Column {
    pub fn text(label: impl Into<String>) -> Self {
        Self { label: label.into(), numeric: false, sort: None }
    }

    pub fn number(label: impl Into<String>) -> Self {
        Self { label: label.into(), numeric: true, sort: None }
    }

    #[must_use]
    pub fn sorted_by(mut self, sort: SortLink) -> Self {
        self.sort = Some(sort);
        self
    }
}

/// A table that scrolls sideways inside itself. `caption` is for screen readers; `rows` are cells
/// made by [`cell`] and [`num`], as many as `columns`.
pub fn table(caption: impl Into<String>, columns: Vec<Column>, rows: Vec<Vec<AnyView>>) -> AnyView {
    let caption = caption.into();
    let label = caption.clone();
    let heads = columns.into_iter().map(head).collect_view();
    let body = rows.into_iter().map(|cells| view! { <tr>{cells}</tr> }).collect_view();
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label=label>
            <table>
                <caption class="sr">{caption}</caption>
                <thead><tr>{heads}</tr></thead>
                <tbody>{body}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn head(column: Column) -> AnyView {
    let class = column.numeric.then_some("num");
    let Some(sort) = column.sort else {
        return view! { <th scope="col" class=class>{column.label}</th> }.into_any();
    };
    let (state, mark) = match sort.active {
        Some(true) => (Some("descending"), "↓"),
        Some(false) => (Some("ascending"), "↑"),
        None => (None, ""),
    };
    view! {
        <th scope="col" class=class aria-sort=state>
            <a href=sort.href>{column.label}<span aria-hidden="true">{mark}</span></a>
        </th>
    }
    .into_any()
}

/// A cell of text.
pub fn cell(content: impl IntoView + 'static) -> AnyView {
    view! { <td>{content.into_any()}</td> }.into_any()
}

/// A cell of a number, or a dash when it is not known.
pub fn num(value: Option<String>) -> AnyView {
    match value {
        Some(value) => view! { <td class="num">{value}</td> }.into_any(),
        None => view! { <td class="num muted"><span aria-label="not known">{crate::text::DASH}</span></td> }
            .into_any(),
    }
}

/// Links to the pages around this one; a missing one is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pager {
    /// "Rows 301 to 350".
    pub summary: String,
    pub first: Option<String>,
    pub previous: Option<String>,
    pub next: Option<String>,
}

pub fn pager(pager: Pager) -> AnyView {
    let link = |href: Option<String>, label: &'static str, rel: Option<&'static str>| {
        href.map(|href| view! { <a class="button" href=href rel=rel>{label}</a> })
    };
    view! {
        <nav class="foot row" aria-label="Pages">
            <span class="muted">{pager.summary}</span>
            <span class="row push">
                {link(pager.first, "First", None)}
                {link(pager.previous, "Previous", Some("prev"))}
                {link(pager.next, "Next", Some("next"))}
            </span>
        </nav>
    }
    .into_any()
}
