//! The audit log.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use lakeglass_api::Role;
use lakeglass_api::people::Outcome;
use lakeglass_app::Section;
use lakeglass_app::pages::settings::audit::{self, Audit};
use lakeglass_app::parts::{Form, Listing};
use serde::Deserialize;

use super::crumbs;
use crate::audit::Filter;
use crate::console::visit::Visit;
use crate::problem::Problem;
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
    after: String,
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
        from_ms: None,
        to_ms: None,
    };
    let after = some(&asked.after);
    let page = app.audit.list(&visit.actor, &filter, after.as_deref(), None).await?;
    let keep = vec![
        ("actor", asked.actor),
        ("action", asked.action),
        ("object", asked.object),
        ("outcome", asked.outcome),
    ];
    let form = Form::with(keep.clone());
    let list = Listing {
        path: "/settings/audit".to_owned(),
        after,
        next: page.next,
        total: page.total,
        keep,
        ..Listing::default()
    };
    let data = Audit { records: page.items, list, filter: form };
    Ok(visit.page(Section::Settings, crumbs("Audit log"), "Audit log", || audit::page(data)).await)
}
