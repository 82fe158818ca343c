//! The job that builds an index.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use lakeglass_api::Role;
use lakeglass_api::jobs::{ParameterSpec, ParameterType};
use lakeglass_ports::{Error as EngineError, IndexProgress, IndexRequest};

use crate::jobs::{JobFailure, JobKind, JobRun};
use crate::problem::Problem;
use crate::state::App;

pub(super) const NAME: &str = "build-index";
pub(super) const INDEX: &str = "index";
pub(super) const COLUMN: &str = "column";
pub(super) const TYPE: &str = "type";
/// The whole request, as JSON.
pub(super) const REQUEST: &str = "request";
/// How often progress is told.
const TELLING: Duration = Duration::from_millis(300);

/// Builds an index of a table.
#[derive(Debug)]
pub(crate) struct BuildIndex;

#[async_trait]
impl JobKind for BuildIndex {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Build an index"
    }

    fn lane(&self) -> &'static str {
        "indices"
    }

    fn slots(&self) -> usize {
        2
    }

    fn parameters(&self) -> Vec<ParameterSpec> {
        let spec = |name: &str, title: &str, doc: &str, max_length| ParameterSpec {
            name: name.to_owned(),
            title: title.to_owned(),
            doc: doc.to_owned(),
            value: ParameterType::Text { max_length, default: None },
        };
        vec![
            spec(INDEX, "Index", "The index's name.", 400),
            spec(COLUMN, "Column", "The column by its path.", 2_000),
            spec(TYPE, "Type", "BTREE, FTS, IVF_PQ and others.", 40),
            spec(REQUEST, "Request", "Everything that was asked for, as JSON.", 10_000),
        ]
    }

    fn max_attempts(&self) -> u32 {
        3
    }

    async fn run(&self, app: &Arc<App>, run: &JobRun) -> Result<(), JobFailure> {
        let outcome = build(app, run).await;
        if let Err(problem) = &outcome {
            app.indices.remember_failure(&run.id, problem);
        }
        outcome.map_err(JobFailure::from)
    }
}

async fn build(app: &Arc<App>, run: &JobRun) -> Result<(), Problem> {
    let table = run.table().map_err(|failure| Problem::invalid(failure.cause))?;
    let request: IndexRequest = serde_json::from_str(run.text(REQUEST)).map_err(Problem::internal)?;
    run.log(format!("{} on {}, as {}", run.text(TYPE), run.text(COLUMN), run.text(INDEX))).await;
    if run.attempt > 1 && already_there(app, run, &table, &request).await? {
        return Ok(());
    }
    let news: Arc<Mutex<Option<IndexProgress>>> = Arc::default();
    let (tables, told, cancelled) = (app.engines.tables.clone(), Arc::clone(&news), run.cancelled());
    let work = async move |location| {
        let sink = Arc::new(move |step| *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(step));
        tokio::select! {
            built = tables.create_index(&location, &request, Some(sink)) => built,
            // The work is dropped where it stands; nothing of it is committed.
            () = cancelled.cancelled() => Err(EngineError::InvalidRequest("It was cancelled".to_owned())),
        }
    };
    let change = app.catalog.change(&run.actor, &table, Role::Editor, work);
    tokio::pin!(change);
    let mut tell = tokio::time::interval(TELLING);
    let version = loop {
        tokio::select! {
            built = &mut change => break built.map_err(Problem::from)?,
            _ = tell.tick() => {
                let step = news.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(step) = step {
                    run.progress(step.done, step.total, step.unit, step.stage).await;
                }
            }
        }
    };
    run.progress(1, Some(1), "indices", "Done").await;
    run.log(format!("Version {version} of {table} has it")).await;
    let detail = serde_json::json!({
        "index": run.text(INDEX), "column": run.text(COLUMN), "type": run.text(TYPE),
        "version": version.to_string(),
    });
    app.audit
        .record(&run.actor, "index.create", &table.to_string(), crate::audit::Outcome::Done, detail)
        .await;
    Ok(())
}

/// Whether an attempt before this one committed the index and ended before it said so.
async fn already_there(
    app: &Arc<App>,
    run: &JobRun,
    table: &lakeglass_api::TableRef,
    request: &IndexRequest,
) -> Result<bool, Problem> {
    let known = app.indices.list(&run.actor, table, request.branch.as_deref(), None).await?;
    let same = |one: &lakeglass_ports::IndexRecord| {
        one.name == run.text(INDEX) && one.kind == run.text(TYPE) && one.unindexed_rows == 0
    };
    Ok(known.iter().any(same))
}
