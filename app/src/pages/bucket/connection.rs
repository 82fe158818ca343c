//! What an attached bucket is connected to: whether it answers, what it can do, and the calls made to it.

use lakeglass_api::attached::{BreakerState, Connection, Health, Reach, RefusedName, UpstreamCall};
use lakeglass_api::catalog::Backing;
use leptos::prelude::*;

use super::{Head, Part, above};
use crate::pages::attach::{Way, fields};
use crate::pages::new_bucket::StorageChoice;
use crate::parts::{
    Column, Empty, Form, Icon, Look, Tile, address, cell, empty, error_summary, moment, muted, notice, num,
    panel, post_button, section, status, submit, table, tiles,
};
use crate::{Tone, links, text};

#[derive(Debug, Clone)]
pub struct ConnectionPage {
    pub head: Head,
    pub connection: Connection,
    /// The newest first.
    pub calls: Vec<UpstreamCall>,
    pub storages: Vec<StorageChoice>,
    /// The fields of [`fields`]; none: the person may not change it.
    pub form: Option<Form>,
}

pub fn page(data: &ConnectionPage) -> AnyView {
    let ConnectionPage { head, connection, calls, storages, form } = data;
    let action = links::bucket_tab(&head.bucket.name, "connection");
    let check = post_button(format!("{action}/check"), "Check now", Look::Normal, Some(Icon::Refresh), &[]);
    let change = form.as_ref().map(|form| change(&action, connection, storages, form));
    view! {
        {above(head, Part::Connection)}
        {form.as_ref().and_then(error_summary)}
        {trouble(&connection.health, head.now_ms)}
        {totals(&connection.health, head.now_ms)}
        <div class="with-aside">
            <div class="stack">
                {refused(&connection.refused)}
                {log(calls, head.now_ms)}
                {change}
            </div>
            <div class="stack">
                {section("Connected to", Some(check), facts(connection, head.now_ms))}
                {operations(connection)}
            </div>
        </div>
    }
    .into_any()
}

/// That a catalog does not answer, why, and how old what is shown is; nothing while it answers.
pub fn trouble(health: &Health, now_ms: i64) -> Option<AnyView> {
    let title = match health.reach {
        Reach::Up | Reach::Unknown => return None,
        Reach::Failing => "The attached catalog failed lately",
        Reach::Down => "The attached catalog cannot be reached",
    };
    let cause = health.cause.as_deref().map(text::visible).unwrap_or_default();
    let cause = cause.trim_end_matches('.').to_owned();
    let since = health.since_ms.map(|at| view! { " Since "{moment(at, now_ms)}"." });
    let listed = match health.listed_at_ms {
        Some(at) => view! { <p>"Names on these pages are those of "{moment(at, now_ms)}"."</p> }.into_any(),
        None => view! { <p>"Its names were never read, so nothing can be said about what is in it."</p> }
            .into_any(),
    };
    let body = view! { <p>{format!("{cause}.")}{since}</p>{listed} };
    Some(notice(Tone::Bad, title, body))
}

/// Whether it answers, as a badge.
pub fn reach(health: &Health) -> AnyView {
    match health.reach {
        Reach::Unknown => status(Tone::Info, "Not asked yet"),
        Reach::Up => status(Tone::Ok, "Answers"),
        Reach::Failing => status(Tone::Warn, "Failing"),
        Reach::Down => status(Tone::Bad, "Cannot be reached"),
    }
}

fn totals(health: &Health, now_ms: i64) -> AnyView {
    let ago = |at: Option<i64>| at.map(|at| text::ago(at, now_ms));
    let state = match health.breaker.state {
        BreakerState::Closed => "Calls pass",
        BreakerState::Open => "Calls are held back",
        BreakerState::HalfOpen => "One call finds out",
    };
    let opened = match health.breaker.opened {
        0 => "Never held back since the server started".to_owned(),
        times => format!("Held back {} since the server started", text::plural(times, "time", "times")),
    };
    let mut answered = Tile::new("Last answer", ago(health.answered_at_ms));
    if health.breaker.failures > 0 {
        let failures = text::plural(health.breaker.failures, "failure", "failures");
        answered = answered.note(format!("{failures} since then"));
    }
    tiles(vec![
        answered,
        Tile::new("Breaker", Some(state.to_owned())).note(opened),
        Tile::new("Names listed", ago(health.listed_at_ms)),
    ])
}

