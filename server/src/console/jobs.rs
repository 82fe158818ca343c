//! Jobs: the list, one job, and cancelling it.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use lakeglass_api::jobs::{Job, JobState};
use lakeglass_api::{BucketName, NamespacePath, Role, TableName, TableRef};
use lakeglass_app::pages::jobs::{self, Jobs, job};
use lakeglass_app::parts::Form;
use lakeglass_app::{Crumb, Section, links};
use serde::Deserialize;

use super::listing::Asked;
use super::visit::Visit;
use crate::jobs::JobFilter;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::page("/jobs", Who::SignedIn, list),
        Route::page("/jobs/{id}", Who::SignedIn, show),
        Route::form("/jobs/{id}/cancel", Who::SignedIn, cancel),
    ]
}

#[derive(Debug, Deserialize)]
struct Chosen {
    state: Option<String>,
    kind: Option<String>,
}

async fn list(
    State(app): State<Arc<App>>,
    visit: Visit,
    Query(asked): Query<Asked>,
    Query(chosen): Query<Chosen>,
) -> Result<Response, Problem> {
    let state = chosen.state.unwrap_or_default();
    let kind = chosen.kind.unwrap_or_default();
    let filter = JobFilter {
        state: JobState::ALL.into_iter().find(|known| known.as_str() == state),
        kind: Some(kind.clone()).filter(|kind| !kind.is_empty()),
        object: None,
    };
    let page = app.jobs.list(&visit.actor, filter, &asked.query()).await?;
    let mut list = asked.listing("/jobs", &page);
    list.keep = vec![("state", state.clone()), ("kind", kind.clone())];
    let kinds = app.jobs.kinds().into_iter().map(|kind| (kind.name, kind.title)).collect();
    let filter = Form::with([("state", state), ("kind", kind)]);
    let data = Jobs { jobs: page.items, list, kinds, filter, now_ms: visit.now_ms };
    Ok(visit.page(Section::Jobs, vec![Crumb::here("Jobs")], "Jobs", || jobs::page(data)).await)
}

async fn show(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let job = app.jobs.job(&visit.actor, &id).await?;
    let log = app.jobs.log(&visit.actor, &id).await?;
    let title = job.title.clone();
    // What was worked on may be gone, or never came to be: then there is nothing to link to.
    let (may_cancel, object_href) = match object(&job) {
        Object::Server => (visit.may(Role::Editor), None),
        Object::Bucket(bucket) => {
            let found = app.catalog.bucket(&visit.actor, &bucket).await.is_ok();
            (visit.may_in(&bucket, Role::Editor), found.then(|| links::bucket(&bucket)))
        }
        Object::Table(table) => {
            let found = app.catalog.table(&visit.actor, &table).await.is_ok();
            (visit.may_in(&table.bucket, Role::Editor), found.then(|| links::table(&table)))
        }
    };
    let data = job::JobPage { job, log, may_cancel, object_href, now_ms: visit.now_ms };
    let crumbs = vec![Crumb::link("Jobs", "/jobs"), Crumb::here(title.clone())];
    Ok(visit.page(Section::Jobs, crumbs, &title, || job::page(data)).await)
}

async fn cancel(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let job = app.jobs.cancel(&visit.actor, &id).await?;
    let text = if job.state.is_over() { "The job was cancelled" } else { "The job is being cancelled" };
    Ok(visit.done(links::job(&id), text).await)
}

/// What a job works on.
#[derive(Debug, PartialEq, Eq)]
enum Object {
    Server,
    Bucket(BucketName),
    Table(TableRef),
}

fn object(job: &Job) -> Object {
    parse_object(&job.object).unwrap_or(Object::Server)
}

fn parse_object(text: &str) -> Option<Object> {
    let mut parts: Vec<&str> = text.split('$').collect();
    let bucket: BucketName = parts.remove(0).parse().ok()?;
    let Some(table) = parts.pop() else {
        return (text != "server").then_some(Object::Bucket(bucket));
    };
    let namespace = NamespacePath::new(parts).ok().filter(|path| !path.is_root())?;
    Some(Object::Table(TableRef { bucket, namespace, table: table.parse::<TableName>().ok()? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_the_server_a_bucket_or_a_table() {
        assert_eq!(parse_object("server"), None);
        assert_eq!(parse_object("media"), Some(Object::Bucket("media".parse().unwrap())));
        let Some(Object::Table(table)) = parse_object("media$a$b$t") else { panic!("a table") };
        assert_eq!(table.to_string(), "media$a$b$t");
        assert_eq!(table.namespace.dotted(), "a.b");
        assert_eq!(parse_object("media$t"), None);
    }
}
