//! Lists at a tenth of the size they must hold at; the full size with `LAKEGLASS_FULL_SIZES=1`.

use std::collections::HashSet;

use lakeglass_api::{ListQuery, NamespacePath};

use super::kit::Kit;

fn size() -> usize {
    if std::env::var_os("LAKEGLASS_FULL_SIZES").is_some() { 50_000 } else { 5_000 }
}

/// Makes the tables in one statement; going through the service would test the file system.
async fn fill(kit: &Kit, count: usize) {
    sqlx::query(
        "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
         INSERT INTO entries (bucket_id, namespace_id, name, format, state, location, properties, created_at,
                              updated_at, row_count, byte_count, observed_at)
         SELECT b.id, s.id, 'table_' || ((i * 7919) % 100003) || '_' || i, 'lance', 'created',
                'sales/table_' || i, '{}', i % 97, i % 89, nullif(i % 11, 0), i * 3, nullif(i % 5, 0)
         FROM n, buckets b JOIN namespaces s ON s.bucket_id = b.id",
    )
    .bind(i64::try_from(count).unwrap())
    .execute(&kit.app.db.write)
    .await
    .unwrap();
}

#[tokio::test]
async fn walks_visit_everything_once_in_order_while_others_write() {
    let kit = Kit::with_sales().await;
    let count = size();
    fill(&kit, count).await;
    let (bucket, path) = ("lake".parse().unwrap(), NamespacePath::from_dotted("sales").unwrap());
    for (sort, descending) in [
        ("name", false),
        ("rows", true),
        ("bytes", false),
        ("created", true),
        ("updated", false),
        ("observed", true),
    ] {
        let mut query =
            ListQuery { sort: Some(sort.into()), descending, limit: Some(500), ..ListQuery::default() };
        let (mut seen, mut last) = (HashSet::new(), None);
        loop {
            let page = kit.catalog().tables(&kit.admin, &bucket, &path, &query, true).await.unwrap();
            for table in &page.items {
                let fresh = seen.insert(table.name.to_string());
                assert!(fresh, "{sort}: {} came twice", table.name);
                let number = |value: Option<u64>| value.map_or(-1, |value| i64::try_from(value).unwrap());
                let key = match sort {
                    "rows" => number(table.rows),
                    "bytes" => number(table.bytes),
                    "created" => table.created_at_ms,
                    "updated" => table.updated_at_ms,
                    "observed" => table.observed_at_ms.unwrap_or(-1),
                    _ => 0,
                };
                if let Some((before_key, before_name)) = last.replace((key, table.name.to_string())) {
                    let name: &str = table.name.as_str();
                    let ordered = match (sort, descending) {
                        ("name", _) => before_name.as_str() < name,
                        (_, false) => before_key <= key,
                        (_, true) => before_key >= key,
                    };
                    assert!(ordered, "{sort}: {before_name} before {name}");
                }
            }
            // Someone else makes and removes tables between any two pages.
            let extra = format!("extra_{}", seen.len());
            sqlx::query(
                "INSERT INTO entries (bucket_id, namespace_id, name, format, state, location, properties,
                                      created_at, updated_at)
                 SELECT bucket_id, namespace_id, ?1, 'lance', 'created', ?1, '{}', 50, 50 FROM entries LIMIT 1",
            )
            .bind(extra)
            .execute(&kit.app.db.write)
            .await
            .unwrap();
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        let original = seen.iter().filter(|name| name.starts_with("table_")).count();
        assert_eq!(original, count, "{sort}");
        sqlx::query("DELETE FROM entries WHERE name LIKE 'extra_%'")
            .execute(&kit.app.db.write)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn searching_and_walking_all_tables() {
    let kit = Kit::with_sales().await;
    let count = size();
    fill(&kit, count).await;
    let (bucket, path) = ("lake".parse().unwrap(), NamespacePath::from_dotted("sales").unwrap());
    let query = ListQuery { search: Some("TABLE_0_".into()), ..ListQuery::default() };
    let page = kit.catalog().tables(&kit.admin, &bucket, &path, &query, true).await.unwrap();
    assert_eq!(page.total, Some(page.items.len() as u64));
    assert!(
        page.items.iter().all(|table| table.name.as_str().contains("table_0_")) && !page.items.is_empty()
    );

    let mut query = ListQuery { limit: Some(500), ..ListQuery::default() };
    let mut seen = HashSet::new();
    loop {
        let page = kit.catalog().all_tables(&kit.admin, &query, true).await.unwrap();
        assert_eq!(page.total, Some(count as u64));
        seen.extend(page.items.into_iter().map(|table| table.table.to_string()));
        query.after = page.next;
        if query.after.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), count);
    let bucket = kit.catalog().bucket(&kit.admin, &bucket).await.unwrap();
    assert_eq!(bucket.tables, count as u64);
}

#[tokio::test]
async fn pages_come_from_an_index_and_sort_nothing() {
    let kit = Kit::with_sales().await;
    fill(&kit, 500).await;
    sqlx::query("ANALYZE").execute(&kit.app.db.write).await.unwrap();
    for column in crate::catalog::store::entries::SORTS {
        for (direction, comparison) in [("ASC", ">"), ("DESC", "<")] {
            let sql = format!(
                "EXPLAIN QUERY PLAN {} WHERE e.namespace_id = 1 AND e.state IN ('declared', 'created')
                 AND ({sql}, e.id) {comparison} (5, 5) ORDER BY {sql} {direction}, e.id {direction} LIMIT 51",
                crate::catalog::store::entries::JOINED,
                sql = column.sql,
            );
            let plan: Vec<(i64, i64, i64, String)> =
                sqlx::query_as(sqlx::AssertSqlSafe(sql)).fetch_all(&kit.app.db.read).await.unwrap();
            let text: Vec<_> = plan.into_iter().map(|row| row.3).collect();
            let text = text.join("\n");
            assert!(!text.contains("TEMP B-TREE"), "{}: {text}", column.name);
            assert!(text.contains("entries_"), "{}: {text}", column.name);
        }
    }
}
