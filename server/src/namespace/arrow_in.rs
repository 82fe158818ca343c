//! Arrow IPC streams from clients, decoded as they arrive.
//!
//! The body is pulled message by message, so memory holds at most one record batch, and a slow writer
//! below slows the client down. Everything a message claims is checked before room is made for it.

use std::collections::HashMap;
use std::error::Error as StdError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arrow::buffer::{Buffer, MutableBuffer};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::{Message, MessageHeader};
use arrow_schema::{ArrowError, SchemaRef};
use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use http::HeaderMap;
use lakeglass_ports::{BatchStream, Error as PortError};

use super::errors;
use crate::Problem;

/// Stands before a message's length, in all but the oldest streams.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// The largest record batch accepted, encoded and decoded, in bytes.
const MAX_BATCH_BYTES: usize = 256 << 20;
/// The largest message header accepted, in bytes: a schema of some ten thousand columns.
const MAX_HEADER_BYTES: usize = 16 << 20;
/// The most rows in one batch: columns of nulls take no bytes, so bytes alone do not bound them.
const MAX_BATCH_ROWS: i64 = 64 << 20;
/// How long a client may send nothing in the middle of a body.
const IDLE: Duration = Duration::from_mins(1);
/// How much of a refused body is still read, and for how long.
const MAX_DRAINED_BYTES: usize = 256 << 20;
const DRAIN_TIME: Duration = Duration::from_secs(10);

/// A body being read: its rows, and afterwards what was wrong with it.
#[derive(Debug)]
pub(super) struct Upload {
    pub(super) rows: BatchStream,
    pub(super) fault: Fault,
}

/// Why a body could not be read to its end. Writers wrap the error they are given in their own; the
/// cause is kept here so that the client gets it as it was.
#[derive(Debug, Clone, Default)]
pub(super) struct Fault(Arc<OnceLock<Problem>>);

impl Fault {
    /// The body's own fault if there was one, else the writer's error.
    pub(super) fn or(&self, problem: Problem) -> Problem {
        self.0.get().cloned().unwrap_or(problem)
    }
}

