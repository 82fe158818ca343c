//! Formats: what this server can read, what reads it, and what is missing for the rest.

use lakeglass_api::formats::{FormatCard, Serving};
use leptos::prelude::*;

use crate::parts::{Empty, Look, empty, format_badge, heading, link_button, status};
use crate::{Tone, text};

/// A format, and how many buckets use it as far as the person may see.
#[derive(Debug, Clone)]
pub struct Row {
    pub card: FormatCard,
    pub buckets: u64,
}

#[derive(Debug, Clone)]
pub struct Formats {
    pub rows: Vec<Row>,
    /// Scheme, host and port that clients use.
    pub origin: String,
    pub may_create: bool,
}

pub fn page(data: Formats) -> AnyView {
    let Formats { rows, origin, may_create } = data;
    if rows.is_empty() {
        let why = Empty::Nothing {
            what: "formats".to_owned(),
            hint: "This server was started without any describer. See its start-up log.".to_owned(),
        };
        return view! { {heading("Formats", None, Vec::new())}<div class="panel">{empty(why, Vec::new())}</div> }
            .into_any();
    }
    let panels = rows.into_iter().map(|row| format_panel(row, &origin, may_create)).collect_view();
    view! {
        {heading("Formats", None, Vec::new())}
        <p class="muted lead">"A describer teaches this server a format: how to recognise its tables, describe them and read rows. One is built in; others are plugins that run in a sandbox."</p>
        <div class="stack">{panels}</div>
    }
    .into_any()
}

fn format_panel(row: Row, origin: &str, may_create: bool) -> AnyView {
    let Row { card, buckets } = row;
    let id = format!("format-{}", card.id);
    let title_id = format!("{id}-title");
    let labelled = title_id.clone();
    let (verdict, serving) = match &card.serving {
        Serving::Usable { observer } => (
            status(Tone::Ok, "Usable"),
            view! { <dt>"Describer"</dt><dd>{text::visible(observer)}</dd> }.into_any(),
        ),
        Serving::Unavailable { reason } => (
            status(Tone::Warn, "Not served here"),
            view! { <dt>"What this takes"</dt><dd>{reason.clone()}</dd> }.into_any(),
        ),
    };
    let usable = matches!(card.serving, Serving::Usable { .. });
    let endpoint = match &card.endpoint_path {
        Some(path) => view! { <code>{format!("{origin}{path}")}</code> }.into_any(),
        None => "None: clients read its files by location".into_any(),
    };
    let new = (usable && may_create).then(|| {
        let href = crate::links::with_query("/new-bucket", [("format", card.id.as_str())]);
        link_button(href, "New bucket", Look::Normal, None)
    });
    let can = usable.then(|| {
        let mut can = Vec::new();
        if card.can_create_tables {
            can.push("create tables");
        }
        if card.can_preview {
            can.push("show rows");
        }
        if card.can_time_travel {
            can.push("go back to earlier versions");
        }
        let can = if can.is_empty() {
            "Describe tables".to_owned()
        } else {
            format!("Describe tables, {}", can.join(", "))
        };
        view! {
            <dt>"It can"</dt><dd>{can}</dd>
            <dt>"Endpoint"</dt><dd>{endpoint}</dd>
            <dt>"Served as"</dt><dd>{card.served_by.clone()}</dd>
            <dt>"Buckets"</dt><dd>{text::count(buckets)}</dd>
        }
    });
    let claims = (!card.claims.is_empty()).then(|| {
        let claims = card.claims.iter().map(|claim| view! { <li>{text::visible(claim)}</li> }).collect_view();
        view! { <dt>"Recognised by"</dt><dd><ul class="plain">{claims}</ul></dd> }
    });
    let clients =
        (!card.clients.is_empty()).then(|| view! { <dt>"Read by"</dt><dd>{card.clients.join(", ")}</dd> });
    view! {
        <section class="panel" id=id aria-labelledby=labelled>
            <header>
                {format_badge(Some(&card.id))}
                <h2 id=title_id>{card.headline.clone()}</h2>
                {verdict}
                <span class="push">{new}</span>
            </header>
            <div class="body stack">
                <p class="muted">{card.summary.clone()}</p>
                <dl class="pairs">{serving}{clients}{can}{claims}</dl>
            </div>
        </section>
    }
    .into_any()
}
