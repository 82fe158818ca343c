//! API tokens: what programs present instead of a password.

use lakeglass_api::BucketName;
use lakeglass_api::people::{NewToken, Token};
use leptos::prelude::*;

use super::{Part, above, grants_words, role_choices, scope_choices};
use crate::parts::{
    Column, Empty, Form, Icon, Look, cell, copy, empty, error_summary, moment, notice, panel, post_button,
    section, select_field, status, submit, table, text_field,
};
use crate::{Tone, links, text};

#[derive(Debug, Clone)]
pub struct Tokens {
    pub tokens: Vec<Token>,
    /// Buckets a token can be limited to.
    pub buckets: Vec<BucketName>,
    /// Whether a token for the whole server can be made.
    pub server_scope: bool,
    pub server_admin: bool,
    /// Fields `name`, `role`, `scope`, `days`.
    pub form: Form,
    /// The one just made: its secret is shown this once.
    pub made: Option<NewToken>,
    pub now_ms: i64,
}

pub fn page(data: Tokens) -> AnyView {
    let Tokens { tokens, buckets, server_scope, server_admin, form, made, now_ms } = data;
    let list = if tokens.is_empty() {
        empty(
            Empty::Nothing {
                what: "API tokens yet".to_owned(),
                hint:
                    "A token lets a program reach buckets as you, with the role and for the time you choose."
                        .to_owned(),
            },
            Vec::new(),
        )
    } else {
        rows(&tokens, server_admin, now_ms)
    };
    let create = if server_scope || !buckets.is_empty() {
        create_form(&form, &buckets, server_scope)
    } else {
        notice(
            Tone::Info,
            "You have no role yet",
            "A token cannot do more than its owner. Ask an admin for a role.",
        )
    };
    view! {
        {above(Part::Tokens, server_admin)}
        {error_summary(&form)}
        <div class="stack">
            {made.map(shown_once)}
            {panel("API tokens", None, list)}
            {section("New token", None, create)}
        </div>
    }
    .into_any()
}

fn shown_once(made: NewToken) -> AnyView {
    let NewToken { token, secret } = made;
    notice(
        Tone::Ok,
        format!("Token {} was made", text::visible(&token.name)),
        view! {
            <p>"Copy it now: it is not shown again, and the server keeps only its hash."</p>
            <div class="endpoint"><code id="secret">{secret.clone()}</code><span class="push">{copy(secret, "Copy token")}</span></div>
        },
    )
}

fn create_form(form: &Form, buckets: &[BucketName], server_scope: bool) -> AnyView {
    view! {
        <form class="stack" method="post" action="/settings/tokens">
            <div class="columns">
                {text_field(form, "name", "Name", "What uses it, for example nightly-load.")}
                {select_field(form, "role", "Role", "It never does more than you may.", role_choices())}
                {select_field(form, "scope", "Where it holds", "", scope_choices(buckets, server_scope))}
                {text_field(form, "days", "Valid for days", "1 to 365.")}
            </div>
            <div class="row">{submit("Create token", Look::Primary, Some(Icon::Key))}</div>
        </form>
    }
    .into_any()
}

fn rows(tokens: &[Token], server_admin: bool, now_ms: i64) -> AnyView {
    let mut columns = vec![Column::text("Name"), Column::text("Id"), Column::text("Roles")];
    if server_admin {
        columns.push(Column::text("Owner"));
    }
    columns.extend([Column::text("Last used"), Column::text("Expires"), Column::text("State")]);
    let rows = tokens.iter().map(|token| row(token, server_admin, now_ms)).collect();
    table("API tokens", columns, rows)
}

fn row(token: &Token, server_admin: bool, now_ms: i64) -> Vec<AnyView> {
    let used = match token.used_at_ms {
        Some(at_ms) => moment(at_ms, now_ms),
        None => view! { <span class="muted">"never"</span> }.into_any(),
    };
    let state = if token.revoked {
        view! { <span class="badge unset">"Revoked"</span> }.into_any()
    } else if token.expires_at_ms <= now_ms {
        status(Tone::Warn, "Expired")
    } else {
        let action = format!("{}/revoke", links::path(["settings", "tokens", &token.id]));
        post_button(action, "Revoke", Look::Danger, None, &[])
    };
    let mut cells = vec![
        cell(view! { <span class="name">{text::visible(&token.name)}</span> }),
        cell(view! { <code>{token.id.clone()}</code> }),
        cell(grants_words(&token.grants)),
    ];
    if server_admin {
        cells.push(cell(token.owner.as_deref().map_or_else(|| "The host".to_owned(), text::visible)));
    }
    cells.extend([
        cell(used),
        cell(view! { <span class="keep">{text::utc(token.expires_at_ms)}</span> }),
        cell(state),
    ]);
    cells
}
