//! One bucket: its namespaces, settings, scan and deletion.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use lakeglass_api::catalog::Properties;
use lakeglass_api::formats::ScanReport;
use lakeglass_api::{BucketName, NamespacePath, Role};
use lakeglass_app::pages::bucket::{BucketPage, Head, settings};
use lakeglass_app::parts::Form;
use lakeglass_app::{Crumb, Section, links, pages, text};

use super::buckets::endpoint;
use super::fields::{Fields, mendable, properties, refused};
use super::listing::Asked;
use super::visit::{Visit, named};
use crate::catalog::{BucketChange, NamespaceMode};
use crate::formats::Scanned;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::page("/buckets/{bucket}", Who::Bucket(Role::Viewer), show),
        Route::form("/buckets/{bucket}/namespaces", Who::Bucket(Role::Editor), create_namespace),
        Route::form("/buckets/{bucket}/scan", Who::Bucket(Role::Editor), scan),
        Route::page("/buckets/{bucket}/settings", Who::Bucket(Role::Viewer), show_settings),
        Route::form("/buckets/{bucket}/settings", Who::Bucket(Role::Admin), change),
        Route::form("/buckets/{bucket}/delete", Who::Bucket(Role::Admin), delete),
    ]
}

/// What stands above every page of a bucket.
pub(super) async fn head(app: &App, visit: &Visit, name: &BucketName) -> Result<Head, Problem> {
    let bucket = app.catalog.bucket(&visit.actor, name).await?;
    let cards = app.formats.cards();
    let card = bucket.format.as_ref().and_then(|format| cards.iter().find(|card| card.id == *format));
    Ok(Head {
        endpoint: endpoint(&bucket, &cards, &visit.origin),
        scans: card.is_some_and(|card| !card.can_create_tables),
        may_edit: visit.may_in(name, Role::Editor),
        may_administer: visit.may_in(name, Role::Admin),
        now_ms: visit.now_ms,
        bucket,
    })
}

pub(super) fn crumbs(name: &BucketName, part: Option<&str>) -> Vec<Crumb> {
    let mut crumbs = vec![Crumb::link("Buckets", "/buckets")];
    match part {
        None => crumbs.push(Crumb::here(name.as_str())),
        Some(part) => crumbs.extend([Crumb::link(name.as_str(), links::bucket(name)), Crumb::here(part)]),
    }
    crumbs
}

async fn bucket_page(
    app: &App,
    visit: &Visit,
    name: &BucketName,
    asked: &Asked,
    form: Form,
) -> Result<BucketPage, Problem> {
    let head = head(app, visit, name).await?;
    let page = app.catalog.namespaces(&visit.actor, name, &NamespacePath::root(), &asked.query()).await?;
    let list = asked.listing(links::bucket(name), &page);
    Ok(BucketPage { head, namespaces: page.items, list, form })
}

async fn show(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(bucket): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let name = named(&bucket)?;
    let data = bucket_page(&app, &visit, &name, &asked, Form::default()).await?;
    Ok(visit.page(Section::Buckets, crumbs(&name, None), name.as_str(), || pages::bucket::page(data)).await)
}

async fn create_namespace(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(bucket): Path<String>,
    fields: Fields,
) -> Result<Response, Problem> {
    let name = named(&bucket)?;
    match mendable(make_namespace(&app, &visit, &name, fields.text("namespace")).await)? {
        Ok(path) => {
            let text = format!("The namespace {path} was created");
            Ok(visit.done(links::namespace(&name, &path), &text).await)
        }
        Err(problem) => {
            let form = refused(fields.form(), &problem, &[("namespace", "namespace"), ("name", "namespace")]);
            let data = bucket_page(&app, &visit, &name, &Asked::default(), form).await?;
            Ok(visit
                .refused(Section::Buckets, crumbs(&name, None), name.as_str(), || pages::bucket::page(data))
                .await)
        }
    }
}

/// Makes a namespace from its dotted name.
pub(super) async fn make_namespace(
    app: &App,
    visit: &Visit,
    bucket: &BucketName,
    dotted: &str,
) -> Result<NamespacePath, Problem> {
    if dotted.is_empty() {
        return Err(Problem::invalid("A namespace needs a name").field("namespace", "Give it a name"));
    }
    let path = NamespacePath::from_dotted(dotted)
        .map_err(|error| Problem::invalid(error.to_string()).field("namespace", error.to_string()))?;
    app.catalog
        .create_namespace(&visit.actor, bucket, &path, Properties::new(), NamespaceMode::Create)
        .await?;
    Ok(path)
}

async fn scan(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(bucket): Path<String>,
) -> Result<Response, Problem> {
    let name = named(&bucket)?;
    match app.formats.scan(&visit.actor, &name).await? {
        Scanned::Report(report) => Ok(visit.done(links::bucket(&name), &found(&report)).await),
        Scanned::Job(job) => {
            let text = "The bucket is large, so this job looks through it";
            Ok(visit.done(links::job(&job.id), text).await)
        }
    }
}

