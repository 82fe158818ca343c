//! Statements over `namespaces`.

use sqlx::sqlite::SqlitePool;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use crate::catalog::listing::{SortColumn, Window};

/// One namespace.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(in crate::catalog) struct NamespaceRow {
    pub(in crate::catalog) id: i64,
    pub(in crate::catalog) path: String,
    pub(in crate::catalog) leaf: String,
    pub(in crate::catalog) properties: String,
    pub(in crate::catalog) created_at: i64,
    pub(in crate::catalog) tables: i64,
    pub(in crate::catalog) namespaces: i64,
}

pub(in crate::catalog) const SORTS: [SortColumn; 3] = [
    SortColumn { name: "name", sql: "n.leaf", text: true },
    SortColumn { name: "created", sql: "n.created_at", text: false },
    SortColumn { name: "tables", sql: "tables", text: false },
];

const COUNTED: &str = "
    SELECT n.id, n.path, n.leaf, n.properties, n.created_at,
           (SELECT count(*) FROM entries e WHERE e.namespace_id = n.id AND e.state IN ('declared', 'created'))
             AS tables,
           (SELECT count(*) FROM namespaces c WHERE c.bucket_id = n.bucket_id AND c.parent = n.path)
             AS namespaces
    FROM namespaces n";

pub(in crate::catalog) async fn page(
    pool: &SqlitePool,
    window: &Window,
    bucket_id: i64,
    parent: &str,
) -> Result<(Vec<NamespaceRow>, u64), sqlx::Error> {
    let restrict = |query: &mut QueryBuilder<Sqlite>| {
        query.push(" WHERE n.bucket_id = ").push_bind(bucket_id);
        query.push(" AND n.parent = ").push_bind(parent.to_owned());
        window.push_search(query, "lower(n.leaf)");
    };
    let mut counting = QueryBuilder::<Sqlite>::new("SELECT count(*) FROM namespaces n");
    restrict(&mut counting);
    let total: i64 = counting.build_query_scalar().fetch_one(pool).await?;

    let mut query = QueryBuilder::<Sqlite>::new(COUNTED);
    restrict(&mut query);
    window.push(&mut query, "n.id");
    Ok((query.build_query_as().fetch_all(pool).await?, super::count(total)))
}

pub(in crate::catalog) async fn find(
    executor: impl sqlx::SqliteExecutor<'_>,
    bucket_id: i64,
    path: &str,
) -> Result<Option<NamespaceRow>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!("{COUNTED} WHERE n.bucket_id = ? AND n.path = ?"));
    sqlx::query_as(sql).bind(bucket_id).bind(path).fetch_optional(executor).await
}

/// Inserts a namespace; `parent` and `leaf` are the parts of `path`.
pub(in crate::catalog) async fn insert(
    connection: &mut SqliteConnection,
    bucket_id: i64,
    path: &str,
    properties: &str,
    at: i64,
) -> Result<i64, sqlx::Error> {
    let (parent, leaf) = path.rsplit_once('.').unwrap_or(("", path));
    sqlx::query_scalar(
        "INSERT INTO namespaces (bucket_id, path, parent, leaf, properties, created_at)
         VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(bucket_id)
    .bind(path)
    .bind(parent)
    .bind(leaf)
    .bind(properties)
    .bind(at)
    .fetch_one(connection)
    .await
}

pub(in crate::catalog) async fn set_properties(
    connection: &mut SqliteConnection,
    id: i64,
    properties: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE namespaces SET properties = ? WHERE id = ?")
        .bind(properties)
        .bind(id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Child namespaces, tables (whatever their state but Trash) and trashed tables directly inside.
pub(in crate::catalog) async fn contents(
    executor: impl sqlx::SqliteExecutor<'_>,
    bucket_id: i64,
    id: i64,
    path: &str,
) -> Result<(u64, u64, u64), sqlx::Error> {
    let (namespaces, tables, trashed): (i64, i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM namespaces WHERE bucket_id = ?1 AND parent = ?2),
                (SELECT count(*) FROM entries WHERE namespace_id = ?3 AND state <> 'deregistered'),
                (SELECT count(*) FROM entries WHERE namespace_id = ?3 AND state = 'deregistered')",
    )
    .bind(bucket_id)
    .bind(path)
    .bind(id)
    .fetch_one(executor)
    .await?;
    Ok((super::count(namespaces), super::count(tables), super::count(trashed)))
}

/// A namespace and all below it, paths and ids.
pub(in crate::catalog) async fn subtree(
    executor: impl sqlx::SqliteExecutor<'_>,
    bucket_id: i64,
    path: &str,
) -> Result<Vec<(i64, String)>, sqlx::Error> {
    // Parts hold no dot, and `/` follows it, so this range is the paths that begin with `path.`.
    sqlx::query_as(
        "SELECT id, path FROM namespaces
         WHERE bucket_id = ?1 AND (path = ?2 OR (path > ?2 || '.' AND path < ?2 || '/')) ORDER BY path",
    )
    .bind(bucket_id)
    .bind(path)
    .fetch_all(executor)
    .await
}

pub(in crate::catalog) async fn delete(
    connection: &mut SqliteConnection,
    id: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM namespaces WHERE id = ?").bind(id).execute(connection).await?;
    Ok(())
}
