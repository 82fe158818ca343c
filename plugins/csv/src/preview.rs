//! Some rows of a file, streamed up to the ones asked for.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema};
use lakeglass_describer_sdk::{
    Batch, Error, Note, ObjectReader, PreviewRequest, Store, StoreError, Subject, ipc_stream,
};

use crate::columns::Column;
use crate::profile::Profile;
use crate::records::{Records, Source};

/// More rows than anyone asks for at once.
const MAX_ROWS: u32 = 10_000;

pub(crate) fn rows(store: &dyn Store, subject: &Subject, request: &PreviewRequest) -> Result<Batch, Error> {
    let profile = Profile::take(store, subject)?;
    let chosen = choose(&profile, request)?;
    let tail = (!profile.sample.whole)
        .then(|| ObjectReader::from(store, profile.sample.meta.clone(), profile.sample.end()));
    let source = Source { head: &profile.sample.bytes, tail, cut: false };
    let mut records = Records::new(source, profile.dialect.delimiter);

    let skip = request.offset.saturating_add(u64::from(profile.dialect.header));
    for _ in 0..skip {
        if records.next().map_err(|error| too_deep(error, request.offset))?.is_none() {
            break;
        }
    }
    let mut columns: Vec<Column> =
        chosen.iter().map(|&index| Column::new(profile.columns[index].kind)).collect();
    let limit = request.limit.min(MAX_ROWS);
    let (mut taken, mut bytes, mut unfit) = (0_u32, 0_u64, 0_u64);
    let mut more = false;
    while let Some(record) = records.next()? {
        let size: usize =
            chosen.iter().filter_map(|&index| record.get(index)).map(|cell| cell.len() + 8).sum();
        if taken == limit {
            more = true;
            break;
        }
        if bytes + size as u64 > u64::from(request.max_bytes) {
            if taken == 0 {
                return Err(Error::Unsupported(format!("a row of more than {} bytes", request.max_bytes)));
            }
            more = true;
            break;
        }
        bytes += size as u64;
        taken += 1;
        for (column, &index) in columns.iter_mut().zip(&chosen) {
            let text = record.get(index).map(String::from_utf8_lossy);
            let value = text
                .as_deref()
                .filter(|text| !text.is_empty() && !profile.missing.iter().any(|missing| missing == text));
            unfit += u64::from(!column.push(value));
        }
    }

    let fields: Vec<Field> = chosen
        .iter()
        .map(|&index| &profile.columns[index])
        .map(|column| Field::new(&column.name, column.kind.arrow(), true))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let arrays = columns.into_iter().map(Column::finish).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(taken as usize));
    let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options)
        .map_err(|error| Error::Internal(error.to_string()))?;
    let mut notes = Vec::new();
    if unfit > 0 {
        notes.push(Note::warning(
            "unfitting-values",
            format!("{unfit} cells do not fit their column's guessed type and show as empty"),
        ));
    }
    Ok(Batch {
        arrow_ipc: ipc_stream(&schema, &[batch])?,
        rows: taken,
        snapshot: None,
        next: more.then(|| (request.offset + u64::from(taken)).to_string()),
        notes,
    })
}

/// Positions of the columns asked for, in the order asked.
fn choose(profile: &Profile, request: &PreviewRequest) -> Result<Vec<usize>, Error> {
    let Some(wanted) = &request.columns else { return Ok((0..profile.columns.len()).collect()) };
    wanted
        .iter()
        .map(|path| {
            let found = match path.as_slice() {
                [name] => profile.columns.iter().position(|column| column.name == *name),
                _ => None,
            };
            found.ok_or_else(|| Error::InvalidRequest(format!("There is no column {}", path.join("."))))
        })
        .collect()
}

/// A budget spent while skipping means that the offset is too far into the file.
fn too_deep(error: Error, offset: u64) -> Error {
    match error {
        Error::Store((path, StoreError::Quota(spent))) => Error::Store((
            path,
            StoreError::Quota(format!(
                "{spent}, before row {offset} was reached: the file has no index to skip by"
            )),
        )),
        other => other,
    }
}
