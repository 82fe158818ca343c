//! Every type of index on real columns, its listing, and what is refused before anything is built.

use std::sync::{Arc, Mutex};

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{Int64Array, RecordBatch, StringArray};
use lakeglass_ports::{
    CreateMode, Error, IndexRecord, IndexRequest, InsertMode, TableLocation, TextOptions, VectorOptions,
    VersionRef,
};

use super::support::{Fixture, rows, stream};

async fn with_rows(fixture: &Fixture, count: i64) -> TableLocation {
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![rows(0, count)]), CreateMode::Create).await.unwrap();
    location
}

async fn list(fixture: &Fixture, location: &TableLocation) -> Vec<IndexRecord> {
    fixture.tables.list_indices(location, &VersionRef::Latest).await.unwrap()
}

#[tokio::test]
async fn every_type_is_built_and_listed_by_the_word_it_was_asked_for() {
    let fixture = Fixture::new();
    let location = with_rows(&fixture, 400).await;
    let of_vectors = ["IVF_FLAT", "IVF_SQ", "IVF_PQ", "IVF_HNSW_FLAT", "IVF_HNSW_SQ", "IVF_HNSW_PQ"];
    let cases = ["BTREE", "BITMAP", "ZONEMAP", "BLOOM_FILTER"]
        .map(|kind| ("id", kind))
        .into_iter()
        .chain(["FTS", "NGRAM", "FM"].map(|kind| ("name", kind)))
        .chain(of_vectors.map(|kind| ("vector", kind)));
    for (column, kind) in cases {
        let name = format!("of_{}", kind.to_lowercase());
        let request = IndexRequest { name: Some(name.clone()), ..IndexRequest::new(column, kind) };
        let plan = fixture.tables.plan_index(&location, &request).await.unwrap();
        assert_eq!((plan.name, plan.column.as_str(), plan.kind), (name.clone(), column, kind));
        let built = fixture.tables.create_index(&location, &request, None).await;
        built.unwrap_or_else(|error| panic!("{kind}: {error:?}"));
        let found = list(&fixture, &location).await.into_iter().find(|index| index.name == name).unwrap();
        assert_eq!((found.kind.as_str(), found.columns), (kind, vec![column.to_owned()]));
        assert_eq!((found.indexed_rows, found.unindexed_rows, found.segments), (400, 0, 1), "{kind}");
        assert_eq!(found.distance_type.as_deref(), (column == "vector").then_some("l2"), "{kind}");
        assert!(found.created_at_ms.is_some() && found.uuid.len() == 36 && !found.type_url.is_empty());
    }
}

#[tokio::test]
async fn labels_are_found_through_their_index() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    let mut labels = ListBuilder::new(StringBuilder::new());
    for row in [["red", "round"], ["blue", "round"], ["red", "flat"]] {
        labels.append_value(row.map(Some));
    }
    let batch = RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from(vec![1, 2, 3])) as _),
        ("labels", Arc::new(labels.finish()) as _),
    ])
    .unwrap();
    fixture.tables.create(&location, stream(vec![batch]), CreateMode::Create).await.unwrap();
    fixture.tables.create_index(&location, &IndexRequest::new("labels", "label_list"), None).await.unwrap();
    let found = list(&fixture, &location).await;
    assert_eq!((found[0].name.as_str(), found[0].kind.as_str()), ("labels_idx", "LABEL_LIST"));
    let count = async |filter: &str| {
        fixture.tables.count_rows(&location, &VersionRef::Latest, Some(filter)).await.unwrap()
    };
    assert_eq!(count("array_has_any(labels, ['red'])").await, 2);
    assert_eq!(count("array_has_all(labels, ['red', 'round'])").await, 1);
}

#[tokio::test]
async fn rows_written_after_an_index_are_not_covered_by_it() {
    let fixture = Fixture::new();
    let location = with_rows(&fixture, 300).await;
    let tables = &fixture.tables;
    let request = IndexRequest {
        distance_type: Some("cosine".to_owned()),
        ..IndexRequest::new("vector", "IVF_HNSW_SQ")
    };
    let version = tables.create_index(&location, &request, None).await.unwrap();
    assert_eq!(version, 2);
    tables.insert(&location, stream(vec![rows(300, 340)]), InsertMode::Append, None).await.unwrap();
    let index = list(&fixture, &location).await.remove(0);
    assert_eq!((index.indexed_rows, index.unindexed_rows), (300, 40));
    assert_eq!(index.distance_type.as_deref(), Some("cosine"));
    let details: serde_json::Value = serde_json::from_str(&index.details.unwrap()).unwrap();
    assert!(details["hnsw"].is_object(), "{details}");
    // As it was before, and of a branch.
    let before = tables.list_indices(&location, &VersionRef::Version("1".to_owned())).await.unwrap();
    assert_eq!(before, []);
    tables.create_branch(&location, "trial", None, Some(1)).await.unwrap();
    let on_branch = IndexRequest { branch: Some("trial".to_owned()), ..IndexRequest::new("id", "BTREE") };
    tables.create_index(&location, &on_branch, None).await.unwrap();
    let at = VersionRef::Branch("trial".to_owned(), None);
    assert_eq!(tables.list_indices(&location, &at).await.unwrap()[0].name, "id_idx");
    assert_eq!(list(&fixture, &location).await.len(), 1);

    tables.drop_index(&location, Some("trial"), "id_idx").await.unwrap();
    assert_eq!(tables.list_indices(&location, &at).await.unwrap(), []);
    tables.drop_index(&location, None, "vector_idx").await.unwrap();
    assert_eq!(list(&fixture, &location).await, []);
    let again = tables.drop_index(&location, None, "vector_idx").await;
    assert!(matches!(again, Err(Error::NoSuchIndex(name)) if name == "vector_idx"));
}

