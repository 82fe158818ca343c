//! Buttons: links that look like one, submits, and whole one-button forms.

use leptos::prelude::*;

use super::form::hidden;
use super::icons::{Icon, icon};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Normal,
    /// The one thing this page is for; at most one a view.
    Primary,
    /// Destroys something.
    Danger,
    Quiet,
}

impl Look {
    fn class(self) -> &'static str {
        match self {
            Self::Normal => "button",
            Self::Primary => "button primary",
            Self::Danger => "button danger",
            Self::Quiet => "button quiet",
        }
    }
}

pub fn link_button(
    href: impl Into<String>,
    label: impl Into<String>,
    look: Look,
    glyph: Option<Icon>,
) -> AnyView {
    view! { <a class=look.class() href=href.into()>{glyph.map(icon)}{label.into()}</a> }.into_any()
}

/// The button that sends the form around it.
pub fn submit(label: impl Into<String>, look: Look, glyph: Option<Icon>) -> AnyView {
    view! { <button class=look.class() type="submit">{glyph.map(icon)}{label.into()}</button> }.into_any()
}

/// A form with one button: an action that needs no input. Posts `fields` as hidden inputs.
pub fn post_button(
    action: impl Into<String>,
    label: impl Into<String>,
    look: Look,
    glyph: Option<Icon>,
    fields: &[(&'static str, &str)],
) -> AnyView {
    let fields = fields.iter().map(|(name, value)| hidden(name, *value)).collect_view();
    view! { <form class="inline" method="post" action=action.into()>{fields}{submit(label, look, glyph)}</form> }
        .into_any()
}

/// Copies `text`; appears once the browser's part has started. `what` names it: "Copy endpoint".
pub fn copy(text: impl Into<String>, what: impl Into<String>) -> AnyView {
    view! {
        <button class="button quiet copy" type="button" data-copy=text.into() aria-label=what.into()>
            {icon(Icon::Copy)}<span class="label">"Copy"</span>
        </button>
    }
    .into_any()
}
