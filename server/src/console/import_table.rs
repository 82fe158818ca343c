//! Create table from a file: the file streams into the spool, and a job makes the table of it.

use std::sync::Arc;

use axum::extract::multipart::{Multipart, MultipartError, MultipartRejection};
use axum::extract::{Path, State};
use axum::response::Response;
use lakeglass_api::jobs::Job;
use lakeglass_api::{Role, TableName, TableRef};
use lakeglass_app::links;
use lakeglass_app::parts::Form;

use super::create_table::Place;
use super::fields::{mendable, refused};
use super::visit::Visit;
use crate::imports::Choices;
use crate::problem::Problem;
use crate::router::{BodyLimit, Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    let path = "/buckets/{bucket}/ns/{namespace}/new-table/file";
    vec![Route::form(path, Who::Bucket(Role::Editor), import).body(BodyLimit::Data)]
}

/// Longest text of a field beside the file, in bytes.
const MAX_TEXT: usize = 1024;

async fn import(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path((bucket, namespace)): Path<(String, String)>,
    parts: Result<Multipart, MultipartRejection>,
) -> Result<Response, Problem> {
    let place = Place::parse(&bucket, &namespace)?;
    let parts = parts.map_err(|_| Problem::invalid("This is not a form with a file"))?;
    let mut typed = Vec::new();
    match mendable(take(&app, &visit, &place, parts, &mut typed).await)? {
        Ok(job) => {
            let text = "The file arrived, and this job makes a table of it";
            Ok(visit.done(links::job(&job.id), text).await)
        }
        Err(problem) => {
            let names = [
                ("table", "table"),
                ("name", "table"),
                ("file", "file"),
                ("delimiter", "delimiter"),
                ("header", "header"),
            ];
            let form = refused(Form::with(typed), &problem, &names);
            place.import_again(&app, &visit, form).await
        }
    }
}

/// Reads the form in the order its page sends it: names and choices first, the file last.
async fn take(
    app: &App,
    visit: &Visit,
    place: &Place,
    mut parts: Multipart,
    typed: &mut Vec<(String, String)>,
) -> Result<Job, Problem> {
    while let Some(part) = parts.next_field().await.map_err(broken)? {
        let name = part.name().unwrap_or_default().to_owned();
        if name != "file" {
            let text = part.text().await.map_err(broken)?;
            if text.len() > MAX_TEXT || typed.len() > 8 {
                return Err(Problem::invalid("A field of the form is too long"));
            }
            typed.push((name, text.trim().to_owned()));
            continue;
        }
        let value = |wanted: &str| {
            typed.iter().find(|(name, _)| name == wanted).map_or("", |(_, text)| text.as_str())
        };
        let table = value("table")
            .parse::<TableName>()
            .map_err(|error| Problem::invalid(error.to_string()).field("table", error.to_string()))?;
        let choices = Choices::from_words(value("delimiter"), value("header"))?;
        let file_name = part.file_name().unwrap_or_default().to_owned();
        if file_name.is_empty() {
            return Err(Problem::invalid("No file came").field("file", "Choose a file"));
        }
        let file = app.imports.receive(&visit.actor, &place.bucket, &file_name, Box::pin(part)).await?;
        let table = TableRef { bucket: place.bucket.clone(), namespace: place.namespace.clone(), table };
        return Ok(app.imports.start(&visit.actor, &table, &file.id, choices).await?);
    }
    Err(Problem::invalid("No file came").field("file", "Choose a file"))
}

fn broken(error: MultipartError) -> Problem {
    Problem::new(error.status(), "invalid", "The form broke off before its end. Send it again")
        .caused_by(error)
}
