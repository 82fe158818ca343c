//! A bucket's Trash: listing, restoring, deleting for good.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use lakeglass_api::catalog::TrashedTable;
use lakeglass_api::{BucketName, ListQuery, Role, TableName};
use lakeglass_app::pages::bucket::trash::{self, Ask, Question, Trash};
use lakeglass_app::parts::Form;
use lakeglass_app::{Crumb, Section, links};

use super::bucket::head;
use super::fields::{Fields, refused};
use super::listing::Asked;
use super::visit::{Visit, named};
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    let admin = Who::Bucket(Role::Admin);
    vec![
        Route::page("/buckets/{bucket}/trash", Who::Bucket(Role::Viewer), list),
        Route::form("/buckets/{bucket}/trash/{id}/restore", Who::Bucket(Role::Editor), restore),
        Route::page("/buckets/{bucket}/trash/{id}/delete", admin, ask_delete),
        Route::form("/buckets/{bucket}/trash/{id}/delete", admin, delete),
    ]
}

fn crumbs(name: &BucketName, here: Option<String>) -> Vec<Crumb> {
    let mut crumbs =
        vec![Crumb::link("Buckets", "/buckets"), Crumb::link(name.as_str(), links::bucket(name))];
    match here {
        None => crumbs.push(Crumb::here("Trash")),
        Some(here) => {
            crumbs.extend([Crumb::link("Trash", links::bucket_tab(name, "trash")), Crumb::here(here)]);
        }
    }
    crumbs
}

async fn list(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(bucket): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let name = named(&bucket)?;
    let head = head(&app, &visit, &name).await?;
    let page = app.catalog.trash(&visit.actor, &name, &asked.query()).await?;
    let list = asked.listing(links::bucket_tab(&name, "trash"), &page);
    let data = Trash { head, tables: page.items, list };
    let title = format!("Trash of {name}");
    Ok(visit.page(Section::Buckets, crumbs(&name, None), &title, || trash::page(data)).await)
}

/// The table in this bucket's Trash with this id.
async fn find(app: &App, visit: &Visit, bucket: &BucketName, id: i64) -> Result<TrashedTable, Problem> {
    let mut after = None;
    loop {
        let query = ListQuery { after, limit: Some(500), ..ListQuery::default() };
        let page = app.catalog.trash(&visit.actor, bucket, &query).await?;
        if let Some(found) = page.items.into_iter().find(|trashed| trashed.id == id) {
            return Ok(found);
        }
        after = page.next;
        if after.is_none() {
            return Err(Problem::not_found("There is no such table in Trash"));
        }
    }
}

async fn ask(visit: &Visit, trashed: TrashedTable, question: Question, form: Form) -> Response {
    let title = match question {
        Question::NewName => format!("Restore {}", trashed.table.name),
        Question::Delete => format!("Delete {} for good", trashed.table.name),
    };
    let crumbs = crumbs(&trashed.table.bucket, Some(title.clone()));
    let wrong = form.has_errors();
    let data = Ask { trashed, question, form };
    if wrong {
        visit.refused(Section::Buckets, crumbs, &title, || trash::ask(data)).await
    } else {
        visit.page(Section::Buckets, crumbs, &title, || trash::ask(data)).await
    }
}

async fn restore(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path((bucket, id)): Path<(String, i64)>,
    fields: Fields,
) -> Result<Response, Problem> {
    let name = named(&bucket)?;
    let trashed = find(&app, &visit, &name, id).await?;
    let wanted = match fields.some("name").map(str::parse::<TableName>).transpose() {
        Ok(wanted) => wanted,
        Err(error) => {
            let form = fields.form().error("name", error.to_string());
            return Ok(ask(&visit, trashed, Question::NewName, form).await);
        }
    };
    match app.catalog.restore_from_trash(&visit.actor, id, wanted.as_ref()).await.map_err(Problem::from) {
        Ok(table) => {
            let text = format!("{} was restored", table.name);
            Ok(visit.done(links::table(&table.reference()), &text).await)
        }
        Err(problem) if problem.kind == "name-taken" => {
            let typed = Form::with([("name", fields.some("name").unwrap_or(trashed.table.name.as_str()))]);
            let form = refused(typed, &problem, &[("name", "name")]);
            Ok(ask(&visit, trashed, Question::NewName, form).await)
        }
        Err(problem) => Err(problem),
    }
}

async fn ask_delete(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path((bucket, id)): Path<(String, i64)>,
) -> Result<Response, Problem> {
    let name = named(&bucket)?;
    let trashed = find(&app, &visit, &name, id).await?;
    Ok(ask(&visit, trashed, Question::Delete, Form::default()).await)
}

async fn delete(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path((bucket, id)): Path<(String, i64)>,
    fields: Fields,
) -> Result<Response, Problem> {
    let name = named(&bucket)?;
    let trashed = find(&app, &visit, &name, id).await?;
    if fields.text("confirm") != trashed.table.name.as_str() {
        let rule = format!("Type {} exactly to delete its data", trashed.table.name);
        let form = fields.form().error("confirm", rule);
        return Ok(ask(&visit, trashed, Question::Delete, form).await);
    }
    app.catalog.delete_from_trash(&visit.actor, id).await?;
    let text = format!("{} was deleted for good", trashed.table.name);
    Ok(visit.done(links::bucket_tab(&name, "trash"), &text).await)
}
