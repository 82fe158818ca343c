//! Storages: listing, adding, checking again, removing.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use lakeglass_api::Role;
use lakeglass_api::catalog::StorageKind;
use lakeglass_app::Section;
use lakeglass_app::pages::settings::storage::{self, Storages};
use lakeglass_app::parts::Form;

use super::crumbs;
use crate::console::fields::{Fields, refused};
use crate::console::visit::Visit;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;
use crate::storage::NewStorage;

pub(super) fn routes() -> Vec<Route> {
    let admin = Who::Server(Role::Admin);
    vec![
        Route::page("/settings/storage", admin, list),
        Route::form("/settings/storage/local", admin, add_local),
        Route::form("/settings/storage/s3", admin, add_s3),
        Route::form("/settings/storage/{storage}/check", admin, check),
        Route::form("/settings/storage/{storage}/remove", admin, remove),
    ]
}

/// What an S3 form starts with: most stores that people run themselves need path-style addresses.
fn fresh_s3() -> Form {
    Form::with([("path_style", "on")])
}

async fn storages_page(app: &App, visit: &Visit, local: Form, s3: Form) -> Result<Storages, Problem> {
    let own = std::path::absolute(&app.config.data).unwrap_or_else(|_| app.config.data.clone());
    let roots = std::iter::once(&own).chain(&app.config.storage_roots);
    Ok(Storages {
        storages: app.storages.list(&visit.actor).await?,
        local,
        s3,
        roots: roots.map(|root| root.display().to_string()).collect(),
    })
}

async fn list(State(app): State<Arc<App>>, visit: Visit) -> Result<Response, Problem> {
    let data = storages_page(&app, &visit, Form::default(), fresh_s3()).await?;
    Ok(visit.page(Section::Settings, crumbs("Storage"), "Storage", || storage::page(data)).await)
}

async fn again(app: &App, visit: &Visit, local: Form, s3: Form) -> Result<Response, Problem> {
    let data = storages_page(app, visit, local, s3).await?;
    Ok(visit.refused(Section::Settings, crumbs("Storage"), "Storage", || storage::page(data)).await)
}

/// Whether a refusal belongs beside the form: what a person can mend, and what a probe found.
fn is_mendable(problem: &Problem) -> bool {
    problem.status.is_client_error() || problem.kind == "unreachable"
}

async fn add_local(State(app): State<Arc<App>>, visit: Visit, fields: Fields) -> Result<Response, Problem> {
    let new = NewStorage::local(fields.text("name").to_owned(), fields.text("root").to_owned());
    match app.storages.add(&visit.actor, new).await.map_err(Problem::from) {
        Ok(storage) => Ok(added(&visit, &storage.name).await),
        Err(problem) if is_mendable(&problem) => {
            let names = [("name", "name"), ("root", "root"), ("location", "root")];
            again(&app, &visit, refused(fields.form(), &problem, &names), fresh_s3()).await
        }
        Err(problem) => Err(problem),
    }
}

async fn added(visit: &Visit, name: &str) -> Response {
    visit.done("/settings/storage", &format!("The storage {name} passed its check and was added")).await
}

async fn add_s3(State(app): State<Arc<App>>, visit: Visit, fields: Fields) -> Result<Response, Problem> {
    let some = |name: &str| fields.some(name).map(str::to_owned);
    let secret = fields.raw("secret_key");
    let keys = fields.some("access_key").map(|id| (id.to_owned(), secret.to_owned()));
    if keys.is_some() == secret.is_empty() {
        let form =
            fields.form().error("access_key", "Give both the access key id and the secret key, or neither");
        return again(&app, &visit, Form::default(), form).await;
    }
    let new = NewStorage {
        name: fields.text("s3_name").to_owned(),
        kind: StorageKind::S3,
        root: fields.text("s3_root").to_owned(),
        endpoint: some("endpoint"),
        client_endpoint: some("client_endpoint"),
        region: some("region"),
        path_style: fields.ticked("path_style"),
        keys,
        vend_keys: fields.ticked("vend_keys"),
        sts_role: some("sts_role"),
    };
    match app.storages.add(&visit.actor, new).await.map_err(Problem::from) {
        Ok(storage) => Ok(added(&visit, &storage.name).await),
        Err(problem) if is_mendable(&problem) => {
            let names = [
                ("name", "s3_name"),
                ("root", "s3_root"),
                ("location", "s3_root"),
                ("endpoint", "endpoint"),
                ("client_endpoint", "client_endpoint"),
                ("region", "region"),
                ("keys", "access_key"),
                ("sts_role", "sts_role"),
            ];
            again(&app, &visit, Form::default(), refused(fields.form(), &problem, &names)).await
        }
        Err(problem) => Err(problem),
    }
}

async fn check(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    let storage = app.storages.check(&visit.actor, &name).await?;
    Ok(visit.done("/settings/storage", &format!("The storage {} passed its check", storage.name)).await)
}

async fn remove(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    app.storages.remove(&visit.actor, &name).await?;
    let text = format!("The storage {name} was removed. What is stored there stays");
    Ok(visit.done("/settings/storage", &text).await)
}
