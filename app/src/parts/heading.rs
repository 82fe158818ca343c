//! A page's heading: the target of focus after a change of page.

use leptos::prelude::*;

use crate::text;

/// The `<h1>` with what stands beside it and the page's actions. One a page.
pub fn heading(title: &str, beside: Option<AnyView>, actions: Vec<AnyView>) -> AnyView {
    let actions = (!actions.is_empty()).then(|| view! { <div class="actions">{actions}</div> });
    view! {
        <div class="head"><h1 id="heading" tabindex="-1">{text::visible(title)}</h1>{beside}{actions}</div>
    }
    .into_any()
}

/// A quiet remark beside a heading or title.
pub fn muted(remark: impl Into<String>) -> AnyView {
    view! { <span class="muted">{remark.into()}</span> }.into_any()
}
