//! Statements over `intents`: changes of database and store that have begun and not ended.

use sqlx::SqliteConnection;
use sqlx::sqlite::SqlitePool;

/// An open intent.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(in crate::catalog) struct IntentRow {
    pub(in crate::catalog) id: i64,
    pub(in crate::catalog) kind: String,
    pub(in crate::catalog) bucket_id: i64,
    pub(in crate::catalog) entry_id: Option<i64>,
}

/// Opens an intent; none when the entry has one already.
pub(in crate::catalog) async fn open(
    connection: &mut SqliteConnection,
    kind: &str,
    bucket_id: i64,
    entry_id: Option<i64>,
    at: i64,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar(
        "INSERT INTO intents (kind, bucket_id, entry_id, created_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (entry_id) DO NOTHING RETURNING id",
    )
    .bind(kind)
    .bind(bucket_id)
    .bind(entry_id)
    .bind(at)
    .fetch_optional(connection)
    .await
}

/// Whether an intent is still open.
pub(in crate::catalog) async fn exists(
    connection: &mut SqliteConnection,
    id: i64,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM intents WHERE id = ?)")
        .bind(id)
        .fetch_one(connection)
        .await
}

/// Closes the intent of an entry.
pub(in crate::catalog) async fn close_of(
    connection: &mut SqliteConnection,
    entry_id: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM intents WHERE entry_id = ?").bind(entry_id).execute(connection).await?;
    Ok(())
}

/// Whether a change of this entry is under way.
pub(in crate::catalog) async fn is_open(
    connection: &mut SqliteConnection,
    entry_id: i64,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM intents WHERE entry_id = ?)")
        .bind(entry_id)
        .fetch_one(connection)
        .await
}

/// Whether any change in a bucket is under way.
pub(in crate::catalog) async fn any_in_bucket(
    connection: &mut SqliteConnection,
    bucket_id: i64,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM intents WHERE bucket_id = ?)")
        .bind(bucket_id)
        .fetch_one(connection)
        .await
}

pub(in crate::catalog) async fn all(pool: &SqlitePool) -> Result<Vec<IntentRow>, sqlx::Error> {
    sqlx::query_as("SELECT id, kind, bucket_id, entry_id FROM intents ORDER BY id").fetch_all(pool).await
}