/// Reads up to the schema; rows follow as they are asked for. `limit` bounds the body in bytes.
pub(super) async fn open(body: Body, headers: &HeaderMap, limit: u64) -> Result<Upload, Problem> {
    let announced = headers.get(http::header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if announced.and_then(|text| text.parse::<u64>().ok()).is_some_and(|length| length > limit) {
        return Err(errors::too_large(limit));
    }
    let mut decoder = Decoder {
        source: Source { body: body.into_data_stream(), chunk: Bytes::new(), received: 0, limit },
        schema: None,
        dictionaries: HashMap::new(),
    };
    let schema = decoder.schema().await?;
    let fault = Fault::default();
    let kept = fault.clone();
    let batches = futures::stream::try_unfold(decoder, |mut decoder| async move {
        Ok(decoder.batch().await?.map(|batch| (batch, decoder)))
    })
    .map_err(move |problem: Problem| {
        let said = PortError::InvalidRequest(problem.detail.clone());
        // The first fault is the cause; nothing is read after it.
        let _ = kept.0.set(problem);
        said
    })
    .boxed();
    Ok(Upload { rows: BatchStream { schema, batches }, fault })
}

/// The bytes of a body, counted.
struct Source {
    body: BodyDataStream,
    chunk: Bytes,
    received: u64,
    limit: u64,
}

impl Source {
    /// Makes sure that unread bytes are at hand; false at the body's end.
    async fn fill(&mut self) -> Result<bool, Problem> {
        while self.chunk.is_empty() {
            let next = tokio::time::timeout(IDLE, self.body.next())
                .await
                .map_err(|_| invalid("The body stopped coming before its end; send it again"))?;
            match next {
                None => return Ok(false),
                Some(Ok(chunk)) => {
                    self.received += chunk.len() as u64;
                    if self.received > self.limit {
                        return Err(errors::too_large(self.limit));
                    }
                    self.chunk = chunk;
                }
                Some(Err(error)) => return Err(self.broken(error)),
            }
        }
        Ok(true)
    }

    fn broken(&self, error: axum::Error) -> Problem {
        let mut cause: Option<&(dyn StdError + 'static)> = Some(&error);
        while let Some(one) = cause {
            if one.is::<http_body_util::LengthLimitError>() {
                return errors::too_large(self.limit);
            }
            cause = one.source();
        }
        invalid("The body broke off before its end; send it again").caused_by(error)
    }

    /// The next `length` bytes; none when the body ended before the first of them. Room is made as
    /// bytes arrive, not by what was claimed.
    async fn take(&mut self, length: usize) -> Result<Option<Buffer>, Problem> {
        if length == 0 {
            return Ok(Some(Buffer::from(MutableBuffer::new(0))));
        }
        if !self.fill().await? {
            return Ok(None);
        }
        let mut taken = MutableBuffer::with_capacity(length.min(1 << 20));
        while taken.len() < length {
            if !self.fill().await? {
                return Err(invalid("The Arrow stream ends in the middle of a message"));
            }
            let part = self.chunk.split_to(self.chunk.len().min(length - taken.len()));
            taken.extend_from_slice(&part);
        }
        Ok(Some(taken.into()))
    }

    /// Four bytes; none at the body's end.
    async fn word(&mut self) -> Result<Option<[u8; 4]>, Problem> {
        let Some(bytes) = self.take(4).await? else { return Ok(None) };
        Ok(bytes.as_slice().try_into().ok())
    }
}

impl Drop for Source {
    /// Reads what is left and throws it away, within bounds: a client that is refused in the middle of
    /// sending gets to read why, where a closed connection would tell it nothing.
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let mut rest = std::mem::replace(&mut self.body, Body::empty().into_data_stream());
        runtime.spawn(async move {
            let mut read = 0;
            let reading = async {
                while let Some(Ok(chunk)) = rest.next().await {
                    read += chunk.len();
                    if read > MAX_DRAINED_BYTES {
                        break;
                    }
                }
            };
            // Past the time the connection closes.
            let _ = tokio::time::timeout(DRAIN_TIME, reading).await;
        });
    }
}

/// Turns messages into record batches.
struct Decoder {
    source: Source,
    schema: Option<SchemaRef>,
    dictionaries: HashMap<i64, ArrayRef>,
}

/// One encapsulated message: its header, and the bytes of its buffers.
struct Encapsulated {
    header: Buffer,
    body: Buffer,
}

impl Decoder {
    async fn schema(&mut self) -> Result<SchemaRef, Problem> {
        let Some(message) = self.message().await? else {
            return Err(invalid("The body is empty; send an Arrow IPC stream, with a schema at least"));
        };
        let schema = decoded(|| {
            let header = parse(&message.header)?;
            let schema = header
                .header_as_schema()
                .ok_or_else(|| ArrowError::IpcError("An Arrow stream begins with its schema".to_owned()))?;
            Ok(Arc::new(arrow_ipc::convert::fb_to_schema(schema)))
        })?;
        self.schema = Some(Arc::clone(&schema));
        Ok(schema)
    }

    /// The next batch; none at the stream's end.
    async fn batch(&mut self) -> Result<Option<RecordBatch>, Problem> {
        while let Some(message) = self.message().await? {
            let Some(schema) = self.schema.clone() else { return Ok(None) };
            let dictionaries = &mut self.dictionaries;
            let batch = decoded(|| {
                let header = parse(&message.header)?;
                let version = header.version();
                match header.header_type() {
                    MessageHeader::RecordBatch => {
                        let batch = header.header_as_record_batch().ok_or_else(unreadable)?;
                        let read = arrow_ipc::reader::read_record_batch;
                        read(&message.body, batch, schema, dictionaries, None, &version).map(Some)
                    }
                    MessageHeader::DictionaryBatch => {
                        let batch = header.header_as_dictionary_batch().ok_or_else(unreadable)?;
                        let read = arrow_ipc::reader::read_dictionary;
                        read(&message.body, batch, &schema, dictionaries, &version).map(|()| None)
                    }
                    _ => Err(ArrowError::IpcError(
                        "Only dictionaries and record batches may follow the schema".to_owned(),
                    )),
                }
            })?;
            if batch.is_some() {
                return Ok(batch);
            }
        }
        Ok(None)
    }

    /// The next message, its claims checked; none at the stream's end.
    async fn message(&mut self) -> Result<Option<Encapsulated>, Problem> {
        let Some(mut word) = self.source.word().await? else { return Ok(None) };
        if word == CONTINUATION {
            word = self.source.word().await?.ok_or_else(|| invalid("The Arrow stream ends too early"))?;
        }
        if &word == b"ARRO" {
            return Err(invalid("This is an Arrow file; send the stream format of Arrow IPC"));
        }
        let length = u32::from_le_bytes(word) as usize;
        if length == 0 {
            return Ok(None);
        }
        if length > MAX_HEADER_BYTES {
            return Err(invalid("The body is not an Arrow IPC stream"));
        }
        let ends = || invalid("The Arrow stream ends in the middle of a message");
        let header = self.source.take(length).await?.ok_or_else(ends)?;
        let claimed = decoded(|| claims(&parse(&header)?))?.ok_or_else(batch_too_large)?;
        let body = self.source.take(claimed).await?.ok_or_else(ends)?;
        let size = decoded(|| decompressed_bytes(&parse(&header)?, &body))?;
        if size > MAX_BATCH_BYTES {
            return Err(batch_too_large());
        }
        Ok(Some(Encapsulated { header, body }))
    }
}

fn parse(header: &Buffer) -> Result<Message<'_>, ArrowError> {
    arrow_ipc::root_as_message(header.as_slice()).map_err(|_| unreadable())
}

