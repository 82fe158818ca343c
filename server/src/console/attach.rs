//! Attaching catalogs as buckets, and the page of a bucket's connection.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use lakeglass_api::attached::Connection;
use lakeglass_api::catalog::{Backing, Bucket, Properties};
use lakeglass_api::{BucketName, FormatId, Role};
use lakeglass_app::pages::attach::{self, Attach, Way};
use lakeglass_app::pages::bucket::connection::{self, ConnectionPage};
use lakeglass_app::parts::Form;
use lakeglass_app::{Crumb, Section, links};

use super::bucket::{crumbs, head};
use super::buckets::storage_choices;
use super::fields::{Fields, mendable, refused};
use super::visit::{Visit, named};
use crate::attached::{NewConnection, SecretChange};
use crate::catalog::NewBucket;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

/// Calls that the page shows.
const CALLS: usize = 100;

/// Fields of the service and of the forms, which go by the same names.
const NAMES: [(&str, &str); 12] = [
    ("bucket", "name"),
    ("name", "name"),
    ("description", "description"),
    ("url", "url"),
    ("parent", "parent"),
    ("delimiter", "delimiter"),
    ("header", "header"),
    ("secret", "secret"),
    ("storage", "storage"),
    ("prefix", "prefix"),
    ("roots", "roots"),
    ("endpoints", "endpoints"),
];

pub(super) fn routes() -> Vec<Route> {
    let admin = Who::Server(Role::Admin);
    let of_bucket = Who::Bucket(Role::Admin);
    vec![
        Route::page("/new-bucket/upstream", admin, new_upstream),
        Route::form("/new-bucket/upstream", admin, attach_upstream),
        Route::page("/new-bucket/directory", admin, new_directory),
        Route::form("/new-bucket/directory", admin, attach_directory),
        Route::page("/buckets/{bucket}/connection", of_bucket, show),
        Route::form("/buckets/{bucket}/connection", admin, change),
        Route::form("/buckets/{bucket}/connection/check", of_bucket, check),
    ]
}

fn crumbs_of_new() -> Vec<Crumb> {
    vec![Crumb::link("Buckets", "/buckets"), Crumb::here("New bucket")]
}

async fn new_upstream(State(app): State<Arc<App>>, visit: Visit) -> Result<Response, Problem> {
    new(&app, &visit, Way::Upstream).await
}

async fn new_directory(State(app): State<Arc<App>>, visit: Visit) -> Result<Response, Problem> {
    new(&app, &visit, Way::Directory).await
}

async fn new(app: &App, visit: &Visit, way: Way) -> Result<Response, Problem> {
    let form = Form::with([("delimiter", "$"), ("header", "authorization")]);
    let data = Attach { way, storages: storage_choices(app, visit).await?, form };
    Ok(visit.page(Section::Buckets, crumbs_of_new(), "New bucket", || attach::page(data)).await)
}

async fn attach_upstream(
    State(app): State<Arc<App>>,
    visit: Visit,
    fields: Fields,
) -> Result<Response, Problem> {
    attach_it(&app, &visit, &fields, Way::Upstream).await
}

async fn attach_directory(
    State(app): State<Arc<App>>,
    visit: Visit,
    fields: Fields,
) -> Result<Response, Problem> {
    attach_it(&app, &visit, &fields, Way::Directory).await
}

async fn attach_it(app: &App, visit: &Visit, fields: &Fields, way: Way) -> Result<Response, Problem> {
    match mendable(made(app, visit, fields, way).await)? {
        Ok(bucket) => {
            let text = format!("The bucket {} is attached", bucket.name);
            Ok(visit.done(links::bucket(&bucket.name), &text).await)
        }
        Err(problem) => {
            let form = refused(fields.form(), &problem, &NAMES);
            let data = Attach { way, storages: storage_choices(app, visit).await?, form };
            Ok(visit.refused(Section::Buckets, crumbs_of_new(), "New bucket", || attach::page(data)).await)
        }
    }
}

