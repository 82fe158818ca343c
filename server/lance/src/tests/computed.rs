//! Computed columns: declared with an expression, filled later, and again after rows were added.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::DataType;
use lakeglass_ports::{
    ColumnSource, CreateMode, Error, InsertMode, NewColumn, Result, TableLocation, VersionRef,
};

use super::support::{Fixture, rows, stream};

fn computed(name: &str, expression: &str) -> NewColumn {
    NewColumn { name: name.to_owned(), source: ColumnSource::Computed(expression.to_owned()) }
}

async fn table() -> (Fixture, TableLocation) {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![rows(0, 10)]), CreateMode::Create).await.unwrap();
    (fixture, location)
}

#[tokio::test]
async fn a_computed_column_is_empty_until_it_is_filled_and_filled_where_it_is_empty() {
    let (fixture, location) = table().await;
    let tables = &fixture.tables;
    let version = tables.add_columns(&location, &[computed("twice", "id * 2")], None).await.unwrap();
    assert_eq!(version, 2);
    let count = async |predicate: &str| {
        tables.count_rows(&location, &VersionRef::Latest, Some(predicate)).await.unwrap()
    };
    assert_eq!(count("twice IS NULL").await, 10);
    let (_, schema, _) = tables.schema(&location, &VersionRef::Latest).await.unwrap();
    let field = schema.field_with_name("twice").unwrap();
    assert_eq!((field.data_type(), field.is_nullable()), (&DataType::Int64, true));
    // The keys by which LanceDB declares its own.
    let metadata: BTreeMap<&str, &str> =
        field.metadata().iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(metadata["computed_column"], "true");
    assert_eq!(metadata["computed_column.kind"], "sql");
    assert_eq!(metadata["computed_column.expression"], "id * 2");
    assert_eq!(metadata["computed_column.inputs"], r#"["id"]"#);

    assert_eq!(tables.computed_expression(&location, "twice", None).await.unwrap(), "id * 2");
    let some = tables.backfill(&location, "twice", Some("id < 3"), None).await.unwrap();
    assert_eq!((some.version, some.rows), (3, 3));
    let rest = tables.backfill(&location, "twice", None, None).await.unwrap();
    assert_eq!(rest.rows, 7);
    assert_eq!(count("twice = id * 2").await, 10);

    let more = rows(10, 12);
    tables.insert(&location, stream(vec![more]), InsertMode::Append, None).await.unwrap();
    assert_eq!(count("twice IS NULL").await, 2);
    assert_eq!(tables.backfill(&location, "twice", None, None).await.unwrap().rows, 2);
    assert_eq!(count("twice = id * 2").await, 12);
}

#[tokio::test]
async fn what_cannot_be_computed_is_refused() {
    let (fixture, location) = table().await;
    let tables = Arc::clone(&fixture.tables);
    let add =
        async |columns: &[NewColumn]| -> Result<u64> { tables.add_columns(&location, columns, None).await };
    let error = add(&[computed("x", "no + 1")]).await.unwrap_err();
    assert!(matches!(&error, Error::NoSuchColumn(name) if name == "no"), "{error:?}");
    let error = add(&[computed("x", "id +")]).await.unwrap_err();
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    let error = add(&[computed("x", "random()")]).await.unwrap_err();
    assert!(matches!(error, Error::InvalidRequest(_) | Error::Unsupported(_)), "{error:?}");
    let plain = NewColumn { name: "y".to_owned(), source: ColumnSource::Expression("1".to_owned()) };
    let error = add(&[computed("x", "id"), plain]).await.unwrap_err();
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    let error = tables.computed_expression(&location, "name", None).await.unwrap_err();
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    let error = tables.backfill(&location, "no", None, None).await.unwrap_err();
    assert!(matches!(error, Error::NoSuchColumn(_)), "{error:?}");
    let error = tables.backfill(&location, "name", None, Some("no")).await.unwrap_err();
    assert!(matches!(error, Error::NoSuchBranch(_)), "{error:?}");
}
