//! The job that makes a table of a received file.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use lakeglass_api::catalog::Properties;
use lakeglass_api::jobs::{ParameterSpec, ParameterType};

use super::error::Error;
use super::reader::{self, Choices};
use super::service::blocking;
use crate::catalog::{Error as Refusal, TableMode};
use crate::jobs::{JobFailure, JobKind, JobRun};
use crate::problem::Problem;
use crate::state::App;

pub(super) const NAME: &str = "import-file";
pub(super) const FILE: &str = "file";
pub(super) const OWNER: &str = "owner";
pub(super) const DELIMITER: &str = "delimiter";
pub(super) const HEADER: &str = "header";
/// The table's property that names the job it came from, so that a second attempt knows its own work.
const IMPORTED_BY: &str = "imported-by";
const IMPORTED_FROM: &str = "imported-from";
/// How often progress is told.
const TELLING: Duration = Duration::from_millis(300);

/// Streams a file into a new table.
#[derive(Debug)]
pub(super) struct ImportFile;

#[async_trait]
impl JobKind for ImportFile {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Import a file"
    }

    fn lane(&self) -> &'static str {
        "imports"
    }

    fn slots(&self) -> usize {
        2
    }

    fn parameters(&self) -> Vec<ParameterSpec> {
        let spec = |name: &str, title: &str, doc: &str, value| ParameterSpec {
            name: name.to_owned(),
            title: title.to_owned(),
            doc: doc.to_owned(),
            value,
        };
        let text = || ParameterType::Text { max_length: 64, default: None };
        let choice = |choices: &[&str]| ParameterType::Choice {
            choices: choices.iter().map(|&one| one.to_owned()).collect(),
            default: "detect".to_owned(),
        };
        vec![
            spec(FILE, "File", "The id of the received file.", text()),
            spec(OWNER, "Sender", "Who sent the file.", text()),
            spec(
                DELIMITER,
                "Delimiter",
                "What parts the cells of a CSV file.",
                choice(&["detect", "comma", "semicolon", "tab", "bar"]),
            ),
            spec(
                HEADER,
                "Header",
                "Whether the first line of a CSV file names the columns.",
                choice(&["detect", "yes", "no"]),
            ),
        ]
    }

    fn max_attempts(&self) -> u32 {
        3
    }

    async fn run(&self, app: &Arc<App>, run: &JobRun) -> Result<(), JobFailure> {
        let outcome = import(app, run).await;
        let again = outcome.as_ref().is_err_and(|failure| failure.again);
        // A server that stops takes the job up again, and needs the file then.
        if !again && !app.shutdown.is_cancelled() {
            app.imports.spool.remove(run.text(FILE)).await;
        }
        outcome
    }
}

async fn import(app: &Arc<App>, run: &JobRun) -> Result<(), JobFailure> {
    let table = run.table()?;
    match app.catalog.table(&run.actor, &table).await {
        Ok(found) if found.properties.get(IMPORTED_BY) == Some(&run.id) => return Ok(()),
        Ok(_) | Err(Refusal::NoSuchTable(_)) => {}
        Err(error) => return Err(failure(error)),
    }
    let (path, about) = app.imports.spool.find(run.text(FILE), run.text(OWNER)).await.map_err(failure)?;
    let choices = Choices::from_words(run.text(DELIMITER), run.text(HEADER)).map_err(failure)?;
    let opened = blocking(move || reader::open(&path, choices)).await.map_err(failure)?;
    run.log(format!("{}, {} columns", opened.kind.title(), opened.schema.fields().len())).await;
    for guess in &opened.guesses {
        run.log(guess).await;
    }

    let total = opened.rows;
    let done = Arc::new(AtomicU64::new(0));
    let rows = opened.stream(Arc::clone(&done), run.cancelled());
    let properties =
        Properties::from([(IMPORTED_BY.to_owned(), run.id.clone()), (IMPORTED_FROM.to_owned(), about.name)]);
    let create = app.catalog.create_table(&run.actor, &table, rows, TableMode::Create, properties);
    tokio::pin!(create);
    let mut tell = tokio::time::interval(TELLING);
    let (_, written) = loop {
        tokio::select! {
            written = &mut create => break written.map_err(failure)?,
            _ = tell.tick() => {
                run.progress(done.load(Ordering::Relaxed), total, "rows", "Writing").await;
            }
        }
    };
    run.progress(written.rows, Some(written.rows), "rows", "Done").await;
    run.log(format!("{} rows are in {table}", written.rows)).await;
    Ok(())
}

fn failure(error: impl Into<Error>) -> JobFailure {
    Problem::from(error.into()).into()
}
