//! Statements over `entries` that find, list and change single rows.

use sqlx::sqlite::SqlitePool;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use crate::catalog::listing::{SortColumn, Window};

/// One entry with the names around it.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(in crate::catalog) struct EntryRow {
    pub(in crate::catalog) id: i64,
    pub(in crate::catalog) bucket_id: i64,
    pub(in crate::catalog) bucket: String,
    /// Empty while its bytes are being removed.
    pub(in crate::catalog) namespace: String,
    /// The bucket's backing.
    pub(in crate::catalog) backing: String,
    pub(in crate::catalog) storage_id: i64,
    /// The bucket's root.
    pub(in crate::catalog) root: String,
    pub(in crate::catalog) name: String,
    pub(in crate::catalog) format: String,
    pub(in crate::catalog) state: String,
    pub(in crate::catalog) location: String,
    pub(in crate::catalog) properties: String,
    pub(in crate::catalog) protected: bool,
    pub(in crate::catalog) created_at: i64,
    pub(in crate::catalog) updated_at: i64,
    pub(in crate::catalog) trashed_at: Option<i64>,
    pub(in crate::catalog) row_count: Option<i64>,
    pub(in crate::catalog) byte_count: Option<i64>,
    pub(in crate::catalog) observed_at: Option<i64>,
    /// URI of an attached table, as last described.
    pub(in crate::catalog) remote: Option<String>,
}

impl EntryRow {
    /// Its bucket's names are another catalog's.
    pub(in crate::catalog) fn is_attached(&self) -> bool {
        self.backing != "managed"
    }
}

/// A row to be inserted.
#[derive(Debug, Clone)]
pub(in crate::catalog) struct NewEntry<'a> {
    pub(in crate::catalog) bucket_id: i64,
    pub(in crate::catalog) namespace_id: i64,
    pub(in crate::catalog) name: &'a str,
    pub(in crate::catalog) format: &'a str,
    pub(in crate::catalog) state: &'static str,
    pub(in crate::catalog) location: &'a str,
    pub(in crate::catalog) properties: &'a str,
    pub(in crate::catalog) at: i64,
}

pub(in crate::catalog) const SORTS: [SortColumn; 6] = [
    SortColumn { name: "name", sql: "e.name", text: true },
    SortColumn { name: "rows", sql: "ifnull(e.row_count, -1)", text: false },
    SortColumn { name: "bytes", sql: "ifnull(e.byte_count, -1)", text: false },
    SortColumn { name: "created", sql: "e.created_at", text: false },
    SortColumn { name: "updated", sql: "e.updated_at", text: false },
    SortColumn { name: "observed", sql: "ifnull(e.observed_at, -1)", text: false },
];

pub(in crate::catalog) const JOINED: &str = "
    SELECT e.*, b.name AS bucket, ifnull(n.path, '') AS namespace, b.backing, b.storage_id, b.root
    FROM entries e JOIN buckets b ON b.id = e.bucket_id LEFT JOIN namespaces n ON n.id = e.namespace_id";

/// Tables of one namespace: a page's rows and how many match in all.
pub(in crate::catalog) async fn page(
    pool: &SqlitePool,
    window: &Window,
    namespace_id: i64,
    include_declared: bool,
) -> Result<(Vec<EntryRow>, u64), sqlx::Error> {
    let restrict = |query: &mut QueryBuilder<Sqlite>| {
        query.push(" WHERE e.namespace_id = ").push_bind(namespace_id);
        // Word for word the condition of the partial indexes.
        query.push(" AND e.state IN ('declared', 'created')");
        if !include_declared {
            query.push(" AND e.state = 'created'");
        }
        window.push_search(query, "lower(e.name)");
    };
    paged(pool, window, restrict).await
}

/// Tables of every visible bucket, oldest first: names move, ids do not, so a walk is exact.
pub(in crate::catalog) const ALL_SORTS: [SortColumn; 1] =
    [SortColumn { name: "id", sql: "e.id", text: false }];

pub(in crate::catalog) async fn page_of_all(
    pool: &SqlitePool,
    window: &Window,
    visible: Option<&[lakeglass_api::BucketName]>,
    include_declared: bool,
) -> Result<(Vec<EntryRow>, u64), sqlx::Error> {
    let names = visible.map(|names| {
        let names: Vec<&str> = names.iter().map(lakeglass_api::BucketName::as_str).collect();
        serde_json::to_string(&names).unwrap_or_else(|_| "[]".to_owned())
    });
    let restrict = |query: &mut QueryBuilder<Sqlite>| {
        query.push(" WHERE e.state IN ('declared', 'created')");
        if !include_declared {
            query.push(" AND e.state = 'created'");
        }
        query.push(" AND e.bucket_id IN (SELECT id FROM buckets WHERE state = 'active'");
        if let Some(names) = &names {
            query.push(" AND name IN (SELECT value FROM json_each(").push_bind(names.clone()).push("))");
        }
        query.push(")");
        window.push_search(query, "lower(e.name)");
    };
    paged(pool, window, restrict).await
}

