//! Statements about locations: which entry has a place, or one inside or around it.

use sqlx::SqliteConnection;

/// An entry found at, inside or around a location.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(in crate::catalog) struct Neighbour {
    pub(in crate::catalog) id: i64,
    pub(in crate::catalog) name: String,
    pub(in crate::catalog) state: String,
    pub(in crate::catalog) location: String,
}

/// Entries of a bucket, in any state, whose location is equal to, inside or around `location`.
/// `except`: an entry to leave out. At most two, enough to tell one from several.
pub(in crate::catalog) async fn overlapping(
    connection: &mut SqliteConnection,
    bucket_id: i64,
    location: &str,
    except: Option<i64>,
) -> Result<Vec<Neighbour>, sqlx::Error> {
    let around: Vec<&str> = location.match_indices('/').map(|(end, _)| &location[..end]).collect();
    let around = serde_json::to_string(&around).unwrap_or_else(|_| "[]".to_owned());
    // `0` follows `/`, so the range holds what begins with `location/`; all three use the index.
    sqlx::query_as(
        "SELECT id, name, state, location FROM entries WHERE bucket_id = ?1 AND id <> ?4 AND location = ?2
         UNION ALL
         SELECT id, name, state, location FROM entries WHERE bucket_id = ?1 AND id <> ?4
           AND location > ?2 || '/' AND location < ?2 || '0'
         UNION ALL
         SELECT id, name, state, location FROM entries WHERE bucket_id = ?1 AND id <> ?4
           AND location IN (SELECT value FROM json_each(?3))
         LIMIT 2",
    )
    .bind(bucket_id)
    .bind(location)
    .bind(around)
    .bind(except.unwrap_or(0))
    .fetch_all(connection)
    .await
}
