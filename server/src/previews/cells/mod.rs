//! The only place where Arrow becomes cells, for native and plugin readers alike.
//!
//! Every Arrow type has a cell, exact where the format is exact: 64-bit numbers and decimals stay
//! text, null and the empty text and NaN differ in kind, times keep their unit and zone. What is too
//! long is cut, and the answer says so.

mod binary;
mod json;
mod nested;
mod number;
mod text;
mod time;
mod vector;
mod weight;

#[cfg(test)]
mod tests;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use lakeglass_api::cells::{Cell, GridColumn};
use lakeglass_api::description::{Note, Severity};
use lakeglass_ports::{is_blob, is_json, is_uuid, type_words};

pub use text::visible;

/// Bytes of text that all cells of a page may hold.
pub const PAGE_BYTES: usize = 4 << 20;

/// Cells of a page, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    pub columns: Vec<GridColumn>,
    pub rows: Vec<Vec<Cell>>,
    /// Whether rows were left out to keep the page in bounds.
    pub left_out: bool,
    pub notes: Vec<Note>,
}

/// The columns of a grid, by the schema of its rows.
pub fn columns(schema: &Schema) -> Vec<GridColumn> {
    let column = |field: &Field| GridColumn {
        name: field.name().clone(),
        type_name: type_words(field),
        nullable: field.is_nullable(),
        numeric: is_numeric(field),
    };
    schema.fields().iter().map(|field| column(field)).collect()
}

fn is_numeric(field: &Field) -> bool {
    match field.data_type() {
        DataType::Dictionary(_, value) => value.is_numeric(),
        DataType::RunEndEncoded(_, values) => values.data_type().is_numeric(),
        other => other.is_numeric(),
    }
}

/// Rows as cells, at most `page_bytes` of text in all; the first row is always whole.
pub fn cells(schema: &Schema, batches: &[RecordBatch], page_bytes: usize) -> Cells {
    let columns = columns(schema);
    let (mut rows, mut spent, mut cut, mut left_out) = (Vec::new(), 0_usize, 0_u64, false);
    'page: for batch in batches {
        let fields = batch.schema();
        for row in 0..batch.num_rows() {
            let cells: Vec<Cell> = fields
                .fields()
                .iter()
                .zip(batch.columns())
                .map(|(field, column)| cell(column, field, row))
                .collect();
            spent += cells.iter().map(weight::of).sum::<usize>();
            if spent > page_bytes && !rows.is_empty() {
                left_out = true;
                break 'page;
            }
            cut += cells.iter().filter(|cell| weight::is_cut(cell)).count() as u64;
            rows.push(cells);
        }
    }
    let mut notes = Vec::new();
    if cut > 0 {
        notes.push(note(
            "cells-cut",
            Severity::Info,
            format!("{cut} long values are cut; a download has them whole"),
        ));
    }
    if left_out {
        let message =
            format!("Only {} rows fit on this page; go on from there, or ask for fewer columns", rows.len());
        notes.push(note("page-cut", Severity::Warning, message));
    }
    if schema.fields().iter().any(|field| is_blob(field)) {
        let message = "Blob columns show their size; their bytes were not read".to_owned();
        notes.push(note("blobs-not-read", Severity::Info, message));
    }
    Cells { columns, rows, left_out, notes }
}

fn note(code: &str, severity: Severity, message: String) -> Note {
    Note { severity, code: code.to_owned(), message }
}

/// One value of a column.
pub fn cell(array: &dyn Array, field: &Field, row: usize) -> Cell {
    if array.is_null(row) {
        return Cell::Null;
    }
    if is_blob(field)
        && let Some(cell) = binary::descriptor(array, row)
    {
        return cell;
    }
    if is_json(field)
        && let Some(text) = text::of(array, row)
    {
        return json::cell(text);
    }
    if is_uuid(field)
        && let Some(cell) = binary::uuid(array, row)
    {
        return cell;
    }
    by_type(array, row)
}

/// The text at a row, whole and as it is; none for other types.
pub fn whole_text(array: &dyn Array, row: usize) -> Option<&str> {
    text::of(array, row)
}

/// The bytes at a row; none for other types.
pub fn whole_bytes(array: &dyn Array, row: usize) -> Option<&[u8]> {
    binary::of(array, row)
}

fn by_type(array: &dyn Array, row: usize) -> Cell {
    match array.data_type() {
        DataType::Null => Cell::Null,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            text::of(array, row).map_or(Cell::Null, text::cell)
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            binary::of(array, row).map_or(Cell::Null, binary::cell)
        }
        DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Timestamp(..)
        | DataType::Duration(_)
        | DataType::Interval(_) => time::cell(array, row),
        DataType::FixedSizeList(..) => {
            vector::cell(array.as_fixed_size_list(), row).unwrap_or_else(|| nested::cell(array, row))
        }
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::Struct(_)
        | DataType::Map(..) => nested::cell(array, row),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            // A dictionary whose keys are all null may have no values.
            if dictionary.values().is_empty() {
                return Cell::Null;
            }
            let key = dictionary.keys().slice(row, 1);
            match arrow_cast::cast(&key, &DataType::UInt64) {
                Ok(key) => {
                    let key = usize::try_from(key.as_primitive::<arrow_array::types::UInt64Type>().value(0));
                    key.map_or(Cell::Null, |key| inner(dictionary.values(), key))
                }
                Err(_) => Cell::Null,
            }
        }
        DataType::RunEndEncoded(ends, _) => {
            let (values, at) = match ends.data_type() {
                DataType::Int16 => run_value::<Int16Type>(array, row),
                DataType::Int32 => run_value::<Int32Type>(array, row),
                _ => run_value::<Int64Type>(array, row),
            };
            inner(values, at)
        }
        DataType::Union(..) => {
            let union = array.as_union();
            inner(union.child(union.type_id(row)), union.value_offset(row))
        }
        _ => number::cell(array, row),
    }
}

/// The values of a run-end encoded array, and where among them a row's value is.
fn run_value<R: arrow_array::types::RunEndIndexType>(array: &dyn Array, row: usize) -> (&dyn Array, usize) {
    let runs = array.as_run::<R>();
    (runs.values().as_ref(), runs.get_physical_index(row))
}

/// A value that stands behind an encoding, without a field of its own.
fn inner(array: &dyn Array, row: usize) -> Cell {
    if row >= array.len() || array.is_null(row) { Cell::Null } else { by_type(array, row) }
}
