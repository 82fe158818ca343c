//! The Formats page.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lakeglass_api::Role;
use lakeglass_app::pages::formats::{self, Formats, Row};
use lakeglass_app::{Crumb, Section};

use super::overview::every_bucket;
use super::visit::Visit;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::page("/formats", Who::SignedIn, show)]
}

async fn show(State(app): State<Arc<App>>, visit: Visit) -> Result<Response, Problem> {
    let mut buckets: BTreeMap<_, u64> = BTreeMap::new();
    for bucket in every_bucket(&app, &visit.actor).await? {
        if let Some(format) = bucket.format {
            *buckets.entry(format).or_default() += 1;
        }
    }
    let rows = app
        .formats
        .all_cards()
        .await
        .into_iter()
        .map(|card| Row { buckets: buckets.get(&card.id).copied().unwrap_or(0), card })
        .collect();
    let data = Formats { rows, origin: visit.origin.clone(), may_create: visit.may(Role::Editor) };
    Ok(visit.page(Section::Formats, vec![Crumb::here("Formats")], "Formats", || formats::page(data)).await)
}