async fn made(app: &App, visit: &Visit, fields: &Fields, way: Way) -> Result<Bucket, Problem> {
    let name = fields
        .text("name")
        .parse::<BucketName>()
        .map_err(|error| Problem::invalid("The name needs another look").field("name", error.to_string()))?;
    let new = NewBucket {
        name,
        format: Some(FormatId::lance()),
        storage: None,
        description: fields.text("description").to_owned(),
        properties: Properties::new(),
    };
    let backing = if way == Way::Directory { Backing::Directory } else { Backing::Upstream };
    Ok(app.catalog.attach_bucket(&visit.actor, new, connection_of(fields, backing)).await?)
}

/// A connection as the form's fields say it.
fn connection_of(fields: &Fields, backing: Backing) -> NewConnection {
    let some = |name: &str| fields.some(name).map(str::to_owned);
    let lines = |name: &str| -> Vec<String> {
        let lines = fields.raw(name).lines().map(str::trim).filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    };
    NewConnection {
        backing,
        url: some("url"),
        parent: lines("parent"),
        delimiter: some("delimiter"),
        header: some("header"),
        secret: match fields.some("secret") {
            Some(secret) => SecretChange::Set(secret.to_owned()),
            None if fields.ticked("remove_secret") => SecretChange::Remove,
            None => SecretChange::Keep,
        },
        storage: some("storage"),
        prefix: some("prefix"),
        roots: lines("roots"),
        endpoints: lines("endpoints"),
        vend: fields.ticked("vend"),
    }
}

/// A connection as the form's fields start with it.
fn form_of(connection: &Connection) -> Form {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let mut values = vec![
        ("url", text(&connection.url)),
        ("parent", connection.parent.join("\n")),
        ("delimiter", connection.delimiter.clone()),
        ("header", connection.header.clone().unwrap_or_else(|| "authorization".to_owned())),
        ("storage", text(&connection.storage)),
        ("roots", connection.roots.join("\n")),
        ("endpoints", connection.endpoints.join("\n")),
    ];
    if connection.vend {
        values.push(("vend", "on".to_owned()));
    }
    Form::with(values)
}

async fn connection_page(
    app: &App,
    visit: &Visit,
    name: &BucketName,
    form: Option<Form>,
) -> Result<ConnectionPage, Problem> {
    let head = head(app, visit, name).await?;
    let connection = app.catalog.connection(&visit.actor, name).await?;
    let may_change = visit.may(Role::Admin);
    let storages = if may_change { storage_choices(app, visit).await? } else { Vec::new() };
    Ok(ConnectionPage {
        calls: app.catalog.calls(&visit.actor, name, CALLS).await?,
        form: may_change.then(|| form.unwrap_or_else(|| form_of(&connection))),
        storages,
        connection,
        head,
    })
}

async fn show(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(bucket): Path<String>,
) -> Result<Response, Problem> {
    let name = named(&bucket)?;
    let data = connection_page(&app, &visit, &name, None).await?;
    let crumbs = crumbs(&name, Some("Connection"));
    let title = format!("Connection of {name}");
    Ok(visit.page(Section::Buckets, crumbs, &title, || connection::page(&data)).await)
}

async fn change(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(bucket): Path<String>,
    fields: Fields,
) -> Result<Response, Problem> {
    let name = named(&bucket)?;
    let wanted = connection_of(&fields, Backing::Upstream);
    match mendable(app.catalog.change_connection(&visit.actor, &name, wanted).await)? {
        Ok(_) => Ok(visit.done(links::bucket_tab(&name, "connection"), "The connection was saved").await),
        Err(problem) => {
            let form = refused(fields.form(), &problem, &NAMES);
            let data = connection_page(&app, &visit, &name, Some(form)).await?;
            let crumbs = crumbs(&name, Some("Connection"));
            let title = format!("Connection of {name}");
            Ok(visit.refused(Section::Buckets, crumbs, &title, || connection::page(&data)).await)
        }
    }
}

async fn check(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(bucket): Path<String>,
) -> Result<Response, Problem> {
    let name = named(&bucket)?;
    let connection = app.catalog.check_connection(&visit.actor, &name).await?;
    let text = match connection.health.cause {
        None => "The catalog answered".to_owned(),
        Some(cause) => format!("The catalog did not answer: {cause}"),
    };
    Ok(visit.done(links::bucket_tab(&name, "connection"), &text).await)
}
