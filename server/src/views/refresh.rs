//! The job that fills a view: its rows are replaced by what its query gives now.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use lakeglass_api::jobs::{ParameterSpec, ParameterType};
use lakeglass_ports::{BatchStream, Error as EngineError, InsertMode};
use tokio_util::sync::CancellationToken;

use super::Error;
use crate::jobs::{JobFailure, JobKind, JobRun};
use crate::problem::Problem;
use crate::state::App;

pub(super) const NAME: &str = "refresh-view";
pub(super) const VIEW: &str = "view";
pub(super) const VERSION: &str = "version";
/// How often progress is told.
const TELLING: Duration = Duration::from_millis(300);

/// Fills a materialized view.
#[derive(Debug)]
pub(crate) struct RefreshView;

#[async_trait]
impl JobKind for RefreshView {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Refresh a view"
    }

    fn lane(&self) -> &'static str {
        "views"
    }

    fn slots(&self) -> usize {
        2
    }

    fn parameters(&self) -> Vec<ParameterSpec> {
        let spec = |name: &str, title: &str, doc: &str, default: Option<&str>| ParameterSpec {
            name: name.to_owned(),
            title: title.to_owned(),
            doc: doc.to_owned(),
            value: ParameterType::Text { max_length: 1_000, default: default.map(str::to_owned) },
        };
        vec![
            spec(VIEW, "View", "The view's id.", None),
            spec(VERSION, "Version", "The source's version; empty for the definition's own.", Some("")),
        ]
    }

    fn max_attempts(&self) -> u32 {
        3
    }

    async fn run(&self, app: &Arc<App>, run: &JobRun) -> Result<(), JobFailure> {
        refresh(app, run).await
    }
}

async fn refresh(app: &Arc<App>, run: &JobRun) -> Result<(), JobFailure> {
    let view = run.table()?;
    let definition = app.views.definition(&run.actor, &view).await.map_err(failure)?;
    let version = run.text(VERSION).parse().ok();
    let rows = app.views.rows(&run.actor, &view, &definition, version).await.map_err(failure)?;
    run.log(format!("From {}", definition.table.join("$"))).await;
    let done = Arc::new(AtomicU64::new(0));
    let rows = counted(rows, Arc::clone(&done), run.cancelled());
    let insert = app.catalog.insert(&run.actor, &view, rows, InsertMode::Overwrite, None);
    tokio::pin!(insert);
    let mut tell = tokio::time::interval(TELLING);
    let (_, written) = loop {
        tokio::select! {
            written = &mut insert => break written.map_err(|error| failure(error.into()))?,
            _ = tell.tick() => run.progress(done.load(Ordering::Relaxed), None, "rows", "Writing").await,
        }
    };
    run.progress(written.rows, Some(written.rows), "rows", "Done").await;
    run.log(format!("{} rows are in version {} of {view}", written.rows, written.version)).await;
    Ok(())
}

/// Counts rows as they pass, and ends them with an error when the job was cancelled: then nothing of
/// them is kept.
fn counted(rows: BatchStream, done: Arc<AtomicU64>, cancelled: CancellationToken) -> BatchStream {
    let batches = rows.batches.map(move |batch| {
        if cancelled.is_cancelled() {
            return Err(EngineError::InvalidRequest("It was cancelled".to_owned()));
        }
        let batch = batch?;
        done.fetch_add(batch.num_rows() as u64, Ordering::Relaxed);
        Ok(batch)
    });
    BatchStream { schema: rows.schema, batches: batches.boxed() }
}

fn failure(error: Error) -> JobFailure {
    Problem::from(error).into()
}