fn facts(connection: &Connection, now_ms: i64) -> AnyView {
    let pair = |label: &'static str, value: AnyView| view! { <dt>{label}</dt><dd>{value}</dd> }.into_any();
    let words = |text: String| text.into_any();
    let lines = |texts: &[String]| {
        texts.iter().map(|text| view! { <div>{address(text)}</div> }).collect_view().into_any()
    };
    let mut pairs = vec![pair("State", reach(&connection.health))];
    let storage = connection.storage.as_deref().map(text::visible);
    if connection.backing == Backing::Upstream {
        pairs.extend(connection.url.as_ref().map(|url| pair("Address", address(url))));
        let parent = if connection.parent.is_empty() {
            "All of it".to_owned()
        } else {
            text::visible(&connection.parent.join(&connection.delimiter))
        };
        pairs.push(pair("Its namespace", words(parent)));
        let secret = match (connection.secret_set_at_ms, &connection.header) {
            (Some(at), header) => {
                let header = text::visible(header.as_deref().unwrap_or_default());
                view! { {format!("In {header}, set ")}{moment(at, now_ms)} }.into_any()
            }
            (None, _) => words("None".to_owned()),
        };
        pairs.push(pair("Credentials", secret));
        let keys = storage
            .map_or_else(|| "Vended by it".to_owned(), |storage| format!("Those of the storage {storage}"));
        pairs.push(pair("Keys of the data", words(keys)));
        if !connection.roots.is_empty() {
            pairs.push(pair("May open", lines(&connection.roots)));
        }
        if !connection.endpoints.is_empty() {
            pairs.push(pair("May use", lines(&connection.endpoints)));
        }
        let vend = if connection.vend { "Passed on to readers and editors" } else { "Kept to this server" };
        pairs.push(pair("Vended keys", words(vend.to_owned())));
    } else {
        pairs.push(pair("Storage", words(storage.unwrap_or_default())));
        pairs.extend(connection.prefix.as_ref().map(|prefix| pair("Folder", address(prefix))));
    }
    let attached = view! { {moment(connection.created_at_ms, now_ms)} }.into_any();
    pairs.push(pair("Attached", attached));
    view! { <dl class="pairs">{pairs}</dl> }.into_any()
}

/// What it has of the specification: the rest is done here where it concerns rows.
fn operations(connection: &Connection) -> Option<AnyView> {
    if connection.backing != Backing::Upstream {
        return None;
    }
    let names = |has: bool| -> Vec<String> {
        connection.support.iter().filter(|(_, own)| **own == has).map(|(name, _)| name.clone()).collect()
    };
    let list = |title: String, names: Vec<String>| {
        (!names.is_empty()).then(|| {
            let items =
                names.iter().map(|name| view! { <li><code>{name.clone()}</code></li> }).collect_view();
            view! { <details><summary>{title}</summary><ul class="plain">{items}</ul></details> }
        })
    };
    let count = |names: &[String]| text::count(u64::try_from(names.len()).unwrap_or(0));
    let (has, lacks) = (names(true), names(false));
    let body = if has.is_empty() && lacks.is_empty() {
        muted("Not known yet: check the connection to find out.")
    } else {
        view! {
            {list(format!("It has {}", count(&has)), has)}
            {list(format!("It lacks {}: rows are read and written here instead", count(&lacks)), lacks)}
        }
        .into_any()
    };
    Some(section("Operations", None, body))
}

/// Names that exist there and do not fit here.
fn refused(names: &[RefusedName]) -> Option<AnyView> {
    if names.is_empty() {
        return None;
    }
    let columns = vec![Column::text("Name"), Column::text("Kind"), Column::text("Why it is left out")];
    let rows = names
        .iter()
        .map(|refused| {
            let name = match refused.namespace.as_str() {
                "" => text::visible(&refused.name),
                namespace => text::visible(&format!("{namespace}.{}", refused.name)),
            };
            vec![
                cell(view! { <code>{name}</code> }),
                cell(text::visible(&refused.kind)),
                cell(text::visible(&refused.reason)),
            ]
        })
        .collect();
    Some(panel("Left out", None, table("Names that cannot be opened here", columns, rows)))
}

fn log(calls: &[UpstreamCall], now_ms: i64) -> AnyView {
    let body = if calls.is_empty() {
        let hint = "Calls are kept in memory, so the list begins anew when the server starts.";
        empty(Empty::Nothing { what: "calls yet".into(), hint: hint.into() }, Vec::new())
    } else {
        let columns = vec![
            Column::text("When"),
            Column::text("Operation"),
            Column::text("About"),
            Column::text("Answer"),
            Column::number("Took"),
            Column::text("Asked by"),
        ];
        table("Calls to the attached catalog", columns, calls.iter().map(|call| row(call, now_ms)).collect())
    };
    panel("Calls", None, body)
}

fn row(call: &UpstreamCall, now_ms: i64) -> Vec<AnyView> {
    let answer = match (call.status, &call.cause) {
        (Some(code), _) => {
            let tone = match code {
                ..400 => Tone::Ok,
                400..500 => Tone::Warn,
                _ => Tone::Bad,
            };
            status(tone, code.to_string())
        }
        (None, cause) => {
            let cause = text::visible(cause.as_deref().unwrap_or("No answer"));
            view! { {status(Tone::Bad, "No answer")}<small class="muted">{cause}</small> }.into_any()
        }
    };
    let who = call.actor.as_deref().map_or_else(|| "This server".to_owned(), text::visible);
    let operation = format!("{} {}", text::visible(&call.method), text::visible(&call.operation));
    vec![
        cell(view! { <span class="keep">{moment(call.at_ms, now_ms)}</span> }),
        cell(view! { <code>{operation}</code> }),
        cell(view! { <code>{text::visible(&call.object)}</code> }),
        cell(answer),
        num(Some(text::duration_ms(call.elapsed_ms))),
        cell(who),
    ]
}

fn change(action: &str, connection: &Connection, storages: &[StorageChoice], form: &Form) -> AnyView {
    if connection.backing != Backing::Upstream {
        let text = "Another folder is another bucket: detach this one under Settings and attach that one.";
        return section("Change the connection", None, muted(text));
    }
    let set = connection.secret_set_at_ms.map(|at| format!("Set {}", text::utc(at)));
    let body = view! {
        <form class="stack" method="post" action=action.to_owned()>
            {fields(form, Way::Upstream, storages, set)}
            <div class="row">{submit("Save connection", Look::Primary, None)}</div>
        </form>
    };
    section("Change the connection", None, body.into_any())
}
