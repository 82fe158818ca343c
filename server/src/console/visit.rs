//! One request of a person: who, when, from where, and how its page is answered.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode, Uri, header};
use lakeglass_api::formats::Serving;
use lakeglass_api::jobs::JobState;
use lakeglass_api::{BucketName, FormatId, ListQuery, NamespacePath, Role, catalog::TableState};
use lakeglass_app::{AnyView, Assets, Counts, Crumb, Flash, Frame, Section, Tone, Viewer, render};

use super::preferences;
use crate::auth::{Actor, Authenticated, Session};
use crate::edge::Nonce;
use crate::jobs::JobFilter;
use crate::problem::Problem;
use crate::router::nearest_page;
use crate::state::App;

/// A bucket's name from a path. What could never be a bucket is not there.
pub(super) fn named(text: &str) -> Result<BucketName, Problem> {
    text.parse().map_err(|_| nothing_here())
}

/// A namespace from its dotted name in a path.
pub(super) fn path_named(text: &str) -> Result<NamespacePath, Problem> {
    NamespacePath::from_dotted(text).ok().filter(|path| !path.is_root()).ok_or_else(nothing_here)
}

pub(super) fn nothing_here() -> Problem {
    Problem::not_found("There is nothing here, or it is not shared with you")
}

/// Where a browser can come back to after a request: its own address, or after a POST the page that the
/// form was on.
pub(super) fn address<'a>(method: &Method, uri: &'a Uri) -> &'a str {
    if method == Method::GET || method == Method::HEAD {
        uri.path_and_query().map_or("/", |path| path.as_str())
    } else {
        nearest_page(uri.path())
    }
}

/// Marks a flash as bad news; what has no mark is good.
const BAD: &str = "!";

/// A page request with a principal. As an extractor it refuses everybody else.
pub(super) struct Visit {
    pub(super) actor: Actor,
    /// When the request arrived: the one time of its page.
    pub(super) now_ms: i64,
    /// Where people reach this server, without a slash at the end: `https://lake.example.com`.
    pub(super) origin: String,
    /// The frame as far as it is the same on every page.
    pub(super) frame: Frame,
    session: Option<Session>,
    app: Arc<App>,
}

impl std::fmt::Debug for Visit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Visit")
            .field("actor", &self.actor)
            .field("path", &self.frame.path)
            .finish_non_exhaustive()
    }
}

impl FromRequestParts<Arc<App>> for Visit {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let found = parts.extensions.get::<Authenticated>().ok_or_else(Problem::unauthenticated)?;
        let (actor, session) = (found.actor.clone(), found.session.clone());
        let nonce = parts.extensions.get::<Nonce>().cloned().unwrap_or_else(|| Nonce(String::new()));
        let path = address(&parts.method, &parts.uri);
        let frame = frame(app, &actor, &nonce, preferences::read(&parts.headers), path);
        let origin = origin(app, &parts.headers);
        Ok(Self { actor, now_ms: crate::clock::now_ms(), origin, frame, session, app: Arc::clone(app) })
    }
}

impl Visit {
    /// Whether the person has this role on the server. For what a page offers; services decide.
    pub(super) fn may(&self, role: Role) -> bool {
        self.actor.server_role().is_some_and(|held| held >= role)
    }

    /// Whether the person has this role in a bucket.
    pub(super) fn may_in(&self, bucket: &BucketName, role: Role) -> bool {
        self.actor.role_in(bucket).is_some_and(|held| held >= role)
    }

    /// A page, with what the one before left to say.
    pub(super) async fn page(
        &self,
        section: Section,
        crumbs: Vec<Crumb>,
        title: &str,
        body: impl FnOnce() -> AnyView + Send,
    ) -> Response {
        self.answer(StatusCode::OK, self.frame.clone().at(section, crumbs), title, body).await
    }

    /// The page of a form that was refused: what was typed, and what is wrong with it.
    pub(super) async fn refused(
        &self,
        section: Section,
        crumbs: Vec<Crumb>,
        title: &str,
        body: impl FnOnce() -> AnyView + Send,
    ) -> Response {
        // Screen readers read the title first.
        let title = format!("Error: {title}");
        self.answer(StatusCode::BAD_REQUEST, self.frame.clone().at(section, crumbs), &title, body).await
    }

