//! Arrow bodies: the rows that cases send, and the rows that come back.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type, Int32Type, Int64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeListArray, Int64Array, LargeStringArray, ListArray,
    PrimitiveArray, RecordBatch, StringArray,
};
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Schema};
use serde_json::{Map, Value, json};

/// Rows to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rows {
    /// Columns `id` (64-bit integer), `word` (text) and `vec` (two 32-bit floats: the id and 0).
    Words(Vec<(i64, String)>),
    /// One column `id`, of numbers from a start on.
    Numbers(i64, usize),
    /// One column `id`, as text: a schema that no table of the others accepts.
    Texts(Vec<String>),
    /// Columns `a` and `b` (64-bit integers) and `word`: for keys of two columns.
    Pairs(Vec<(i64, i64, String)>),
    /// The columns of `Words` without any row.
    NoWords,
}

impl Rows {
    pub(crate) fn words(rows: &[(i64, &str)]) -> Self {
        Self::Words(rows.iter().map(|(id, word)| (*id, (*word).to_owned())).collect())
    }

    /// The rows as an Arrow IPC stream.
    pub(crate) fn stream(&self) -> Result<Vec<u8>, ArrowError> {
        let batch = self.batch()?;
        let mut bytes = Vec::new();
        let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema())?;
        if batch.num_rows() > 0 {
            writer.write(&batch)?;
        }
        writer.finish()?;
        drop(writer);
        Ok(bytes)
    }

    fn batch(&self) -> Result<RecordBatch, ArrowError> {
        let columns: Vec<(&str, ArrayRef)> = match self {
            Self::Words(rows) => words(rows),
            Self::NoWords => words(&[]),
            Self::Numbers(start, count) => {
                let end = *start + i64::try_from(*count).unwrap_or(i64::MAX);
                vec![("id", Arc::new(Int64Array::from_iter_values(*start..end)))]
            }
            Self::Texts(texts) => vec![("id", Arc::new(StringArray::from_iter_values(texts)))],
            Self::Pairs(rows) => vec![
                ("a", Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.0)))),
                ("b", Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.1)))),
                ("word", Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.2)))),
            ],
        };
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
    }
}

fn words(rows: &[(i64, String)]) -> Vec<(&'static str, ArrayRef)> {
    let ids = Int64Array::from_iter_values(rows.iter().map(|row| row.0));
    let texts = StringArray::from_iter_values(rows.iter().map(|row| &row.1));
    #[expect(clippy::cast_precision_loss, reason = "ids of cases are small")]
    let vectors = rows.iter().map(|row| Some(vec![Some(row.0 as f32), Some(0.0)]));
    let vectors = FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(vectors, 2);
    vec![("id", Arc::new(ids)), ("word", Arc::new(texts)), ("vec", Arc::new(vectors))]
}

/// An answer's rows: its columns in order, and each row as an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Value>,
}

/// Reads an Arrow IPC file.
pub(crate) fn read(bytes: &[u8]) -> Result<Table, ArrowError> {
    let reader = FileReader::try_new(Cursor::new(bytes), None)?;
    let schema: Arc<Schema> = reader.schema();
    let columns: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let mut rows = Vec::new();
    for batch in reader {
        let batch = batch?;
        for row in 0..batch.num_rows() {
            let cells =
                columns.iter().zip(batch.columns()).map(|(name, array)| (name.clone(), cell(array, row)));
            rows.push(Value::Object(cells.collect::<Map<_, _>>()));
        }
    }
    Ok(Table { columns, rows })
}

/// One cell as JSON. Types that no case sends come out as the name of their type.
fn cell(array: &ArrayRef, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Boolean => json!(array.as_any().downcast_ref::<BooleanArray>().map(|a| a.value(row))),
        DataType::Int32 => number::<Int32Type>(array, row),
        DataType::Int64 => number::<Int64Type>(array, row),
        DataType::UInt64 => number::<UInt64Type>(array, row),
        DataType::Float32 => number::<Float32Type>(array, row),
        DataType::Float64 => number::<Float64Type>(array, row),
        DataType::Utf8 => json!(array.as_any().downcast_ref::<StringArray>().map(|a| a.value(row))),
        DataType::LargeUtf8 => json!(array.as_any().downcast_ref::<LargeStringArray>().map(|a| a.value(row))),
        DataType::FixedSizeList(..) => {
            items(array.as_any().downcast_ref::<FixedSizeListArray>().map(|a| a.value(row)))
        }
        DataType::List(_) => items(array.as_any().downcast_ref::<ListArray>().map(|a| a.value(row))),
        other => json!(other.to_string()),
    }
}

fn number<T: ArrowPrimitiveType>(array: &ArrayRef, row: usize) -> Value
where
    T::Native: serde::Serialize,
{
    json!(array.as_any().downcast_ref::<PrimitiveArray<T>>().map(|a| a.value(row)))
}

fn items(list: Option<ArrayRef>) -> Value {
    list.map_or(Value::Null, |list| (0..list.len()).map(|row| cell(&list, row)).collect())
}

#[cfg(test)]
mod tests {
    use arrow_ipc::reader::StreamReader;
    use arrow_ipc::writer::FileWriter;

    use super::*;

    #[test]
    fn rows_are_written_as_a_stream_and_read_from_a_file() {
        let bytes = Rows::words(&[(1, "ant"), (2, "bee")]).stream().unwrap();
        let batch = StreamReader::try_new(Cursor::new(bytes), None).unwrap().next().unwrap().unwrap();
        let mut file = Vec::new();
        let mut writer = FileWriter::try_new(&mut file, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        let table = read(&file).unwrap();
        assert_eq!(table.columns, ["id", "word", "vec"]);
        assert_eq!(table.rows[1], json!({"id": 2, "word": "bee", "vec": [2.0, 0.0]}));
        assert!(read(b"ARROW1").is_err());
    }

    #[test]
    fn no_rows_still_have_a_schema() {
        let bytes = Rows::NoWords.stream().unwrap();
        let mut reader = StreamReader::try_new(Cursor::new(bytes), None).unwrap();
        assert_eq!(reader.schema().fields().len(), 3);
        assert!(reader.next().is_none());
    }
}
