//! Panels: a titled surface.

use leptos::prelude::*;

/// A titled panel whose body reaches its edges (tables). `aside` stands at the right of the title.
pub fn panel(title: impl Into<String>, aside: Option<AnyView>, body: AnyView) -> AnyView {
    view! { <section class="panel"><header><h2>{title.into()}</h2>{aside}</header>{body}</section> }
        .into_any()
}

/// A titled panel with space around its body (text, forms).
pub fn section(title: impl Into<String>, aside: Option<AnyView>, body: AnyView) -> AnyView {
    panel(title, aside, view! { <div class="body stack">{body}</div> }.into_any())
}
