//! Every statement over `connections` and `attached_listings`.

use std::fmt;

use sqlx::SqliteConnection;
use sqlx::sqlite::SqlitePool;

/// One connection, with its bucket.
#[derive(Clone, sqlx::FromRow)]
pub(super) struct Row {
    pub(super) bucket_id: i64,
    pub(super) bucket: String,
    pub(super) backing: String,
    /// The bucket's root: for a directory, the prefix in the storage.
    pub(super) root: String,
    pub(super) url: Option<String>,
    pub(super) parent: String,
    pub(super) delimiter: String,
    pub(super) header: Option<String>,
    pub(super) secret: Option<Vec<u8>>,
    pub(super) secret_set_at: Option<i64>,
    pub(super) storage_id: Option<i64>,
    pub(super) storage: Option<String>,
    pub(super) roots: String,
    pub(super) endpoints: String,
    pub(super) vend: bool,
    pub(super) support: String,
    pub(super) checked_at: Option<i64>,
    pub(super) answered_at: Option<i64>,
    pub(super) error: Option<String>,
    pub(super) created_at: i64,
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row").field("bucket", &self.bucket).field("url", &self.url).finish_non_exhaustive()
    }
}

/// What an admin sets, as stored.
#[derive(Debug, Clone)]
pub(super) struct Set<'a> {
    pub(super) url: Option<&'a str>,
    pub(super) parent: &'a str,
    pub(super) delimiter: &'a str,
    pub(super) header: Option<&'a str>,
    pub(super) storage_id: Option<i64>,
    pub(super) roots: &'a str,
    pub(super) endpoints: &'a str,
    pub(super) vend: bool,
}

const JOINED: &str = "
    SELECT c.*, b.name AS bucket, b.backing, b.root, s.name AS storage
    FROM connections c JOIN buckets b ON b.id = c.bucket_id LEFT JOIN storages s ON s.id = c.storage_id";

pub(super) async fn all(pool: &SqlitePool) -> Result<Vec<Row>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!("{JOINED} WHERE b.state = 'active'"));
    sqlx::query_as(sql).fetch_all(pool).await
}

pub(super) async fn by_id(
    executor: impl sqlx::SqliteExecutor<'_>,
    bucket_id: i64,
) -> Result<Option<Row>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!("{JOINED} WHERE c.bucket_id = ?"));
    sqlx::query_as(sql).bind(bucket_id).fetch_optional(executor).await
}

pub(super) async fn insert(
    connection: &mut SqliteConnection,
    bucket_id: i64,
    set: &Set<'_>,
    at: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO connections (bucket_id, url, parent, delimiter, header, storage_id, roots, endpoints,
                                  vend, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(bucket_id)
    .bind(set.url)
    .bind(set.parent)
    .bind(set.delimiter)
    .bind(set.header)
    .bind(set.storage_id)
    .bind(set.roots)
    .bind(set.endpoints)
    .bind(set.vend)
    .bind(at)
    .execute(connection)
    .await?;
    Ok(())
}

pub(super) async fn update(
    connection: &mut SqliteConnection,
    bucket_id: i64,
    set: &Set<'_>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE connections SET url = ?, parent = ?, delimiter = ?, header = ?, storage_id = ?, roots = ?,
                                endpoints = ?, vend = ? WHERE bucket_id = ?",
    )
    .bind(set.url)
    .bind(set.parent)
    .bind(set.delimiter)
    .bind(set.header)
    .bind(set.storage_id)
    .bind(set.roots)
    .bind(set.endpoints)
    .bind(set.vend)
    .bind(bucket_id)
    .execute(connection)
    .await?;
    Ok(())
}

/// Sets the sealed credentials, or takes them away.
pub(super) async fn set_secret(
    connection: &mut SqliteConnection,
    bucket_id: i64,
    sealed: Option<&[u8]>,
    at: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE connections SET secret = ?, secret_set_at = ? WHERE bucket_id = ?")
        .bind(sealed)
        .bind(sealed.map(|_| at))
        .bind(bucket_id)
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn set_support(pool: &SqlitePool, bucket_id: i64, support: &str) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE connections SET support = ? WHERE bucket_id = ?")
        .bind(support)
        .bind(bucket_id)
        .execute(pool)
        .await?;
    Ok(())
}

/// Keeps what a check or a listing met; `answered`: it answered just now.
pub(super) async fn set_seen(
    pool: &SqlitePool,
    bucket_id: i64,
    answered: Option<i64>,
    error: Option<&str>,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE connections SET answered_at = ifnull(?, answered_at), error = ? WHERE bucket_id = ?")
        .bind(answered)
        .bind(error)
        .bind(bucket_id)
        .execute(pool)
        .await?;
    Ok(())
}

pub(super) async fn set_checked(pool: &SqlitePool, bucket_id: i64, at: i64) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE connections SET checked_at = ? WHERE bucket_id = ?")
        .bind(at)
        .bind(bucket_id)
        .execute(pool)
        .await?;
    Ok(())
}

/// When the names of a bucket were last listed anywhere in it.
pub(super) async fn listed_at(pool: &SqlitePool, bucket_id: i64) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar("SELECT max(listed_at) FROM attached_listings WHERE bucket_id = ?")
        .bind(bucket_id)
        .fetch_one(pool)
        .await
}

/// Lists of refused names, by the path that they are below.
pub(super) async fn refused(pool: &SqlitePool, bucket_id: i64) -> Result<Vec<(String, String)>, sqlx::Error> {
    sqlx::query_as(
        "SELECT path, refused FROM attached_listings WHERE bucket_id = ? AND refused <> '[]' ORDER BY path",
    )
    .bind(bucket_id)
    .fetch_all(pool)
    .await
}
