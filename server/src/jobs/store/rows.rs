//! How rows of jobs and attempts become what people see.

use lakeglass_api::jobs::{Attempt, Job, JobState, Progress};
use sqlx::FromRow;

/// A job as it is kept.
#[derive(Debug, FromRow)]
pub(in crate::jobs) struct Row {
    pub(in crate::jobs) id: String,
    pub(in crate::jobs) kind: String,
    title: String,
    pub(in crate::jobs) object: String,
    pub(in crate::jobs) bucket: Option<String>,
    pub(in crate::jobs) parameters: String,
    state: String,
    pub(in crate::jobs) principal: String,
    pub(in crate::jobs) owner: String,
    pub(in crate::jobs) role: String,
    pub(in crate::jobs) address: Option<String>,
    pub(in crate::jobs) request_id: String,
    progress_done: i64,
    progress_total: Option<i64>,
    progress_unit: String,
    progress_message: String,
    pub(in crate::jobs) cancelled_by: Option<String>,
    cause: Option<String>,
    pub(in crate::jobs) tries: i64,
    pub(in crate::jobs) max_attempts: i64,
    pub(in crate::jobs) attempt: Option<String>,
    created_at_ms: i64,
    started_at_ms: Option<i64>,
    ended_at_ms: Option<i64>,
}

#[derive(Debug, FromRow)]
pub(super) struct AttemptRow {
    id: String,
    pub(super) job: String,
    number: i64,
    worker: String,
    started_at_ms: i64,
    ended_at_ms: Option<i64>,
    cause: Option<String>,
}

pub(super) fn attempt(row: AttemptRow) -> Attempt {
    Attempt {
        number: u32::try_from(row.number).unwrap_or(u32::MAX),
        id: row.id,
        worker: row.worker,
        started_at_ms: row.started_at_ms,
        ended_at_ms: row.ended_at_ms,
        cause: row.cause,
    }
}

pub(super) fn job(row: Row, attempts: Vec<Attempt>) -> Job {
    let parameters: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&row.parameters).unwrap_or_default();
    let text = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    let state =
        JobState::ALL.into_iter().find(|state| state.as_str() == row.state).unwrap_or(JobState::Failed);
    Job {
        id: row.id,
        kind: row.kind,
        title: row.title,
        object: row.object,
        state,
        progress: Progress {
            done: row.progress_done.unsigned_abs(),
            total: row.progress_total.map(i64::unsigned_abs),
            unit: row.progress_unit,
            message: row.progress_message,
        },
        parameters: parameters.into_iter().map(|(key, value)| (key, text(value))).collect(),
        owner: row.owner,
        created_at_ms: row.created_at_ms,
        started_at_ms: row.started_at_ms,
        ended_at_ms: row.ended_at_ms,
        cause: row.cause,
        attempts,
        cancelling: row.cancelled_by.is_some() && !state.is_over(),
    }
}
