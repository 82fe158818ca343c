//! The pages of one object, as links.

use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tab {
    pub label: String,
    pub href: String,
    pub current: bool,
}

/// `label` names the group for screen readers: "Table".
pub fn tabs(label: &'static str, tabs: Vec<Tab>) -> AnyView {
    let links = tabs
        .into_iter()
        .map(|tab| {
            let current = tab.current.then_some("page");
            view! { <a href=tab.href aria-current=current>{tab.label}</a> }
        })
        .collect_view();
    view! { <nav class="tabs" aria-label=label>{links}</nav> }.into_any()
}
