//! A table's pages: each handler parses, asks the services, and hands their answers to its page.

mod rows;
mod settings;

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use http::StatusCode;
use lakeglass_api::catalog::TableState;
use lakeglass_api::{Role, TableRef};
use lakeglass_app::pages::table::connect::{self, ClientCode, ConnectPage};
use lakeglass_app::pages::table::overview::{self, OverviewPage};
use lakeglass_app::pages::table::versions::{self, History, VersionsPage};
use lakeglass_app::pages::table::{Head, TableTab};
use lakeglass_app::parts::Trail;
use lakeglass_app::{AnyView, links};
use lakeglass_ports::Capabilities;
use serde::Deserialize;

use super::visit::{Visit, named, nothing_here, path_named};
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

/// Versions on a page.
const VERSIONS: u32 = 50;

macro_rules! below {
    ($tail:literal) => {
        concat!("/buckets/{bucket}/ns/{namespace}/tables/{table}", $tail)
    };
}
use below;

pub(super) fn routes() -> Vec<Route> {
    let see = Who::Bucket(Role::Viewer);
    [
        vec![
            Route::page(below!(""), see, show_overview),
            Route::form(below!("/observe"), see, observe),
            Route::page(below!("/versions"), see, show_versions),
            Route::page(below!("/connect"), see, show_connect),
        ],
        rows::routes(),
        settings::routes(),
    ]
    .concat()
}

/// The table that a path names.
#[derive(Debug, Deserialize)]
struct Named {
    bucket: String,
    namespace: String,
    table: String,
}

impl Named {
    fn reference(&self) -> Result<TableRef, Problem> {
        Ok(TableRef {
            bucket: named(&self.bucket)?,
            namespace: path_named(&self.namespace)?,
            table: self.table.parse().map_err(|_| nothing_here())?,
        })
    }
}

/// What stands above every tab, and what the table's describer can do.
async fn head(app: &App, visit: &Visit, of: &TableRef) -> Result<(Head, Capabilities), Problem> {
    let table = app.catalog.table(&visit.actor, of).await?;
    let (observation, failed) = app.observations.latest(&visit.actor, of).await?;
    let able = app.formats.info(&table.format).await.map(|info| info.capabilities).unwrap_or_default();
    let head = Head {
        has_snippets: !crate::namespace::snippets(&visit.origin, &table).is_empty(),
        has_rows: able.preview,
        has_versions: able.history,
        may_edit: visit.may_in(&of.bucket, Role::Editor),
        now_ms: visit.now_ms,
        table,
        observation,
        failed,
    };
    Ok((head, able))
}

/// Draws a tab.
async fn tab(
    visit: &Visit,
    head: &Head,
    tab: TableTab,
    status: StatusCode,
    body: impl FnOnce() -> AnyView + Send,
) -> Response {
    let shown = tab.path().map(|_| tab.label());
    let title = match shown {
        None => head.table.name.to_string(),
        Some(label) => format!("{}: {label}", head.table.name),
    };
    let marks = (Some(head.table.format.clone()), Some(head.table.state));
    visit.about(status, head.crumbs(shown), marks, &title, body).await
}

async fn show_overview(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
) -> Result<Response, Problem> {
    let (head, _) = head(&app, &visit, &path.reference()?).await?;
    let data = OverviewPage { head };
    Ok(tab(&visit, &data.head, TableTab::Overview, StatusCode::OK, || overview::page(&data)).await)
}

async fn observe(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
) -> Result<Response, Problem> {
    let of = path.reference()?;
    let back = links::table(&of);
    match app.observations.observe(&visit.actor, &of).await {
        Ok(_) => Ok(visit.done(back, "Observed just now").await),
        Err(error) => {
            let problem = Problem::from(error);
            // What may not be known stays unknown; the rest is said on the table's own page.
            if problem.status == StatusCode::NOT_FOUND || problem.status == StatusCode::FORBIDDEN {
                return Err(problem);
            }
            Ok(visit.failed(back, &format!("The table could not be observed. {}", problem.detail)).await)
        }
    }
}

#[derive(Debug, Default, Deserialize)]
struct After {
    after: Option<String>,
    back: Option<String>,
}

async fn show_versions(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
    Query(asked): Query<After>,
) -> Result<Response, Problem> {
    let of = path.reference()?;
    let (head, _) = head(&app, &visit, &of).await?;
    if !head.has_versions {
        return Err(Problem::not_found("Tables of this format have no versions"));
    }
    let after = asked.after.filter(|after| !after.is_empty());
    let mut status = StatusCode::OK;
    let history = if head.table.state == TableState::Declared {
        History::NeverWritten
    } else {
        match app.observations.versions(&visit.actor, &of, after.as_deref(), VERSIONS).await {
            Ok(page) => History::Versions { versions: page.versions, next: page.next, total: page.total },
            Err(error) => {
                let problem = Problem::from(error);
                status = problem.status;
                History::Unreachable(problem.detail)
            }
        }
    };
    let trail = Trail::parse(asked.back.as_deref().unwrap_or_default());
    let data = VersionsPage { head, history, after, trail };
    Ok(tab(&visit, &data.head, TableTab::Versions, status, || versions::page(&data)).await)
}

async fn show_connect(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
) -> Result<Response, Problem> {
    let (head, _) = head(&app, &visit, &path.reference()?).await?;
    let snippets: Vec<ClientCode> = crate::namespace::snippets(&visit.origin, &head.table)
        .into_iter()
        .map(|snippet| ClientCode { title: snippet.title, language: snippet.language, code: snippet.code })
        .collect();
    if snippets.is_empty() {
        return Err(Problem::not_found("Tables of this format are read by their location"));
    }
    let cards = app.formats.cards();
    let card = cards.iter().find(|card| card.id == head.table.format);
    let endpoint =
        card.and_then(|card| card.endpoint_path.as_ref()).map(|path| format!("{}{path}", visit.origin));
    let data = ConnectPage { head, endpoint, snippets };
    Ok(tab(&visit, &data.head, TableTab::Connect, StatusCode::OK, || connect::page(&data)).await)
}
