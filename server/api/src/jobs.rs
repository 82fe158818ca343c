//! Long work as lists and pages show it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::numbers::grouped;

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
    pub const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Succeeded, Self::Failed, Self::Cancelled];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

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
    /// What it was started with, clamped, as text.
    pub parameters: BTreeMap<String, String>,
    pub owner: String,
    pub created_at_ms: i64,
    pub started_at_ms: Option<i64>,
    pub ended_at_ms: Option<i64>,
    pub cause: Option<String>,
    pub attempts: Vec<Attempt>,
    /// Whether a cancel was asked for and is being carried out.
    pub cancelling: bool,
}

/// What a kind of job can be told: its type, bounds and default. Forms are drawn from it, and values
/// are clamped by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ParameterSpec {
    /// Key in the parameters' JSON object.
    pub name: String,
    pub title: String,
    /// One sentence for people, with the unit.
    pub doc: String,
    #[serde(flatten)]
    pub value: ParameterType,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ParameterType {
    /// A value outside the bounds becomes the nearest bound.
    Integer {
        min: i64,
        max: i64,
        default: i64,
    },
    Flag {
        default: bool,
    },
    Choice {
        choices: Vec<String>,
        default: String,
    },
    /// Text of at most so many characters; without a default it must be given.
    Text {
        max_length: u32,
        default: Option<String>,
    },
}

impl Progress {
    /// "120 of 1,400 tables, reading": as far as something was told. The unit and the message are the kind's
    /// own text.
    pub fn words(&self) -> String {
        let done = match (self.total, self.done) {
            (Some(total), done) => format!("{} of {} {}", grouped(done), grouped(total), self.unit),
            (None, 0) => String::new(),
            (None, done) => format!("{} {}", grouped(done), self.unit),
        };
        match (done.trim(), self.message.as_str()) {
            ("", message) => message.to_owned(),
            (done, "") => done.to_owned(),
            (done, message) => format!("{done}, {message}"),
        }
    }
}

/// A kind of job that this server runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct JobKindInfo {
    pub name: String,
    pub title: String,
    /// Jobs of one lane share its slots.
    pub lane: String,
    /// Whether people may start it, or only the server does.
    pub startable: bool,
    pub parameters: Vec<ParameterSpec>,
}
