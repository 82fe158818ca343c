//! History, tags, branches, deletions, indices, concurrent writers and forgetting.

use std::sync::Arc;

use arrow_array::{RecordBatch, StringArray};
use futures::StreamExt;
use lakeglass_api::description::Count;
use lakeglass_ports::{BatchStream, CreateMode, Error, IndexRequest, InsertMode, VersionRef};

use super::support::{Fixture, ids, request, rows, stream, subject};

#[tokio::test]
async fn every_change_is_in_the_history_and_in_the_description() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    let tables = &fixture.tables;
    tables.create(&location, stream(vec![rows(0, 300)]), CreateMode::Create).await.unwrap();
    tables.create_tag(&location, "first", None, 1).await.unwrap();
    tables.create_index(&location, &IndexRequest::new("id", "BTREE"), None).await.unwrap();
    tables.create_index(&location, &IndexRequest::new("vector", "IVF_FLAT"), None).await.unwrap();
    let deleted = tables.delete(&location, "id >= 10 AND id < 15", None).await.unwrap();
    assert_eq!(deleted.rows, 5);
    tables.insert(&location, stream(vec![rows(300, 320)]), InsertMode::Append, None).await.unwrap();

    let latest = subject(&location, VersionRef::Latest);
    let described = fixture.describer.describe(&latest).await.unwrap().answer;
    assert_eq!(described.totals.rows, Some(Count::exact(315)));
    assert_eq!(described.totals.deleted_rows, Some(Count::exact(5)));
    assert_eq!(described.totals.versions, Some(Count::exact(5)));
    assert_eq!(described.references[0].name, "first");
    assert_eq!(described.references[0].version, "1");
    assert!(described.features.contains(&"deletion files".to_owned()), "{:?}", described.features);
    let found: Vec<_> = described
        .indices
        .iter()
        .map(|index| {
            (index.columns.join(","), index.kind.clone(), index.rows_covered, index.rows_not_covered)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("id".to_owned(), "BTree".to_owned(), Some(295), Some(20)),
            ("vector".to_owned(), "IVF_FLAT".to_owned(), Some(295), Some(20)),
        ]
    );

    let page = fixture.describer.history(&latest, None, 3).await.unwrap().answer;
    let seen: Vec<_> = page
        .versions
        .iter()
        .map(|version| (version.id.as_str(), version.operation.as_deref(), version.rows))
        .collect();
    assert_eq!(
        seen,
        [
            ("5", Some("Append"), Some(315)),
            ("4", Some("Delete"), Some(295)),
            ("3", Some("CreateIndex"), Some(300)),
        ]
    );
    assert!(
        page.versions.iter().all(|version| version.timestamp_ms.is_some_and(|at| at > 1_600_000_000_000))
    );
    assert_eq!((page.total, page.next.as_deref()), (Some(5), Some("3")));
    let rest = fixture.describer.history(&latest, page.next.as_deref(), 3).await.unwrap().answer;
    let seen: Vec<_> = rest.versions.iter().map(|version| version.id.as_str()).collect();
    assert_eq!((seen, rest.next), (vec!["2", "1"], None));
    assert_eq!(rest.versions[1].references[0].name, "first");
    assert!(matches!(fixture.describer.history(&latest, Some("x"), 3).await, Err(Error::InvalidRequest(_))));

    let tagged = subject(&location, VersionRef::Tag("first".to_owned()));
    let page = fixture.describer.preview(&tagged, &request(9, 3)).await.unwrap();
    assert_eq!((ids(&page.batches), page.version.as_deref()), (vec![9, 10, 11], Some("1")));
    let page = fixture.preview(&location, request(9, 3)).await;
    assert_eq!(ids(&page.batches), [9, 15, 16]);
    let absent = subject(&location, VersionRef::Tag("last".to_owned()));
    assert!(matches!(fixture.describer.preview(&absent, &request(0, 1)).await, Err(Error::NoSuchTag(_))));
}

