//! Whole values as JSON, for files. Exact: 64-bit integers and decimals are text.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use lakeglass_api::cells::Cell;
use serde_json::{Map, Value};

use super::cells;

/// Nesting after which a value is written as its summary.
const DEPTH: usize = 64;

/// The value at a row.
pub(super) fn json(array: &dyn Array, field: &Field, row: usize) -> Value {
    value(array, field, row, 0)
}

fn value(array: &dyn Array, field: &Field, row: usize, depth: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    if depth < DEPTH {
        match array.data_type() {
            DataType::List(item) => return list(&array.as_list::<i32>().value(row), item, depth),
            DataType::LargeList(item) => return list(&array.as_list::<i64>().value(row), item, depth),
            DataType::ListView(item) => return list(&array.as_list_view::<i32>().value(row), item, depth),
            DataType::LargeListView(item) => {
                return list(&array.as_list_view::<i64>().value(row), item, depth);
            }
            DataType::FixedSizeList(item, _) => {
                return list(&array.as_fixed_size_list().value(row), item, depth);
            }
            DataType::Struct(fields) => {
                let columns = array.as_struct().columns();
                let members = fields
                    .iter()
                    .zip(columns)
                    .map(|(field, column)| (field.name().clone(), value(column, field, row, depth + 1)));
                return Value::Object(members.collect::<Map<_, _>>());
            }
            DataType::Map(entries, _) => return map(&array.as_map().value(row), entries, depth),
            DataType::Dictionary(_, _) | DataType::RunEndEncoded(..) | DataType::Union(..) => {
                return encoded(array, field, row, depth);
            }
            _ => {}
        }
    }
    plain(array, field, row)
}

fn list(values: &ArrayRef, item: &Field, depth: usize) -> Value {
    Value::Array((0..values.len()).map(|at| value(values, item, at, depth + 1)).collect())
}

/// Pairs in order: keys may repeat, and need not be text.
fn map(pairs: &arrow_array::StructArray, entries: &Field, depth: usize) -> Value {
    let DataType::Struct(fields) = entries.data_type() else { return Value::Null };
    let (keys, values) = (pairs.column(0), pairs.column(1));
    let pair = |at| {
        Value::Array(vec![value(keys, &fields[0], at, depth + 1), value(values, &fields[1], at, depth + 1)])
    };
    Value::Array((0..pairs.len()).map(pair).collect())
}

/// A value behind an encoding, decoded by itself.
fn encoded(array: &dyn Array, field: &Field, row: usize, depth: usize) -> Value {
    let one = array.slice(row, 1);
    let target = match array.data_type() {
        DataType::Dictionary(_, value) => value.as_ref().clone(),
        DataType::RunEndEncoded(_, values) => values.data_type().clone(),
        _ => return plain(array, field, row),
    };
    match arrow_cast::cast(&one, &target) {
        Ok(decoded) => {
            let decoded_field = Field::new(field.name(), target, true);
            value(&decoded, &decoded_field, 0, depth + 1)
        }
        Err(_) => plain(array, field, row),
    }
}

fn plain(array: &dyn Array, field: &Field, row: usize) -> Value {
    if let Some(text) = cells::whole_text(array, row) {
        return Value::String(text.to_owned());
    }
    // A UUID has its own form; other bytes are written out.
    match cells::cell(array, field, row) {
        Cell::Binary { .. } => match cells::whole_bytes(array, row) {
            Some(bytes) => Value::String(format!("0x{}", hex::encode(bytes))),
            None => Value::Null,
        },
        Cell::Null | Cell::Vector { .. } => Value::Null,
        Cell::Number { text } => number(&text, array.data_type()),
        Cell::Text { text, .. }
        | Cell::Special { text }
        | Cell::Time { text, .. }
        | Cell::Json { text, .. }
        | Cell::Nested { summary: text, .. } => Value::String(text),
    }
}

fn number(text: &str, data_type: &DataType) -> Value {
    match data_type {
        DataType::Boolean => Value::Bool(text == "true"),
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32 => text.parse::<i64>().map_or(Value::Null, Value::from),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
        }
        _ => Value::String(text.to_owned()),
    }
}
