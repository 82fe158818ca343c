//! Rows updated and deleted, on main and on branches, among other writers.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use lakeglass_ports::{CreateMode, Error, InsertMode, TableLocation, VersionRef};

use super::support::{Fixture, ids, request, rows, stream, subject};

async fn table() -> (Fixture, TableLocation) {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![rows(0, 100)]), CreateMode::Create).await.unwrap();
    (fixture, location)
}

fn set(column: &str, expression: &str) -> (String, String) {
    (column.to_owned(), expression.to_owned())
}

#[tokio::test]
async fn expressions_are_set_where_the_predicate_holds_and_counted() {
    let (fixture, location) = table().await;
    let tables = &fixture.tables;
    let updates = [set("name", "concat('new ', name)"), set("id", "id + 1000")];
    let written = tables.update(&location, &updates, Some("id < 3"), None).await.unwrap();
    assert_eq!((written.version, written.rows), (2, 3));
    let count = async |predicate: &str| {
        tables.count_rows(&location, &VersionRef::Latest, Some(predicate)).await.unwrap()
    };
    assert_eq!(count("id >= 1000 AND name LIKE 'new row %'").await, 3);
    assert_eq!(count("id < 3").await, 0);
    assert_eq!(
        tables.count_rows(&location, &VersionRef::Version("1".into()), Some("id < 3")).await.unwrap(),
        3
    );
    let all = tables.update(&location, &[set("name", "'x'")], None, None).await.unwrap();
    assert_eq!(all.rows, 100);
    assert_eq!(count("name = 'x'").await, 100);
    let none = tables.update(&location, &[set("name", "'y'")], Some("id = -1"), None).await.unwrap();
    assert_eq!(none.rows, 0);
    assert_eq!(count("name = 'x'").await, 100);
}

#[tokio::test]
async fn what_cannot_be_updated_or_deleted_says_why_and_changes_nothing() {
    let (fixture, location) = table().await;
    let tables = &fixture.tables;
    let update = async |updates: &[(String, String)], predicate: Option<&str>| {
        tables.update(&location, updates, predicate, None).await.unwrap_err()
    };
    assert!(matches!(update(&[set("no", "1")], None).await, Error::NoSuchColumn(name) if name == "no"));
    assert!(matches!(update(&[set("id", "no + 1")], None).await, Error::NoSuchColumn(name) if name == "no"));
    assert!(
        matches!(update(&[set("id", "1")], Some("no = 1")).await, Error::NoSuchColumn(name) if name == "no")
    );
    for bad in ["id +", "drop table t", "1 / 0"] {
        let error = update(&[set("id", bad)], None).await;
        assert!(matches!(error, Error::InvalidRequest(_)), "{bad}: {error:?}");
    }
    let error = update(&[], None).await;
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    let error = update(&[set("id", "'word'")], None).await;
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    let error = tables.delete(&location, "no = 1", None).await.unwrap_err();
    assert!(matches!(&error, Error::NoSuchColumn(name) if name == "no"), "{error:?}");
    let error = tables.delete(&location, "id ==== 1", None).await.unwrap_err();
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    let nowhere = fixture.at("nowhere");
    assert!(matches!(tables.delete(&nowhere, "true", None).await, Err(Error::NotFound)));
    assert_eq!(tables.latest_version(&location).await.unwrap(), Some(1));
}

#[tokio::test]
async fn a_branch_is_changed_apart_and_a_missing_one_is_never_main() {
    let (fixture, location) = table().await;
    let tables = &fixture.tables;
    let mut dataset = lance::Dataset::open(&location.uri).await.unwrap();
    dataset.create_branch("trial", 1, None).await.unwrap();
    let on_trial = || VersionRef::Branch("trial".to_owned(), None);
    let deleted = tables.delete(&location, "id >= 10", Some("trial")).await.unwrap();
    assert_eq!(deleted.rows, 90);
    let updated = tables.update(&location, &[set("name", "'t'")], None, Some("trial")).await.unwrap();
    assert_eq!(updated.rows, 10);
    assert_eq!(tables.count_rows(&location, &on_trial(), Some("name = 't'")).await.unwrap(), 10);
    assert_eq!(tables.count_rows(&location, &VersionRef::Latest, Some("name = 't'")).await.unwrap(), 0);
    assert_eq!(tables.count_rows(&location, &VersionRef::Latest, None).await.unwrap(), 100);
    let missing = tables.delete(&location, "true", Some("nowhere")).await;
    assert!(matches!(missing, Err(Error::NoSuchBranch(name)) if name == "nowhere"));
    let missing = tables.update(&location, &[set("id", "1")], None, Some("nowhere")).await;
    assert!(matches!(missing, Err(Error::NoSuchBranch(_))));
    assert_eq!(tables.latest_version(&location).await.unwrap(), Some(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixteen_writers_of_one_row_and_appenders_beside_them_lose_nothing() {
    let (fixture, location) = table().await;
    // Rows and counters of one table, from two engines that know nothing of each other.
    let elsewhere = Fixture::new();
    let writers = (0..16_i64).map(|writer| {
        let engine = if writer % 4 == 0 { &elsewhere } else { &fixture };
        let (tables, location) = (Arc::clone(&engine.tables), location.clone());
        tokio::spawn(async move {
            if writer % 2 == 1 {
                let batch = stream(vec![rows(1000 + writer, 1001 + writer)]);
                tables.insert(&location, batch, InsertMode::Append, None).await.unwrap();
            }
            let updates = [set("name", "concat(name, '+')")];
            tables.update(&location, &updates, Some("id = 7"), None).await.unwrap()
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        assert_eq!(writer.await.unwrap().rows, 1);
    }
    let tables = &fixture.tables;
    assert_eq!(tables.count_rows(&location, &VersionRef::Latest, None).await.unwrap(), 108);
    let wanted = format!("name = 'row 7{}'", "+".repeat(16));
    assert_eq!(tables.count_rows(&location, &VersionRef::Latest, Some(&wanted)).await.unwrap(), 1);
}

#[tokio::test]
async fn a_reader_sees_each_change_at_once() {
    let (fixture, location) = table().await;
    fixture.tables.delete(&location, "id > 1", None).await.unwrap();
    let page = fixture.preview(&location, request(0, 10)).await;
    assert_eq!(ids(&page.batches), [0, 1]);
    fixture.tables.update(&location, &[set("name", "NULL")], Some("id = 0"), None).await.unwrap();
    let latest = subject(&location, VersionRef::Latest);
    let page = fixture.describer.preview(&latest, &request(0, 10)).await.unwrap();
    let nulls: usize = page
        .batches
        .iter()
        .map(|batch| batch["name"].as_string::<i32>().iter().filter(Option::is_none).count())
        .sum();
    assert_eq!(nulls, 1);
}
