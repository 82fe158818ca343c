//! Settings: users, API tokens, storage, the audit log, sessions, appearance.

mod audit;
mod sessions;
mod storage;
mod tokens;
mod users;

use axum::response::{IntoResponse as _, Redirect, Response};
use lakeglass_api::{BucketName, Role, Scope};
use lakeglass_app::pages::settings::appearance;
use lakeglass_app::parts::Form;
use lakeglass_app::{Crumb, Section};

use super::overview::every_bucket;
use super::visit::Visit;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    [
        vec![
            Route::page("/settings", Who::SignedIn, start),
            Route::page("/settings/appearance", Who::SignedIn, show_appearance),
        ],
        users::routes(),
        tokens::routes(),
        storage::routes(),
        audit::routes(),
        sessions::routes(),
    ]
    .concat()
}

async fn start(visit: Visit) -> Response {
    let first = if visit.may(Role::Admin) { "/settings/users" } else { "/settings/tokens" };
    Redirect::to(first).into_response()
}

async fn show_appearance(visit: Visit) -> Response {
    let form = Form::with([
        ("theme", visit.frame.theme.as_str()),
        ("shortcuts", if visit.frame.shortcuts { "on" } else { "off" }),
    ]);
    let data = appearance::Appearance { form, server_admin: visit.may(Role::Admin) };
    visit.page(Section::Settings, crumbs("Appearance"), "Appearance", || appearance::page(data)).await
}

fn crumbs(here: &str) -> Vec<Crumb> {
    vec![Crumb::link("Settings", "/settings"), Crumb::here(here)]
}

/// Buckets of a scope choice: all that the actor may see.
async fn bucket_names(app: &App, visit: &Visit) -> Result<Vec<BucketName>, Problem> {
    Ok(every_bucket(app, &visit.actor).await?.into_iter().map(|bucket| bucket.name).collect())
}

/// A scope as forms send it: empty is the server.
fn scope(text: &str) -> Result<Scope, Problem> {
    if text.is_empty() {
        return Ok(Scope::Server);
    }
    text.parse().map(Scope::Bucket).map_err(|_| {
        Problem::invalid("Choose where the role holds").field("scope", "Choose one of the buckets")
    })
}

/// A role as forms send it.
fn role(text: &str) -> Result<Role, Problem> {
    text.parse().map_err(|rule: String| Problem::invalid(rule.clone()).field("role", rule))
}
