//! Palmer penguins: a plain table with numbers, words and missing values.

use std::io;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int32Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::unpacked;

const PACKED: &[u8] = include_bytes!("data/penguins.csv.gz");
const RAW: &[u8] = include_bytes!("data/penguins-raw.csv.gz");
/// What the source writes for a missing value.
const MISSING: &str = "NA";

pub(super) fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("species", DataType::Utf8, false),
        Field::new("island", DataType::Utf8, false),
        Field::new("bill_length_mm", DataType::Float64, true),
        Field::new("bill_depth_mm", DataType::Float64, true),
        Field::new("flipper_length_mm", DataType::Int32, true),
        Field::new("body_mass_g", DataType::Int32, true),
        Field::new("sex", DataType::Utf8, true),
        Field::new("year", DataType::Int32, false),
    ]))
}

/// The penguins of one season, in the order of their source.
pub(super) fn season(year: i32) -> io::Result<RecordBatch> {
    let text = String::from_utf8(unpacked(PACKED)?).map_err(io::Error::other)?;
    let wanted = year.to_string();
    // The source quotes nothing.
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .filter(|cells| cells.last().is_some_and(|cell| *cell == wanted))
        .collect();
    let schema = schema();
    let columns = schema
        .fields()
        .iter()
        .enumerate()
        .map(|(at, field)| column(field.data_type(), rows.iter().map(|row| row.get(at).copied())))
        .collect::<io::Result<Vec<_>>>()?;
    RecordBatch::try_new(schema, columns).map_err(io::Error::other)
}

fn column<'a>(data_type: &DataType, cells: impl Iterator<Item = Option<&'a str>>) -> io::Result<ArrayRef> {
    let cells = cells.map(|cell| cell.filter(|cell| *cell != MISSING));
    Ok(match data_type {
        DataType::Float64 => {
            let numbers: Vec<Option<f64>> = cells
                .map(|cell| cell.map(str::parse).transpose())
                .collect::<Result<_, _>>()
                .map_err(io::Error::other)?;
            Arc::new(Float64Array::from(numbers))
        }
        DataType::Int32 => {
            let numbers: Vec<Option<i32>> = cells
                .map(|cell| cell.map(str::parse).transpose())
                .collect::<Result<_, _>>()
                .map_err(io::Error::other)?;
            Arc::new(Int32Array::from(numbers))
        }
        _ => Arc::new(StringArray::from(cells.collect::<Vec<_>>())),
    })
}

/// The measurements as they were first published: a CSV file with quoted text and missing values.
pub(super) fn raw_file() -> io::Result<Vec<u8>> {
    unpacked(RAW)
}
