//! A page of rows as a file: CSV, JSON lines or an Arrow stream. Nothing is cut.

use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use serde::Deserialize;

use super::values;
use super::{Error, Result};

/// The form of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Download {
    Csv,
    /// One JSON object a line.
    JsonLines,
    /// An Arrow IPC stream.
    Arrow,
}

impl Download {
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::JsonLines => "application/jsonl; charset=utf-8",
            Self::Arrow => "application/vnd.apache.arrow.stream",
        }
    }

    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
            Self::Arrow => "arrow",
        }
    }
}

pub(super) fn write(schema: &Schema, batches: &[RecordBatch], form: Download) -> Result<Vec<u8>> {
    match form {
        Download::Csv => Ok(csv(schema, batches)),
        Download::JsonLines => Ok(json_lines(batches)),
        Download::Arrow => arrow(schema, batches).map_err(|source| Error::Write("an Arrow stream", source)),
    }
}

fn arrow(schema: &Schema, batches: &[RecordBatch]) -> Result<Vec<u8>, arrow_schema::ArrowError> {
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), schema)?;
    for batch in batches {
        writer.write(batch)?;
    }
    writer.into_inner()
}

fn json_lines(batches: &[RecordBatch]) -> Vec<u8> {
    let mut out = Vec::new();
    for batch in batches {
        let schema = batch.schema();
        for row in 0..batch.num_rows() {
            let object: serde_json::Map<String, serde_json::Value> = schema
                .fields()
                .iter()
                .zip(batch.columns())
                .map(|(field, column)| (field.name().clone(), values::json(column, field, row)))
                .collect();
            out.extend_from_slice(serde_json::Value::Object(object).to_string().as_bytes());
            out.push(b'\n');
        }
    }
    out
}

fn csv(schema: &Schema, batches: &[RecordBatch]) -> Vec<u8> {
    let mut out = String::new();
    let header: Vec<String> = schema.fields().iter().map(|field| quoted(&harmless(field.name()))).collect();
    out.push_str(&header.join(","));
    out.push_str("\r\n");
    for batch in batches {
        let fields = batch.schema();
        for row in 0..batch.num_rows() {
            for (at, (field, column)) in fields.fields().iter().zip(batch.columns()).enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&csv_value(column, field, row));
            }
            out.push_str("\r\n");
        }
    }
    out.into_bytes()
}

/// Null is nothing at all, the empty text is a pair of quotes.
fn csv_value(array: &dyn Array, field: &Field, row: usize) -> String {
    match values::json(array, field, row) {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) if text.is_empty() => "\"\"".to_owned(),
        // Numbers too large for JSON's arrive as text; they begin with no formula.
        serde_json::Value::String(text) if is_plain(field.data_type()) => quoted(&text),
        serde_json::Value::String(text) => quoted(&harmless(&text)),
        other => quoted(&other.to_string()),
    }
}

/// Types whose text is made by us and cannot be a formula, though it may begin with a minus.
fn is_plain(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, value) => is_plain(value),
        DataType::RunEndEncoded(_, values) => is_plain(values.data_type()),
        other => other.is_numeric() || other.is_temporal(),
    }
}

/// A text that a spreadsheet would take for a formula gets an apostrophe in front.
fn harmless(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

fn quoted(text: &str) -> String {
    let plain = !text.contains(['"', ',', '\n', '\r']) && text.trim() == text;
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}
