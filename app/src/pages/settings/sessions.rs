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

/// A browser as people call it, from what it says of itself; the text as it is when it is none of the known.
fn browser(agent: &str) -> String {
    // Each names those after it too, so the first that is found is meant.
    let products = [("Firefox/", "Firefox"), ("Edg/", "Edge"), ("Chrome/", "Chrome"), ("Version/", "Safari")];
    let systems = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("Linux", "Linux"),
    ];
    let product = products.iter().find_map(|(mark, name)| {
        let (_, version) = agent.split_once(mark)?;
        let version: String = version.chars().take_while(char::is_ascii_digit).collect();
        Some(format!("{name} {version}"))
    });
    let system = systems.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| *name);
    match (product, system) {
        (Some(product), Some(system)) => format!("{product} on {system}"),
        (Some(product), None) => product,
        (None, _) if agent.is_empty() => "Not named".to_owned(),
        (None, _) => agent.to_owned(),
    }
}

fn row(session: &SessionInfo, now_ms: i64) -> Vec<AnyView> {
    let agent = text::visible(&session.agent);
    let browser = browser(&agent);
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
        cell(view! { <span class="clip" title=agent>{browser}</span> }),
        cell(session.address.as_deref().map_or_else(|| text::DASH.to_owned(), text::visible)),
        cell(moment(session.created_at_ms, now_ms)),
        cell(moment(session.active_at_ms, now_ms)),
        cell(view! { <span class="keep">{text::utc(session.expires_at_ms)}</span> }),
        cell(action),
    ]
}

#[cfg(test)]
mod tests {
    use super::browser;

    #[test]
    fn browsers_are_called_by_their_names() {
        for (agent, name) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
                "Firefox 143 on Linux",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
                "Edge 141 on Windows",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/26.0 Safari/605.1.15",
                "Safari 26 on macOS",
            ),
            ("curl/8.16.0", "curl/8.16.0"),
            ("", "Not named"),
        ] {
            assert_eq!(browser(agent), name);
        }
    }
}
