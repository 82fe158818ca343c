//! Indices: planned, built, listed and dropped.

mod build;
mod kinds;
mod list;
mod params;
mod plan;

use async_trait::async_trait;
use lakeglass_ports::{
    IndexPlan, IndexProgressSink, IndexRecord, IndexRequest, Result, TableIndices, TableLocation, VersionRef,
};
use lance::index::DatasetIndexExt;

use crate::engine::Engine;
use crate::error::map;
use crate::references::at;

pub(crate) use list::{Described, described};

#[async_trait]
impl TableIndices for Engine {
    async fn plan_index(&self, location: &TableLocation, request: &IndexRequest) -> Result<IndexPlan> {
        let dataset = self.lake.open(location, &at(request.branch.as_deref(), None), None).await?;
        let plan = plan::plan(&dataset, request).await?;
        Ok(IndexPlan { name: plan.name, column: plan.column, kind: plan.word })
    }

    async fn create_index(
        &self,
        location: &TableLocation,
        request: &IndexRequest,
        progress: Option<IndexProgressSink>,
    ) -> Result<u64> {
        build::build(&self.lake, location, request, progress).await
    }

    async fn list_indices(&self, location: &TableLocation, at: &VersionRef) -> Result<Vec<IndexRecord>> {
        let dataset = self.lake.open(location, at, None).await?;
        list::records(&dataset).await
    }

    async fn drop_index(&self, location: &TableLocation, branch: Option<&str>, name: &str) -> Result<u64> {
        let mut dataset = self.lake.open(location, &at(branch, None), None).await?;
        dataset.drop_index(name).await.map_err(|error| match map(error) {
            lakeglass_ports::Error::NoSuchIndex(_) => {
                lakeglass_ports::Error::NoSuchIndex(name.chars().take(200).collect())
            }
            other => other,
        })?;
        self.lake.keep(location, &dataset).await;
        Ok(dataset.version_id())
    }
}
