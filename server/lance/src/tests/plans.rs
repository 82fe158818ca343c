//! Structured full-text queries, plans of queries, and tables in numbers.

use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch, StringArray};
use lakeglass_ports::{
    CreateMode, Error, FullText, IndexRequest, InsertMode, TableLocation, TableQuery, TextMatch, TextQuery,
    VersionRef,
};
use lance::index::DatasetIndexExt;
use lance_index::IndexType;
use lance_index::scalar::InvertedIndexParams;

use super::queries::{near, plain};
use super::support::{Fixture, collect, ids, rows, stream};

const TEXTS: [(&str, &str); 5] = [
    ("the quick brown fox", "animals"),
    ("the slow brown dog", "animals"),
    ("quick answers", "advice"),
    ("brown quick paint", "colours"),
    ("nothing of note", "brown"),
];

/// Five texts with titles, both indexed with positions.
async fn texts() -> (Fixture, TableLocation) {
    let fixture = Fixture::new();
    let location = fixture.at("texts");
    let batch = RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from_iter_values(0..5)) as _),
        ("text", Arc::new(StringArray::from_iter_values(TEXTS.map(|one| one.0))) as _),
        ("title", Arc::new(StringArray::from_iter_values(TEXTS.map(|one| one.1))) as _),
    ])
    .unwrap();
    fixture.tables.create(&location, stream(vec![batch]), CreateMode::Create).await.unwrap();
    let mut dataset = lance::Dataset::open(&location.uri).await.unwrap();
    let positions = InvertedIndexParams::default().with_position(true);
    for column in ["text", "title"] {
        dataset.create_index(&[column], IndexType::Inverted, None, &positions, false).await.unwrap();
    }
    (fixture, location)
}

fn one(terms: &str, column: &str) -> TextMatch {
    TextMatch::new(terms, Some(column.to_owned()))
}

fn asked(query: TextQuery) -> TableQuery {
    TableQuery { full_text: Some(FullText { query, columns: Vec::new() }), ..plain() }
}

/// Ids in the order of their scores.
async fn found(fixture: &Fixture, location: &TableLocation, query: TextQuery) -> Vec<i64> {
    ids(&collect(fixture.tables.query(location, asked(query)).await.unwrap()).await)
}

