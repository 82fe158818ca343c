//! Create, insert, describe, preview.

use lakeglass_api::description::Count;
use lakeglass_ports::{CreateMode, Error, InsertMode, VersionRef};

use super::support::{Fixture, ids, request, rows, stream, subject};

#[tokio::test]
async fn what_is_written_is_described_and_read_back() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    assert_eq!(fixture.tables.latest_version(&location).await.unwrap(), None);

    let made = fixture.tables.create(&location, stream(vec![rows(0, 30), rows(30, 50)]), CreateMode::Create);
    let made = made.await.unwrap();
    assert_eq!((made.version, made.rows), (1, 50));
    let added = fixture.tables.insert(&location, stream(vec![rows(50, 60)]), InsertMode::Append, None);
    assert_eq!(added.await.unwrap().version, 2);
    assert_eq!(fixture.tables.latest_version(&location).await.unwrap(), Some(2));

    let described = fixture.describer.describe(&subject(&location, VersionRef::Latest)).await.unwrap();
    let (cost, described) = (described.cost, described.answer);
    assert_eq!(described.version.as_deref(), Some("2"));
    assert_eq!(described.totals.rows, Some(Count::exact(60)));
    assert_eq!(described.totals.deleted_rows, Some(Count::exact(0)));
    assert_eq!(described.totals.files, Some(Count::exact(2)));
    assert_eq!(described.totals.versions, Some(Count::exact(2)));
    assert!(described.totals.bytes.unwrap().value > 0);
    let types: Vec<&str> = described.schema.iter().map(|field| field.type_name.as_str()).collect();
    assert_eq!(types, ["int64", "string", "fixed_size_list<float32, 3>"]);
    assert!(!described.schema[0].nullable && described.schema[1].nullable);
    assert!(cost.requests > 0);

    let page = fixture.preview(&location, request(55, 3)).await;
    assert_eq!(ids(&page.batches), [55, 56, 57]);
    assert!(page.more && page.cost.requests > 0 && page.cost.bytes > 0);
    let last = fixture.preview(&location, request(57, 3)).await;
    assert_eq!(ids(&last.batches), [57, 58, 59]);
    assert!(!last.more);
    let before = subject(&location, VersionRef::Version("1".to_owned()));
    let first = fixture.describer.preview(&before, &request(45, 200)).await.unwrap();
    assert_eq!(ids(&first.batches), [45, 46, 47, 48, 49]);
    assert_eq!(first.version.as_deref(), Some("1"));
}

#[tokio::test]
async fn creating_twice_is_refused_and_overwriting_keeps_the_version_before() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![rows(0, 5)]), CreateMode::Create).await.unwrap();
    let again = fixture.tables.create(&location, stream(vec![rows(0, 5)]), CreateMode::Create).await;
    assert!(matches!(again, Err(Error::AlreadyExists)), "{again:?}");
    let over =
        fixture.tables.create(&location, stream(vec![rows(7, 9)]), CreateMode::Overwrite).await.unwrap();
    assert_eq!((over.version, over.rows), (2, 2));
    assert_eq!(ids(&fixture.preview(&location, request(0, 9)).await.batches), [7, 8]);
    let count = |version: &str| {
        let at = VersionRef::Version(version.to_owned());
        let (tables, location) = (fixture.tables.clone(), location.clone());
        async move { tables.count_rows(&location, &at, None).await }
    };
    assert_eq!(count("1").await.unwrap(), 5);
    assert!(matches!(count("9").await, Err(Error::NoSuchVersion(_))));
}
