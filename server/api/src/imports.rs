//! A file that was sent to become a table.

use serde::{Deserialize, Serialize};

use crate::description::Field;

/// What a file is, found by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    /// Arrow IPC, as file or as stream.
    Arrow,
    Parquet,
    /// Text with cells parted by commas, semicolons, tabs or bars.
    Csv,
}

impl FileKind {
    /// As its community writes it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Arrow => "Arrow",
            Self::Parquet => "Parquet",
            Self::Csv => "CSV",
        }
    }
}

/// A file that waits to be imported. It is removed when imported, or an hour after it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ReceivedFile {
    /// Names the file when the import is started; for its sender only.
    pub id: String,
    /// As its sender called it.
    pub name: String,
    pub bytes: u64,
    pub kind: FileKind,
    /// The columns that the table will have.
    pub columns: Vec<Field>,
    /// Where the file says so.
    pub rows: Option<u64>,
    /// What was guessed: the types, delimiter and header of a CSV file.
    pub guesses: Vec<String>,
}
