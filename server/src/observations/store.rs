//! The tables of observations and failed looks. All SQL of the capability is here.

use lakeglass_api::FormatId;
use lakeglass_api::description::{Cost, Description, FailedLook, Note, Observation, Severity};
use sha2::{Digest, Sha256};
use sqlx::FromRow;

use super::error::{Error, Result};
use crate::db::Db;

/// Observations kept of one table.
const KEPT: i64 = 500;
/// Bytes of one description; a longer one is kept with part of its schema.
const LONGEST_DESCRIPTION: usize = 2 << 20;
/// What a description that is too long keeps of each list.
const CUT_LIST: usize = 1_000;

#[derive(Debug, Clone)]
pub(super) struct Store {
    db: Db,
}

#[derive(Debug, FromRow)]
struct Row {
    taken_at_ms: i64,
    observer: String,
    description: String,
    requests: i64,
    bytes_read: i64,
    elapsed_ms: i64,
}

impl Store {
    pub(super) fn new(db: Db) -> Self {
        Self { db }
    }

    /// Keeps a look that succeeded, in place of an earlier one of the same version, and forgets the
    /// failure that it mends. False when the entry is gone.
    pub(super) async fn keep(&self, entry: i64, seen: &Observation) -> Result<bool> {
        let format = seen.description.format.as_str();
        let version = seen.description.version.as_deref();
        let fingerprint = fingerprint(&seen.description)?;
        let description = text_of(&seen.description)?;
        let mut tx = self.db.write.begin().await?;
        // Without a version, the same schema and totals as last time are the same state of the table.
        let same: Option<i64> = sqlx::query_scalar(
            "SELECT id FROM observations WHERE entry = ?1 AND format = ?2 AND version IS ?3
             AND (?3 IS NOT NULL OR (fingerprint = ?4 AND id =
                 (SELECT id FROM observations WHERE entry = ?1 AND format = ?2
                  ORDER BY taken_at_ms DESC, id DESC LIMIT 1)))",
        )
        .bind(entry)
        .bind(format)
        .bind(version)
        .bind(&fingerprint)
        .fetch_optional(&mut *tx)
        .await?;
        if let Some(id) = same {
            sqlx::query("DELETE FROM observations WHERE id = ?1").bind(id).execute(&mut *tx).await?;
        }
        let inserted = sqlx::query(
            "INSERT INTO observations (entry, format, version, taken_at_ms, observer, description, fingerprint,
                                       requests, bytes_read, elapsed_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )
        .bind(entry)
        .bind(format)
        .bind(version)
        .bind(seen.taken_at_ms)
        .bind(&seen.observer)
        .bind(description)
        .bind(fingerprint)
        .bind(signed(seen.cost.requests))
        .bind(signed(seen.cost.bytes))
        .bind(signed(seen.cost.elapsed_ms))
        .execute(&mut *tx)
        .await;
        if gone(&inserted) {
            return Ok(false);
        }
        inserted?;
        sqlx::query("DELETE FROM failed_looks WHERE entry = ?1").bind(entry).execute(&mut *tx).await?;
        sqlx::query(
            "DELETE FROM observations WHERE id IN (SELECT id FROM observations WHERE entry = ?1
                 ORDER BY taken_at_ms DESC, id DESC LIMIT -1 OFFSET ?2)",
        )
        .bind(entry)
        .bind(KEPT)
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Keeps why the newest look failed. False when the entry is gone.
    pub(super) async fn keep_failed(
        &self,
        entry: i64,
        format: &FormatId,
        failed: &FailedLook,
    ) -> Result<bool> {
        let written = sqlx::query(
            "INSERT OR REPLACE INTO failed_looks (entry, format, at_ms, observer, cause) VALUES (?1, ?2, ?3, ?4, ?5)",
        )
        .bind(entry)
        .bind(format.as_str())
        .bind(failed.at_ms)
        .bind(&failed.observer)
        .bind(&failed.cause)
        .execute(&self.db.write)
        .await;
        if gone(&written) {
            return Ok(false);
        }
        written?;
        Ok(true)
    }

    /// Newest first, of that format only.
    pub(super) async fn history(
        &self,
        entry: i64,
        format: &FormatId,
        limit: u32,
    ) -> Result<Vec<Observation>> {
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT taken_at_ms, observer, description, requests, bytes_read, elapsed_ms FROM observations
             WHERE entry = ?1 AND format = ?2 ORDER BY taken_at_ms DESC, id DESC LIMIT ?3",
        )
        .bind(entry)
        .bind(format.as_str())
        .bind(i64::from(limit))
        .fetch_all(&self.db.read)
        .await?;
        rows.into_iter().map(observation).collect()
    }

    pub(super) async fn failed(&self, entry: i64, format: &FormatId) -> Result<Option<FailedLook>> {
        let row: Option<(i64, String, String)> = sqlx::query_as(
            "SELECT at_ms, observer, cause FROM failed_looks WHERE entry = ?1 AND format = ?2",
        )
        .bind(entry)
        .bind(format.as_str())
        .fetch_optional(&self.db.read)
        .await?;
        Ok(row.map(|(at_ms, observer, cause)| FailedLook { at_ms, observer, cause }))
    }
}

/// Whether a write failed because the catalog's entry was removed meanwhile.
fn gone<T>(result: &sqlx::Result<T>) -> bool {
    let Err(sqlx::Error::Database(error)) = result else { return false };
    error.is_foreign_key_violation()
}

fn observation(row: Row) -> Result<Observation> {
    Ok(Observation {
        taken_at_ms: row.taken_at_ms,
        observer: row.observer,
        description: serde_json::from_str(&row.description).map_err(Error::Kept)?,
        cost: Cost {
            requests: row.requests.unsigned_abs(),
            bytes: row.bytes_read.unsigned_abs(),
            elapsed_ms: row.elapsed_ms.unsigned_abs(),
        },
    })
}

fn fingerprint(description: &Description) -> Result<String> {
    let matters = serde_json::to_vec(&(&description.schema, &description.totals)).map_err(Error::Kept)?;
    Ok(hex::encode(Sha256::digest(matters)))
}

/// As JSON, within bounds: an enormous schema is kept in part, and says so.
fn text_of(description: &Description) -> Result<String> {
    let whole = serde_json::to_string(description).map_err(Error::Kept)?;
    if whole.len() <= LONGEST_DESCRIPTION {
        return Ok(whole);
    }
    let mut cut = description.clone();
    cut.schema.truncate(CUT_LIST);
    cut.references.truncate(CUT_LIST);
    cut.indices.truncate(CUT_LIST);
    cut.features.truncate(CUT_LIST);
    cut.properties.truncate(CUT_LIST);
    cut.notes.truncate(CUT_LIST);
    for field in &mut cut.schema {
        field.properties.clear();
        field.doc = None;
    }
    cut.notes.push(Note {
        severity: Severity::Warning,
        code: "cut".to_owned(),
        message: format!("The description is too long to keep. Each list stops at {CUT_LIST} entries"),
    });
    let text = serde_json::to_string(&cut).map_err(Error::Kept)?;
    if text.len() <= 2 * LONGEST_DESCRIPTION {
        return Ok(text);
    }
    cut.schema.clear();
    cut.properties.clear();
    cut.references.clear();
    cut.indices.clear();
    serde_json::to_string(&cut).map_err(Error::Kept)
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
