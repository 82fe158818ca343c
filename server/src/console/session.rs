//! Set-up, sign-in and sign-out: the pages outside the console's frame.

use std::fmt;
use std::sync::Arc;

use askama::Template;
use axum::Form;
use axum::extract::{Query, State};
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use http::{HeaderMap, StatusCode, header};
use serde::Deserialize;

use crate::auth::{Actor, Caller, Error, Session, SignedIn};
use crate::edge::{RequestContext, Theme};
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![
        Route::page("/setup", Who::Anyone, set_up_page),
        Route::form("/setup", Who::Anyone, set_up),
        Route::page("/sign-in", Who::Anyone, sign_in_page),
        Route::form("/sign-in", Who::Anyone, sign_in),
        Route::form("/sign-out", Who::Anyone, sign_out),
    ]
}

#[derive(askama::Template)]
#[template(path = "setup.html")]
struct SetUpPage {
    theme: &'static str,
    css: Option<String>,
    icon: String,
    insecure: bool,
    /// The code is right, so the form shows.
    usable: bool,
    code: String,
    name: String,
    /// The field that is wrong; empty: none in particular.
    field: &'static str,
    error: Option<String>,
}

#[derive(askama::Template)]
#[template(path = "sign-in.html")]
struct SignInPage {
    theme: &'static str,
    css: Option<String>,
    icon: String,
    insecure: bool,
    needs_set_up: bool,
    next: String,
    name: String,
    note: Option<&'static str>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct Code {
    #[serde(default)]
    code: String,
}

#[derive(Deserialize)]
struct SetUpForm {
    #[serde(default)]
    code: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
}

#[derive(Debug, Deserialize)]
struct SignInQuery {
    next: Option<String>,
    /// A code looked up in [`note`], never shown itself.
    note: Option<String>,
}

#[derive(Deserialize)]
struct SignInForm {
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
    next: Option<String>,
}

impl fmt::Debug for SignInForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignInForm").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The first admin's form, for those with the link; nothing once the server is set up.
async fn set_up_page(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Query(query): Query<Code>,
) -> Result<Response, Problem> {
    match app.auth.check_setup_code(&query.code).await {
        Ok(()) => {
            let page = SetUpPage { code: query.code, usable: true, ..set_up_form(&app, &headers) };
            html(StatusCode::OK, &page)
        }
        Err(Error::BadSetupLink) => {
            let error = Some("The set-up link is wrong or no longer good".to_owned());
            html(StatusCode::FORBIDDEN, &SetUpPage { error, ..set_up_form(&app, &headers) })
        }
        Err(Error::AlreadySetUp) => Err(Problem::not_found("There is nothing at this address")),
        Err(error) => Err(error.into()),
    }
}

async fn set_up(
    State(app): State<Arc<App>>,
    context: axum::Extension<RequestContext>,
    headers: HeaderMap,
    Form(form): Form<SetUpForm>,
) -> Result<Response, Problem> {
    let caller = caller(&context, &headers);
    let done = app.auth.set_up(&form.code, &form.name, &form.password, &caller).await;
    let page = SetUpPage { code: form.code, name: form.name, usable: true, ..set_up_form(&app, &headers) };
    match done {
        Ok(signed_in) => Ok(enter(&signed_in, "/")),
        Err(Error::Invalid { field, rule }) => {
            html(StatusCode::BAD_REQUEST, &SetUpPage { field, error: Some(rule), ..page })
        }
        Err(Error::AlreadySetUp) => Err(Problem::not_found("There is nothing at this address")),
        Err(Error::BadSetupLink) => {
            let error = Some("The set-up link is wrong or no longer good".to_owned());
            html(StatusCode::FORBIDDEN, &SetUpPage { usable: false, error, ..page })
        }
        Err(error) => Err(error.into()),
    }
}

async fn sign_in_page(
    State(app): State<Arc<App>>,
    actor: Option<Actor>,
    headers: HeaderMap,
    Query(query): Query<SignInQuery>,
) -> Result<Response, Problem> {
    let next = local_path(query.next.as_deref());
    if actor.is_some() {
        return Ok(Redirect::to(next).into_response());
    }
    let note = query.note.as_deref().and_then(note);
    html(StatusCode::OK, &SignInPage { next: next.to_owned(), note, ..sign_in_form(&app, &headers).await? })
}

