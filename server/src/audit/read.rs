//! Reading the log: filters, keyset paging, download. Admins of the server only.

use lakeglass_api::people::{AuditRecord, Outcome};
use lakeglass_api::{Page, Role};

use super::{Audit, Error, store};
use crate::auth::Actor;

/// Which records to show. Absent fields match everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Exact name of the actor.
    pub actor: Option<String>,
    /// An action (`bucket.create`) or its noun (`bucket`).
    pub action: Option<String>,
    /// Part of the object.
    pub object: Option<String>,
    pub outcome: Option<Outcome>,
    /// Not before, milliseconds since 1970.
    pub from_ms: Option<i64>,
    /// Before, milliseconds since 1970.
    pub to_ms: Option<i64>,
}

/// Most records in one download; the rest by a narrower time range.
pub const MAX_DOWNLOAD: usize = 100_000;
const DOWNLOAD_PAGE: i64 = 1000;

impl Audit {
    /// Newest first. `after` is the `next` of the page before; `limit` is 1 to 500, 50 by default.
    pub async fn list(
        &self,
        actor: &Actor,
        filter: &Filter,
        after: Option<&str>,
        limit: Option<u32>,
    ) -> Result<Page<AuditRecord>, Error> {
        actor.require_server(Role::Admin)?;
        let before = match after {
            None | Some("") => i64::MAX,
            Some(text) => text.parse().map_err(|_| {
                Error::Invalid("The page marker is not one of ours. Start from the first page".to_owned())
            })?,
        };
        let limit = i64::from(limit.unwrap_or(50).clamp(1, 500));
        let mut rows = store::list(&self.inner.db.read, before, filter, limit + 1).await?;
        let more = i64::try_from(rows.len()).is_ok_and(|count| count > limit);
        rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        let next = if more { rows.last().map(|row| row.id.to_string()) } else { None };
        Ok(Page { items: rows.into_iter().map(AuditRecord::from).collect(), next, total: None })
    }

    /// JSON lines, newest first, at most [`MAX_DOWNLOAD`] records, read page by page as the reader
    /// takes them.
    pub fn download(
        &self,
        actor: &Actor,
        filter: Filter,
    ) -> Result<impl futures::Stream<Item = Result<bytes::Bytes, Error>> + Send + 'static, Error> {
        actor.require_server(Role::Admin)?;
        let pool = self.inner.db.read.clone();
        let state = Some((i64::MAX, 0_usize));
        Ok(futures::stream::try_unfold((pool, filter, state), |(pool, filter, state)| async move {
            let Some((before, sent)) = state else { return Ok(None) };
            let rows = store::list(&pool, before, &filter, DOWNLOAD_PAGE).await?;
            let Some(last) = rows.last().map(|row| row.id) else { return Ok(None) };
            let sent = sent + rows.len();
            let mut lines = Vec::new();
            for row in rows {
                let record = AuditRecord::from(row);
                serde_json::to_writer(&mut lines, &record)
                    .map_err(|error| Error::Database(sqlx::Error::Decode(Box::new(error))))?;
                lines.push(b'\n');
            }
            let state = (sent < MAX_DOWNLOAD).then_some((last, sent));
            Ok(Some((bytes::Bytes::from(lines), (pool, filter, state))))
        }))
    }
}
