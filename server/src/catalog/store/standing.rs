//! The tables that stand out among all that someone may see.

use sqlx::sqlite::SqlitePool;
use sqlx::{QueryBuilder, Sqlite};

use super::entries::{EntryRow, JOINED};
use crate::catalog::Standing;

/// Tables that stand out, at most `limit`, of the visible buckets.
pub(in crate::catalog) async fn page(
    pool: &SqlitePool,
    which: Standing,
    visible: Option<&[lakeglass_api::BucketName]>,
    limit: u32,
) -> Result<Vec<EntryRow>, sqlx::Error> {
    let mut query = QueryBuilder::<Sqlite>::new(JOINED);
    query.push(" WHERE e.state IN ('declared', 'created') AND b.state = 'active'");
    if let Some(names) = visible {
        let names: Vec<&str> = names.iter().map(lakeglass_api::BucketName::as_str).collect();
        let names = serde_json::to_string(&names).unwrap_or_else(|_| "[]".to_owned());
        query.push(" AND b.name IN (SELECT value FROM json_each(").push_bind(names).push("))");
    }
    match which {
        Standing::Largest => {
            query.push(" AND e.byte_count IS NOT NULL ORDER BY e.byte_count DESC, e.id");
        }
        Standing::LookFailed => {
            query.push(" AND e.state = 'created' AND e.looked_at > ifnull(e.observed_at, 0)");
            query.push(" ORDER BY e.looked_at DESC, e.id");
        }
        Standing::ObservedBefore(at_ms) => {
            query.push(" AND e.state = 'created' AND ifnull(e.observed_at, -1) < ").push_bind(at_ms);
            query.push(" ORDER BY ifnull(e.observed_at, -1), e.id");
        }
    }
    query.push(" LIMIT ").push_bind(i64::from(limit));
    query.build_query_as().fetch_all(pool).await
}
