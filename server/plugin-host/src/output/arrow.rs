//! Rows from guests: an Arrow stream, measured before it is decoded and validated while it is.

use std::io::Cursor;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::{MessageHeader, RecordBatch as BatchMessage, root_as_message};
use arrow_schema::{Field, Schema, SchemaRef};

use super::text::{NAME, line};

const MAX_COLUMNS: usize = 20_000;
const MAX_MESSAGES: usize = 1000;
/// Values of one nested column, which its parent's rows may multiply.
const MAX_VALUES: i64 = 1 << 24;
const CONTINUATION: [u8; 4] = [0xff; 4];

/// What a preview may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) rows: u64,
    pub(crate) bytes: usize,
}

/// Decodes one uncompressed stream within bounds; an error is a sentence about the plugin.
pub(crate) fn rows(stream: &[u8], bounds: Bounds) -> Result<(SchemaRef, Vec<RecordBatch>), String> {
    if stream.len() > bounds.bytes {
        return Err(format!("it answered with {} bytes of rows; {} are allowed", stream.len(), bounds.bytes));
    }
    measure(stream, bounds)?;
    // The reader validates; a lie that makes it panic is contained here.
    let decoded = std::panic::catch_unwind(AssertUnwindSafe(|| decode(stream)))
        .map_err(|_| "its rows make no sense as Arrow".to_owned())??;
    let total: u64 = decoded.1.iter().map(|batch| batch.num_rows() as u64).sum();
    if total > bounds.rows {
        return Err(format!("it answered with {total} rows when asked for {}", bounds.rows));
    }
    Ok(decoded)
}

fn decode(stream: &[u8]) -> Result<(SchemaRef, Vec<RecordBatch>), String> {
    let broken = |error: arrow_schema::ArrowError| {
        format!("its rows are no valid Arrow: {}", line(&error.to_string(), 300))
    };
    let reader = StreamReader::try_new(Cursor::new(stream), None).map_err(broken)?;
    let schema = reader.schema();
    if schema.flattened_fields().len() > MAX_COLUMNS {
        return Err(format!("its rows have more than {MAX_COLUMNS} columns"));
    }
    let fields: Vec<Arc<Field>> = schema
        .fields()
        .iter()
        .map(|field| Arc::new(field.as_ref().clone().with_name(line(field.name(), NAME))))
        .collect();
    let clean = Arc::new(Schema::new(fields));
    let mut batches = Vec::new();
    for batch in reader {
        let batch = batch.map_err(broken)?;
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let columns = batch.columns().to_vec();
        batches
            .push(RecordBatch::try_new_with_options(Arc::clone(&clean), columns, &options).map_err(broken)?);
    }
    Ok((clean, batches))
}

/// Walks the stream's messages without decoding them: no compression, no lengths beyond the bytes at
/// hand, no rows beyond those asked for.
fn measure(stream: &[u8], bounds: Bounds) -> Result<(), String> {
    let cut = || "its rows end in the middle".to_owned();
    let mut rest = stream;
    let mut rows = 0_u64;
    for index in 0.. {
        if index >= MAX_MESSAGES {
            return Err(format!("its rows come in more than {MAX_MESSAGES} parts"));
        }
        if rest.is_empty() {
            break;
        }
        let (mark, after) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        if *mark != CONTINUATION {
            return Err("its rows are not one Arrow stream".to_owned());
        }
        let (length, after) = after.split_first_chunk::<4>().ok_or_else(cut)?;
        let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| cut())?;
        if length == 0 {
            break;
        }
        let (head, after) = after.split_at_checked(length).ok_or_else(cut)?;
        let message = root_as_message(head).map_err(|_| "its rows are no valid Arrow".to_owned())?;
        let body = usize::try_from(message.bodyLength()).map_err(|_| cut())?;
        let (_, after) = after.split_at_checked(body).ok_or_else(cut)?;
        match message.header_type() {
            MessageHeader::Schema if index == 0 => {}
            MessageHeader::RecordBatch if index > 0 => {
                let batch = message.header_as_record_batch().ok_or_else(cut)?;
                rows = rows.saturating_add(length_of(&batch)?);
                if rows > bounds.rows {
                    return Err(format!("it answered with more than the {} rows asked for", bounds.rows));
                }
            }
            MessageHeader::DictionaryBatch if index > 0 => {
                let dictionary = message.header_as_dictionary_batch().ok_or_else(cut)?;
                length_of(&dictionary.data().ok_or_else(cut)?)?;
            }
            _ => return Err("its rows are not one Arrow stream".to_owned()),
        }
        rest = after;
    }
    Ok(())
}

fn length_of(batch: &BatchMessage<'_>) -> Result<u64, String> {
    if batch.compression().is_some() {
        return Err("its rows are compressed, which is not allowed".to_owned());
    }
    let nodes = batch.nodes().into_iter().flatten();
    if nodes.into_iter().any(|node| !(0..=MAX_VALUES).contains(&node.length())) {
        return Err("its rows hold impossible numbers of values".to_owned());
    }
    u64::try_from(batch.length()).map_err(|_| "its rows hold impossible numbers of values".to_owned())
}

#[cfg(test)]
mod tests {
    use arrow_array::{ArrayRef, Int64Array, NullArray, StringArray};
    use arrow_ipc::writer::StreamWriter;

    use super::*;

    const BOUNDS: Bounds = Bounds { rows: 10, bytes: 1 << 20 };

    fn stream(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut bytes = Vec::new();
        let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn honest_rows_pass_with_clean_names() {
        let bytes = stream(vec![
            ("a\u{202e}", Arc::new(Int64Array::from(vec![1, 2]))),
            ("b", Arc::new(StringArray::from(vec!["x", "y"]))),
        ]);
        let (schema, batches) = rows(&bytes, BOUNDS).unwrap();
        assert_eq!(schema.field(0).name(), "a");
        assert_eq!(batches[0].num_rows(), 2);
    }

    #[test]
    fn too_many_rows_or_bytes_are_refused_before_decoding() {
        let many: ArrayRef = Arc::new(NullArray::new(11));
        assert!(rows(&stream(vec![("n", many)]), BOUNDS).unwrap_err().contains("10 rows"));
        let huge: ArrayRef = Arc::new(NullArray::new(usize::MAX >> 2));
        assert!(rows(&stream(vec![("n", huge)]), BOUNDS).unwrap_err().contains("impossible"));
        let bytes = stream(vec![("a", Arc::new(Int64Array::from(vec![1])))]);
        assert!(rows(&bytes, Bounds { bytes: 10, ..BOUNDS }).unwrap_err().contains("allowed"));
    }

    #[test]
    fn every_cut_and_every_flipped_byte_ends_in_an_answer() {
        let bytes = stream(vec![
            ("a", Arc::new(Int64Array::from(vec![1, 2]))),
            ("b", Arc::new(StringArray::from(vec!["xx", "yyy"]))),
        ]);
        for end in 0..bytes.len() {
            let _ = rows(&bytes[..end], BOUNDS);
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0xff;
            if let Ok((_, batches)) = rows(&changed, BOUNDS) {
                // What passes can be read through to the last value.
                for batch in batches {
                    for column in batch.columns() {
                        assert!(column.to_data().validate_full().is_ok(), "byte {at}");
                    }
                }
            }
        }
        assert!(rows(b"not arrow at all", BOUNDS).is_err());
    }
}
