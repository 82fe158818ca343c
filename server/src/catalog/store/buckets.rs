//! Statements over `buckets`.

use lakeglass_api::BucketName;
use sqlx::sqlite::SqlitePool;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use crate::catalog::listing::{SortColumn, Window};

/// One bucket.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(in crate::catalog) struct BucketRow {
    pub(in crate::catalog) id: i64,
    pub(in crate::catalog) name: String,
    pub(in crate::catalog) format: Option<String>,
    pub(in crate::catalog) backing: String,
    pub(in crate::catalog) storage_id: i64,
    pub(in crate::catalog) root: String,
    pub(in crate::catalog) description: String,
    pub(in crate::catalog) properties: String,
    pub(in crate::catalog) protected: bool,
    /// `active` or `deleting`.
    pub(in crate::catalog) state: String,
    pub(in crate::catalog) created_at: i64,
}

impl BucketRow {
    /// Its names are another catalog's.
    pub(in crate::catalog) fn is_attached(&self) -> bool {
        self.backing != "managed"
    }
}

/// A bucket with its storage's name and the sums over its tables.
#[derive(Debug, sqlx::FromRow)]
pub(in crate::catalog) struct SummedBucket {
    #[sqlx(flatten)]
    pub(in crate::catalog) bucket: BucketRow,
    pub(in crate::catalog) storage: String,
    pub(in crate::catalog) tables: i64,
    pub(in crate::catalog) unobserved: i64,
    /// -1: nothing was observed.
    pub(in crate::catalog) row_sum: i64,
    pub(in crate::catalog) byte_sum: i64,
}

pub(in crate::catalog) const SORTS: [SortColumn; 5] = [
    SortColumn { name: "name", sql: "name", text: true },
    SortColumn { name: "tables", sql: "tables", text: false },
    SortColumn { name: "rows", sql: "row_sum", text: false },
    SortColumn { name: "bytes", sql: "byte_sum", text: false },
    SortColumn { name: "created", sql: "created_at", text: false },
];

/// Buckets and their sums, one pass over a covering index.
const SUMMED: &str = "
    WITH sums AS (
      SELECT bucket_id, count(*) AS tables, sum(observed_at IS NULL) AS unobserved,
             sum(row_count) AS row_sum, sum(byte_count) AS byte_sum
      FROM entries WHERE state IN ('declared', 'created') GROUP BY bucket_id
    ), listed AS (
      SELECT b.*, s.name AS storage, ifnull(t.tables, 0) AS tables, ifnull(t.unobserved, 0) AS unobserved,
             ifnull(t.row_sum, -1) AS row_sum, ifnull(t.byte_sum, -1) AS byte_sum
      FROM buckets b JOIN storages s ON s.id = b.storage_id LEFT JOIN sums t ON t.bucket_id = b.id
      WHERE b.state = 'active'
    )";

/// A page's rows and how many match in all. `visible`: only these names; none: all.
pub(in crate::catalog) async fn page(
    pool: &SqlitePool,
    window: &Window,
    visible: Option<&[BucketName]>,
) -> Result<(Vec<SummedBucket>, u64), sqlx::Error> {
    let restrict = |query: &mut QueryBuilder<Sqlite>| {
        if let Some(names) = visible {
            let names: Vec<&str> = names.iter().map(BucketName::as_str).collect();
            let names = serde_json::to_string(&names).unwrap_or_else(|_| "[]".to_owned());
            query.push(" AND name IN (SELECT value FROM json_each(").push_bind(names).push("))");
        }
        window.push_search(query, "name");
    };
    let mut counting = QueryBuilder::<Sqlite>::new("SELECT count(*) FROM buckets WHERE state = 'active'");
    restrict(&mut counting);
    let total: i64 = counting.build_query_scalar().fetch_one(pool).await?;

    let mut query = QueryBuilder::<Sqlite>::new(format!("{SUMMED} SELECT * FROM listed WHERE true"));
    restrict(&mut query);
    window.push(&mut query, "id");
    Ok((query.build_query_as().fetch_all(pool).await?, super::count(total)))
}

pub(in crate::catalog) async fn summed(
    pool: &SqlitePool,
    name: &BucketName,
) -> Result<Option<SummedBucket>, sqlx::Error> {
    let sql = "
      SELECT b.*, s.name AS storage, count(e.id) AS tables,
             ifnull(sum(e.id IS NOT NULL AND e.observed_at IS NULL), 0) AS unobserved,
             ifnull(sum(e.row_count), -1) AS row_sum, ifnull(sum(e.byte_count), -1) AS byte_sum
      FROM buckets b JOIN storages s ON s.id = b.storage_id
      LEFT JOIN entries e ON e.bucket_id = b.id AND e.state IN ('declared', 'created')
      WHERE b.name = ? AND b.state = 'active' GROUP BY b.id";
    sqlx::query_as(sql).bind(name.as_str()).fetch_optional(pool).await
}