fn sorted(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn every_structure_finds_its_rows() {
    let (fixture, location) = texts().await;
    let ask = async |query: TextQuery| found(&fixture, &location, query).await;
    let matching = |one: TextMatch| TextQuery::Match(one);
    assert_eq!(sorted(ask(matching(one("quick brown", "text"))).await), [0, 1, 2, 3]);
    let both = TextMatch { all_terms: true, ..one("quick brown", "text") };
    assert_eq!(sorted(ask(matching(both)).await), [0, 3]);
    let fuzzy = TextMatch { fuzziness: Some(1), ..one("quik", "text") };
    assert_eq!(sorted(ask(matching(fuzzy)).await), [0, 2, 3]);
    assert!(ask(matching(one("quik", "text"))).await.is_empty());

    let phrase = TextQuery::Phrase { terms: "quick brown".into(), column: Some("text".into()), slop: 0 };
    assert_eq!(ask(phrase).await, [0]);

    let several = TextQuery::MultiMatch(vec![one("brown", "text"), one("brown", "title")]);
    assert_eq!(sorted(ask(several).await), [0, 1, 3, 4]);

    let boolean = TextQuery::Boolean {
        must: vec![matching(one("brown", "text"))],
        should: vec![],
        must_not: vec![matching(one("quick", "text"))],
    };
    assert_eq!(ask(boolean).await, [1]);

    let boosted = TextQuery::Boost {
        positive: Box::new(matching(one("quick", "text"))),
        negative: Box::new(matching(one("answers", "text"))),
        negative_boost: 5.0,
    };
    let order = ask(boosted).await;
    assert_eq!((sorted(order.clone()), order.last()), (vec![0, 2, 3], Some(&2)));
}

#[tokio::test]
async fn parts_without_a_column_look_in_the_ones_given() {
    let (fixture, location) = texts().await;
    let query = TextQuery::Match(TextMatch::new("brown", None));
    let only = TableQuery {
        full_text: Some(FullText { query: query.clone(), columns: vec!["title".to_owned()] }),
        ..plain()
    };
    assert_eq!(ids(&collect(fixture.tables.query(&location, only).await.unwrap()).await), [4]);
    assert_eq!(sorted(found(&fixture, &location, query).await), [0, 1, 3, 4]);
    let filtered = TableQuery {
        filter: Some("id > 0".to_owned()),
        prefilter: true,
        limit: Some(10),
        ..asked(TextQuery::Match(one("brown", "text")))
    };
    assert_eq!(sorted(ids(&collect(fixture.tables.query(&location, filtered).await.unwrap()).await)), [1, 3]);
}

#[tokio::test]
async fn what_is_no_text_query_is_refused() {
    let (fixture, location) = texts().await;
    let mut deep = TextQuery::Match(one("brown", "text"));
    for _ in 0..40 {
        deep = TextQuery::Boolean { must: vec![deep], should: Vec::new(), must_not: Vec::new() };
    }
    let empty = TextQuery::Boolean { must: Vec::new(), should: Vec::new(), must_not: Vec::new() };
    let odd = TextQuery::Match(TextMatch { boost: f32::NAN, ..one("brown", "text") });
    for query in [deep, empty, odd, TextQuery::MultiMatch(Vec::new())] {
        let error = fixture.tables.query(&location, asked(query)).await.unwrap_err();
        assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    }
}

#[tokio::test]
async fn plans_tell_how_vectors_texts_and_filters_are_searched() {
    let (fixture, location) = texts().await;
    let tables = &fixture.tables;
    let text = asked(TextQuery::Match(one("brown", "text")));
    let plan = tables.explain(&location, &text, false).await.unwrap();
    assert!(plan.contains("MatchQuery"), "{plan}");
    let analyzed = tables.analyze(&location, &text).await.unwrap();
    assert!(analyzed.contains("MatchQuery") && analyzed.contains("output_rows"), "{analyzed}");

    let vectors = fixture.at("vectors");
    tables.create(&vectors, stream(vec![rows(0, 100)]), CreateMode::Create).await.unwrap();
    let nearest = TableQuery {
        vector: Some(near(vec![vec![1.0, 1.0, 1.0]])),
        filter: Some("id > 5".to_owned()),
        limit: Some(3),
        ..plain()
    };
    let plan = tables.explain(&vectors, &nearest, true).await.unwrap();
    assert!(plan.contains("KNN") && plan.contains("id@3 > 5"), "{plan}");
    let analyzed = tables.analyze(&vectors, &nearest).await.unwrap();
    assert!(analyzed.contains("KNN"), "{analyzed}");
    let folder = fixture.folder.path().display().to_string();
    let place = folder.trim_start_matches('/');
    let reading = tables.explain(&vectors, &plain(), true).await.unwrap();
    for plan in [plan, analyzed, reading] {
        assert!(!plan.contains(place), "{plan}");
    }
    let odd = TableQuery { filter: Some("no = 1".to_owned()), ..plain() };
    assert!(matches!(tables.explain(&vectors, &odd, false).await, Err(Error::NoSuchColumn(_))));
    let elsewhere = TableQuery { at: VersionRef::Branch("no".to_owned(), None), ..plain() };
    assert!(matches!(tables.analyze(&vectors, &elsewhere).await, Err(Error::NoSuchBranch(_))));
}

#[tokio::test]
async fn a_table_in_numbers_counts_live_rows() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    let tables = &fixture.tables;
    tables.create(&location, stream(vec![rows(0, 100)]), CreateMode::Create).await.unwrap();
    tables.insert(&location, stream(vec![rows(100, 130)]), InsertMode::Append, None).await.unwrap();
    let request = IndexRequest::new("id", "BTREE");
    tables.create_index(&location, &request, None).await.unwrap();
    tables.delete(&location, "id < 20", None).await.unwrap();
    let stats = tables.stats(&location, &VersionRef::Latest).await.unwrap();
    assert_eq!((stats.rows, stats.fragments, stats.small_fragments, stats.indices), (110, 2, 2, 1));
    let lengths = stats.lengths;
    assert_eq!((lengths.min, lengths.max, lengths.mean), (30, 80, 55));
    assert_eq!((lengths.p25, lengths.p50, lengths.p75, lengths.p99), (30, 30, 80, 80));
    let files = std::fs::read_dir(fixture.folder.path().join("lake/t/data")).unwrap();
    let bytes: u64 = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert_eq!(stats.bytes, bytes);
    let before = tables.stats(&location, &VersionRef::Version("1".to_owned())).await.unwrap();
    assert_eq!((before.rows, before.indices, before.lengths.p99), (100, 0, 100));
    let missing = tables.stats(&location, &VersionRef::Branch("no".to_owned(), None)).await;
    assert!(matches!(missing, Err(Error::NoSuchBranch(_))));
}
