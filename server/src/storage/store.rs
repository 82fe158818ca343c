//! Every statement over `storages`.

use sqlx::SqliteConnection;
use sqlx::sqlite::SqlitePool;

/// One row of `storages`.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct Row {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) root: String,
    pub(super) endpoint: Option<String>,
    pub(super) client_endpoint: Option<String>,
    pub(super) region: Option<String>,
    pub(super) path_style: bool,
    pub(super) keys: Option<Vec<u8>>,
    pub(super) keys_set_at: Option<i64>,
    pub(super) vend_keys: bool,
    pub(super) sts_role: Option<String>,
    pub(super) conditional_put: bool,
    pub(super) created_at: i64,
}

/// A row with how many buckets it holds.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Counted {
    #[sqlx(flatten)]
    pub(super) row: Row,
    pub(super) buckets: i64,
}

pub(super) async fn all(pool: &SqlitePool) -> Result<Vec<Counted>, sqlx::Error> {
    sqlx::query_as(
        "SELECT s.*, (SELECT count(*) FROM buckets b WHERE b.storage_id = s.id) AS buckets
         FROM storages s ORDER BY s.name",
    )
    .fetch_all(pool)
    .await
}

pub(super) async fn by_id(pool: &SqlitePool, id: i64) -> Result<Option<Row>, sqlx::Error> {
    sqlx::query_as("SELECT * FROM storages WHERE id = ?").bind(id).fetch_optional(pool).await
}

pub(super) async fn by_name(pool: &SqlitePool, name: &str) -> Result<Option<Counted>, sqlx::Error> {
    sqlx::query_as(
        "SELECT s.*, (SELECT count(*) FROM buckets b WHERE b.storage_id = s.id) AS buckets
         FROM storages s WHERE s.name = ?",
    )
    .bind(name)
    .fetch_optional(pool)
    .await
}

/// Inserts a row (its `id` is not read) and gives the new id. Keys follow once the id is known.
pub(super) async fn insert(connection: &mut SqliteConnection, row: &Row) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(
        "INSERT INTO storages (name, kind, root, endpoint, client_endpoint, region, path_style, vend_keys,
                               sts_role, conditional_put, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(&row.name)
    .bind(&row.kind)
    .bind(&row.root)
    .bind(&row.endpoint)
    .bind(&row.client_endpoint)
    .bind(&row.region)
    .bind(row.path_style)
    .bind(row.vend_keys)
    .bind(&row.sts_role)
    .bind(row.conditional_put)
    .bind(row.created_at)
    .fetch_one(connection)
    .await
}

pub(super) async fn set_keys(
    connection: &mut SqliteConnection,
    id: i64,
    sealed: &[u8],
    at: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE storages SET keys = ?, keys_set_at = ? WHERE id = ?")
        .bind(sealed)
        .bind(at)
        .bind(id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Sets the clients' own endpoint, or takes it away.
pub(super) async fn set_client_endpoint(
    connection: &mut SqliteConnection,
    id: i64,
    endpoint: Option<&str>,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE storages SET client_endpoint = ? WHERE id = ?")
        .bind(endpoint)
        .bind(id)
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn set_vend_keys(
    connection: &mut SqliteConnection,
    id: i64,
    vend: bool,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE storages SET vend_keys = ? WHERE id = ?")
        .bind(vend)
        .bind(id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Sets the role that is assumed for clients, or takes it away.
pub(super) async fn set_sts_role(
    connection: &mut SqliteConnection,
    id: i64,
    role: Option<&str>,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE storages SET sts_role = ? WHERE id = ?")
        .bind(role)
        .bind(id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Removes a storage that holds no bucket; false when it holds one.
pub(super) async fn delete(pool: &SqlitePool, id: i64) -> Result<bool, sqlx::Error> {
    let done = sqlx::query(
        "DELETE FROM storages WHERE id = ?1
         AND NOT EXISTS (SELECT 1 FROM buckets WHERE storage_id = ?1)",
    )
    .bind(id)
    .execute(pool)
    .await?;
    Ok(done.rows_affected() == 1)
}
