//! New bucket: choose a format by its card, give a name, choose where its bytes go.

use lakeglass_api::formats::{FormatCard, Serving};
use lakeglass_islands::{CardHint, EndpointHint};
use leptos::prelude::*;

use super::attach::{Way, ways};
use crate::parts::{
    Choice, Form, Look, error_summary, format_badge, heading, link_button, notice, select_field, submit,
    text_field,
};
use crate::{Tone, text};

/// A storage that the new bucket may use.
#[derive(Debug, Clone)]
pub struct StorageChoice {
    pub name: String,
    /// "local folder", "S3".
    pub kind: &'static str,
    pub free_bytes: Option<u64>,
}

#[derive(Debug, Clone)]
pub struct NewBucket {
    pub cards: Vec<FormatCard>,
    pub storages: Vec<StorageChoice>,
    /// Scheme, host and port that clients use.
    pub origin: String,
    /// Fields `format`, `name`, `storage`, `description`.
    pub form: Form,
    /// Whether the person may add a storage.
    pub server_admin: bool,
}

pub fn page(data: NewBucket) -> AnyView {
    let NewBucket { cards, storages, origin, form, server_admin } = data;
    let (usable, off): (Vec<_>, Vec<_>) =
        cards.into_iter().partition(|card| matches!(card.serving, Serving::Usable { .. }));
    // The only thing that can be chosen is chosen.
    let chosen = if usable.len() == 1 { usable[0].id.to_string() } else { form.value("format") };
    let hints = usable
        .iter()
        .map(|card| CardHint {
            format: card.id.to_string(),
            endpoint: card.endpoint_path.as_ref().map(|path| format!("{origin}{path}")),
        })
        .collect();
    let nothing = usable.is_empty().then(|| {
        notice(Tone::Warn, "Nothing here can hold tables yet", "The cards below say what is missing.")
    });
    let can_submit = !usable.is_empty() && !storages.is_empty();
    let fault = form.message("format");
    let described = fault.is_some().then_some("format-error");
    let fault = fault.map(|fault| view! { <p class="error" id="format-error">{fault}</p> });
    let on = usable.into_iter().map(|card| usable_card(card, &chosen)).collect_view();
    let off = off.into_iter().map(unavailable_card).collect_view();
    let create = if can_submit {
        submit("Create bucket", Look::Primary, None)
    } else {
        view! { <button class="button primary" type="submit" disabled=true>"Create bucket"</button> }
            .into_any()
    };
    view! {
        {heading("New bucket", None, Vec::new())}
        {ways(Way::Create, server_admin)}
        {error_summary(&form)}
        <form class="stack narrow" method="post" action="/new-bucket">
            <fieldset id="format" tabindex="-1" aria-describedby=described>
                <legend class="sr">"Format"</legend>
                <h2>"What will it hold?"</h2>
                <p class="muted lead">"A bucket holds one format, so that the address it gives out is always right."</p>
                {fault}
                {nothing}
                <div class="cards">{on}{off}</div>
            </fieldset>
            <div class="columns">
                {text_field(&form, "name", "Name", "3 to 63 characters: a to z, 0 to 9 and hyphens. It cannot be changed later.")}
                {storage_field(&form, &storages, server_admin)}
            </div>
            {text_field(&form, "description", "Description (optional)", "What it is for, in a line. It stands above its tables.")}
            <div class="tight">
                <h2>"Clients will reach it at"</h2>
                <EndpointHint cards=hints format=chosen.clone() name=form.value("name")/>
            </div>
            <div class="row">{create}{link_button("/buckets", "Cancel", Look::Quiet, None)}</div>
        </form>
    }
    .into_any()
}

fn usable_card(card: FormatCard, chosen: &str) -> AnyView {
    let checked = card.id.as_str() == chosen;
    let observer = match &card.serving {
        Serving::Usable { observer } => sentence(observer),
        Serving::Unavailable { reason } => reason.clone(),
    };
    let limits = (!card.can_create_tables).then(|| {
        view! { <p class="muted">"Clients write its files themselves; the console finds them."</p> }
    });
    view! {
        <label class="card">
            <input type="radio" name="format" value=card.id.to_string() checked=checked/>
            <span>{format_badge(Some(&card.id))}</span>
            <strong class="title">{card.headline}</strong>
            <span class="muted">{card.summary}</span>
            {clients(&card.clients)}
            <span class="muted">{format!("{observer} · {}", card.served_by)}</span>
            {limits}
        </label>
    }
    .into_any()
}

fn unavailable_card(card: FormatCard) -> AnyView {
    let reason = match card.serving {
        Serving::Unavailable { reason } => reason,
        Serving::Usable { .. } => String::new(),
    };
    let href = format!("/formats#format-{}", crate::links::encode(card.id.as_str()));
    let label = format!("{}, cannot be chosen", card.title);
    view! {
        <div class="card off" role="group" aria-label=label>
            <span class="row">{format_badge(Some(&card.id))}<span class="badge warn">"Not served here"</span></span>
            <strong class="title">{card.headline}</strong>
            <span class="muted">{card.summary}</span>
            {clients(&card.clients)}
            <span class="muted">{reason}" "<a href=href>"What this takes"</a></span>
        </div>
    }
    .into_any()
}

fn clients(clients: &[String]) -> Option<AnyView> {
    (!clients.is_empty())
        .then(|| view! { <span><span class="muted">"Read by "</span>{clients.join(", ")}</span> }.into_any())
}

fn storage_field(form: &Form, storages: &[StorageChoice], server_admin: bool) -> AnyView {
    if storages.is_empty() {
        let way = if server_admin {
            view! { <a href="/settings/storage">"Add a storage"</a> }.into_any()
        } else {
            "Ask an admin of this server to add one.".into_any()
        };
        return notice(Tone::Warn, "There is no storage to keep it in", way);
    }
    let choices = storages
        .iter()
        .map(|storage| {
            let free = storage.free_bytes.map(|free| format!(", {} free", text::bytes(free)));
            Choice::new(
                &storage.name,
                format!("{} ({}{})", storage.name, storage.kind, free.unwrap_or_default()),
            )
        })
        .collect();
    select_field(form, "storage", "Storage", "Where the bytes of its tables are kept.", choices)
}

/// An observer as the start of a sentence: "native lance 14.0.2" reads "Native lance 14.0.2".
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
