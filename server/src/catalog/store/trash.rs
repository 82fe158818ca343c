//! Statements over entries in Trash, and those on their way out.

use sqlx::sqlite::SqlitePool;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use super::entries::{EntryRow, JOINED, paged};
use crate::catalog::listing::{SortColumn, Window};

pub(in crate::catalog) const SORTS: [SortColumn; 3] = [
    SortColumn { name: "trashed", sql: "ifnull(e.trashed_at, 0)", text: false },
    SortColumn { name: "name", sql: "e.name", text: true },
    SortColumn { name: "bytes", sql: "ifnull(e.byte_count, -1)", text: false },
];

pub(in crate::catalog) async fn page(
    pool: &SqlitePool,
    window: &Window,
    bucket_id: i64,
) -> Result<(Vec<EntryRow>, u64), sqlx::Error> {
    let restrict = |query: &mut QueryBuilder<Sqlite>| {
        query.push(" WHERE e.state = 'deregistered' AND e.bucket_id = ").push_bind(bucket_id);
        window.push_search(query, "lower(e.name)");
    };
    paged(pool, window, restrict).await
}

/// Puts a declared or created entry in Trash; false when it is neither.
pub(in crate::catalog) async fn put(
    connection: &mut SqliteConnection,
    id: i64,
    at: i64,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query(
        "UPDATE entries SET state_before = state, state = 'deregistered', trashed_at = ?, updated_at = ?
         WHERE id = ? AND state IN ('declared', 'created')",
    )
    .bind(at)
    .bind(at)
    .bind(id)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Takes an entry out of Trash under a name; false when it is not there.
pub(in crate::catalog) async fn take(
    connection: &mut SqliteConnection,
    id: i64,
    namespace_id: i64,
    name: &str,
    at: i64,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query(
        "UPDATE entries SET state = ifnull(state_before, 'created'), state_before = NULL, trashed_at = NULL,
                namespace_id = ?, name = ?, updated_at = ?, probed_at = 0
         WHERE id = ? AND state = 'deregistered'",
    )
    .bind(namespace_id)
    .bind(name)
    .bind(at)
    .bind(id)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Detaches an entry from its name and namespace while its bytes are removed.
pub(in crate::catalog) async fn mark_dropping(
    connection: &mut SqliteConnection,
    id: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE entries SET state = 'dropping', namespace_id = NULL WHERE id = ?")
        .bind(id)
        .execute(connection)
        .await?;
    Ok(())
}

/// The same for every entry of a bucket.
pub(in crate::catalog) async fn mark_all_dropping(
    connection: &mut SqliteConnection,
    bucket_id: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE entries SET state = 'dropping', namespace_id = NULL WHERE bucket_id = ?")
        .bind(bucket_id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Which entries of some namespaces a cascade's list names.
#[derive(Debug, Clone, Copy)]
pub(in crate::catalog) enum Held {
    /// Whatever their state but Trash.
    Tables,
    Trashed,
    Protected,
}

/// Entries of some namespaces, as `namespace.path/table` in order, and at most `limit` of them. Reads
/// names only: a cascade over a hundred thousand tables still shows its first page at once.
pub(in crate::catalog) async fn names_in(
    executor: impl sqlx::SqliteExecutor<'_>,
    namespace_ids: &[i64],
    held: Held,
    limit: u32,
) -> Result<Vec<String>, sqlx::Error> {
    let which = match held {
        Held::Tables => "e.state <> 'deregistered'",
        Held::Trashed => "e.state = 'deregistered'",
        Held::Protected => "e.protected = 1",
    };
    let sql = sqlx::AssertSqlSafe(format!(
        "SELECT n.path || '/' || e.name FROM namespaces n JOIN entries e ON e.namespace_id = n.id
         WHERE n.id IN (SELECT value FROM json_each(?)) AND {which} ORDER BY n.path, e.name LIMIT ?"
    ));
    sqlx::query_scalar(sql).bind(in_json(namespace_ids)).bind(limit).fetch_all(executor).await
}

/// How many entries some namespaces hold, in any state.
pub(in crate::catalog) async fn count_in(
    executor: impl sqlx::SqliteExecutor<'_>,
    namespace_ids: &[i64],
) -> Result<u64, sqlx::Error> {
    let count: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM entries WHERE namespace_id IN (SELECT value FROM json_each(?))",
    )
    .bind(in_json(namespace_ids))
    .fetch_one(executor)
    .await?;
    Ok(super::count(count))
}

fn in_json(ids: &[i64]) -> String {
    serde_json::to_string(ids).unwrap_or_else(|_| "[]".to_owned())
}

/// Every entry of some namespaces, in any state.
pub(in crate::catalog) async fn of_namespaces(
    executor: impl sqlx::SqliteExecutor<'_>,
    namespace_ids: &[i64],
) -> Result<Vec<EntryRow>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!(
        "{JOINED} WHERE e.namespace_id IN (SELECT value FROM json_each(?)) ORDER BY n.path, e.name"
    ));
    sqlx::query_as(sql).bind(in_json(namespace_ids)).fetch_all(executor).await
}

/// A protected entry of a bucket, in any state, by name.
pub(in crate::catalog) async fn first_protected(
    connection: &mut SqliteConnection,
    bucket_id: i64,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar("SELECT name FROM entries WHERE bucket_id = ? AND protected = 1 LIMIT 1")
        .bind(bucket_id)
        .fetch_optional(connection)
        .await
}

/// Ids of every entry of a bucket, in any state.
pub(in crate::catalog) async fn ids_in_bucket(
    connection: &mut SqliteConnection,
    bucket_id: i64,
) -> Result<Vec<i64>, sqlx::Error> {
    sqlx::query_scalar("SELECT id FROM entries WHERE bucket_id = ?")
        .bind(bucket_id)
        .fetch_all(connection)
        .await
}