#[tokio::test]
async fn names_are_made_from_columns_and_taken_once() {
    let fixture = Fixture::new();
    let location = with_rows(&fixture, 10).await;
    let plan = async |request: IndexRequest| fixture.tables.plan_index(&location, &request).await;
    let btree = IndexRequest::new("ID", "btree");
    assert_eq!(plan(btree.clone()).await.unwrap().name, "id_idx");
    fixture.tables.create_index(&location, &btree, None).await.unwrap();
    assert!(matches!(plan(btree.clone()).await, Err(Error::IndexExists(name)) if name == "id_idx"));
    assert_eq!(plan(IndexRequest::new("id", "BITMAP")).await.unwrap().name, "id_idx_2");
    let replaced = IndexRequest { replace: true, ..btree };
    fixture.tables.create_index(&location, &replaced, None).await.unwrap();
    assert_eq!(list(&fixture, &location).await.len(), 1);
    let other =
        IndexRequest { name: Some("id_idx".to_owned()), replace: true, ..IndexRequest::new("name", "FTS") };
    assert!(matches!(plan(other).await, Err(Error::IndexExists(_))));
    for bad in ["__system", "a\nb", &"x".repeat(201)] {
        let named = IndexRequest { name: Some(bad.to_owned()), ..IndexRequest::new("name", "FTS") };
        assert!(matches!(plan(named).await, Err(Error::InvalidRequest(_))), "{bad}");
    }
}

#[tokio::test]
async fn what_cannot_be_built_is_refused_before_it_is_begun() {
    let fixture = Fixture::new();
    let location = with_rows(&fixture, 20).await;
    let vector = |options: VectorOptions, kind: &str| IndexRequest {
        vector: options,
        ..IndexRequest::new("vector", kind)
    };
    let none = VectorOptions::default();
    let text = |options| IndexRequest { text: options, ..IndexRequest::new("name", "FTS") };
    let cases = [
        IndexRequest::new("id", "MAGIC"),
        IndexRequest::new("id", "FTS"),
        IndexRequest::new("id", "IVF_FLAT"),
        IndexRequest::new("name", "LABEL_LIST"),
        IndexRequest::new("vector", "BTREE"),
        IndexRequest { distance_type: Some("far".to_owned()), ..IndexRequest::new("vector", "IVF_FLAT") },
        vector(none.clone(), "IVF_PQ"),
        vector(none.clone(), "IVF_RQ"),
        vector(VectorOptions { partitions: Some(21), ..none.clone() }, "IVF_FLAT"),
        vector(VectorOptions { partitions: Some(0), ..none.clone() }, "IVF_FLAT"),
        vector(VectorOptions { bits: Some(3), ..none.clone() }, "IVF_PQ"),
        vector(VectorOptions { bits: Some(4), sub_vectors: Some(2), ..none.clone() }, "IVF_PQ"),
        vector(VectorOptions { edges: Some(1), ..none.clone() }, "IVF_HNSW_SQ"),
        vector(VectorOptions { edges: Some(200), ef_construction: Some(100), ..none }, "IVF_HNSW_SQ"),
        text(TextOptions { tokenizer: Some("magic".to_owned()), ..TextOptions::default() }),
        text(TextOptions { language: Some("Klingon".to_owned()), ..TextOptions::default() }),
    ];
    for request in cases {
        let planned = fixture.tables.plan_index(&location, &request).await;
        assert!(matches!(planned, Err(Error::InvalidRequest(_))), "{request:?}: {planned:?}");
        let built = fixture.tables.create_index(&location, &request, None).await;
        assert!(matches!(built, Err(Error::InvalidRequest(_))), "{request:?}: {built:?}");
    }
    let missing = fixture.tables.plan_index(&location, &IndexRequest::new("no", "BTREE")).await;
    assert!(matches!(missing, Err(Error::NoSuchColumn(column)) if column == "no"));
    let branch = IndexRequest { branch: Some("no".to_owned()), ..IndexRequest::new("id", "BTREE") };
    assert!(matches!(fixture.tables.plan_index(&location, &branch).await, Err(Error::NoSuchBranch(_))));
    assert_eq!(fixture.tables.latest_version(&location).await.unwrap(), Some(1));
}

#[tokio::test]
async fn text_options_decide_what_is_found_and_progress_is_told() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    let batch = RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from(vec![1, 2])) as _),
        ("text", Arc::new(StringArray::from(vec!["Running dogs", "the RUN"])) as _),
    ])
    .unwrap();
    fixture.tables.create(&location, stream(vec![batch]), CreateMode::Create).await.unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let sink = {
        let told = Arc::clone(&told);
        Arc::new(move |step: lakeglass_ports::IndexProgress| told.lock().unwrap().push(step.stage))
    };
    let options = TextOptions {
        tokenizer: Some("whitespace".to_owned()),
        lower_case: Some(true),
        stem: Some(false),
        positions: Some(true),
        language: Some("English".to_owned()),
        ..TextOptions::default()
    };
    let request = IndexRequest { text: options, ..IndexRequest::new("text", "FTS") };
    fixture.tables.create_index(&location, &request, Some(sink)).await.unwrap();
    assert!(!told.lock().unwrap().is_empty());
    let index = list(&fixture, &location).await.remove(0);
    let details = index.details.unwrap();
    assert!(details.contains("whitespace"), "{details}");
}
