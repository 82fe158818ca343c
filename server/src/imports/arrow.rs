//! Arrow files and streams: their claims are checked before the library makes room for them.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use arrow_ipc::reader::StreamReader;
use arrow_ipc::{Message, RecordBatch as Batch, root_as_message};

use super::error::{Error, Result};

pub(super) const FILE_MAGIC: &[u8] = b"ARROW1\0\0";
/// Writers fill the space after the mark up to 8 or 64 bytes.
const MAX_MARK_BYTES: usize = 64;
/// What stands before each message.
pub(super) const CONTINUATION: [u8; 4] = [0xff; 4];
/// The largest batch, encoded and decoded, in bytes.
const MAX_BATCH_BYTES: u64 = 256 << 20;
const MAX_HEADER_BYTES: u64 = 16 << 20;
/// The most rows of a batch: columns of nulls take no bytes.
const MAX_BATCH_ROWS: i64 = 64 << 20;

/// Opens either form. The file form is the stream form between two marks, and is read as such.
pub(super) fn open(mut file: File) -> Result<StreamReader<BufReader<File>>> {
    let start = start(&mut file)?;
    check(&mut file, start)?;
    file.seek(SeekFrom::Start(start))?;
    StreamReader::try_new(BufReader::with_capacity(1 << 20, file), None).map_err(|_| damaged())
}

fn start(file: &mut File) -> Result<u64> {
    let mut mark = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take((MAX_MARK_BYTES + CONTINUATION.len()) as u64).read_to_end(&mut mark)?;
    if !mark.starts_with(FILE_MAGIC) {
        return Ok(0);
    }
    let begins = |at: &usize| mark.get(*at..).is_some_and(|rest| rest.starts_with(&CONTINUATION));
    (FILE_MAGIC.len()..=MAX_MARK_BYTES).step_by(8).find(begins).map(|at| at as u64).ok_or_else(damaged)
}

/// Walks over all messages without decoding any.
fn check(file: &mut File, start: u64) -> Result<()> {
    let end = file.metadata()?.len();
    let mut at = start;
    while at < end {
        let mut head = [0; 8];
        file.seek(SeekFrom::Start(at))?;
        if end - at < 8 {
            // A stream may end with a bare mark.
            break;
        }
        file.read_exact(&mut head)?;
        let (mark, length) = head.split_at(4);
        if mark != CONTINUATION {
            return Err(damaged());
        }
        let length = u64::from(u32::from_le_bytes(length.try_into().map_err(|_| damaged())?));
        if length == 0 {
            break;
        }
        if length > MAX_HEADER_BYTES || length > end - at - 8 {
            return Err(damaged());
        }
        let mut header = vec![0; usize::try_from(length).map_err(|_| damaged())?];
        file.read_exact(&mut header)?;
        let message = root_as_message(&header).map_err(|_| damaged())?;
        let body = u64::try_from(message.bodyLength()).map_err(|_| damaged())?;
        let body_at = at + 8 + length;
        if body > end - body_at {
            return Err(damaged());
        }
        if let Some(batch) = batch(&message) {
            check_batch(file, &batch, body_at, body)?;
        }
        at = body_at + body;
    }
    Ok(())
}

fn batch<'a>(message: &Message<'a>) -> Option<Batch<'a>> {
    let dictionary = || message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
    message.header_as_record_batch().or_else(dictionary)
}

/// Bounds one batch by its encoded size, its rows, and what its buffers decompress to.
fn check_batch(file: &mut File, batch: &Batch<'_>, at: u64, length: u64) -> Result<()> {
    let mut decoded = length;
    if batch.compression().is_some() {
        decoded = 0;
        for buffer in batch.buffers().into_iter().flatten().filter(|buffer| buffer.length() > 0) {
            let offset = u64::try_from(buffer.offset()).map_err(|_| damaged())?;
            if offset.checked_add(8).is_none_or(|end| end > length) {
                return Err(damaged());
            }
            file.seek(SeekFrom::Start(at + offset))?;
            let mut size = [0; 8];
            file.read_exact(&mut size)?;
            // -1: this buffer is not compressed.
            let size = match i64::from_le_bytes(size) {
                -1 => buffer.length(),
                size => size,
            };
            decoded = decoded.saturating_add(u64::try_from(size).map_err(|_| damaged())?);
        }
    }
    if length > MAX_BATCH_BYTES || decoded > MAX_BATCH_BYTES || batch.length() > MAX_BATCH_ROWS {
        return Err(Error::Unreadable(format!(
            "A record batch is larger than {} MiB. Write the file with smaller batches",
            MAX_BATCH_BYTES >> 20
        )));
    }
    Ok(())
}

fn damaged() -> Error {
    Error::Unreadable("This is not a whole Arrow file or stream".to_owned())
}
