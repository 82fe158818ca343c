//! One's own sessions and password.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use lakeglass_api::Role;
use lakeglass_app::Section;
use lakeglass_app::pages::settings::sessions::{self, Sessions};
use lakeglass_app::parts::Form;

use super::crumbs;
use crate::auth::Session;
use crate::console::fields::{Fields, mendable, refused};
use crate::console::visit::Visit;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::page("/settings/sessions", Who::SignedIn, list),
        Route::form("/settings/sessions/password", Who::SignedIn, change_password),
        Route::form("/settings/sessions/{id}/end", Who::SignedIn, end),
    ]
}

async fn sessions_page(
    app: &App,
    visit: &Visit,
    session: &Session,
    password: Form,
) -> Result<Sessions, Problem> {
    Ok(Sessions {
        sessions: app.auth.sessions(&visit.actor, Some(session)).await?,
        server_admin: visit.may(Role::Admin),
        password,
        now_ms: visit.now_ms,
    })
}

async fn list(State(app): State<Arc<App>>, visit: Visit, session: Session) -> Result<Response, Problem> {
    let data = sessions_page(&app, &visit, &session, Form::default()).await?;
    Ok(visit.page(Section::Settings, crumbs("Sessions"), "Sessions", || sessions::page(data)).await)
}

async fn end(State(app): State<Arc<App>>, visit: Visit, Path(id): Path<String>) -> Result<Response, Problem> {
    app.auth.end_session(&visit.actor, &id).await?;
    Ok(visit.done("/settings/sessions", "The session was ended").await)
}

async fn change_password(
    State(app): State<Arc<App>>,
    visit: Visit,
    session: Session,
    fields: Fields,
) -> Result<Response, Problem> {
    let (present, new) = (fields.raw("present"), fields.raw("password"));
    let changed = app.auth.change_password(&visit.actor, &session, present, new).await;
    match mendable(changed)? {
        Ok(()) => {
            Ok(visit.done("/settings/sessions", "Your password was changed. Your other sessions ended").await)
        }
        Err(problem) => {
            let names = [("present", "present"), ("password", "password")];
            let form = refused(Form::default(), &problem, &names);
            let data = sessions_page(&app, &visit, &session, form).await?;
            Ok(visit
                .refused(Section::Settings, crumbs("Sessions"), "Sessions", || sessions::page(data))
                .await)
        }
    }
}
