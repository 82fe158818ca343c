//! Long work as lists and pages show it.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    Queued,
    Running,
    Succeeded,
    Failed,
    Cancelled,
}

impl JobState {
    pub fn is_over(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }
}

/// How far a job is; `total` none: not known yet. `unit` is a plural noun: "tables", "rows", "bytes".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Progress {
    pub done: u64,
    pub total: Option<u64>,
    pub unit: String,
    /// What it is doing now, a short phrase.
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Attempt {
    /// 1 for the first.
    pub number: u32,
    pub id: String,
    pub worker: String,
    pub started_at_ms: i64,
    pub ended_at_ms: Option<i64>,
    /// Why it ended, when not by success.
    pub cause: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct LogLine {
    pub at_ms: i64,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Job {
    pub id: String,
    /// "observe-sweep", "import-file", "load-demo".
    pub kind: String,
    pub title: String,
    /// What it works on: "server", a bucket, or `bucket$part$table`.
    pub object: String,
    pub state: JobState,
    pub progress: Progress,
    pub owner: String,
    pub created_at_ms: i64,
    pub started_at_ms: Option<i64>,
    pub ended_at_ms: Option<i64>,
    pub cause: Option<String>,
    pub attempts: Vec<Attempt>,
    /// Whether a cancel was asked for and is being carried out.
    pub cancelling: bool,
}
