//! What a running job holds: who asked, what was asked, and how to say how far it is.

use std::sync::{Mutex, PoisonError};

use lakeglass_api::TableRef;
use lakeglass_api::jobs::Progress;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::kind::JobFailure;
use super::store::Store;
use crate::auth::Actor;

/// One attempt at a job.
#[derive(Debug)]
pub struct JobRun {
    /// The job's id, the same for every attempt.
    pub id: String,
    /// 1 for the first attempt.
    pub attempt: u32,
    pub object: String,
    /// Every parameter of the kind, clamped.
    pub parameters: Value,
    /// Who asked for it, with the role they had on the object then, and no other.
    pub actor: Actor,
    pub(super) token: CancellationToken,
    pub(super) store: Store,
    pub(super) news: std::sync::Arc<News>,
}

/// Progress that is not written yet. It is written a few times a second at most.
#[derive(Debug, Default)]
pub(super) struct News {
    progress: Mutex<Option<Progress>>,
    log: Mutex<bool>,
}

impl News {
    fn progress(&self, progress: Progress) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
    }

    /// What changed since the last call: progress, and whether the log grew.
    pub(super) fn take(&self) -> (Option<Progress>, bool) {
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner).take();
        let log = std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner));
        (progress, log)
    }
}

impl JobRun {
    /// Says how far it is. `unit` is a plural noun, `message` a short phrase. Cheap: call it as often
    /// as something moved. Also a point at which a cancelled run can be stopped.
    pub async fn progress(
        &self,
        done: u64,
        total: Option<u64>,
        unit: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.news.progress(Progress { done, total, unit: unit.into(), message: message.into() });
        tokio::task::yield_now().await;
    }

    /// Adds a line to the job's log, which keeps the last thousand. Never secrets.
    pub async fn log(&self, text: impl AsRef<str>) {
        if let Err(error) = self.store.log(&self.id, text.as_ref()).await {
            tracing::warn!(job.id = %self.id, %error, "A line of a job's log could not be kept");
        }
        *self.news.log.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    /// Cancelled when someone asked for it or the server stops. Heed it within a few seconds, with
    /// any error, or the run is dropped where it stands.
    pub fn cancelled(&self) -> CancellationToken {
        self.token.clone()
    }

    /// The table that it works on: its object, `bucket$part$table`.
    pub fn table(&self) -> Result<TableRef, JobFailure> {
        self.object.parse().map_err(|_| JobFailure::new("The job names no table"))
    }

    /// A whole-number parameter; every one described has a value.
    pub fn integer(&self, name: &str) -> i64 {
        self.parameters.get(name).and_then(Value::as_i64).unwrap_or_default()
    }

    /// A flag.
    pub fn flag(&self, name: &str) -> bool {
        self.parameters.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// A choice or text.
    pub fn text(&self, name: &str) -> &str {
        self.parameters.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}
