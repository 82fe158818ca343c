//! Error pages: what happened in a sentence, and ways on.

use leptos::prelude::*;

use crate::parts::{Look, heading, link_button};
use crate::text;

/// Somewhere to go from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    pub label: String,
    pub href: String,
}

#[derive(Debug, Clone)]
pub struct ErrorPage {
    pub status: u16,
    /// One sentence: what went wrong and what to do.
    pub detail: String,
    /// `(field, rule)` that the request broke.
    pub fields: Vec<(String, String)>,
    pub request_id: String,
    /// Things near what was asked for that the person may see, best first.
    pub ways: Vec<Way>,
    /// Seconds after which trying again makes sense.
    pub retry_after: Option<u64>,
}

/// The title of the page with an error of this status.
pub fn title(status: u16) -> &'static str {
    match status {
        400 => "That request was not understood",
        401 => "Sign in to go on",
        403 => "That needs another role",
        404 => "Nothing is here",
        405 => "This page does not do that",
        409 => "That cannot be done now",
        413 => "That is too large",
        429 => "Too many requests",
        502..=504 => "Something behind this server did not answer",
        _ => "Something failed inside the server",
    }
}

pub fn page(data: ErrorPage) -> AnyView {
    let ErrorPage { status, detail, fields, request_id, ways, retry_after } = data;
    let fields = (!fields.is_empty()).then(|| {
        let items = fields
            .into_iter()
            .map(|(field, rule)| view! { <li><code>{text::visible(&field)}</code>": "{text::visible(&rule)}</li> })
            .collect_view();
        view! { <ul>{items}</ul> }
    });
    let retry = retry_after.map(|seconds| {
        let words = format!("Try again in {}.", text::plural(seconds, "second", "seconds"));
        view! { <p>{words}</p> }
    });
    let request = (!request_id.is_empty()).then(|| {
        view! { <p class="muted">"Request "<code>{text::visible(&request_id)}</code>" finds this in the server’s log."</p> }
    });
    let near = (!ways.is_empty()).then(|| {
        let items =
            ways.into_iter().map(|way| view! { <li><a href=way.href>{text::visible(&way.label)}</a></li> }).collect_view();
        view! { <section class="tight" aria-labelledby="near"><h2 id="near">"Near here"</h2><ul class="links">{items}</ul></section> }
    });
    let home = if status == 401 {
        link_button("/sign-in", "Sign in", Look::Primary, None)
    } else {
        link_button("/", "Go to Overview", Look::Normal, None)
    };
    view! {
        {heading(title(status), None, Vec::new())}
        <div class="stack narrow">
            <p>{text::visible(&detail)}</p>
            {fields}
            {retry}
            {near}
            <div class="row">{home}{link_button("/buckets", "Buckets", Look::Quiet, None)}</div>
            {request}
        </div>
    }
    .into_any()
}