/// The message's body in bytes; none when that or its rows are beyond bounds.
fn claims(message: &Message<'_>) -> Result<Option<usize>, ArrowError> {
    let length = usize::try_from(message.bodyLength()).map_err(|_| unreadable())?;
    let rows = record_batch(message).map_or(0, |batch| batch.length());
    Ok((length <= MAX_BATCH_BYTES && rows <= MAX_BATCH_ROWS).then_some(length))
}

/// The batch in a message, whether of rows or of a dictionary.
fn record_batch<'a>(message: &Message<'a>) -> Option<arrow_ipc::RecordBatch<'a>> {
    message
        .header_as_record_batch()
        .or_else(|| message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data()))
}

/// How large the buffers become when decompressed, by the lengths in front of them.
fn decompressed_bytes(message: &Message<'_>, body: &Buffer) -> Result<usize, ArrowError> {
    let Some(batch) = record_batch(message).filter(|batch| batch.compression().is_some()) else {
        return Ok(body.len());
    };
    let mut total = 0_usize;
    for buffer in batch.buffers().into_iter().flatten() {
        let (offset, length) = (buffer.offset(), buffer.length());
        if length == 0 {
            continue;
        }
        let start = usize::try_from(offset).map_err(|_| unreadable())?;
        let prefix = start.checked_add(8).and_then(|end| body.as_slice().get(start..end));
        let prefix = prefix.and_then(|bytes| bytes.try_into().ok()).ok_or_else(unreadable)?;
        // -1: this buffer was left uncompressed.
        let claimed = match i64::from_le_bytes(prefix) {
            -1 => length,
            claimed => claimed,
        };
        total = total.saturating_add(usize::try_from(claimed).map_err(|_| unreadable())?);
    }
    Ok(total)
}

fn unreadable() -> ArrowError {
    ArrowError::IpcError("a message's header is damaged".to_owned())
}

/// Runs the library's decoder over a client's bytes: its errors, and its panics, are the client's.
fn decoded<T>(decode: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, Problem> {
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(invalid("The body is not a readable Arrow IPC stream").caused_by(error)),
        Err(_) => Err(invalid("The body is not a readable Arrow IPC stream")),
    }
}

fn batch_too_large() -> Problem {
    Problem::new(
        http::StatusCode::PAYLOAD_TOO_LARGE,
        "too-large",
        format!(
            "A record batch is larger than {} MiB or {MAX_BATCH_ROWS} rows; send smaller batches",
            MAX_BATCH_BYTES >> 20
        ),
    )
    .code(13)
}

fn invalid(detail: &str) -> Problem {
    Problem::invalid(detail).code(13)
}

#[cfg(test)]
mod tests;
