//! Rows merged by key: every clause, composite keys, time-outs, branches, writers beside each other.

use std::sync::Arc;
use std::time::Duration;

use arrow_array::{Int64Array, RecordBatch, StringArray};
use futures::StreamExt;
use lakeglass_ports::{
    BatchStream, CreateMode, Error, IndexRequest, Merge, Merged, Result, TableLocation, VersionRef,
    WhenMatched, WhenNotMatchedBySource,
};

use super::support::{Fixture, stream};

/// A region, a number in it, and a value; as many rows as values.
fn sales(rows: &[(&str, i64, i64)]) -> RecordBatch {
    let regions = StringArray::from_iter_values(rows.iter().map(|row| row.0));
    let numbers = Int64Array::from_iter_values(rows.iter().map(|row| row.1));
    let values = Int64Array::from_iter_values(rows.iter().map(|row| row.2));
    RecordBatch::try_from_iter([
        ("region", Arc::new(regions) as _),
        ("number", Arc::new(numbers) as _),
        ("value", Arc::new(values) as _),
    ])
    .unwrap()
}

/// North 1 and 2, south 1, with the values 10, 20 and 30.
async fn table() -> (Fixture, TableLocation) {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    let batch = sales(&[("north", 1, 10), ("north", 2, 20), ("south", 1, 30)]);
    fixture.tables.create(&location, stream(vec![batch]), CreateMode::Create).await.unwrap();
    (fixture, location)
}

/// An upsert on region and number.
fn upsert() -> Merge {
    Merge {
        on: vec!["region".to_owned(), "number".to_owned()],
        when_matched: WhenMatched::Update,
        insert_not_matched: true,
        when_not_matched_by_source: WhenNotMatchedBySource::Keep,
        timeout: None,
        use_index: true,
    }
}

async fn merge(fixture: &Fixture, at: &TableLocation, merge: &Merge, batch: RecordBatch) -> Result<Merged> {
    fixture.tables.merge(at, stream(vec![batch]), merge, None).await
}

async fn count(fixture: &Fixture, location: &TableLocation, predicate: &str) -> u64 {
    fixture.tables.count_rows(location, &VersionRef::Latest, Some(predicate)).await.unwrap()
}

fn counts(merged: &Merged) -> (u64, u64, u64) {
    (merged.inserted, merged.updated, merged.deleted)
}

#[tokio::test]
async fn a_composite_key_matches_only_as_a_whole() {
    let (fixture, location) = table().await;
    let sent = sales(&[("north", 1, 11), ("south", 2, 40)]);
    let merged = merge(&fixture, &location, &upsert(), sent).await.unwrap();
    assert_eq!((counts(&merged), merged.version), ((1, 1, 0), 2));
    assert_eq!(count(&fixture, &location, "value IN (11, 20, 30, 40)").await, 4);
    // The key's columns as one parameter, as some clients send lists.
    let joined = Merge { on: vec!["region,number".to_owned()], ..upsert() };
    let merged = merge(&fixture, &location, &joined, sales(&[("south", 2, 41)])).await.unwrap();
    assert_eq!(counts(&merged), (0, 1, 0));
}