async fn sign_in(
    State(app): State<Arc<App>>,
    context: axum::Extension<RequestContext>,
    session: Option<Session>,
    actor: Option<Actor>,
    headers: HeaderMap,
    Form(form): Form<SignInForm>,
) -> Result<Response, Problem> {
    let next = local_path(form.next.as_deref());
    match app.auth.sign_in(&form.name, &form.password, &caller(&context, &headers)).await {
        Ok(signed_in) => {
            // The browser forgets the old cookie, so the server forgets its session.
            if let (Some(actor), Some(session)) = (actor, session) {
                app.auth.sign_out(&actor, &session).await?;
            }
            Ok(enter(&signed_in, next))
        }
        Err(error @ (Error::WrongCredentials | Error::Throttled(_) | Error::Busy)) => {
            let mut page = sign_in_form(&app, &headers).await?;
            next.clone_into(&mut page.next);
            page.name = form.name;
            page.error = Some(error.to_string());
            let problem = Problem::from(error);
            let mut response = html(problem.status, &page)?;
            if let Some(seconds) = problem.retry_after {
                response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
            }
            Ok(response)
        }
        Err(error) => Err(error.into()),
    }
}

/// Works without a session too, so that a second click on a stale page ends well.
async fn sign_out(
    State(app): State<Arc<App>>,
    actor: Option<Actor>,
    session: Option<Session>,
) -> Result<Response, Problem> {
    let cookie = match (actor, session) {
        (Some(actor), Some(session)) => app.auth.sign_out(&actor, &session).await?,
        _ => app.auth.cookies().clear(),
    };
    let mut response = Redirect::to("/sign-in?note=signed-out").into_response();
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    // Other pages of this site that the browser kept are forgotten with the session.
    response.headers_mut().insert("clear-site-data", header::HeaderValue::from_static("\"cache\""));
    Ok(response)
}

fn note(code: &str) -> Option<&'static str> {
    match code {
        "signed-out" => Some("You are signed out."),
        _ => None,
    }
}

fn enter(signed_in: &SignedIn, next: &str) -> Response {
    let mut response = Redirect::to(next).into_response();
    response.headers_mut().insert(header::SET_COOKIE, signed_in.cookie.clone());
    response
}

/// A path on this server to go to next; anything else becomes the overview.
pub fn local_path(next: Option<&str>) -> &str {
    let Some(next) = next else { return "/" };
    // A second slash or a backslash would name another host; browsers drop control characters.
    let local = next.starts_with('/')
        && !next[1..].starts_with(['/', '\\'])
        && next.bytes().all(|b| b.is_ascii_graphic() && b != b'\\')
        && next.len() <= 2048
        && !next.starts_with("/sign-")
        && !next.starts_with("/setup");
    if local { next } else { "/" }
}

fn caller(context: &RequestContext, headers: &HeaderMap) -> Caller {
    let agent =
        headers.get(header::USER_AGENT).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    Caller { address: context.address, agent: agent.unwrap_or_default(), request_id: context.id.clone() }
}

fn theme(headers: &HeaderMap) -> &'static str {
    Theme::of(headers).map_or("", Theme::as_str)
}

fn set_up_form(app: &App, headers: &HeaderMap) -> SetUpPage {
    SetUpPage {
        theme: theme(headers),
        css: app.edge.assets.url("app.css"),
        icon: app.edge.assets.icon(),
        insecure: app.config.insecure_http,
        usable: false,
        code: String::new(),
        name: String::new(),
        field: "",
        error: None,
    }
}

async fn sign_in_form(app: &App, headers: &HeaderMap) -> Result<SignInPage, Problem> {
    Ok(SignInPage {
        theme: theme(headers),
        css: app.edge.assets.url("app.css"),
        icon: app.edge.assets.icon(),
        insecure: app.config.insecure_http,
        needs_set_up: app.auth.needs_set_up().await?,
        next: "/".to_owned(),
        name: String::new(),
        note: None,
        error: None,
    })
}

fn html(status: StatusCode, page: &impl Template) -> Result<Response, Problem> {
    Ok((status, Html(page.render().map_err(Problem::internal)?)).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_paths_are_followed() {
        for good in ["/", "/buckets/a?x=1#y", "/a/b%2Fc", "/a//b"] {
            assert_eq!(local_path(Some(good)), good);
        }
        let bad = [
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "",
            "a",
            "/\t/evil.example",
            "/a\\b",
            "/sign-out",
            "/a b",
            "/a\nb",
        ];
        for bad in bad {
            assert_eq!(local_path(Some(bad)), "/", "{bad:?}");
        }
        assert_eq!(local_path(None), "/");
    }
}
