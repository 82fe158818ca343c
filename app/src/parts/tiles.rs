//! The few numbers that answer a page's question.

use leptos::prelude::*;

use crate::text;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    pub label: String,
    /// None: not known, shown as a dash with the reason in `note`.
    pub value: Option<String>,
    pub note: Option<String>,
}

impl Tile {
    pub fn new(label: impl Into<String>, value: Option<String>) -> Self {
        Self { label: label.into(), value, note: None }
    }

    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

pub fn tiles(tiles: Vec<Tile>) -> AnyView {
    let tiles = tiles
        .into_iter()
        .map(|tile| {
            let note = tile.note.map(|note| view! { <small>{note}</small> });
            let value = match tile.value {
                Some(value) => view! { <span>{value}</span> }.into_any(),
                None => view! { <span class="muted" aria-label="not known">{text::DASH}</span> }.into_any(),
            };
            view! { <div class="tile"><dt>{tile.label}</dt><dd>{value}{note}</dd></div> }
        })
        .collect_view();
    view! { <dl class="tiles">{tiles}</dl> }.into_any()
}