#[tokio::test]
async fn every_clause_does_what_it_says() {
    let (fixture, location) = table().await;
    let sent = || sales(&[("north", 1, 5), ("north", 2, 25), ("west", 1, 1)]);
    let only_larger =
        Merge { when_matched: WhenMatched::UpdateIf("source.value > target.value".to_owned()), ..upsert() };
    let only_larger = Merge { insert_not_matched: false, ..only_larger };
    let merged = merge(&fixture, &location, &only_larger, sent()).await.unwrap();
    assert_eq!(counts(&merged), (0, 1, 0));
    assert_eq!(count(&fixture, &location, "value IN (10, 25, 30)").await, 3);

    let find_or_create = Merge { when_matched: WhenMatched::Keep, ..upsert() };
    let merged = merge(&fixture, &location, &find_or_create, sent()).await.unwrap();
    assert_eq!(counts(&merged), (1, 0, 0));
    assert_eq!(count(&fixture, &location, "value = 10").await, 1);

    let replace_north = Merge {
        when_not_matched_by_source: WhenNotMatchedBySource::DeleteIf("region = 'north'".to_owned()),
        ..upsert()
    };
    let merged = merge(&fixture, &location, &replace_north, sales(&[("north", 3, 33)])).await.unwrap();
    assert_eq!(counts(&merged), (1, 0, 2));
    assert_eq!(count(&fixture, &location, "region = 'north'").await, 1);
    assert_eq!(count(&fixture, &location, "region <> 'north'").await, 2);

    let replace_all = Merge { when_not_matched_by_source: WhenNotMatchedBySource::Delete, ..upsert() };
    let merged = merge(&fixture, &location, &replace_all, sales(&[("south", 1, 31)])).await.unwrap();
    assert_eq!(counts(&merged), (0, 1, 2));
    assert_eq!(count(&fixture, &location, "true").await, 1);
}

#[tokio::test]
async fn an_index_on_the_key_changes_nothing_but_the_way() {
    let (fixture, location) = table().await;
    let request = IndexRequest::new("number", "BTREE");
    fixture.tables.create_index(&location, &request, None).await.unwrap();
    for (use_index, value) in [(true, 12), (false, 13)] {
        let merge_by = Merge { use_index, ..upsert() };
        let merged = merge(&fixture, &location, &merge_by, sales(&[("north", 1, value)])).await.unwrap();
        assert_eq!(counts(&merged), (0, 1, 0));
        assert_eq!(count(&fixture, &location, &format!("value = {value}")).await, 1);
    }
}

#[tokio::test]
async fn what_cannot_be_merged_says_why_and_changes_nothing() {
    let (fixture, location) = table().await;
    let sent = || sales(&[("north", 1, 5)]);
    let fails = async |merge_by: Merge, batch: RecordBatch| {
        merge(&fixture, &location, &merge_by, batch).await.unwrap_err()
    };
    let error = fails(Merge { on: vec!["no".to_owned()], ..upsert() }, sent()).await;
    assert!(matches!(&error, Error::NoSuchColumn(name) if name == "no"), "{error:?}");
    let error = fails(Merge { on: Vec::new(), ..upsert() }, sent()).await;
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    let nothing = Merge { when_matched: WhenMatched::Keep, insert_not_matched: false, ..upsert() };
    let error = fails(nothing, sent()).await;
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    let odd = Merge { when_matched: WhenMatched::UpdateIf("source.no > 1".to_owned()), ..upsert() };
    let error = fails(odd, sent()).await;
    assert!(matches!(error, Error::NoSuchColumn(_) | Error::InvalidRequest(_)), "{error:?}");
    let odd = WhenNotMatchedBySource::DeleteIf("region >".to_owned());
    let error = fails(Merge { when_not_matched_by_source: odd, ..upsert() }, sent()).await;
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    let twice = sales(&[("north", 1, 5), ("north", 1, 6)]);
    let error = fails(upsert(), twice).await;
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    let foreign = RecordBatch::try_from_iter([("other", Arc::new(Int64Array::from(vec![1])) as _)]).unwrap();
    let error = fails(upsert(), foreign).await;
    assert!(
        matches!(error, Error::SchemaMismatch(_) | Error::InvalidRequest(_) | Error::NoSuchColumn(_)),
        "{error:?}"
    );
    let broken = BatchStream {
        schema: sent().schema(),
        batches: futures::stream::iter([Ok(sent()), Err(Error::Quota("1 GiB of body".to_owned()))]).boxed(),
    };
    let error = fixture.tables.merge(&location, broken, &upsert(), None).await.unwrap_err();
    assert!(matches!(error, Error::Quota(_)), "{error:?}");
    assert_eq!(fixture.tables.latest_version(&location).await.unwrap(), Some(1));
}

