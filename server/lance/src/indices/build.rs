//! Building an index and telling how far it is.

use std::sync::Mutex;
use std::sync::{Arc, PoisonError};

use async_trait::async_trait;
use lakeglass_ports::{Error, IndexProgress, IndexProgressSink, IndexRequest, Result, TableLocation};
use lance::index::DatasetIndexExt;
use lance_index::progress::IndexBuildProgress;

use super::{params, plan};
use crate::error::{clean, map};
use crate::open::Lake;
use crate::references::at;

pub(super) async fn build(
    lake: &Lake,
    location: &TableLocation,
    request: &IndexRequest,
    progress: Option<IndexProgressSink>,
) -> Result<u64> {
    let mut dataset = lake.open(location, &at(request.branch.as_deref(), None), None).await?;
    let plan = plan::plan(&dataset, request).await?;
    let params = params::of(&plan, request)?;
    let columns = [plan.column.as_str()];
    let mut builder = dataset
        .create_index_builder(&columns, plan.kind, params.as_ref())
        .name(plan.name)
        .replace(request.replace);
    if let Some(sink) = progress {
        builder = builder.progress(Arc::new(Teller { sink, stage: Mutex::default() }));
    }
    builder.await.map_err(|error| match error {
        // Lance says what does not fit as an index error.
        lance_core::Error::Index { message, .. } => Error::InvalidRequest(clean(&message)),
        other => map(other),
    })?;
    lake.keep(location, &dataset).await;
    Ok(dataset.version_id())
}

/// Passes Lance's stages on.
struct Teller {
    sink: IndexProgressSink,
    /// Total and unit of the stage that runs.
    stage: Mutex<(Option<u64>, String)>,
}

impl std::fmt::Debug for Teller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Teller").field("stage", &self.stage).finish_non_exhaustive()
    }
}

impl Teller {
    fn tell(&self, stage: &str, done: u64) {
        let (total, unit) = self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (self.sink)(IndexProgress { stage: stage.replace('_', " "), done, total, unit });
    }
}

#[async_trait]
impl IndexBuildProgress for Teller {
    async fn stage_start(&self, stage: &str, total: Option<u64>, unit: &str) -> lance_core::Result<()> {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = (total, unit.to_owned());
        self.tell(stage, 0);
        Ok(())
    }

    async fn stage_progress(&self, stage: &str, completed: u64) -> lance_core::Result<()> {
        self.tell(stage, completed);
        Ok(())
    }

    async fn stage_complete(&self, stage: &str) -> lance_core::Result<()> {
        let total = self.stage.lock().unwrap_or_else(PoisonError::into_inner).0;
        self.tell(stage, total.unwrap_or_default());
        Ok(())
    }
}
