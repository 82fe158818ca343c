//! What to type to reach this table from a client.

use leptos::prelude::*;

use super::{Head, TableTab, above};
use crate::parts::{address, copy, muted, panel, section};

/// Code for one client, already filled with this table's names and quoted for its language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCode {
    /// The client as its community writes it.
    pub title: String,
    /// "python", "bash".
    pub language: String,
    pub code: String,
}

#[derive(Debug, Clone)]
pub struct ConnectPage {
    pub head: Head,
    /// The namespace endpoint as clients reach it; none for a format read by its location.
    pub endpoint: Option<String>,
    pub snippets: Vec<ClientCode>,
}

pub fn page(data: &ConnectPage) -> AnyView {
    let table = &data.head.table;
    let location = table.location.as_str();
    let id = data.head.reference().to_string();
    let endpoint = data.endpoint.clone().map(|endpoint| {
        view! {
            <dt>"Endpoint"</dt>
            <dd class="row"><code>{endpoint.clone()}</code>{copy(endpoint.clone(), "Copy endpoint")}</dd>
            <dt>"Table"</dt>
            <dd class="row"><code>{id.clone()}</code>{copy(id.clone(), "Copy table id")}</dd>
        }
    });
    let token = data.endpoint.is_some().then(|| {
        view! {
            <p class="muted">
                "Put an API token into the environment variable "<code>"LAKEGLASS_TOKEN"</code>
                " before running these. Tokens are made in "<a href="/settings/tokens">"Settings, API tokens"</a>"."
            </p>
        }
    });
    let facts = view! {
        <dl class="pairs">
            {endpoint}
            <dt>"Location"</dt>
            <dd class="row">{address(location)}{copy(location, "Copy location")}</dd>
        </dl>
        <p class="muted">{reach(location, data.endpoint.is_some())}</p>
        {token}
    }
    .into_any();
    let snippets = data.snippets.iter().map(snippet).collect_view();
    view! {
        {above(&data.head, TableTab::Connect)}
        <div class="stack">{section("Address", None, facts)}{snippets}</div>
    }
    .into_any()
}

/// Who can open the location, and what the others do.
fn reach(location: &str, has_endpoint: bool) -> &'static str {
    let local = location.starts_with("file:") || location.starts_with('/');
    match (local, has_endpoint) {
        (true, true) => {
            "The location is a folder of the server’s machine: only clients on that machine can open it. \
             Through the endpoint, rows are read, searched and written from anywhere."
        }
        (true, false) => "The location is on the server’s machine: only clients on that machine can open it.",
        (false, true) => {
            "Clients that open the location are given its address with it, and readers and editors the keys \
             that the storage has for them. Through the endpoint, rows are read, searched and written \
             without either."
        }
        (false, false) => "Clients open the location with keys of their own to its store.",
    }
}

fn snippet(of: &ClientCode) -> AnyView {
    let label = format!("{} code", of.title);
    let aside = view! { {muted(of.language.clone())}<span class="push">{copy(of.code.clone(), format!("Copy {label}"))}</span> };
    let body = view! { <pre class="snippet flush" tabindex="0" aria-label=label>{of.code.clone()}</pre> };
    panel(of.title.clone(), Some(aside.into_any()), body.into_any())
}
