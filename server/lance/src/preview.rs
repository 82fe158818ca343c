//! Rows for people: few, in order, at one version, with what reading them cost.

use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::Schema as ArrowSchema;
use datafusion::execution::SendableRecordBatchStream;
use futures::TryStreamExt;
use lakeglass_api::description::{Note, Severity};
use lakeglass_ports::{Error, Preview, PreviewRequest, Result, Subject};
use lance::Dataset;
use lance::dataset::scanner::Scanner;

use crate::cost::Meter;
use crate::error::map;
use crate::open::Lake;
use crate::{confine, filter};

const TIME: u64 = 15;
const MOST_ROWS: u32 = 200;
/// Arrow bytes after which no further batch is read.
const MOST_BYTES: usize = 64 << 20;
/// Arrow bytes of one decoded batch.
const BATCH_BYTES: u64 = 8 << 20;

/// Reads the rows; dropping the future stops the reads.
pub(crate) async fn preview(lake: &Lake, subject: &Subject, request: &PreviewRequest) -> Result<Preview> {
    tokio::time::timeout(Duration::from_secs(TIME), read(lake, subject, request))
        .await
        .unwrap_or(Err(Error::TimedOut(TIME)))
}

async fn read(lake: &Lake, subject: &Subject, request: &PreviewRequest) -> Result<Preview> {
    let mut meter = Meter::start();
    let dataset = lake.open(&subject.location, &subject.version, Some(&mut meter)).await?;
    let limit = request.limit.clamp(1, MOST_ROWS) as usize;
    let scan = scan(&dataset, request, limit + 1)?;
    let mut stream: SendableRecordBatchStream = scan.try_into_stream().await.map_err(map)?.into();
    // The stream's own: asking the scan would plan it a second time.
    let schema = stream.schema();
    let (mut batches, mut rows, mut bytes) = (Vec::new(), 0_usize, 0_usize);
    let mut notes = Vec::new();
    while rows <= limit {
        if bytes >= MOST_BYTES {
            notes.push(Note {
                severity: Severity::Warning,
                code: "page-bytes".to_owned(),
                message: format!("Stopped after {} MiB; ask for fewer columns or rows", MOST_BYTES >> 20),
            });
            break;
        }
        let next = stream.try_next().await.map_err(|error| map(lance_core::Error::from(error)));
        let Some(batch) = next? else { break };
        rows += batch.num_rows();
        bytes += size(&batch);
        batches.push(batch);
    }
    let more = rows > limit || !notes.is_empty();
    cut(&mut batches, limit);
    notes.extend(confine::external_blobs(&subject.location, &batches));
    Ok(Preview {
        schema,
        batches,
        version: Some(dataset.version_id().to_string()),
        more,
        notes,
        cost: meter.cost(),
    })
}

/// A scan in the table's own order, of named columns, filtered by typed expressions.
fn scan(dataset: &Dataset, request: &PreviewRequest, rows: usize) -> Result<Scanner> {
    let mut scan = dataset.scan();
    if let Some(columns) = &request.columns {
        scan.project_with_schema(&project(dataset, columns)?).map_err(map)?;
    }
    if !request.filter.is_empty() {
        let schema = ArrowSchema::from(dataset.schema());
        if let Some(expression) = filter::expression(&request.filter, &schema)? {
            scan.filter_expr(expression);
        }
    }
    let offset = i64::try_from(request.offset).map_err(|_| {
        Error::InvalidRequest("The offset is larger than any table. Start over from 0".to_owned())
    })?;
    scan.limit(i64::try_from(rows).ok(), Some(offset)).map_err(map)?;
    scan.scan_in_order(true).batch_size_bytes(BATCH_BYTES);
    if request.filter.is_empty() {
        // A filter looks at many rows to keep a few: small batches would only slow it down.
        scan.batch_size(rows.max(16));
    }
    Ok(scan)
}

/// Top-level columns by their exact names, in the order asked for.
fn project(dataset: &Dataset, columns: &[String]) -> Result<lance_core::datatypes::Schema> {
    let whole = dataset.schema();
    let mut schema = whole.clone();
    schema.fields.clear();
    for name in columns {
        let field = whole
            .fields
            .iter()
            .find(|field| &field.name == name)
            .ok_or_else(|| Error::NoSuchColumn(name.clone()))?;
        if schema.fields.iter().any(|chosen| chosen.id == field.id) {
            return Err(Error::InvalidRequest(format!("Column {name} is asked for twice")));
        }
        schema.fields.push(field.clone());
    }
    Ok(schema)
}

/// Bytes of a batch's own rows, not of buffers that it shares with others.
fn size(batch: &RecordBatch) -> usize {
    batch.columns().iter().map(|column| column.to_data().get_slice_memory_size().unwrap_or(0)).sum()
}

/// Keeps the first `limit` rows.
fn cut(batches: &mut Vec<RecordBatch>, limit: usize) {
    let mut left = limit;
    batches.retain_mut(|batch| {
        let kept = batch.num_rows().min(left);
        left -= kept;
        if kept < batch.num_rows() {
            *batch = batch.slice(0, kept);
        }
        kept > 0
    });
}
