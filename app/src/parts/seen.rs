//! When and by whom a fact was established.

use lakeglass_api::description::FailedLook;
use leptos::prelude::*;

use super::icons::{Icon, icon};
use super::notice::notice;
use crate::frame::Tone;
use crate::text;

/// `Observed 4 minutes ago by native lance 14.0.2, version 6`, with the exact time as title.
pub fn seen(at_ms: i64, now_ms: i64, observer: &str, version: Option<&str>) -> AnyView {
    let who = match version {
        Some(version) => format!("by {}, version {}", text::visible(observer), text::visible(version)),
        None => format!("by {}", text::visible(observer)),
    };
    view! {
        <span class="seen">
            {icon(Icon::Clock)}<span>"Observed "{moment(at_ms, now_ms)}" "{who}</span>
        </span>
    }
    .into_any()
}

/// For what nothing has looked at.
pub fn never_seen() -> AnyView {
    view! { <span class="seen">{icon(Icon::Clock)}<span>"Never observed"</span></span> }.into_any()
}

/// An age with the exact UTC time behind it.
pub fn moment(at_ms: i64, now_ms: i64) -> AnyView {
    view! { <time datetime=text::iso(at_ms) title=text::utc(at_ms)>{text::ago(at_ms, now_ms)}</time> }
        .into_any()
}

/// Beside an observation: the newest look failed, and why.
pub fn failed_look(look: &FailedLook, now_ms: i64) -> AnyView {
    let cause = text::visible(&look.cause);
    let observer = text::visible(&look.observer);
    notice(
        Tone::Warn,
        "The last look failed",
        view! { <p>{moment(look.at_ms, now_ms)}" by "{observer}": "{cause}</p> },
    )
}
