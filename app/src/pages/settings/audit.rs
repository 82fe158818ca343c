//! The audit log: who did what to which object, from where, and how it ended.

use lakeglass_api::people::{AuditRecord, Outcome, PrincipalKind};
use leptos::prelude::*;

use super::{Part, above};
use crate::parts::{
    Choice, Column, Empty, Form, Icon, Listing, Look, cell, empty, link_button, select_field, status, submit,
    table, text_field,
};
use crate::{Tone, links, text};

#[derive(Debug, Clone)]
pub struct Audit {
    pub records: Vec<AuditRecord>,
    pub list: Listing,
    /// Fields `actor`, `action`, `object`, `outcome` as chosen.
    pub filter: Form,
}

pub fn page(data: Audit) -> AnyView {
    let Audit { records, list, filter } = data;
    let outcomes = vec![
        Choice::new("", "Any"),
        Choice::new("done", "Done"),
        Choice::new("refused", "Refused"),
        Choice::new("failed", "Failed"),
    ];
    let download = links::with_query(
        "/api/v1/audit/download",
        list.keep.iter().map(|(key, value)| (*key, value.as_str())),
    );
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

fn nothing(list: &Listing) -> AnyView {
    if list.is_narrowed() {
        return empty(
            Empty::Nothing {
                what: "record matches".to_owned(),
                hint: "Nothing was recorded like this.".to_owned(),
            },
            vec![link_button(list.everything(), "Show all records", Look::Normal, None)],
        );
    }
    empty(
        Empty::Nothing {
            what: "records yet".to_owned(),
            hint: "Sign-ins, changes, refusals and looks at rows are recorded here.".to_owned(),
        },
        Vec::new(),
    )
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
        cell(view! { {text::visible(&record.actor)}{kind} }),
        cell(view! { <code class="keep">{text::visible(&record.action)}</code>{times} }),
        cell(view! { <code class="object">{object}</code> }),
        cell(outcome),
        cell(record.address.as_deref().map_or_else(|| text::DASH.to_owned(), text::visible)),
        cell(view! { <code class="clip" title=detail.clone()>{detail.clone()}</code> }),
    ]
}
