//! The side: where one can go, who one is, and how the console is shown.

use leptos::prelude::*;

use super::{Frame, Section, Theme, Viewer};
use crate::parts::{Icon, Look, hidden, icon, submit};
use crate::text;

pub(super) fn side(frame: &Frame) -> AnyView {
    let settings = match &frame.user {
        Some(user) if user.admin => "/settings/users",
        _ => "/settings/sessions",
    };
    let item = |section: Section,
                href: &'static str,
                glyph: Icon,
                label: &'static str,
                count: Option<u64>| {
        let current = (frame.section == section).then_some("page");
        let count = count.map(|n| view! { <span class="count">{text::count(n)}</span> });
        view! { <a class="item" href=href aria-current=current>{icon(glyph)}<span>{label}</span>{count}</a> }
    };
    view! {
        <nav class="side" aria-label="Main">
            <a class="brand" href="/">{mark()}"Lakeglass"</a>
            {item(Section::Overview, "/", Icon::Overview, "Overview", None)}
            {item(Section::Buckets, "/buckets", Icon::Buckets, "Buckets", frame.counts.buckets)}
            {item(Section::Jobs, "/jobs", Icon::Jobs, "Jobs", frame.counts.jobs)}
            <div class="group">"Server"</div>
            {item(Section::Formats, "/formats", Icon::Formats, "Formats", frame.counts.formats)}
            {item(Section::Settings, settings, Icon::Settings, "Settings", None)}
            <div class="foot-side">{display(frame)}{frame.user.as_ref().map(me)}</div>
        </nav>
    }
    .into_any()
}

/// The sign of the product: a lens over water.
fn mark() -> AnyView {
    view! {
        <svg viewBox="0 0 24 24" aria-hidden="true" inner_html=r#"<circle cx="12" cy="12" r="9"/><path d="M3.5 13.5c2.8-2 5.6-2 8.5 0s5.7 2 8.5 0M5.5 17.3c2.2-1.4 4.3-1.4 6.5 0s4.3 1.4 6.5 0"/>"#></svg>
    }
    .into_any()
}

fn me(user: &Viewer) -> AnyView {
    let name = text::visible(&user.name);
    let role = user.role.clone();
    view! {
        <div class="me">
            <span class="name" title=name.clone()>{name.clone()}</span>
            <span class="badge unset">{role}</span>
            <form class="inline" method="post" action="/sign-out">{submit("Sign out", Look::Quiet, None)}</form>
        </div>
    }
    .into_any()
}

/// Theme and keyboard: plain posts, kept in cookies.
fn display(frame: &Frame) -> AnyView {
    let themes = [(Theme::System, "System"), (Theme::Light, "Light"), (Theme::Dark, "Dark")]
        .map(|(theme, label)| {
            let pressed = if frame.theme == theme { "true" } else { "false" };
            view! {
                <button class="segment" type="submit" name="theme" value=theme.as_str() aria-pressed=pressed>
                    {label}
                </button>
            }
        })
        .to_vec();
    let (value, label) =
        if frame.shortcuts { ("off", "Turn shortcut keys off") } else { ("on", "Turn shortcut keys on") };
    view! {
        <details class="display">
            <summary aria-label="Display">{icon(Icon::Moon)}<span>"Display"</span></summary>
            <form method="post" action="/preferences">
                {hidden("return_to", frame.path.clone())}
                <div class="segments" role="group" aria-label="Theme">{themes}</div>
                <button class="button quiet" type="submit" name="shortcuts" value=value>{label}</button>
            </form>
        </details>
    }
    .into_any()
}
