//! The port that teaches the server a table format.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use async_trait::async_trait;
use lakeglass_api::description::{Cost, Description, Note, Property, Version};
use lakeglass_api::{FormatId, Operator};

use crate::{Result, TableLocation};

/// Answers questions about tables of one or more formats. Calls are independent and hold no state;
/// dropping a returned future stops the work behind it.
#[async_trait]
pub trait Describer: Send + Sync + std::fmt::Debug {
    /// Who answers, as observations record it: "native lance 14.0.2", "plugin csv 0.1.0".
    fn observer(&self) -> String;

    /// The formats it answers for.
    fn formats(&self) -> Vec<FormatInfo>;

    /// Whether the candidate is a table of one of its formats. Most answers need no further reads.
    async fn detect(&self, candidate: &Candidate) -> Result<Vec<Detection>>;

    /// What the table is, at the version asked for. Within 60 s.
    async fn describe(&self, subject: &Subject) -> Result<Costed<Description>>;

    /// Versions, newest first. An empty page for a format without versions.
    async fn history(
        &self,
        subject: &Subject,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Costed<VersionPage>>;

    /// Some rows, in a deterministic order. Within 15 s.
    async fn preview(&self, subject: &Subject, request: &PreviewRequest) -> Result<Preview>;
}

/// An answer and what reading it cost.
#[derive(Debug, Clone)]
pub struct Costed<T> {
    pub answer: T,
    pub cost: Cost,
}

/// What a describer can do for a format; tabs and actions come from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent yes-or-no capabilities, read by name")]
pub struct Capabilities {
    pub preview: bool,
    pub filter: bool,
    pub history: bool,
    pub time_travel: bool,
    pub references: bool,
    pub indices: bool,
}

#[derive(Debug, Clone)]
pub struct FormatInfo {
    pub id: FormatId,
    pub title: String,
    /// A table is a folder (`false`) or may be one object (`true`).
    pub single_object: bool,
    pub claims: Vec<Claim>,
    pub capabilities: Capabilities,
    pub options: Vec<OptionSpec>,
}

/// How a format's tables are recognised while scanning, without asking the describer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// An object at this path below the candidate.
    Exact(String),
    /// A folder of this name inside the candidate.
    Folder(String),
    Glob(String),
    /// The candidate object's name ends so: ".csv".
    Suffix(String),
    /// Bytes at an offset of a candidate object; a negative offset counts from its end.
    Magic(i64, Vec<u8>),
}

/// Something a person may set for a table of a format: a delimiter, an encoding.
#[derive(Debug, Clone)]
pub struct OptionSpec {
    pub key: String,
    pub title: String,
    pub doc: String,
    pub default: Option<String>,
    pub choices: Vec<String>,
}

/// A folder or object that might be a table, with its first delimited listing.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub location: TableLocation,
    /// Objects directly inside (or the one object itself), relative paths with sizes in bytes.
    pub objects: Vec<(String, u64)>,
    /// Folders directly inside, relative.
    pub folders: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detection {
    pub format: FormatId,
    /// 0 to 100.
    pub confidence: u8,
    pub reason: String,
}

/// What a question is about.
#[derive(Debug, Clone)]
pub struct Subject {
    pub location: TableLocation,
    pub format: FormatId,
    pub version: VersionRef,
    /// Options of the format that a person set for this table.
    pub options: Vec<Property>,
}

/// Which state of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum VersionRef {
    /// The newest on the main branch.
    #[default]
    Latest,
    /// A version of the main branch, as text (unsigned 64-bit for Lance).
    Version(String),
    Tag(String),
    /// A branch, at a version of it or at its newest.
    Branch(String, Option<String>),
}

#[derive(Debug, Clone)]
pub struct VersionPage {
    pub versions: Vec<Version>,
    /// Pass as `after` for the next page; none at the end.
    pub next: Option<String>,
    /// How many versions there are, where counting is cheap.
    pub total: Option<u64>,
}

#[derive(Debug, Clone, Default)]
pub struct PreviewRequest {
    /// Top-level columns in the order wanted; none: all.
    pub columns: Option<Vec<String>>,
    /// All must hold.
    pub filter: Vec<Condition>,
    pub offset: u64,
    /// 1 to 200; clamped by the caller.
    pub limit: u32,
}

/// One structured condition. Never built from, nor turned into, SQL text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// Path of names from the top level down.
    pub column: Vec<String>,
    pub operator: Operator,
    /// As typed; the describer converts it to the column's type or refuses with the column's name.
    pub value: ConditionValue,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionValue {
    /// For [`Operator::IsNull`] and [`Operator::IsNotNull`].
    None,
    One(String),
    Many(Vec<String>),
}

/// Rows, and what was read.
#[derive(Debug, Clone)]
pub struct Preview {
    /// Blob columns come as their descriptors.
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
    pub version: Option<String>,
    /// Whether rows follow these.
    pub more: bool,
    pub notes: Vec<Note>,
    pub cost: Cost,
}
