//! The service: authorises, finds the reader, reads a page of rows and records that it was looked at.

use std::sync::Arc;
use std::time::Duration;

use lakeglass_api::catalog::TableState;
use lakeglass_api::cells::Grid;
use lakeglass_api::{Role, TableRef};
use lakeglass_ports::{
    Condition, ConditionValue, Describer, Operator, Preview, PreviewRequest, Subject, VersionRef,
};

use super::cells::{self, PAGE_BYTES};
use super::download::{self, Download};
use super::{Error, Result};
use crate::audit::{Audit, Outcome};
use crate::auth::Actor;
use crate::catalog::Catalog;
use crate::engines::Engines;

/// Rows of a page when none are asked for, and at most.
const ROWS: u32 = 50;
const MOST_ROWS: u32 = 200;
/// Conditions of a filter, and columns that may be named.
const MOST_CONDITIONS: usize = 16;
const MOST_COLUMNS: usize = 1_000;
/// Bytes of one value in a filter.
const MOST_VALUE: usize = 4_096;
/// Seconds until a read is given up; a reader's own limit may come first.
const TIME: u64 = 15;

/// Which rows, of which columns, at which version.
#[derive(Debug, Clone, Default)]
pub struct PreviewQuery {
    /// Top-level columns in the order wanted; none: all.
    pub columns: Option<Vec<String>>,
    /// All must hold.
    pub filter: Vec<Condition>,
    pub offset: u64,
    /// 1 to 200; 0 for the default of 50. More is clamped.
    pub limit: u32,
    pub at: VersionRef,
}

/// Reads rows for people. Clones share everything.
#[derive(Debug, Clone)]
pub struct Previews {
    catalog: Catalog,
    engines: Engines,
    audit: Audit,
}

impl Previews {
    pub fn new(catalog: Catalog, engines: Engines, audit: Audit) -> Self {
        Self { catalog, engines, audit }
    }

    /// A page of rows as cells. Needs the reader role; dropping the future stops the read.
    pub async fn rows(&self, actor: &Actor, table: &TableRef, query: &PreviewQuery) -> Result<Grid> {
        let preview = self.read(actor, table, query).await?;
        let page = cells::cells(&preview.schema, &preview.batches, PAGE_BYTES);
        let mut notes = preview.notes;
        notes.extend(page.notes);
        Ok(Grid {
            columns: page.columns,
            rows: page.rows,
            offset: query.offset,
            more: preview.more || page.left_out,
            version: preview.version,
            cost: preview.cost,
            notes,
        })
    }

    /// The same page as a file: its media type, a name for it, and its bytes.
    pub async fn download(
        &self,
        actor: &Actor,
        table: &TableRef,
        query: &PreviewQuery,
        form: Download,
    ) -> Result<(&'static str, String, Vec<u8>)> {
        let preview = self.read(actor, table, query).await?;
        let version = preview.version.as_ref().map(|version| format!("-v{version}")).unwrap_or_default();
        let name = format!("{}{version}-{}.{}", table.table, query.offset, form.extension());
        Ok((form.media_type(), name, download::write(&preview.schema, &preview.batches, form)?))
    }

    async fn read(&self, actor: &Actor, table: &TableRef, query: &PreviewQuery) -> Result<Preview> {
        let resolved = self.catalog.resolve(actor, table, Role::Reader).await?;
        let read = async {
            if resolved.table.state == TableState::Declared {
                return Err(Error::NeverWritten);
            }
            let format = &resolved.table.format;
            let reader = self.reader(format, !query.filter.is_empty()).await?;
            let subject = Subject {
                location: resolved.location.clone(),
                format: format.clone(),
                version: query.at.clone(),
                options: resolved.options.clone(),
            };
            let request = checked(query)?;
            let reading = reader.preview(&subject, &request);
            let read = tokio::time::timeout(Duration::from_secs(TIME), reading).await;
            Ok(read.unwrap_or(Err(lakeglass_ports::Error::TimedOut(TIME)))?)
        };
        let read = read.await;
        let (outcome, detail) = match &read {
            Ok(preview) => (
                Outcome::Done,
                serde_json::json!({
                    "rows": preview.batches.iter().map(arrow_array::RecordBatch::num_rows).sum::<usize>(),
                    "offset": query.offset.to_string(),
                    "version": preview.version,
                    "filtered": !query.filter.is_empty(),
                }),
            ),
            // The cause is in the server's log; messages of readers may quote what was typed.
            Err(_) => (Outcome::Failed, serde_json::json!({ "offset": query.offset.to_string() })),
        };
        self.audit.record(actor, "rows.preview", &table.to_string(), outcome, detail).await;
        read
    }

    /// The first describer that answers for a format and can do what is asked.
    async fn reader(&self, format: &lakeglass_api::FormatId, filtered: bool) -> Result<Arc<dyn Describer>> {
        let serving = self.engines.describers.serving(format).await;
        let (reader, info) = serving.ok_or_else(|| Error::NoReader(format.clone()))?;
        let can = info.capabilities;
        if !can.preview {
            return Err(Error::NoPreview(format.clone()));
        }
        if filtered && !can.filter {
            return Err(Error::NoFilter(format.clone()));
        }
        Ok(reader)
    }
}

/// The request within its bounds.
fn checked(query: &PreviewQuery) -> Result<PreviewRequest> {
    let columns = query.columns.clone().filter(|columns| !columns.is_empty());
    if columns.as_ref().is_some_and(|columns| columns.len() > MOST_COLUMNS) {
        return Err(Error::Invalid("columns", format!("Name at most {MOST_COLUMNS} columns")));
    }
    if query.filter.len() > MOST_CONDITIONS {
        return Err(Error::Invalid("filter", format!("Use at most {MOST_CONDITIONS} conditions")));
    }
    for condition in &query.filter {
        let long = |text: &String| text.len() > MOST_VALUE;
        let too_long = match &condition.value {
            ConditionValue::None => false,
            ConditionValue::One(text) => long(text),
            ConditionValue::Many(texts) => texts.iter().any(long),
        };
        if too_long {
            return Err(Error::Invalid("filter", format!("A value is at most {MOST_VALUE} bytes")));
        }
        let needs_value = !matches!(condition.operator, Operator::IsNull | Operator::IsNotNull);
        if needs_value && condition.value == ConditionValue::None {
            let column = condition.column.join(".");
            return Err(Error::Invalid("filter", format!("The condition on {column} needs a value")));
        }
    }
    let limit = if query.limit == 0 { ROWS } else { query.limit.min(MOST_ROWS) };
    Ok(PreviewRequest { columns, filter: query.filter.clone(), offset: query.offset, limit })
}
