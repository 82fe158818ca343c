//! Statements over the mirror of attached buckets: what was last seen of their names.

use sqlx::SqliteConnection;
use sqlx::sqlite::SqlitePool;

/// When the names directly below a path were last listed whole.
pub(in crate::catalog) async fn listed_at(
    pool: &SqlitePool,
    bucket_id: i64,
    path: &str,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar("SELECT listed_at FROM attached_listings WHERE bucket_id = ? AND path = ?")
        .bind(bucket_id)
        .bind(path)
        .fetch_optional(pool)
        .await
}

/// Notes a listing. `refused`: JSON of the names that cannot be carried.
pub(in crate::catalog) async fn set_listed(
    connection: &mut SqliteConnection,
    bucket_id: i64,
    path: &str,
    refused: &str,
    at: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO attached_listings (bucket_id, path, listed_at, refused) VALUES (?, ?, ?, ?)
         ON CONFLICT (bucket_id, path) DO UPDATE SET listed_at = excluded.listed_at, refused = excluded.refused",
    )
    .bind(bucket_id)
    .bind(path)
    .bind(at)
    .bind(refused)
    .execute(connection)
    .await?;
    Ok(())
}

/// Leaves of the namespaces directly below a path.
pub(in crate::catalog) async fn children(
    executor: impl sqlx::SqliteExecutor<'_>,
    bucket_id: i64,
    parent: &str,
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar("SELECT leaf FROM namespaces WHERE bucket_id = ? AND parent = ?")
        .bind(bucket_id)
        .bind(parent)
        .fetch_all(executor)
        .await
}

/// Ids and names of the tables in a namespace.
pub(in crate::catalog) async fn tables(
    connection: &mut SqliteConnection,
    namespace_id: i64,
) -> Result<Vec<(i64, String)>, sqlx::Error> {
    sqlx::query_as("SELECT id, name FROM entries WHERE namespace_id = ?")
        .bind(namespace_id)
        .fetch_all(connection)
        .await
}

/// Removes a namespace and all below it with their tables, whose ids it gives.
pub(in crate::catalog) async fn remove_namespace(
    connection: &mut SqliteConnection,
    bucket_id: i64,
    path: &str,
) -> Result<Vec<i64>, sqlx::Error> {
    let tree = super::namespaces::subtree(&mut *connection, bucket_id, path).await?;
    let (ids, paths): (Vec<i64>, Vec<String>) = tree.into_iter().unzip();
    let in_json = |texts: serde_json::Result<String>| texts.unwrap_or_else(|_| "[]".to_owned());
    let (ids, paths) = (in_json(serde_json::to_string(&ids)), in_json(serde_json::to_string(&paths)));
    sqlx::query(
        "DELETE FROM intents WHERE entry_id IN
         (SELECT id FROM entries WHERE namespace_id IN (SELECT value FROM json_each(?)))",
    )
    .bind(&ids)
    .execute(&mut *connection)
    .await?;
    let removed = sqlx::query_scalar(
        "DELETE FROM entries WHERE namespace_id IN (SELECT value FROM json_each(?)) RETURNING id",
    )
    .bind(&ids)
    .fetch_all(&mut *connection)
    .await?;
    sqlx::query("DELETE FROM namespaces WHERE id IN (SELECT value FROM json_each(?))")
        .bind(&ids)
        .execute(&mut *connection)
        .await?;
    sqlx::query(
        "DELETE FROM attached_listings WHERE bucket_id = ? AND path IN (SELECT value FROM json_each(?))",
    )
    .bind(bucket_id)
    .bind(&paths)
    .execute(&mut *connection)
    .await?;
    Ok(removed)
}

/// Keeps where an attached table was last described to be, its properties, and its state.
pub(in crate::catalog) async fn set_seen(
    connection: &mut SqliteConnection,
    id: i64,
    remote: Option<&str>,
    properties: &str,
    state: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE entries SET remote = ?, properties = ?, state = ?
         WHERE id = ? AND state IN ('declared', 'created')",
    )
    .bind(remote)
    .bind(properties)
    .bind(state)
    .bind(id)
    .execute(connection)
    .await?;
    Ok(())
}

/// Gives an attached table another place among the names.
pub(in crate::catalog) async fn move_entry(
    connection: &mut SqliteConnection,
    id: i64,
    namespace_id: i64,
    name: &str,
    location: &str,
    at: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE entries SET namespace_id = ?, name = ?, location = ?, updated_at = ? WHERE id = ?")
        .bind(namespace_id)
        .bind(name)
        .bind(location)
        .bind(at)
        .bind(id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Removes all rows of an attached bucket, itself included. Gives the ids of its tables.
pub(in crate::catalog) async fn remove_bucket(
    connection: &mut SqliteConnection,
    bucket_id: i64,
) -> Result<Vec<i64>, sqlx::Error> {
    let ids = super::trash::ids_in_bucket(&mut *connection, bucket_id).await?;
    super::buckets::delete(connection, bucket_id).await?;
    Ok(ids)
}
