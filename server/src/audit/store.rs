//! The audit log's SQL.

use lakeglass_api::people::{AuditRecord, Outcome, PrincipalKind};
use sqlx::SqlitePool;

use super::Entry;
use super::chain::{self, GENESIS};

/// One row, as stored.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct Row {
    pub(super) id: i64,
    pub(super) at_ms: i64,
    pub(super) actor_kind: String,
    pub(super) actor_id: i64,
    pub(super) actor: String,
    pub(super) address: Option<String>,
    pub(super) action: String,
    pub(super) object: String,
    pub(super) outcome: String,
    pub(super) detail: String,
    pub(super) count: i64,
    pub(super) request_id: String,
    pub(super) hash: Vec<u8>,
}

impl From<Row> for AuditRecord {
    fn from(row: Row) -> Self {
        Self {
            id: row.id.to_string(),
            at_ms: row.at_ms,
            actor_kind: match row.actor_kind.as_str() {
                "user" => PrincipalKind::User,
                "token" => PrincipalKind::Token,
                "system" => PrincipalKind::System,
                _ => PrincipalKind::Anonymous,
            },
            actor: row.actor,
            address: row.address,
            action: row.action,
            object: row.object,
            outcome: match row.outcome.as_str() {
                "done" => Outcome::Done,
                "refused" => Outcome::Refused,
                _ => Outcome::Failed,
            },
            detail: serde_json::from_str(&row.detail).unwrap_or(serde_json::Value::String(row.detail)),
            count: u32::try_from(row.count).unwrap_or(u32::MAX),
            request_id: row.request_id,
            hash: hex::encode(row.hash),
        }
    }
}

const APPEND: &str = "INSERT INTO audit (id, at_ms, actor_kind, actor_id, actor, address, action, object, \
     outcome, detail, count, request_id, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const HEAD: &str = "SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1";
const AFTER: &str = "SELECT * FROM audit WHERE id > ? ORDER BY id LIMIT ?";
/// Highest id ever given, kept by SQLite itself.
const HIGHEST: &str = "SELECT seq FROM sqlite_sequence WHERE name = 'audit'";
const LIST: &str = "SELECT * FROM audit WHERE id < ?1
       AND (?2 IS NULL OR actor = ?2)
       AND (?3 IS NULL OR action = ?3 OR substr(action, 1, length(?3) + 1) = ?3 || '.')
       AND (?4 IS NULL OR instr(object, ?4) > 0)
       AND (?5 IS NULL OR outcome = ?5)
       AND (?6 IS NULL OR at_ms >= ?6)
       AND (?7 IS NULL OR at_ms < ?7)
     ORDER BY id DESC LIMIT ?8";

/// For the test that prepares them.
#[cfg(test)]
pub(super) const ALL: [&str; 5] = [APPEND, HEAD, AFTER, HIGHEST, LIST];

/// Appends one record to the chain.
pub(super) async fn append(pool: &SqlitePool, entry: &Entry) -> Result<i64, sqlx::Error> {
    // Immediate: the command line may write between our read of the head and our insert.
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    let head: Option<(i64, Vec<u8>)> = sqlx::query_as(HEAD).fetch_optional(&mut *transaction).await?;
    let (last, previous) = head.unwrap_or((0, GENESIS.to_vec()));
    let mut row = Row {
        id: last + 1,
        at_ms: entry.at_ms,
        actor_kind: entry.actor_kind.as_str().to_owned(),
        actor_id: entry.actor_id,
        actor: entry.actor.clone(),
        address: entry.address.clone(),
        action: entry.action.to_owned(),
        object: entry.object.clone(),
        outcome: entry.outcome.as_str().to_owned(),
        detail: entry.detail.clone(),
        count: i64::from(entry.count),
        request_id: entry.request_id.clone(),
        hash: Vec::new(),
    };
    row.hash = chain::hash(&previous, &row).to_vec();
    sqlx::query(APPEND)
        .bind(row.id)
        .bind(row.at_ms)
        .bind(&row.actor_kind)
        .bind(row.actor_id)
        .bind(&row.actor)
        .bind(&row.address)
        .bind(&row.action)
        .bind(&row.object)
        .bind(&row.outcome)
        .bind(&row.detail)
        .bind(row.count)
        .bind(&row.request_id)
        .bind(&row.hash)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(row.id)
}

/// Records after an id, oldest first.
pub(super) async fn after(pool: &SqlitePool, id: i64, limit: i64) -> Result<Vec<Row>, sqlx::Error> {
    sqlx::query_as(AFTER).bind(id).bind(limit).fetch_all(pool).await
}

/// The highest id ever given; none while the log is empty.
pub(super) async fn highest(pool: &SqlitePool) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar(HIGHEST).fetch_optional(pool).await
}

/// Records before an id, newest first.
pub(super) async fn list(
    pool: &SqlitePool,
    before: i64,
    filter: &super::Filter,
    limit: i64,
) -> Result<Vec<Row>, sqlx::Error> {
    sqlx::query_as(LIST)
        .bind(before)
        .bind(&filter.actor)
        .bind(&filter.action)
        .bind(&filter.object)
        .bind(filter.outcome.map(Outcome::as_str))
        .bind(filter.from_ms)
        .bind(filter.to_ms)
        .bind(limit)
        .fetch_all(pool)
        .await
}