    /// A page about a table: its format and state stand beside the breadcrumbs.
    pub(super) async fn about(
        &self,
        status: StatusCode,
        crumbs: Vec<Crumb>,
        marks: (Option<FormatId>, Option<TableState>),
        title: &str,
        body: impl FnOnce() -> AnyView + Send,
    ) -> Response {
        let frame = self.frame.clone().at(Section::Buckets, crumbs).badges(marks.0, marks.1);
        self.answer(status, frame, title, body).await
    }

    async fn answer(
        &self,
        status: StatusCode,
        mut frame: Frame,
        title: &str,
        body: impl FnOnce() -> AnyView + Send,
    ) -> Response {
        frame.counts = counts(&self.app, &self.actor).await;
        frame.flash = self.flash().await;
        (status, Html(render(&frame, title, body))).into_response()
    }

    /// After a change: on to another page, which says that it worked.
    pub(super) async fn done(&self, to: impl AsRef<str>, text: &str) -> Response {
        self.leave(text).await;
        Redirect::to(to.as_ref()).into_response()
    }

    /// After a change that did not work out: on to another page, which says why.
    pub(super) async fn failed(&self, to: impl AsRef<str>, text: &str) -> Response {
        self.leave(&format!("{BAD}{text}")).await;
        Redirect::to(to.as_ref()).into_response()
    }

    async fn leave(&self, text: &str) {
        let Some(session) = &self.session else { return };
        if let Err(error) = self.app.auth.flash_set(session, text).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "A message for the next page was lost");
        }
    }

    async fn flash(&self) -> Option<Flash> {
        let session = self.session.as_ref()?;
        let text = self.app.auth.flash_take(session).await.unwrap_or_else(|error| {
            tracing::warn!(error = &error as &dyn std::error::Error, "A message could not be read");
            None
        })?;
        Some(match text.strip_prefix(BAD) {
            Some(text) => Flash { tone: Tone::Bad, text: text.to_owned() },
            None => Flash { tone: Tone::Ok, text },
        })
    }
}

/// The numbers beside the navigation. One that cannot be had is left out.
pub(super) async fn counts(app: &App, actor: &Actor) -> Counts {
    let one = ListQuery { limit: Some(1), ..ListQuery::default() };
    let waiting = JobFilter { state: Some(JobState::Queued), ..JobFilter::default() };
    let running = JobFilter { state: Some(JobState::Running), ..JobFilter::default() };
    let (buckets, waiting, running) = tokio::join!(
        app.catalog.buckets(actor, &one),
        app.jobs.list(actor, waiting, &one),
        app.jobs.list(actor, running, &one),
    );
    let jobs = match (waiting.ok().and_then(|page| page.total), running.ok().and_then(|page| page.total)) {
        (Some(waiting), Some(running)) => Some(waiting + running).filter(|jobs| *jobs > 0),
        _ => None,
    };
    let cards = app.formats.cards();
    let usable = cards.iter().filter(|card| matches!(card.serving, Serving::Usable { .. })).count();
    Counts { buckets: buckets.ok().and_then(|page| page.total), jobs, formats: u64::try_from(usable).ok() }
}

/// The frame as far as it is the same on every page of one request.
pub(super) fn frame(app: &App, actor: &Actor, nonce: &Nonce, looks: preferences::Looks, path: &str) -> Frame {
    let role = actor.server_role();
    Frame {
        nonce: nonce.0.clone(),
        theme: looks.theme,
        shortcuts: looks.shortcuts,
        user: Some(Viewer {
            name: actor.name.clone(),
            role: role.map_or_else(|| "Per bucket".to_owned(), title),
            admin: role == Some(Role::Admin),
        }),
        insecure: app.config.insecure_http,
        assets: assets(app),
        path: path.to_owned(),
        ..Frame::default()
    }
}

fn title(role: Role) -> String {
    match role {
        Role::Viewer => "Viewer",
        Role::Reader => "Reader",
        Role::Editor => "Editor",
        Role::Admin => "Admin",
    }
    .to_owned()
}

fn assets(app: &App) -> Assets {
    let url = |name| app.edge.assets.url(name);
    Assets {
        css: url("app.css").unwrap_or_default(),
        js: url("app.js"),
        wasm: url("app.wasm"),
        icon: url("favicon.svg"),
    }
}

/// What was configured, else what the request was sent to: the edge lets no foreign host through.
fn origin(app: &App, headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    match (&app.config.public_url, host) {
        (None, Some(host)) => format!("http://{host}"),
        _ => app.config.origin(),
    }
}