#[tokio::test]
async fn a_merge_that_runs_out_of_time_changes_nothing() {
    let (fixture, location) = table().await;
    let slow = BatchStream {
        schema: sales(&[]).schema(),
        batches: futures::stream::iter([Ok(sales(&[("north", 1, 5)]))])
            .chain(futures::stream::pending())
            .boxed(),
    };
    let hurried = Merge { timeout: Some(Duration::from_millis(200)), ..upsert() };
    let error = fixture.tables.merge(&location, slow, &hurried, None).await.unwrap_err();
    assert!(matches!(error, Error::TimedOut(1)), "{error:?}");
    assert_eq!(fixture.tables.latest_version(&location).await.unwrap(), Some(1));
    let patient = Merge { timeout: Some(Duration::from_mins(1)), ..upsert() };
    let merged = merge(&fixture, &location, &patient, sales(&[("north", 1, 5)])).await.unwrap();
    assert_eq!(merged.version, 2);
}

#[tokio::test]
async fn a_branch_is_merged_into_apart_and_a_missing_one_is_refused_before_any_row() {
    let (fixture, location) = table().await;
    let mut dataset = lance::Dataset::open(&location.uri).await.unwrap();
    dataset.create_branch("trial", 1, None).await.unwrap();
    let sent = || stream(vec![sales(&[("north", 1, 5), ("west", 1, 1)])]);
    let merged = fixture.tables.merge(&location, sent(), &upsert(), Some("trial")).await.unwrap();
    assert_eq!(counts(&merged), (1, 1, 0));
    assert_eq!(count(&fixture, &location, "value = 10").await, 1);
    let trial = VersionRef::Branch("trial".to_owned(), None);
    assert_eq!(fixture.tables.count_rows(&location, &trial, None).await.unwrap(), 4);
    let unread = BatchStream { schema: sales(&[]).schema(), batches: futures::stream::pending().boxed() };
    let missing = fixture.tables.merge(&location, unread, &upsert(), Some("nowhere")).await;
    assert!(matches!(missing, Err(Error::NoSuchBranch(name)) if name == "nowhere"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mergers_of_the_same_rows_and_new_ones_lose_nothing() {
    let (fixture, location) = table().await;
    let elsewhere = Fixture::new();
    let mergers = (0..12_i64).map(|merger| {
        let engine = if merger % 3 == 0 { &elsewhere } else { &fixture };
        let (tables, location) = (Arc::clone(&engine.tables), location.clone());
        tokio::spawn(async move {
            let rows = stream(vec![sales(&[("south", 1, 100 + merger), ("new", merger, merger)])]);
            tables.merge(&location, rows, &upsert(), None).await.unwrap()
        })
    });
    for merger in mergers.collect::<Vec<_>>() {
        assert_eq!(counts(&merger.await.unwrap()), (1, 1, 0));
    }
    assert_eq!(count(&fixture, &location, "region = 'new'").await, 12);
    assert_eq!(count(&fixture, &location, "region = 'south' AND value >= 100").await, 1);
    assert_eq!(count(&fixture, &location, "true").await, 15);
}

#[tokio::test]
async fn rows_beyond_memory_are_spooled_and_nothing_is_left_behind() {
    let (fixture, location) = table().await;
    // Some 130 MiB of text in 17 batches; a spool holds half of it in memory.
    let wide = |from: i64| {
        let names = StringArray::from_iter_values((0..1024).map(|at| format!("{:8192}", from + at)));
        let numbers = Int64Array::from_iter_values(from..from + 1024);
        let values = Int64Array::from_iter_values(0..1024);
        RecordBatch::try_from_iter([
            ("region", Arc::new(names) as _),
            ("number", Arc::new(numbers) as _),
            ("value", Arc::new(values) as _),
        ])
        .unwrap()
    };
    let schema = sales(&[]).schema();
    let batches = futures::stream::iter(0..17).map(move |at| Ok(wide(at * 1024))).boxed();
    let merged =
        fixture.tables.merge(&location, BatchStream { schema, batches }, &upsert(), None).await.unwrap();
    assert_eq!(counts(&merged), (17 * 1024, 0, 0));
    assert_eq!(count(&fixture, &location, "number >= 0").await, 17 * 1024 + 3);
}
