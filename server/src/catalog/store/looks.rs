//! Statements about looks at entries: what was found, and which to look at next.

use sqlx::sqlite::SqlitePool;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use super::entries::{EntryRow, JOINED};

/// Promotes declared entries that turned out to have a version; notes the look at the others.
pub(in crate::catalog) async fn probed(
    connection: &mut SqliteConnection,
    written: &[i64],
    empty: &[i64],
    at: i64,
) -> Result<(), sqlx::Error> {
    let list = |ids: &[i64]| serde_json::to_string(ids).unwrap_or_else(|_| "[]".to_owned());
    if !written.is_empty() {
        sqlx::query(
            "UPDATE entries SET state = 'created', updated_at = ? WHERE state = 'declared'
             AND id IN (SELECT value FROM json_each(?))",
        )
        .bind(at)
        .bind(list(written))
        .execute(&mut *connection)
        .await?;
    }
    if !empty.is_empty() {
        sqlx::query("UPDATE entries SET probed_at = ? WHERE id IN (SELECT value FROM json_each(?))")
            .bind(at)
            .bind(list(empty))
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// Keeps what an observation found; none leaves a sum out.
pub(in crate::catalog) async fn record_totals(
    connection: &mut SqliteConnection,
    id: i64,
    rows: Option<i64>,
    bytes: Option<i64>,
    at: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE entries SET row_count = ?2, byte_count = ?3, observed_at = ?4, looked_at = ?4 WHERE id = ?1",
    )
    .bind(id)
    .bind(rows)
    .bind(bytes)
    .bind(at)
    .execute(connection)
    .await?;
    Ok(())
}

/// Notes an observation that failed, so that a sweep goes on to others first.
pub(in crate::catalog) async fn record_failed_look(
    connection: &mut SqliteConnection,
    id: i64,
    at: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE entries SET looked_at = ? WHERE id = ?")
        .bind(at)
        .bind(id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Created tables last looked at before a time, longest ago first.
pub(in crate::catalog) async fn to_observe(
    pool: &SqlitePool,
    limit: u32,
    older_than: i64,
) -> Result<Vec<i64>, sqlx::Error> {
    sqlx::query_scalar(
        "SELECT id FROM entries WHERE state = 'created' AND looked_at < ? ORDER BY looked_at LIMIT ?",
    )
    .bind(older_than)
    .bind(limit)
    .fetch_all(pool)
    .await
}

/// Declared entries of a namespace (none: anywhere) not looked at since a time, longest ago first.
pub(in crate::catalog) async fn to_probe(
    pool: &SqlitePool,
    namespace_id: Option<i64>,
    before: i64,
    limit: u32,
) -> Result<Vec<EntryRow>, sqlx::Error> {
    let mut query = QueryBuilder::<Sqlite>::new(JOINED);
    query.push(" WHERE e.state = 'declared' AND e.format = 'lance' AND e.probed_at < ").push_bind(before);
    if let Some(id) = namespace_id {
        query.push(" AND e.namespace_id = ").push_bind(id);
    }
    query.push(" ORDER BY e.probed_at LIMIT ").push_bind(limit);
    query.build_query_as().fetch_all(pool).await
}
