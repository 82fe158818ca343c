//! The scan of a large bucket, as a job.

use std::sync::Arc;

use async_trait::async_trait;
use lakeglass_api::BucketName;

use crate::jobs::{Error, JobFailure, JobKind, JobRun, ParameterSpec, ParameterType};
use crate::problem::Problem;
use crate::state::App;

pub(super) const NAME: &str = "scan-bucket";
pub(super) const MAX_OBJECTS: &str = "max_objects";

#[derive(Debug)]
pub(super) struct ScanBucket;

#[async_trait]
impl JobKind for ScanBucket {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Find tables"
    }

    fn lane(&self) -> &'static str {
        "scan"
    }

    fn slots(&self) -> usize {
        2
    }

    fn parameters(&self) -> Vec<ParameterSpec> {
        vec![ParameterSpec {
            name: MAX_OBJECTS.to_owned(),
            title: "Objects".to_owned(),
            doc: "The scan stops after listing so many objects.".to_owned(),
            value: ParameterType::Integer { min: 1_000, max: 5_000_000, default: 500_000 },
        }]
    }

    fn max_attempts(&self) -> u32 {
        3
    }

    fn startable(&self) -> bool {
        true
    }

    /// Always a bucket, even one that is called `server`.
    fn bucket_of(&self, object: &str) -> Result<Option<BucketName>, Error> {
        object.parse().map(Some).map_err(|_| Error::Object)
    }

    async fn run(&self, app: &Arc<App>, run: &JobRun) -> Result<(), JobFailure> {
        let bucket: BucketName = run.object.parse().map_err(|_| JobFailure::new("Not a bucket"))?;
        let report = app.formats.scan_all(run, &bucket).await.map_err(Problem::from)?;
        run.log(format!(
            "Listed {} objects: {} tables registered, {} known before, {} skipped",
            report.objects, report.registered_count, report.known_count, report.skipped_count
        ))
        .await;
        if !report.complete {
            run.log("The bucket holds more than this scan may list. Raise the number of objects").await;
        }
        Ok(())
    }
}
