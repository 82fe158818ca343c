//! API tokens.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use lakeglass_api::people::{NewToken, RoleGrant};
use lakeglass_api::{ListQuery, Role};
use lakeglass_app::Section;
use lakeglass_app::pages::settings::tokens::{self, Tokens};
use lakeglass_app::parts::Form;

use super::{bucket_names, crumbs, role, scope};
use crate::auth::NewTokenRequest;
use crate::console::fields::{Fields, mendable, refused};
use crate::console::visit::Visit;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::page("/settings/tokens", Who::SignedIn, list),
        Route::form("/settings/tokens", Who::SignedIn, create),
        Route::form("/settings/tokens/{id}/revoke", Who::SignedIn, revoke),
    ]
}

async fn tokens_page(
    app: &App,
    visit: &Visit,
    form: Form,
    made: Option<NewToken>,
) -> Result<Tokens, Problem> {
    let query = ListQuery { limit: Some(500), ..ListQuery::default() };
    Ok(Tokens {
        tokens: app.auth.tokens(&visit.actor, &query).await?.items,
        buckets: bucket_names(app, visit).await?,
        server_scope: visit.actor.server_role().is_some(),
        server_admin: visit.may(Role::Admin),
        form,
        made,
        now_ms: visit.now_ms,
    })
}

fn fresh() -> Form {
    Form::with([("role", Role::Reader.as_str()), ("days", "90")])
}

async fn list(State(app): State<Arc<App>>, visit: Visit) -> Result<Response, Problem> {
    let data = tokens_page(&app, &visit, fresh(), None).await?;
    Ok(visit.page(Section::Settings, crumbs("API tokens"), "API tokens", || tokens::page(data)).await)
}

/// The secret is in the answer to this post and nowhere else: not in a redirect, not in a flash.
async fn create(State(app): State<Arc<App>>, visit: Visit, fields: Fields) -> Result<Response, Problem> {
    match mendable(make(&app, &visit, &fields).await)? {
        Ok(made) => {
            let data = tokens_page(&app, &visit, fresh(), Some(made)).await?;
            Ok(visit.page(Section::Settings, crumbs("API tokens"), "API tokens", || tokens::page(data)).await)
        }
        Err(problem) => {
            let names = [
                ("name", "name"),
                ("days", "days"),
                ("role", "role"),
                ("scope", "scope"),
                ("grants", "role"),
            ];
            let data = tokens_page(&app, &visit, refused(fields.form(), &problem, &names), None).await?;
            Ok(visit
                .refused(Section::Settings, crumbs("API tokens"), "API tokens", || tokens::page(data))
                .await)
        }
    }
}

async fn make(app: &App, visit: &Visit, fields: &Fields) -> Result<NewToken, Problem> {
    let days = fields.text("days").parse().map_err(|_| {
        let rule = "Give a whole number of days";
        Problem::invalid(rule).field("days", rule)
    })?;
    let grant = RoleGrant { scope: scope(fields.text("scope"))?, role: role(fields.text("role"))? };
    let new = NewTokenRequest { name: fields.text("name").to_owned(), grants: vec![grant], days };
    Ok(app.auth.create_token(&visit.actor, new).await?)
}

async fn revoke(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    app.auth.revoke_token(&visit.actor, &id).await?;
    Ok(visit.done("/settings/tokens", "The token was revoked").await)
}