/// The window of the entries that a condition keeps, and how many it keeps in all.
pub(super) async fn paged(
    pool: &SqlitePool,
    window: &Window,
    restrict: impl Fn(&mut QueryBuilder<Sqlite>),
) -> Result<(Vec<EntryRow>, u64), sqlx::Error> {
    let mut counting = QueryBuilder::<Sqlite>::new("SELECT count(*) FROM entries e");
    restrict(&mut counting);
    let total: i64 = counting.build_query_scalar().fetch_one(pool).await?;

    let mut query = QueryBuilder::<Sqlite>::new(JOINED);
    restrict(&mut query);
    window.push(&mut query, "e.id");
    Ok((query.build_query_as().fetch_all(pool).await?, super::count(total)))
}

/// The entry that holds a name: declared, created, or still being created.
pub(in crate::catalog) async fn find(
    executor: impl sqlx::SqliteExecutor<'_>,
    bucket_id: i64,
    namespace: &str,
    name: &str,
) -> Result<Option<EntryRow>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!(
        "{JOINED} WHERE n.bucket_id = ? AND n.path = ? AND e.name = ?
         AND e.state IN ('creating', 'declared', 'created')"
    ));
    sqlx::query_as(sql).bind(bucket_id).bind(namespace).bind(name).fetch_optional(executor).await
}

/// In any state.
pub(in crate::catalog) async fn by_id(
    executor: impl sqlx::SqliteExecutor<'_>,
    id: i64,
) -> Result<Option<EntryRow>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!("{JOINED} WHERE e.id = ?"));
    sqlx::query_as(sql).bind(id).fetch_optional(executor).await
}

pub(in crate::catalog) async fn insert(
    connection: &mut SqliteConnection,
    entry: &NewEntry<'_>,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(
        "INSERT INTO entries (bucket_id, namespace_id, name, format, state, location, properties, created_at,
                              updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?8, ?8) RETURNING id",
    )
    .bind(entry.bucket_id)
    .bind(entry.namespace_id)
    .bind(entry.name)
    .bind(entry.format)
    .bind(entry.state)
    .bind(entry.location)
    .bind(entry.properties)
    .bind(entry.at)
    .fetch_one(connection)
    .await
}

/// Moves an entry between two states; false when it is not in the first.
pub(in crate::catalog) async fn set_state(
    connection: &mut SqliteConnection,
    id: i64,
    from: &str,
    to: &str,
    at: i64,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query("UPDATE entries SET state = ?, updated_at = ? WHERE id = ? AND state = ?")
        .bind(to)
        .bind(at)
        .bind(id)
        .bind(from)
        .execute(connection)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Notes a write: the entry is created, whatever it was declared as.
pub(in crate::catalog) async fn touch(
    connection: &mut SqliteConnection,
    id: i64,
    at: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE entries SET updated_at = ?, state = 'created' WHERE id = ? AND state IN ('declared', 'created')",
    )
    .bind(at)
    .bind(id)
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::catalog) async fn set_properties(
    connection: &mut SqliteConnection,
    id: i64,
    properties: &str,
    at: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE entries SET properties = ?, updated_at = ? WHERE id = ?")
        .bind(properties)
        .bind(at)
        .bind(id)
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::catalog) async fn set_protected(
    connection: &mut SqliteConnection,
    id: i64,
    protected: bool,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE entries SET protected = ? WHERE id = ?")
        .bind(protected)
        .bind(id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Gives an entry another name or namespace.
pub(in crate::catalog) async fn rename(
    connection: &mut SqliteConnection,
    id: i64,
    namespace_id: i64,
    name: &str,
    at: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE entries SET namespace_id = ?, name = ?, updated_at = ? WHERE id = ?")
        .bind(namespace_id)
        .bind(name)
        .bind(at)
        .bind(id)
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::catalog) async fn delete(
    connection: &mut SqliteConnection,
    id: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM intents WHERE entry_id = ?").bind(id).execute(&mut *connection).await?;
    sqlx::query("DELETE FROM entries WHERE id = ?").bind(id).execute(connection).await?;
    Ok(())
}
