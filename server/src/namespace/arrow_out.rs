//! Answers to queries in Arrow's file format, written as the rows come.
//!
//! One batch is held at a time: the client's reading speed is the query's. What fails before the first
//! batch is an error with its own status; after that the body is broken off, which readers notice,
//! because the format's footer comes last.

use std::io::Write;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::StreamExt;
use http::header;
use lakeglass_ports::{BatchStream, Error as PortError};

use super::errors;
use crate::Problem;

const ARROW_FILE: &str = "application/vnd.apache.arrow.file";

/// Streams rows as an Arrow file.
pub(super) async fn file(mut rows: BatchStream) -> Result<Response, Problem> {
    let schema = plain_schema(&rows.schema);
    let first = rows.batches.next().await.transpose().map_err(errors::of_table)?;
    let writer = FileWriter::try_new(Pending::default(), &schema).map_err(Problem::internal)?;
    let state = State { writer, schema, rows, first, finished: false };
    let body = Body::from_stream(futures::stream::try_unfold(state, |mut state| async move {
        let chunk = state.next().await.inspect_err(|error| {
            tracing::warn!(%error, "a query's answer was broken off");
        })?;
        Ok::<_, PortError>(chunk.map(|chunk| (chunk, state)))
    }));
    Ok(([(header::CONTENT_TYPE, ARROW_FILE)], body).into_response())
}

struct State {
    writer: FileWriter<Pending>,
    schema: SchemaRef,
    rows: BatchStream,
    first: Option<RecordBatch>,
    finished: bool,
}

impl State {
    /// The next bytes of the file; none after its footer.
    async fn next(&mut self) -> Result<Option<Bytes>, PortError> {
        if self.finished {
            return Ok(None);
        }
        let batch = match self.first.take() {
            Some(batch) => Some(batch),
            None => self.rows.batches.next().await.transpose()?,
        };
        if let Some(batch) = batch {
            let batch = plain_batch(&batch, &self.schema).map_err(PortError::internal)?;
            self.writer.write(&batch).map_err(PortError::internal)?;
        } else {
            self.writer.finish().map_err(PortError::internal)?;
            self.finished = true;
        }
        Ok(Some(Bytes::from(std::mem::take(&mut self.writer.get_mut().0))))
    }
}

/// Bytes written and not yet sent.
#[derive(Debug, Default)]
struct Pending(Vec<u8>);

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The schema with dictionaries replaced by their values: a file holds one dictionary per column for
/// all its batches, and a stream of batches does not know its last one.
fn plain_schema(schema: &SchemaRef) -> SchemaRef {
    let fields: Vec<Arc<Field>> = schema.fields().iter().map(plain_field).collect();
    if fields.as_slice() == &**schema.fields() {
        Arc::clone(schema)
    } else {
        Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
    }
}

fn plain_field(field: &Arc<Field>) -> Arc<Field> {
    let plain = plain_type(field.data_type());
    if plain == *field.data_type() {
        Arc::clone(field)
    } else {
        Arc::new(field.as_ref().clone().with_data_type(plain))
    }
}

fn plain_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, values) => plain_type(values),
        DataType::List(field) => DataType::List(plain_field(field)),
        DataType::LargeList(field) => DataType::LargeList(plain_field(field)),
        DataType::FixedSizeList(field, size) => DataType::FixedSizeList(plain_field(field), *size),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(plain_field).collect()),
        DataType::Map(field, sorted) => DataType::Map(plain_field(field), *sorted),
        other => other.clone(),
    }
}

fn plain_batch(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, arrow_schema::ArrowError> {
    if batch.num_columns() == 0 {
        return Ok(batch.clone());
    }
    let columns = batch
        .columns()
        .iter()
        .zip(schema.fields())
        .map(|(column, field)| {
            if column.data_type() == field.data_type() {
                Ok(Arc::clone(column))
            } else {
                arrow_cast::cast(column, field.data_type())
            }
        })
        .collect::<Result<Vec<_>, _>>()?;
    RecordBatch::try_new(Arc::clone(schema), columns)
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int32Type;
    use arrow_array::{Array, DictionaryArray, Int64Array, StringArray};
    use arrow_ipc::reader::FileReader;
    use futures::TryStreamExt;

    use super::*;

    fn stream(schema: SchemaRef, batches: Vec<Result<RecordBatch, PortError>>) -> BatchStream {
        BatchStream { schema, batches: futures::stream::iter(batches).boxed() }
    }

    async fn read(response: Response) -> Result<Vec<RecordBatch>, axum::Error> {
        let chunks: Vec<Bytes> = response.into_body().into_data_stream().try_collect().await?;
        let reader = FileReader::try_new(std::io::Cursor::new(chunks.concat()), None).unwrap();
        Ok(reader.map(Result::unwrap).collect())
    }

    fn numbers(from: i64) -> RecordBatch {
        let schema = Schema::new(vec![Field::new("n", DataType::Int64, false)]);
        RecordBatch::try_new(schema.into(), vec![Arc::new(Int64Array::from_iter_values(from..from + 3))])
            .unwrap()
    }

    #[tokio::test]
    async fn batches_come_out_as_one_file() {
        let batches = vec![Ok(numbers(0)), Ok(numbers(3))];
        let response = file(stream(numbers(0).schema(), batches)).await.unwrap();
        assert_eq!(response.headers()[header::CONTENT_TYPE], ARROW_FILE);
        assert_eq!(read(response).await.unwrap(), [numbers(0), numbers(3)]);
        let empty = file(stream(numbers(0).schema(), vec![])).await.unwrap();
        assert!(read(empty).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn an_error_before_the_first_batch_has_its_status_and_a_later_one_breaks_the_body_off() {
        let no_column = || PortError::NoSuchColumn("x".to_owned());
        let early = file(stream(numbers(0).schema(), vec![Err(no_column())])).await.unwrap_err();
        assert_eq!((early.status.as_u16(), early.namespace_code), (404, Some(12)));
        let late = file(stream(numbers(0).schema(), vec![Ok(numbers(0)), Err(no_column())])).await.unwrap();
        assert!(read(late).await.is_err());
    }

    #[tokio::test]
    async fn columns_with_changing_dictionaries_are_written_as_their_values() {
        let words = |words: Vec<&str>| {
            let column: DictionaryArray<Int32Type> = words.into_iter().collect();
            let schema = Schema::new(vec![Field::new("w", column.data_type().clone(), true)]);
            RecordBatch::try_new(schema.into(), vec![Arc::new(column)]).unwrap()
        };
        let batches = vec![Ok(words(vec!["a", "b"])), Ok(words(vec!["c", "a"]))];
        let schema = words(vec!["a"]).schema();
        let answer = read(file(stream(schema, batches)).await.unwrap()).await.unwrap();
        assert_eq!(answer[1].column(0).as_ref(), &StringArray::from(vec!["c", "a"]));
    }
}
