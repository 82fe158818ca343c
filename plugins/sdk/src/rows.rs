//! Rows as the interface wants them: one Arrow IPC stream, uncompressed.

use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::Schema;

use crate::{Error, Property};

/// Writes batches of one schema as an Arrow IPC stream.
pub fn ipc_stream(schema: &Schema, batches: &[RecordBatch]) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut write = || {
        let mut writer = StreamWriter::try_new(&mut bytes, schema)?;
        for batch in batches {
            writer.write(batch)?;
        }
        writer.finish()
    };
    write().map_err(|error| Error::Internal(error.to_string()))?;
    Ok(bytes)
}

/// A property whose value is anything that can be written.
pub fn text_property(key: &str, value: impl std::fmt::Display) -> Property {
    Property::new(key, value.to_string())
}
