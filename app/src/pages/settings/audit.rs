//! The audit log: who did what to which object, from where, and how it ended.

use lakeglass_api::people::{AuditRecord, Outcome, PrincipalKind};
use leptos::prelude::*;

use super::{Part, above};
use crate::parts::{
    Choice, Column, Form, Icon, Listing, Look, Nothing, cell, link_button, select_field, status, submit,
    table, text_field, time_field,
};
use crate::{Tone, links, text};

#[derive(Debug, Clone)]
pub struct Audit {
    pub records: Vec<AuditRecord>,
    pub list: Listing,
    /// Fields `actor`, `action`, `object`, `outcome`, `from`, `to` as chosen.
    pub filter: Form,
    /// `from` and `to` as REST takes them, milliseconds since 1970.
    pub from_ms: Option<i64>,
    pub to_ms: Option<i64>,
}

pub fn page(data: Audit) -> AnyView {
    let download = download(&data);
    let Audit { records, list, filter, .. } = data;
    let outcomes = vec![
        Choice::new("", "Any"),
        Choice::new("done", "Done"),
        Choice::new("refused", "Refused"),
        Choice::new("failed", "Failed"),
    ];
    let body = if records.is_empty() { nothing(&list) } else { rows(&records) };
    view! {
        {above(Part::Audit, true)}
        <div class="panel">
            <header>
                <form class="row end" method="get" action="/settings/audit" role="search">
                    {text_field(&filter, "actor", "Who", "")}
                    {text_field(&filter, "action", "Action", "")}
                    {text_field(&filter, "object", "Object contains", "")}
                    {select_field(&filter, "outcome", "Outcome", "", outcomes)}
                    {time_field(&filter, "from", "From (UTC)", "")}
                    {time_field(&filter, "to", "Before (UTC)", "")}
                    {submit("Filter", Look::Normal, Some(Icon::Filter))}
                </form>
                <span class="push">{link_button(download, "Download", Look::Normal, Some(Icon::Download))}</span>
            </header>
            {body}
            {list.pager("record", "records")}
        </div>
    }
    .into_any()
}

/// The same records as a file.
fn download(data: &Audit) -> String {
    let text = |at_ms: Option<i64>| at_ms.map(|at_ms| at_ms.to_string()).unwrap_or_default();
    let (from, to) = (text(data.from_ms), text(data.to_ms));
    let kept = data.list.keep.iter().filter(|(key, _)| !matches!(*key, "from" | "to"));
    let kept = kept.map(|(key, value)| (*key, value.as_str()));
    links::with_query(
        "/api/v1/audit/download",
        kept.chain([("from_ms", from.as_str()), ("to_ms", to.as_str())]),
    )
}

fn nothing(list: &Listing) -> AnyView {
    let words = Nothing {
        one: "record",
        missed: "Nothing was recorded like this.",
        show_all: "Show all records",
        what: "records yet",
        hint: "Sign-ins, changes, refusals and looks at rows are recorded here.",
    };
    list.nothing(words, Vec::new())
}

fn rows(records: &[AuditRecord]) -> AnyView {
    let columns = vec![
        Column::text("Time"),
        Column::text("Who"),
        Column::text("Action"),
        Column::text("Object"),
        Column::text("Outcome"),
        Column::text("From"),
        Column::text("Detail"),
    ];
    table("Audit log", columns, records.iter().map(row).collect())
}

fn row(record: &AuditRecord) -> Vec<AnyView> {
    let kind = match record.actor_kind {
        PrincipalKind::User => None,
        PrincipalKind::Token => Some("token"),
        PrincipalKind::System => Some("server"),
        PrincipalKind::Anonymous => Some("nobody"),
    };
    let kind = kind.map(|kind| view! { " "<span class="muted">{kind}</span> });
    let outcome = match record.outcome {
        Outcome::Done => status(Tone::Ok, "Done"),
        Outcome::Refused => status(Tone::Warn, "Refused"),
        Outcome::Failed => status(Tone::Bad, "Failed"),
    };
    let times = (record.count > 1).then(
        || view! { <span class="muted">{format!(" {} times", text::count(u64::from(record.count)))}</span> },
    );
    let detail = match &record.detail {
        serde_json::Value::Null => String::new(),
        serde_json::Value::Object(map) if map.is_empty() => String::new(),
        other => text::visible(&other.to_string()),
    };
    let object = if record.object.is_empty() { "server".to_owned() } else { text::visible(&record.object) };
    vec![
        cell(view! { <span class="keep">{text::utc(record.at_ms)}</span> }),
        cell(view! { <span class="keep">{text::visible(&record.actor)}{kind}</span> }),
        cell(view! { <code class="keep">{text::visible(&record.action)}</code>{times} }),
        cell(view! { <code class="object">{object}</code> }),
        cell(outcome),
        cell(record.address.as_deref().map_or_else(|| text::DASH.to_owned(), text::visible)),
        cell(view! { <code class="clip" title=detail.clone()>{detail.clone()}</code> }),
    ]
}
