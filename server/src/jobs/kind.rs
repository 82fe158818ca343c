//! What a kind of job says of itself, and how one ends.

use std::sync::Arc;

use async_trait::async_trait;
use lakeglass_api::jobs::ParameterSpec;
use lakeglass_api::{BucketName, Role};

use super::error::{Error, Result};
use super::run::JobRun;
use crate::state::App;

/// One kind of long work.
#[async_trait]
pub trait JobKind: Send + Sync + std::fmt::Debug {
    /// Its stable name: "observe-sweep".
    fn name(&self) -> &'static str;

    /// What people read in the list of jobs: "Observe tables".
    fn title(&self) -> &'static str;

    /// Jobs of one lane share its slots, so that slow work of one sort never starves another.
    fn lane(&self) -> &'static str;

    /// How many jobs its lane runs at once; the largest number among the lane's kinds counts.
    fn slots(&self) -> usize;

    /// What it can be told. Anything else in a request is refused.
    fn parameters(&self) -> Vec<ParameterSpec>;

    /// How often it is tried in all when the server stops in its middle, it crashes, or it asks for
    /// another try.
    fn max_attempts(&self) -> u32;

    /// Works until done. The future is dropped when a cancel was not heeded within the grace time, so
    /// it must be safe to drop at every await; blocking work goes to a blocking thread and looks at
    /// [`JobRun::cancelled`].
    async fn run(&self, app: &Arc<App>, run: &JobRun) -> Result<(), JobFailure>;

    /// The role that starting or cancelling it needs, on the bucket of its object or on the server.
    fn needs(&self) -> Role {
        Role::Editor
    }

    /// Whether people may start it by itself; most kinds are started by a service that checks more.
    fn startable(&self) -> bool {
        false
    }

    /// The bucket whose readers see the job; none: work on the server as a whole.
    fn bucket_of(&self, object: &str) -> Result<Option<BucketName>> {
        if object == "server" {
            return Ok(None);
        }
        let bucket = object.split('$').next().unwrap_or(object);
        bucket.parse().map(Some).map_err(|_| Error::Object)
    }
}

/// Why a run did not succeed.
#[derive(Debug)]
pub struct JobFailure {
    /// A sentence for people.
    pub cause: String,
    /// Whether another try may help.
    pub again: bool,
    /// For the server's log.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl JobFailure {
    /// Another try would end the same way.
    pub fn new(cause: impl Into<String>) -> Self {
        Self { cause: cause.into(), again: false, source: None }
    }

    /// Another try, after a pause, may succeed: a store that could not be reached.
    pub fn again(cause: impl Into<String>) -> Self {
        Self { cause: cause.into(), again: true, source: None }
    }

    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl From<crate::problem::Problem> for JobFailure {
    /// A service's refusal, as the person who asked over HTTP would read it.
    fn from(problem: crate::problem::Problem) -> Self {
        let again = problem.retry_after.is_some();
        Self {
            cause: problem.detail,
            again,
            source: problem.source.map(|source| Box::from(source.to_string())),
        }
    }
}
