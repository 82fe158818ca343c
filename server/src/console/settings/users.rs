//! Users and their roles.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use lakeglass_api::people::User;
use lakeglass_api::{ListQuery, Role, Scope};
use lakeglass_app::pages::settings::users::{self, UserPage, Users};
use lakeglass_app::parts::Form;
use lakeglass_app::{Crumb, Section, text};

use super::{bucket_names, crumbs, role, scope};
use crate::auth::NewUser;
use crate::console::fields::{Fields, mendable, refused};
use crate::console::visit::Visit;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    let admin = Who::Server(Role::Admin);
    vec![
        Route::page("/settings/users", admin, list),
        Route::form("/settings/users", admin, add),
        Route::page("/settings/users/{user}", admin, show),
        Route::form("/settings/users/{user}/grants", admin, grant),
        Route::form("/settings/users/{user}/password", admin, set_password),
        Route::form("/settings/users/{user}/disable", admin, disable),
        Route::form("/settings/users/{user}/enable", admin, enable),
    ]
}

async fn users_page(app: &App, visit: &Visit, form: Form) -> Result<Users, Problem> {
    let query = ListQuery { limit: Some(500), ..ListQuery::default() };
    let users = app.auth.users(&visit.actor, &query).await?.items;
    Ok(Users { users, buckets: bucket_names(app, visit).await?, form, now_ms: visit.now_ms })
}

async fn list(State(app): State<Arc<App>>, visit: Visit) -> Result<Response, Problem> {
    let form = Form::with([("role", Role::Reader.as_str())]);
    let data = users_page(&app, &visit, form).await?;
    Ok(visit.page(Section::Settings, crumbs("Users"), "Users", || users::page(data)).await)
}

async fn add(State(app): State<Arc<App>>, visit: Visit, fields: Fields) -> Result<Response, Problem> {
    match mendable(make(&app, &visit, &fields).await)? {
        Ok(user) => {
            let text = format!("{} was added", user.name);
            Ok(visit.done(users::address(&user.name), &text).await)
        }
        Err(problem) => {
            let mut problem = problem;
            if problem.kind == "user-exists" {
                problem = problem.clone().field("name", problem.detail);
            }
            let names = [("name", "name"), ("password", "password"), ("role", "role"), ("scope", "scope")];
            let data = users_page(&app, &visit, refused(fields.form(), &problem, &names)).await?;
            Ok(visit.refused(Section::Settings, crumbs("Users"), "Users", || users::page(data)).await)
        }
    }
}

async fn make(app: &App, visit: &Visit, fields: &Fields) -> Result<User, Problem> {
    let (role, scope) = (role(fields.text("role"))?, scope(fields.text("scope"))?);
    if let Scope::Bucket(bucket) = &scope {
        app.catalog.bucket(&visit.actor, bucket).await?;
    }
    let on_server = (scope == Scope::Server).then_some(role);
    let new = NewUser { name: fields.text("name"), password: fields.raw("password"), role: on_server };
    let user = app.auth.add_user(&visit.actor, new).await?;
    if on_server.is_some() {
        return Ok(user);
    }
    Ok(app.auth.set_role(&visit.actor, &user.name, &scope, Some(role)).await?)
}

async fn user_page(
    app: &App,
    visit: &Visit,
    name: &str,
    grant: Form,
    password: Form,
) -> Result<UserPage, Problem> {
    let user = app.auth.user(&visit.actor, name).await?;
    Ok(UserPage {
        yourself: visit.actor.name == user.name,
        user,
        buckets: bucket_names(app, visit).await?,
        grant,
        password,
        now_ms: visit.now_ms,
    })
}

fn user_crumbs(name: &str) -> Vec<Crumb> {
    vec![Crumb::link("Settings", "/settings"), Crumb::link("Users", "/settings/users"), Crumb::here(name)]
}

async fn show(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    let grant = Form::with([("role", Role::Reader.as_str())]);
    let data = user_page(&app, &visit, &name, grant, Form::default()).await?;
    let crumbs = user_crumbs(&data.user.name);
    let title = format!("User {}", data.user.name);
    Ok(visit.page(Section::Settings, crumbs, &title, || users::user_page(data)).await)
}

async fn again(
    app: &App,
    visit: &Visit,
    name: &str,
    grant: Form,
    password: Form,
) -> Result<Response, Problem> {
    let data = user_page(app, visit, name, grant, password).await?;
    let crumbs = user_crumbs(&data.user.name);
    let title = format!("User {}", data.user.name);
    Ok(visit.refused(Section::Settings, crumbs, &title, || users::user_page(data)).await)
}

async fn grant(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(name): Path<String>,
    fields: Fields,
) -> Result<Response, Problem> {
    match mendable(change_role(&app, &visit, &name, &fields).await)? {
        Ok(text) => Ok(visit.done(users::address(&name), &text).await),
        Err(problem) => {
            let form = refused(fields.form(), &problem, &[("role", "role"), ("scope", "scope")]);
            again(&app, &visit, &name, form, Form::default()).await
        }
    }
}

/// Gives a role, or takes it away when none is sent; says what happened.
async fn change_role(app: &App, visit: &Visit, name: &str, fields: &Fields) -> Result<String, Problem> {
    let scope = scope(fields.text("scope"))?;
    let role = fields.some("role").map(role).transpose()?;
    if let (Scope::Bucket(bucket), Some(_)) = (&scope, role) {
        app.catalog.bucket(&visit.actor, bucket).await?;
    }
    app.auth.set_role(&visit.actor, name, &scope, role).await?;
    let place = match &scope {
        Scope::Server => "on the server".to_owned(),
        Scope::Bucket(bucket) => format!("in {bucket}"),
    };
    let name = text::visible(name);
    Ok(match role {
        Some(role) => format!("{name} is {role} {place} now. Their sessions ended"),
        None => format!("{name} has no role {place} any more. Their sessions ended"),
    })
}

async fn set_password(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(name): Path<String>,
    fields: Fields,
) -> Result<Response, Problem> {
    match mendable(app.auth.set_password(&visit.actor, &name, fields.raw("password")).await)? {
        Ok(()) => Ok(visit.done(users::address(&name), "The password was set. Their sessions ended").await),
        Err(problem) => {
            let form = refused(Form::default(), &problem, &[("password", "password")]);
            again(&app, &visit, &name, Form::default(), form).await
        }
    }
}

async fn disable(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    match mendable(app.auth.disable_user(&visit.actor, &name).await)? {
        Ok(_) => Ok(visit.done(users::address(&name), "The account was disabled").await),
        Err(problem) => {
            let form = refused(Form::default(), &problem, &[]);
            again(&app, &visit, &name, form, Form::default()).await
        }
    }
}

async fn enable(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    app.auth.enable_user(&visit.actor, &name).await?;
    Ok(visit.done(users::address(&name), "The account was enabled").await)
}