pub(in crate::catalog) async fn find(
    executor: impl sqlx::SqliteExecutor<'_>,
    name: &BucketName,
) -> Result<Option<BucketRow>, sqlx::Error> {
    sqlx::query_as("SELECT * FROM buckets WHERE name = ? AND state = 'active'")
        .bind(name.as_str())
        .fetch_optional(executor)
        .await
}

/// In any state.
pub(in crate::catalog) async fn by_id(
    executor: impl sqlx::SqliteExecutor<'_>,
    id: i64,
) -> Result<Option<BucketRow>, sqlx::Error> {
    sqlx::query_as("SELECT * FROM buckets WHERE id = ?").bind(id).fetch_optional(executor).await
}

/// Whether a name is in use, by a bucket that is being deleted as well.
pub(in crate::catalog) async fn name_taken(
    connection: &mut SqliteConnection,
    name: &BucketName,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM buckets WHERE name = ?)")
        .bind(name.as_str())
        .fetch_one(connection)
        .await
}

/// A bucket of the storage whose root is equal to, inside or around `root`.
pub(in crate::catalog) async fn overlapping(
    connection: &mut SqliteConnection,
    storage_id: i64,
    root: &str,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar(
        "SELECT name FROM buckets WHERE storage_id = ?1
         AND (root = ?2 OR substr(root, 1, length(?2) + 1) = ?2 || '/'
              OR substr(?2, 1, length(root) + 1) = root || '/') LIMIT 1",
    )
    .bind(storage_id)
    .bind(root)
    .fetch_optional(connection)
    .await
}

/// Roots of the managed buckets in a storage.
pub(in crate::catalog) async fn managed_roots(
    pool: &SqlitePool,
    storage_id: i64,
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar("SELECT root FROM buckets WHERE storage_id = ? AND backing = 'managed'")
        .bind(storage_id)
        .fetch_all(pool)
        .await
}

/// Names another storage for an attached bucket's data.
pub(in crate::catalog) async fn set_storage(
    connection: &mut SqliteConnection,
    id: i64,
    storage_id: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE buckets SET storage_id = ? WHERE id = ?")
        .bind(storage_id)
        .bind(id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Inserts a bucket (its `id` is not read).
pub(in crate::catalog) async fn insert(
    connection: &mut SqliteConnection,
    row: &BucketRow,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(
        "INSERT INTO buckets (name, format, backing, storage_id, root, description, properties, protected,
                              created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(&row.name)
    .bind(&row.format)
    .bind(&row.backing)
    .bind(row.storage_id)
    .bind(&row.root)
    .bind(&row.description)
    .bind(&row.properties)
    .bind(row.protected)
    .bind(row.created_at)
    .fetch_one(connection)
    .await
}

/// Changes what is given.
pub(in crate::catalog) async fn update(
    connection: &mut SqliteConnection,
    id: i64,
    description: Option<&str>,
    properties: Option<&str>,
    protected: Option<bool>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE buckets SET description = ifnull(?, description), properties = ifnull(?, properties),
                            protected = ifnull(?, protected) WHERE id = ?",
    )
    .bind(description)
    .bind(properties)
    .bind(protected)
    .bind(id)
    .execute(connection)
    .await?;
    Ok(())
}

/// Namespaces, tables and trashed tables in a bucket.
/// Tables still being made or removed count as tables.
pub(in crate::catalog) async fn contents(
    executor: impl sqlx::SqliteExecutor<'_>,
    bucket_id: i64,
) -> Result<(u64, u64, u64), sqlx::Error> {
    let (namespaces, tables, trashed): (i64, i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM namespaces WHERE bucket_id = ?1),
                (SELECT count(*) FROM entries WHERE bucket_id = ?1 AND state <> 'deregistered'),
                (SELECT count(*) FROM entries WHERE bucket_id = ?1 AND state = 'deregistered')",
    )
    .bind(bucket_id)
    .fetch_one(executor)
    .await?;
    Ok((super::count(namespaces), super::count(tables), super::count(trashed)))
}

/// Hides a bucket while its bytes are removed.
pub(in crate::catalog) async fn mark_deleting(
    connection: &mut SqliteConnection,
    id: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE buckets SET state = 'deleting' WHERE id = ?").bind(id).execute(connection).await?;
    Ok(())
}

/// Removes a bucket's rows, everything in it included.
pub(in crate::catalog) async fn delete(
    connection: &mut SqliteConnection,
    id: i64,
) -> Result<(), sqlx::Error> {
    for sql in [
        "DELETE FROM intents WHERE bucket_id = ?",
        "DELETE FROM entries WHERE bucket_id = ?",
        "DELETE FROM namespaces WHERE bucket_id = ?",
        "DELETE FROM buckets WHERE id = ?",
    ] {
        sqlx::query(sql).bind(id).execute(&mut *connection).await?;
    }
    Ok(())
}
