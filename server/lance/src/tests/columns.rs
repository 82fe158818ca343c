//! Columns added, altered and dropped, and metadata of schema and columns.

use std::collections::BTreeMap;

use arrow_schema::DataType;
use lakeglass_ports::{
    ColumnChange, ColumnSource, CreateMode, Error, FieldMetadataChange, NewColumn, TableLocation, VersionRef,
};

use super::support::{Fixture, rows, stream};

async fn table() -> (Fixture, TableLocation) {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![rows(0, 10)]), CreateMode::Create).await.unwrap();
    (fixture, location)
}

fn evaluated(name: &str, expression: &str) -> NewColumn {
    NewColumn { name: name.to_owned(), source: ColumnSource::Expression(expression.to_owned()) }
}

fn change(path: &str) -> ColumnChange {
    ColumnChange { path: path.to_owned(), rename: None, nullable: None, data_type: None }
}

async fn names(fixture: &Fixture, location: &TableLocation, at: &VersionRef) -> Vec<String> {
    let (_, schema, _) = fixture.tables.schema(location, at).await.unwrap();
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

#[tokio::test]
async fn columns_are_evaluated_over_the_rows_that_are_there() {
    let (fixture, location) = table().await;
    let tables = &fixture.tables;
    let added = [evaluated("twice", "id * 2"), evaluated("shout", "upper(name)")];
    assert_eq!(tables.add_columns(&location, &added, None).await.unwrap(), 2);
    assert_eq!(
        names(&fixture, &location, &VersionRef::Latest).await,
        ["id", "name", "vector", "twice", "shout"]
    );
    let count =
        tables.count_rows(&location, &VersionRef::Latest, Some("twice = id * 2 AND shout LIKE 'ROW %'"));
    assert_eq!(count.await.unwrap(), 10);
    for (bad, column) in [("no + 1", "no"), ("id + missing", "missing")] {
        let error = tables.add_columns(&location, &[evaluated("x", bad)], None).await.unwrap_err();
        assert!(matches!(&error, Error::NoSuchColumn(name) if name == column), "{error:?}");
    }
    for (name, expression) in [("id", "1"), ("x", "id +"), ("", "1")] {
        let error = tables.add_columns(&location, &[evaluated(name, expression)], None).await.unwrap_err();
        assert!(matches!(error, Error::InvalidRequest(_)), "{name} {expression}: {error:?}");
    }
    assert!(matches!(tables.add_columns(&location, &[], None).await, Err(Error::InvalidRequest(_))));
    assert_eq!(tables.latest_version(&location).await.unwrap(), Some(2));
}

#[tokio::test]
async fn columns_are_renamed_cast_and_made_nullable() {
    let (fixture, location) = table().await;
    let tables = &fixture.tables;
    let renamed = ColumnChange { rename: Some("title".to_owned()), ..change("name") };
    assert_eq!(tables.alter_columns(&location, &[renamed], None).await.unwrap(), 2);
    let cast = ColumnChange { data_type: Some(DataType::Int32), nullable: Some(true), ..change("id") };
    assert_eq!(tables.alter_columns(&location, &[cast], None).await.unwrap(), 3);
    let (_, schema, _) = tables.schema(&location, &VersionRef::Latest).await.unwrap();
    assert_eq!(schema.field_with_name("id").unwrap().data_type(), &DataType::Int32);
    assert!(schema.field_with_name("id").unwrap().is_nullable());
    assert_eq!(tables.count_rows(&location, &VersionRef::Latest, Some("title = 'row 7'")).await.unwrap(), 1);
    let fails =
        async |change: ColumnChange| tables.alter_columns(&location, &[change], None).await.unwrap_err();
    let error = fails(ColumnChange { rename: Some("x".to_owned()), ..change("no") }).await;
    assert!(matches!(&error, Error::NoSuchColumn(name) if name == "no"), "{error:?}");
    let error = fails(ColumnChange { data_type: Some(DataType::Float32), ..change("title") }).await;
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    let error = fails(change("id")).await;
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    assert_eq!(tables.latest_version(&location).await.unwrap(), Some(3));
}

#[tokio::test]
async fn dropped_columns_stay_in_older_versions() {
    let (fixture, location) = table().await;
    let tables = &fixture.tables;
    let dropped = tables.drop_columns(&location, &["name".to_owned(), "vector".to_owned()], None).await;
    assert_eq!(dropped.unwrap(), 2);
    assert_eq!(names(&fixture, &location, &VersionRef::Latest).await, ["id"]);
    let first = VersionRef::Version("1".to_owned());
    assert_eq!(names(&fixture, &location, &first).await, ["id", "name", "vector"]);
    let error = tables.drop_columns(&location, &["no".to_owned()], None).await.unwrap_err();
    assert!(matches!(&error, Error::NoSuchColumn(name) if name == "no"), "{error:?}");
    let error = tables.drop_columns(&location, &["id".to_owned()], None).await.unwrap_err();
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
}

#[tokio::test]
async fn columns_of_a_branch_are_its_own() {
    let (fixture, location) = table().await;
    let tables = &fixture.tables;
    let mut dataset = lance::Dataset::open(&location.uri).await.unwrap();
    dataset.create_branch("trial", 1, None).await.unwrap();
    tables.add_columns(&location, &[evaluated("x", "1")], Some("trial")).await.unwrap();
    let trial = VersionRef::Branch("trial".to_owned(), None);
    assert_eq!(names(&fixture, &location, &trial).await, ["id", "name", "vector", "x"]);
    assert_eq!(names(&fixture, &location, &VersionRef::Latest).await, ["id", "name", "vector"]);
    for missing in [
        tables.add_columns(&location, &[evaluated("x", "1")], Some("no")).await,
        tables.drop_columns(&location, &["name".to_owned()], Some("no")).await,
        tables
            .alter_columns(&location, &[ColumnChange { nullable: Some(true), ..change("id") }], Some("no"))
            .await,
    ] {
        assert!(matches!(&missing, Err(Error::NoSuchBranch(name)) if name == "no"), "{missing:?}");
    }
}

#[tokio::test]
async fn schema_metadata_is_replaced_as_a_whole() {
    let (fixture, location) = table().await;
    let tables = &fixture.tables;
    let pairs = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect::<BTreeMap<_, _>>()
    };
    let first = pairs(&[("owner", "ann"), ("stage", "raw")]);
    let (version, kept) = tables.replace_schema_metadata(&location, &first, None).await.unwrap();
    assert_eq!((version, kept), (2, first));
    let second = pairs(&[("owner", "bob")]);
    let (_, kept) = tables.replace_schema_metadata(&location, &second, None).await.unwrap();
    assert_eq!(kept, second);
    let (_, _, seen) = tables.schema(&location, &VersionRef::Latest).await.unwrap();
    assert_eq!(seen, second);
    let missing = tables.replace_schema_metadata(&location, &second, Some("no")).await;
    assert!(matches!(missing, Err(Error::NoSuchBranch(_))));
}

#[tokio::test]
async fn column_metadata_is_merged_removed_or_replaced() {
    let (fixture, location) = table().await;
    let tables = &fixture.tables;
    let update = async |path: &str, entries: &[(&str, Option<&str>)], replace: bool| {
        let entries =
            entries.iter().map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned))).collect();
        let change = FieldMetadataChange { path: path.to_owned(), entries, replace };
        tables.update_field_metadata(&location, &[change], None).await
    };
    let (version, kept) = update("name", &[("unit", Some("m")), ("lang", Some("en"))], false).await.unwrap();
    assert_eq!((version, kept["name"].len()), (2, 2));
    let (_, kept) = update("name", &[("unit", None), ("more", Some("x"))], false).await.unwrap();
    assert_eq!(kept["name"].keys().collect::<Vec<_>>(), ["lang", "more"]);
    let (_, kept) = update("name", &[("only", Some("this"))], true).await.unwrap();
    assert_eq!(kept["name"].keys().collect::<Vec<_>>(), ["only"]);
    let error = update("no", &[("a", Some("b"))], false).await.unwrap_err();
    assert!(matches!(&error, Error::NoSuchColumn(name) if name == "no"), "{error:?}");
}
