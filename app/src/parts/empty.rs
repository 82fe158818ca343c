//! The different ways to have nothing to show. None of them may be mistaken for another.

use leptos::prelude::*;

use super::icons::{Icon, icon};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Empty {
    /// The person may see that it exists, but not this part of it. `needs` is a role.
    Denied { what: String, needs: String },
    /// It was read, and there is nothing. `hint` says what would put something there.
    Nothing { what: String, hint: String },
    /// It could not be read; this says nothing about what is there.
    Unreachable { what: String, cause: String },
    /// A table whose location is reserved and that nobody has written to.
    NeverWritten,
    /// Nothing has looked yet.
    NotObserved,
}

/// A block that says why it is empty, with actions that lead on.
pub fn empty(why: Empty, actions: Vec<AnyView>) -> AnyView {
    let (class, glyph, title, body) = match why {
        Empty::Denied { what, needs } => (
            "empty denied",
            Icon::Lock,
            format!("You may not see {what}"),
            format!("This needs the {needs} role here. An admin of this bucket can grant it."),
        ),
        Empty::Nothing { what, hint } => ("empty", Icon::Info, format!("No {what}"), hint),
        Empty::Unreachable { what, cause } => (
            "empty unreachable",
            Icon::Warning,
            format!("Could not read {what}"),
            format!("{cause}. This says nothing about what is stored; try again when the cause is gone."),
        ),
        Empty::NeverWritten => (
            "empty",
            Icon::Clock,
            "Declared, never written".to_owned(),
            "The location is reserved for this table and holds no version yet. The first write by any \
             client creates it."
                .to_owned(),
        ),
        Empty::NotObserved => (
            "empty",
            Icon::Search,
            "Not observed yet".to_owned(),
            "Nothing has looked at this table since it was created or found, so its schema and totals \
             are not known here. Observing reads its metadata now."
                .to_owned(),
        ),
    };
    let actions = (!actions.is_empty()).then(|| view! { <div class="row center">{actions}</div> });
    view! {
        <div class=class>
            {icon(glyph)}
            <p class="title">{title}</p>
            <p class="muted">{body}</p>
            {actions}
        </div>
    }
    .into_any()
}