/// What a scan found, in a sentence or three.
fn found(report: &ScanReport) -> String {
    let mut said = if report.registered_count > 0 {
        format!("Found {}.", text::plural(report.registered_count, "new table", "new tables"))
    } else if report.known_count > 0 {
        "Found no new tables.".to_owned()
    } else {
        "Found no tables of this format.".to_owned()
    };
    if let Some(first) = report.skipped.first() {
        let left_out = text::plural(report.skipped_count, "object", "objects");
        let example = format!(" Left out {left_out}, such as {}: {}.", short(&first.path), first.reason);
        said.push_str(&example);
    }
    if !report.complete {
        said.push_str(" It stopped before everything was listed.");
    }
    said
}

/// A path as a sentence can hold it.
fn short(path: &str) -> String {
    const MOST: usize = 80;
    let mut letters = path.chars();
    let start: String = letters.by_ref().take(MOST).collect();
    if letters.next().is_none() { start } else { format!("{start}…") }
}

fn settings_form(head: &Head) -> Form {
    let bucket = &head.bucket;
    let mut values = vec![
        ("description", bucket.description.clone()),
        ("properties", text::property_lines(&bucket.properties)),
    ];
    if bucket.protected {
        values.push(("protected", "on".to_owned()));
    }
    Form::with(values)
}

async fn show_settings(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(bucket): Path<String>,
) -> Result<Response, Problem> {
    let name = named(&bucket)?;
    let head = head(&app, &visit, &name).await?;
    let form = settings_form(&head);
    let data = settings::Settings { head, form, delete: Form::default() };
    let title = format!("Settings of {name}");
    Ok(visit.page(Section::Buckets, crumbs(&name, Some("Settings")), &title, || settings::page(data)).await)
}

async fn refused_settings(
    app: &App,
    visit: &Visit,
    name: &BucketName,
    form: Option<Form>,
    delete: Form,
) -> Result<Response, Problem> {
    let head = head(app, visit, name).await?;
    let form = form.unwrap_or_else(|| settings_form(&head));
    let data = settings::Settings { head, form, delete };
    let title = format!("Settings of {name}");
    Ok(visit.refused(Section::Buckets, crumbs(name, Some("Settings")), &title, || settings::page(data)).await)
}

async fn change(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(bucket): Path<String>,
    fields: Fields,
) -> Result<Response, Problem> {
    let name = named(&bucket)?;
    let properties = match properties(fields.raw("properties")) {
        Ok(properties) => properties,
        Err(rule) => {
            let form = fields.form().error("properties", rule);
            return refused_settings(&app, &visit, &name, Some(form), Form::default()).await;
        }
    };
    let change = BucketChange {
        description: Some(fields.text("description").to_owned()),
        properties: Some(properties),
        protected: Some(fields.ticked("protected")),
    };
    match mendable(app.catalog.update_bucket(&visit.actor, &name, change).await)? {
        Ok(_) => Ok(visit.done(links::bucket_tab(&name, "settings"), "The settings were saved").await),
        Err(problem) => {
            let names = [("description", "description"), ("properties", "properties")];
            let form = refused(fields.form(), &problem, &names);
            refused_settings(&app, &visit, &name, Some(form), Form::default()).await
        }
    }
}

async fn delete(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(bucket): Path<String>,
    fields: Fields,
) -> Result<Response, Problem> {
    let name = named(&bucket)?;
    let typed = fields.ticked("with_contents").then(|| fields.text("confirm"));
    if typed.is_some_and(|typed| typed != name.as_str()) {
        let delete =
            fields.form().error("confirm", format!("Type {name} exactly to delete it with its tables"));
        return refused_settings(&app, &visit, &name, None, delete).await;
    }
    match mendable(app.catalog.delete_bucket(&visit.actor, &name, typed).await)? {
        Ok(()) => Ok(visit.done("/buckets", &format!("The bucket {name} was deleted")).await),
        Err(problem) => {
            let delete = refused(fields.form(), &problem, &[("confirm", "confirm")]);
            refused_settings(&app, &visit, &name, None, delete).await
        }
    }
}

#[cfg(test)]
mod tests {
    use lakeglass_api::formats::Skipped;

    use super::*;

    #[test]
    fn a_scan_says_what_it_found_and_what_it_left_out() {
        let mut report = ScanReport { registered_count: 2, complete: true, ..ScanReport::default() };
        assert_eq!(found(&report), "Found 2 new tables.");
        report.registered_count = 0;
        assert_eq!(found(&report), "Found no tables of this format.");
        assert_eq!(short(&"é".repeat(81)), format!("{}…", "é".repeat(80)));
        report.known_count = 1;
        report.skipped_count = 1;
        report.skipped.push(Skipped { path: "a b.csv".into(), reason: "Its name does not fit".into() });
        report.complete = false;
        assert_eq!(
            found(&report),
            "Found no new tables. Left out 1 object, such as a b.csv: Its name does not fit. It stopped \
             before everything was listed."
        );
    }
}
