//! CSV files: delimiter, header and types, as a person says or as the start suggests.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, TimestampMicrosecondType};
use arrow_cast::parse::Parser;
use arrow_csv::reader::{Format, Reader, ReaderBuilder};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};

use super::error::{Error, Result};
use super::reader::{BATCH_ROWS, Choices};

/// How much of the file decides, in bytes and rows.
const SAMPLE_BYTES: u64 = 4 << 20;
const SAMPLE_ROWS: usize = 10_000;
const MAX_COLUMNS: usize = 10_000;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A CSV file ready to be read, and what was guessed of it.
pub(super) struct Opened {
    pub(super) rows: Reader<File>,
    pub(super) schema: SchemaRef,
    pub(super) guesses: Vec<String>,
}

pub(super) fn open(mut file: File, choices: Choices) -> Result<Opened> {
    let mut sample = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    (&mut file).take(SAMPLE_BYTES).read_to_end(&mut sample)?;
    let skip = if sample.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let mut text = &sample[skip..];
    if text.contains(&0) {
        return Err(Error::Unreadable("This is not a CSV, Parquet or Arrow file".to_owned()));
    }
    if sample.len() as u64 == SAMPLE_BYTES {
        // The last line may be cut.
        let end = text.iter().rposition(|&byte| byte == b'\n').map_or(text.len(), |at| at + 1);
        text = &text[..end];
    }
    let mut guesses = Vec::new();
    let delimiter = choices.delimiter.unwrap_or_else(|| {
        let found = delimiter(text);
        guesses.push(format!("Cells are parted by {}", word(found)));
        found
    });
    let format = Format::default().with_delimiter(delimiter).with_truncated_rows(true);
    let first = cells(text, &format, 1)?;
    let width = first.iter().map(Vec::len).max().unwrap_or(0);
    if width == 0 {
        return Err(Error::Unreadable("The file has no rows".to_owned()));
    }
    let header = choices.header.unwrap_or_else(|| {
        let names = &first[0];
        let found = names.iter().all(|name| !name.is_empty() && kind(&[name.as_str()]) == DataType::Utf8);
        guesses.push(if found {
            "The first line names the columns".to_owned()
        } else {
            "The first line is a row, and the columns are numbered".to_owned()
        });
        found
    });
    let (schema, sampled) = schema(text, &format, header, width, first.first())?;
    guesses.push(format!("Types are a guess from the first {sampled} rows"));

    file.seek(SeekFrom::Start(skip as u64))?;
    let rows = ReaderBuilder::new(Arc::clone(&schema))
        .with_format(format.with_header(header))
        .with_batch_size(BATCH_ROWS)
        .build_buffered(BufReader::with_capacity(1 << 20, file))
        .map_err(|error| Error::Unreadable(said(&error.to_string())))?;
    Ok(Opened { rows, schema, guesses })
}

/// Names from the header, types from the sampled rows.
fn schema(
    text: &[u8],
    format: &Format,
    header: bool,
    width: usize,
    first: Option<&Vec<String>>,
) -> Result<(SchemaRef, usize)> {
    let rows = cells(text, format, SAMPLE_ROWS + usize::from(header))?;
    let rows = rows.get(usize::from(header)..).unwrap_or_default();
    let mut fields = Vec::with_capacity(width);
    for column in 0..width {
        let named = header.then(|| first.and_then(|names| names.get(column)).cloned()).flatten();
        let name = named.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("column_{}", column + 1));
        if fields.iter().any(|field: &Field| *field.name() == name) {
            return Err(Error::Unreadable(format!("Two columns are named {name}. Rename one in the file")));
        }
        let values: Vec<&str> = rows
            .iter()
            .filter_map(|row| row.get(column))
            .map(String::as_str)
            .filter(|cell| !cell.is_empty())
            .collect();
        fields.push(Field::new(name, kind(&values), true));
    }
    Ok((Arc::new(Schema::new(fields)), rows.len()))
}