#[tokio::test]
async fn branches_are_written_and_read_apart_and_a_missing_one_is_never_main() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![rows(0, 3)]), CreateMode::Create).await.unwrap();
    fixture.tables.create_branch(&location, "trial", None, Some(1)).await.unwrap();
    let add = |branch: &'static str| {
        fixture.tables.insert(&location, stream(vec![rows(3, 4)]), InsertMode::Append, Some(branch))
    };
    add("trial").await.unwrap();
    assert!(matches!(add("nowhere").await, Err(Error::NoSuchBranch(name)) if name == "nowhere"));
    let count = async |at: VersionRef| fixture.tables.count_rows(&location, &at, None).await;
    assert_eq!(count(VersionRef::Latest).await.unwrap(), 3);
    assert_eq!(count(VersionRef::Branch("trial".to_owned(), None)).await.unwrap(), 4);
    assert_eq!(count(VersionRef::Branch("main".to_owned(), None)).await.unwrap(), 3);
    assert!(matches!(count(VersionRef::Branch("no".to_owned(), None)).await, Err(Error::NoSuchBranch(_))));
    let described = fixture.describer.describe(&subject(&location, VersionRef::Latest)).await.unwrap().answer;
    let branch = &described.references[0];
    assert_eq!((branch.name.as_str(), branch.kind.as_str()), ("trial", "branch"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_appenders_lose_nothing() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![rows(0, 1)]), CreateMode::Create).await.unwrap();
    let writers = (0..8_i64).map(|writer| {
        let (tables, location) = (Arc::clone(&fixture.tables), location.clone());
        tokio::spawn(async move {
            for turn in 0..5_i64 {
                let from = 1 + (writer * 5 + turn) * 10;
                let batch = stream(vec![rows(from, from + 10)]);
                tables.insert(&location, batch, InsertMode::Append, None).await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let mut found = Vec::new();
    for offset in [0, 200, 400] {
        found.extend(ids(&fixture.preview(&location, request(offset, 200)).await.batches));
    }
    found.sort_unstable();
    assert_eq!(found, (0..401).collect::<Vec<_>>());
    assert_eq!(fixture.tables.latest_version(&location).await.unwrap(), Some(41));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_eight_creators_one_wins_and_its_rows_stay() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    let creators = (0..8_i64).map(|creator| {
        let (tables, location) = (Arc::clone(&fixture.tables), location.clone());
        tokio::spawn(async move {
            let batch = stream(vec![rows(creator * 10, creator * 10 + 3)]);
            (creator, tables.create(&location, batch, CreateMode::Create).await)
        })
    });
    let mut winners = Vec::new();
    for creator in creators.collect::<Vec<_>>() {
        match creator.await.unwrap() {
            (creator, Ok(written)) => winners.push((creator, written.version)),
            (_, Err(error)) => assert!(matches!(error, Error::AlreadyExists), "{error:?}"),
        }
    }
    let [(winner, 1)] = winners[..] else { panic!("{winners:?}") };
    let kept = ids(&fixture.preview(&location, request(0, 200)).await.batches);
    assert_eq!(kept, [winner * 10, winner * 10 + 1, winner * 10 + 2]);
    let files = std::fs::read_dir(fixture.folder.path().join("lake/t/data")).unwrap().count();
    assert_eq!(files, 1);
}

#[tokio::test]
async fn a_broken_stream_or_foreign_schema_changes_nothing() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![rows(0, 2)]), CreateMode::Create).await.unwrap();
    let good = rows(2, 4);
    let broken = BatchStream {
        schema: good.schema(),
        batches: futures::stream::iter([Ok(good), Err(Error::Quota("1 GiB of body".to_owned()))]).boxed(),
    };
    let failed = fixture.tables.insert(&location, broken, InsertMode::Append, None).await;
    assert!(matches!(failed, Err(Error::Quota(_))), "{failed:?}");
    let other = RecordBatch::try_from_iter([("other", Arc::new(StringArray::from(vec!["x"])) as _)]).unwrap();
    let failed = fixture.tables.insert(&location, stream(vec![other]), InsertMode::Append, None).await;
    assert!(matches!(failed, Err(Error::SchemaMismatch(_))), "{failed:?}");
    assert_eq!(fixture.tables.latest_version(&location).await.unwrap(), Some(1));

    let nowhere = fixture.at("nowhere");
    let failed = fixture.tables.insert(&nowhere, stream(vec![rows(0, 1)]), InsertMode::Append, None).await;
    assert!(matches!(failed, Err(Error::NotFound)), "{failed:?}");
    let empty = BatchStream { schema: rows(0, 1).schema(), batches: futures::stream::empty().boxed() };
    let made = fixture.tables.create(&fixture.at("empty"), empty, CreateMode::Create).await.unwrap();
    assert_eq!((made.version, made.rows), (1, 0));
    assert!(ids(&fixture.preview(&fixture.at("empty"), request(0, 5)).await.batches).is_empty());
}

#[tokio::test]
async fn another_table_at_the_same_place_is_seen_as_itself() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    for round in 0..3_i64 {
        let from = round * 100;
        let create = fixture.tables.create(&location, stream(vec![rows(from, from + 2)]), CreateMode::Create);
        create.await.unwrap();
        let insert = fixture.tables.insert(
            &location,
            stream(vec![rows(from + 2, from + 3)]),
            InsertMode::Append,
            None,
        );
        insert.await.unwrap();
        let seen = ids(&fixture.preview(&location, request(0, 10)).await.batches);
        assert_eq!(seen, [from, from + 1, from + 2]);
        std::fs::remove_dir_all(fixture.folder.path().join("lake/t")).unwrap();
        fixture.tables.forget(&location).await;
        assert_eq!(fixture.tables.latest_version(&location).await.unwrap(), None);
        let gone = fixture.describer.preview(&subject(&location, VersionRef::Latest), &request(0, 1)).await;
        assert!(matches!(gone, Err(Error::NotFound)), "{gone:?}");
    }
}

#[tokio::test]
async fn a_write_by_another_process_is_seen_at_once() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![rows(0, 2)]), CreateMode::Create).await.unwrap();
    assert_eq!(ids(&fixture.preview(&location, request(0, 10)).await.batches).len(), 2);
    let other = Fixture::new();
    other.tables.insert(&location, stream(vec![rows(2, 5)]), InsertMode::Append, None).await.unwrap();
    let page = fixture.preview(&location, request(0, 10)).await;
    assert_eq!((ids(&page.batches), page.version.as_deref()), ((0..5).collect(), Some("2")));
}
