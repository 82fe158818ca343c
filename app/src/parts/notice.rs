//! Messages inside a page.

use lakeglass_api::description::{Note, Severity};
use leptos::prelude::*;

use super::icons::{Icon, icon};
use crate::frame::Tone;
use crate::text;

/// A message with a short title. `body` is a sentence or a small view.
pub fn notice(tone: Tone, title: impl Into<String>, body: impl IntoView + 'static) -> AnyView {
    let (class, glyph) = look(tone);
    view! { <div class=class>{icon(glyph)}<div><strong>{title.into()}</strong><div>{body.into_any()}</div></div></div> }
        .into_any()
}

/// What a reader said of its own answer: guesses, parts left out. Nothing when there is nothing.
pub fn notes(notes: &[Note]) -> Option<AnyView> {
    if notes.is_empty() {
        return None;
    }
    let items = notes
        .iter()
        .map(|note| {
            let word = match note.severity {
                Severity::Info => "Note",
                Severity::Warning => "Warning",
                Severity::Error => "Error",
            };
            let class = match note.severity {
                Severity::Info => "note",
                Severity::Warning => "note warn",
                Severity::Error => "note bad",
            };
            let message = text::visible(&note.message);
            view! { <li class=class><strong>{word}</strong>" "{message}</li> }
        })
        .collect_view();
    Some(view! { <ul class="notes">{items}</ul> }.into_any())
}

fn look(tone: Tone) -> (&'static str, Icon) {
    match tone {
        Tone::Info => ("notice", Icon::Info),
        Tone::Ok => ("notice ok", Icon::Check),
        Tone::Warn => ("notice warn", Icon::Warning),
        Tone::Bad => ("notice bad", Icon::Warning),
    }
}