/// The cells of the first rows, as text.
fn cells(text: &[u8], format: &Format, rows: usize) -> Result<Vec<Vec<String>>> {
    let first_line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    // As many columns as the first line can have; short rows are filled up.
    let (inferred, _) = format
        .clone()
        .with_header(false)
        .infer_schema(text, Some(1))
        .map_err(|error| Error::Unreadable(said(&error.to_string())))?;
    let width = inferred.fields().len().min(first_line.len() + 1);
    if width > MAX_COLUMNS {
        return Err(Error::Unreadable(format!("The file has more than {MAX_COLUMNS} columns")));
    }
    let fields: Vec<Field> =
        (0..width).map(|column| Field::new(column.to_string(), DataType::Utf8, true)).collect();
    let reader = ReaderBuilder::new(Arc::new(Schema::new(fields)))
        .with_format(format.clone().with_header(false))
        .with_bounds(0, rows)
        .build_buffered(text)
        .map_err(|error| Error::Unreadable(said(&error.to_string())))?;
    let mut found = Vec::new();
    for batch in reader {
        let batch = batch.map_err(|error| Error::Unreadable(said(&error.to_string())))?;
        for row in 0..batch.num_rows() {
            let cells = batch.columns().iter().map(|column| column.as_string::<i32>().value(row).to_owned());
            found.push(cells.collect());
        }
    }
    Ok(found)
}

/// The narrowest type that holds every value. Numbers with leading zeros are codes, and whole numbers
/// beyond 64 bits ids: both stay text.
fn kind(values: &[&str]) -> DataType {
    let all = |fits: fn(&str) -> bool| !values.is_empty() && values.iter().all(|value| fits(value));
    let plain = |value: &str| {
        let digits = value.strip_prefix('-').unwrap_or(value);
        digits.starts_with(|c: char| c.is_ascii_digit())
            && (digits.len() < 2 || !digits.starts_with('0') || digits.starts_with("0."))
    };
    let utc = || Some(Arc::from("UTC"));
    if all(|value| matches!(value, "true" | "false" | "True" | "False" | "TRUE" | "FALSE")) {
        DataType::Boolean
    } else if values.iter().all(|value| plain(value)) && all(|value| value.parse::<i64>().is_ok()) {
        DataType::Int64
    } else if values.iter().all(|value| plain(value))
        && all(|value| value.parse::<f64>().is_ok_and(f64::is_finite))
        && values.iter().any(|value| value.contains(['.', 'e', 'E']))
    {
        DataType::Float64
    } else if all(|value| value.len() == 10 && Date32Type::parse(value).is_some()) {
        DataType::Date32
    } else if all(|value| value.len() > 10 && TimestampMicrosecondType::parse(value).is_some()) {
        let zoned = values.iter().any(|value| value.ends_with('Z') || value[10..].contains(['+', '-']));
        DataType::Timestamp(TimeUnit::Microsecond, zoned.then(utc).flatten())
    } else {
        DataType::Utf8
    }
}

/// The candidate that stands most often in the first line, outside quotes.
fn delimiter(text: &[u8]) -> u8 {
    let mut line = Vec::new();
    // Reading from memory cannot fail.
    let _ = (&mut &text[..]).read_until(b'\n', &mut line);
    let mut quoted = false;
    let mut counts = [0_usize; 4];
    let candidates = *b",;\t|";
    for byte in line {
        quoted ^= byte == b'"';
        if let Some(found) = candidates.iter().position(|&candidate| candidate == byte && !quoted) {
            counts[found] += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    counts.iter().position(|&count| count == most && most > 0).map_or(b',', |found| candidates[found])
}

fn word(delimiter: u8) -> &'static str {
    match delimiter {
        b';' => "semicolons",
        b'\t' => "tabs",
        b'|' => "bars",
        _ => "commas",
    }
}

/// The library's complaint without the row itself, which may be long and is nobody else's business.
pub(super) fn said(complaint: &str) -> String {
    let short = complaint.split(" Row data:").next().unwrap_or(complaint);
    let short = short.trim_start_matches("Parser error: ").trim_start_matches("Csv error: ");
    format!("The file cannot be read as CSV: {}", short.chars().take(300).collect::<String>())
}
