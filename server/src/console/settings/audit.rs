//! The audit log.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lakeglass_api::Role;
use lakeglass_api::people::Outcome;
use lakeglass_app::Section;
use lakeglass_app::pages::settings::audit::{self, Audit};
use lakeglass_app::parts::{Form, Listing, Trail};
use serde::Deserialize;
use time::PrimitiveDateTime;
use time::macros::format_description;

use super::crumbs;
use crate::audit::Filter;
use crate::console::visit::Visit;
use crate::problem::Problem;
use crate::query::Query;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::page("/settings/audit", Who::Server(Role::Admin), list)]
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Asked {
    actor: String,
    action: String,
    object: String,
    outcome: String,
    /// As a date-and-time input sends it, in UTC: `2026-11-30T09:41`, seconds or not.
    from: String,
    to: String,
    after: String,
    back: String,
}

const OUTCOMES: [Outcome; 3] = [Outcome::Done, Outcome::Refused, Outcome::Failed];

async fn list(
    State(app): State<Arc<App>>,
    visit: Visit,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let filter = Filter {
        actor: some(&asked.actor),
        action: some(&asked.action),
        object: some(&asked.object),
        outcome: OUTCOMES.into_iter().find(|outcome| outcome.as_str() == asked.outcome),
        from_ms: moment("from", &asked.from)?,
        to_ms: moment("to", &asked.to)?,
    };
    let after = some(&asked.after);
    let page = app.audit.list(&visit.actor, &filter, after.as_deref(), None).await?;
    let keep = vec![
        ("actor", asked.actor),
        ("action", asked.action),
        ("object", asked.object),
        ("outcome", asked.outcome),
        ("from", asked.from),
        ("to", asked.to),
    ];
    let form = Form::with(keep.clone());
    let list = Listing {
        path: "/settings/audit".to_owned(),
        after,
        next: page.next,
        trail: Trail::parse(&asked.back),
        total: page.total,
        keep,
        ..Listing::default()
    };
    let data =
        Audit { records: page.items, list, filter: form, from_ms: filter.from_ms, to_ms: filter.to_ms };
    Ok(visit.page(Section::Settings, crumbs("Audit log"), "Audit log", || audit::page(data)).await)
}

/// Milliseconds since 1970 of a UTC time as a form sends it; none when it is empty.
fn moment(field: &'static str, text: &str) -> Result<Option<i64>, Problem> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let minutes = format_description!("[year]-[month]-[day]T[hour]:[minute]");
    let seconds = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]");
    PrimitiveDateTime::parse(text, seconds)
        .or_else(|_| PrimitiveDateTime::parse(text, minutes))
        .ok()
        .and_then(|time| i64::try_from(time.assume_utc().unix_timestamp_nanos() / 1_000_000).ok())
        .map(Some)
        .ok_or_else(|| {
            let rule = "Give a time in UTC like 2026-11-30T09:41";
            Problem::invalid("The log cannot be narrowed to this time").field(field, rule)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_a_form_are_utc() {
        assert_eq!(moment("from", "1970-01-02T00:00").unwrap(), Some(86_400_000));
        assert_eq!(moment("from", " 1970-01-01T00:00:01 ").unwrap(), Some(1000));
        assert_eq!(moment("to", "").unwrap(), None);
        for bad in ["yesterday", "2026-13-01T00:00", "2026-11-30", "2026-11-30T25:00"] {
            assert_eq!(moment("to", bad).unwrap_err().fields[0].field, "to", "{bad}");
        }
    }
}
