//! The document: head, side, top bar, messages, and the page in the middle.

use lakeglass_islands::{Clipboard, Command, Palette};
use leptos::prelude::*;

use super::{Crumb, Frame, Tone, boot, navigation};
use crate::parts::{Icon, format_badge, icon, state_badge};
use crate::text;

pub(super) fn document(frame: &Frame, title: &str, body: AnyView) -> AnyView {
    let theme = frame.theme.chosen();
    let title = format!("{} · Lakeglass", text::visible(title));
    let favicon =
        frame.assets.icon.clone().map(|href| view! { <link rel="icon" href=href r#type="image/svg+xml"/> });
    let inside = if frame.user.is_some() { framed(frame, body) } else { alone(frame, body) };
    view! {
        <html lang="en" data-theme=theme>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <title>{title}</title>
                <link rel="stylesheet" href=frame.assets.css.clone()/>
                {favicon}
                {boot::scripts(&frame.assets, &frame.nonce)}
            </head>
            <body>
                <a class="skip" href="#main">"Skip to the page"</a>
                {inside}
            </body>
        </html>
    }
    .into_any()
}

fn framed(frame: &Frame, body: AnyView) -> AnyView {
    view! {
        <div class="frame">
            {navigation::side(frame)}
            <div class="page">
                <header class="top">
                    {crumbs(frame)}
                    <Palette commands=commands(frame) shortcuts=frame.shortcuts/>
                </header>
                <main id="main">{messages(frame)}{body}</main>
            </div>
        </div>
        <Clipboard/>
    }
    .into_any()
}

/// For pages that anyone sees: nothing to navigate to.
fn alone(frame: &Frame, body: AnyView) -> AnyView {
    view! { <main id="main" class="alone">{messages(frame)}{body}</main><Clipboard/> }.into_any()
}

fn crumbs(frame: &Frame) -> AnyView {
    let items = frame.crumbs.iter().map(crumb).collect_view();
    let badges = frame.badges.shown.then(|| {
        let state = frame.badges.state.and_then(state_badge);
        view! { <li class="badges">{format_badge(frame.badges.format.as_ref())}{state}</li> }
    });
    view! { <nav class="trail" aria-label="Breadcrumb"><ol class="crumbs">{items}{badges}</ol></nav> }
        .into_any()
}

fn crumb(crumb: &Crumb) -> AnyView {
    let label = text::visible(&crumb.label);
    match crumb.href.clone() {
        Some(href) => view! { <li><a href=href>{label}</a></li> }.into_any(),
        None => view! { <li><span aria-current="page">{label}</span></li> }.into_any(),
    }
}

fn messages(frame: &Frame) -> AnyView {
    let insecure = frame.insecure.then(|| {
        view! {
            <div class="notice warn">
                {icon(Icon::Warning)}
                <div>
                    <strong>"This connection is not encrypted"</strong>
                    <div>"Passwords and tokens can be read on the way. Serve the console over TLS."</div>
                </div>
            </div>
        }
    });
    let flash = frame.flash.as_ref().map(|flash| {
        let (class, glyph) = match flash.tone {
            Tone::Info => ("notice", Icon::Info),
            Tone::Ok => ("notice ok", Icon::Check),
            Tone::Warn => ("notice warn", Icon::Warning),
            Tone::Bad => ("notice bad", Icon::Warning),
        };
        let text = text::visible(&flash.text);
        view! { <div class=class>{icon(glyph)}<div>{text}</div></div> }
    });
    view! {
        {insecure}
        <div id="boot-notice" class="notice warn" hidden=true>
            {icon(Icon::Warning)}
            <div>"Some conveniences could not start in this browser. Every page and form still works."</div>
        </div>
        <div role="status">{flash}</div>
    }
    .into_any()
}

/// What the palette offers besides buckets and tables.
fn commands(frame: &Frame) -> Vec<Command> {
    let mut commands = vec![
        Command::page("Overview", "/"),
        Command::page("Buckets", "/buckets"),
        Command::page("Jobs", "/jobs"),
        Command::page("Formats", "/formats"),
        Command::page("API tokens", "/settings/tokens"),
        Command::page("Your sessions", "/settings/sessions"),
        Command::action("New bucket", "/new-bucket"),
    ];
    if frame.user.as_ref().is_some_and(|user| user.admin) {
        commands.extend([
            Command::page("Users and roles", "/settings/users"),
            Command::page("Storage", "/settings/storage"),
            Command::page("Audit log", "/settings/audit"),
        ]);
    }
    commands
}
