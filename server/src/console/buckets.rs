//! Buckets: the list and the form that makes one.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use lakeglass_api::catalog::{Bucket, Properties, Storage, StorageKind};
use lakeglass_api::formats::FormatCard;
use lakeglass_api::{BucketName, FormatId, Role};
use lakeglass_app::pages::new_bucket::StorageChoice;
use lakeglass_app::parts::{Endpoint, Form};
use lakeglass_app::{Crumb, Section, links, pages};
use serde::Deserialize;

use super::fields::{Fields, mendable, refused};
use super::listing::Asked;
use super::visit::Visit;
use crate::catalog::NewBucket;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::page("/buckets", Who::SignedIn, list),
        Route::page("/new-bucket", Who::Server(Role::Editor), new),
        Route::form("/new-bucket", Who::Server(Role::Editor), create),
    ]
}

async fn list(
    State(app): State<Arc<App>>,
    visit: Visit,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let page = app.catalog.buckets(&visit.actor, &asked.query()).await?;
    let cards = app.formats.cards();
    let list = asked.listing("/buckets", &page);
    let rows = page
        .items
        .into_iter()
        .map(|bucket| pages::buckets::Row { endpoint: endpoint(&bucket, &cards, &visit.origin), bucket })
        .collect();
    let data = pages::buckets::Buckets { rows, list, may_create: visit.may(Role::Editor) };
    let crumbs = vec![Crumb::here("Buckets")];
    Ok(visit.page(Section::Buckets, crumbs, "Buckets", || pages::buckets::page(data)).await)
}

/// How clients reach a bucket: the endpoint of its format, or its folder.
pub(super) fn endpoint(bucket: &Bucket, cards: &[FormatCard], origin: &str) -> Endpoint {
    let card = bucket.format.as_ref().and_then(|format| cards.iter().find(|card| card.id == *format));
    match card.and_then(|card| card.endpoint_path.as_ref().map(|path| (card, path))) {
        Some((card, path)) => Endpoint {
            address: format!("{origin}{path}"),
            namespace: Some(bucket.name.to_string()),
            served_by: card.served_by.clone(),
        },
        None => Endpoint {
            address: bucket.root.clone(),
            namespace: None,
            served_by: card.map_or_else(|| "Read by location".to_owned(), |card| card.served_by.clone()),
        },
    }
}

/// A card to start with, as Formats links here.
#[derive(Debug, Deserialize)]
struct Start {
    format: Option<String>,
}

async fn new(
    State(app): State<Arc<App>>,
    visit: Visit,
    Query(start): Query<Start>,
) -> Result<Response, Problem> {
    let form = Form::with(start.format.map(|format| ("format", format)));
    let data = new_bucket(&app, &visit, form).await?;
    Ok(visit.page(Section::Buckets, crumbs(), "New bucket", || pages::new_bucket::page(data)).await)
}

fn crumbs() -> Vec<Crumb> {
    vec![Crumb::link("Buckets", "/buckets"), Crumb::here("New bucket")]
}

/// The storages that a bucket may use.
pub(super) async fn storage_choices(app: &App, visit: &Visit) -> Result<Vec<StorageChoice>, Problem> {
    let storages = app.storages.list(&visit.actor).await?;
    let choice = |storage: Storage| StorageChoice {
        name: storage.name,
        kind: match storage.kind {
            StorageKind::Local => "local folder",
            StorageKind::S3 => "S3",
        },
        free_bytes: storage.free_bytes,
    };
    Ok(storages.into_iter().map(choice).collect())
}

async fn new_bucket(app: &App, visit: &Visit, form: Form) -> Result<pages::new_bucket::NewBucket, Problem> {
    Ok(pages::new_bucket::NewBucket {
        cards: app.formats.all_cards().await,
        storages: storage_choices(app, visit).await?,
        origin: visit.origin.clone(),
        form,
        server_admin: visit.may(Role::Admin),
    })
}

async fn create(State(app): State<Arc<App>>, visit: Visit, fields: Fields) -> Result<Response, Problem> {
    match mendable(make(&app, &visit, &fields).await)? {
        Ok(bucket) => {
            let text = format!("The bucket {} was created", bucket.name);
            Ok(visit.done(links::bucket(&bucket.name), &text).await)
        }
        Err(problem) => {
            let names = [
                ("bucket", "name"),
                ("name", "name"),
                ("format", "format"),
                ("storage", "storage"),
                ("description", "description"),
            ];
            let form = refused(fields.form(), &problem, &names);
            let data = new_bucket(&app, &visit, form).await?;
            Ok(visit
                .refused(Section::Buckets, crumbs(), "New bucket", || pages::new_bucket::page(data))
                .await)
        }
    }
}

async fn make(app: &App, visit: &Visit, fields: &Fields) -> Result<Bucket, Problem> {
    let name = fields.text("name").parse::<BucketName>();
    let mut problem = Problem::invalid("Some fields need another look");
    if fields.some("format").is_none() {
        problem = problem.field("format", "Choose a format by its card");
    }
    if let Err(error) = &name {
        problem = problem.field("name", error.to_string());
    }
    let (Ok(name), true) = (name, problem.fields.is_empty()) else { return Err(problem) };
    let new = NewBucket {
        name,
        format: fields.some("format").map(FormatId::new),
        storage: fields.some("storage").map(str::to_owned),
        description: fields.text("description").to_owned(),
        properties: Properties::new(),
    };
    Ok(app.catalog.create_bucket(&visit.actor, new).await?)
}
