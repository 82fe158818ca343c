//! Sessions: the browsers in which a person is signed in.

use lakeglass_api::people::SessionInfo;
use leptos::prelude::*;

use super::{Part, above};
use crate::parts::{
    Column, Form, Look, cell, error_summary, moment, panel, password_field, post_button, section, status,
    submit, table,
};
use crate::{Tone, links, text};

#[derive(Debug, Clone)]
pub struct Sessions {
    pub sessions: Vec<SessionInfo>,
    pub server_admin: bool,
    /// Fields `present`, `password`: changing one's own password.
    pub password: Form,
    pub now_ms: i64,
}

pub fn page(data: Sessions) -> AnyView {
    let Sessions { sessions, server_admin, password, now_ms } = data;
    let columns = vec![
        Column::text("Browser"),
        Column::text("Address"),
        Column::text("Signed in"),
        Column::text("Last active"),
        Column::text("Ends by"),
        Column::text("Actions"),
    ];
    let rows = sessions.iter().map(|session| row(session, now_ms)).collect();
    let change = view! {
        <form class="stack" method="post" action="/settings/sessions/password">
            <div class="columns">
                {password_field(&password, "present", "current-password", "Current password", "")}
                {password_field(&password, "password", "new-password", "New password", "12 to 128 characters. Your other sessions end.")}
            </div>
            <div class="row">{submit("Change password", Look::Normal, None)}</div>
        </form>
    };
    view! {
        {above(Part::Sessions, server_admin)}
        {error_summary(&password)}
        <div class="stack">
            {panel("Your sessions", None, table("Your sessions", columns, rows))}
            {section("Your password", None, change.into_any())}
        </div>
    }
    .into_any()
}

fn row(session: &SessionInfo, now_ms: i64) -> Vec<AnyView> {
    let agent = text::visible(&session.agent);
    let agent = if agent.is_empty() { "Not named".to_owned() } else { agent };
    let action = if session.current {
        status(Tone::Info, "This one")
    } else {
        post_button(
            format!("{}/end", links::path(["settings", "sessions", &session.id])),
            "End",
            Look::Danger,
            None,
            &[],
        )
    };
    vec![
        cell(view! { <span class="clip" title=agent.clone()>{agent.clone()}</span> }),
        cell(session.address.as_deref().map_or_else(|| text::DASH.to_owned(), text::visible)),
        cell(moment(session.created_at_ms, now_ms)),
        cell(moment(session.active_at_ms, now_ms)),
        cell(view! { <span class="keep">{text::utc(session.expires_at_ms)}</span> }),
        cell(action),
    ]
}
