//! Queries as the namespace sends them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int32Type, Int64Type, UInt64Type};
use arrow_array::{Int64Array, RecordBatch, StringArray};
use lakeglass_ports::{
    CreateMode, Error, FullText, IndexRequest, InsertMode, Projection, TableQuery, VectorQuery, VersionRef,
};

use super::support::{Fixture, collect, ids, rows, stream};

pub(super) fn plain() -> TableQuery {
    TableQuery {
        at: VersionRef::Latest,
        projection: Projection::All,
        filter: None,
        prefilter: false,
        vector: None,
        full_text: None,
        limit: None,
        offset: 0,
        with_row_id: false,
    }
}

pub(super) fn near(vectors: Vec<Vec<f32>>) -> VectorQuery {
    VectorQuery {
        column: None,
        vectors,
        distance_type: None,
        minimum_nprobes: None,
        maximum_nprobes: None,
        refine_factor: None,
        ef: None,
        lower_bound: None,
        upper_bound: None,
        bypass_index: false,
        fast_search: false,
    }
}

async fn table() -> (Fixture, lakeglass_ports::TableLocation) {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![rows(0, 100)]), CreateMode::Create).await.unwrap();
    (fixture, location)
}

#[tokio::test]
async fn filters_projections_limits_and_row_ids() {
    let (fixture, location) = table().await;
    let ask = async |query: TableQuery| fixture.tables.query(&location, query).await;
    let all = collect(ask(plain()).await.unwrap()).await;
    assert_eq!(ids(&all), (0..100).collect::<Vec<_>>());
    let some = TableQuery { filter: Some("id >= 90".to_owned()), offset: 5, limit: Some(3), ..plain() };
    assert_eq!(ids(&collect(ask(some).await.unwrap()).await), [95, 96, 97]);
    let tail = TableQuery { offset: 98, ..plain() };
    assert_eq!(ids(&collect(ask(tail).await.unwrap()).await), [98, 99]);
    let columns = TableQuery {
        projection: Projection::Columns(vec!["name".to_owned(), "id".to_owned()]),
        with_row_id: true,
        limit: Some(1),
        ..plain()
    };
    let batch = collect(ask(columns).await.unwrap()).await.remove(0);
    let schema = batch.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["name", "id", "_rowid"]);
    assert_eq!(batch["_rowid"].as_primitive::<UInt64Type>().value(0), 0);
    let aliases = TableQuery {
        projection: Projection::Aliases(vec![("twice".to_owned(), "id * 2".to_owned())]),
        filter: Some("id = 7".to_owned()),
        ..plain()
    };
    let batch = collect(ask(aliases).await.unwrap()).await.remove(0);
    assert_eq!(batch["twice"].as_primitive::<Int64Type>().values(), &[14]);
    let unknown = TableQuery { projection: Projection::Columns(vec!["no".to_owned()]), ..plain() };
    assert!(matches!(ask(unknown).await, Err(Error::NoSuchColumn(name)) if name == "no"));
    let odd = TableQuery { filter: Some("no = 1".to_owned()), ..plain() };
    let error = ask(odd).await.unwrap_err();
    assert!(matches!(&error, Error::NoSuchColumn(name) if name == "no"), "{error:?}");
    let garbage = TableQuery { filter: Some("id >>> (".to_owned()), ..plain() };
    let error = ask(garbage).await.unwrap_err();
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    let count = fixture.tables.count_rows(&location, &VersionRef::Latest, Some("id < 10")).await;
    assert_eq!(count.unwrap(), 10);
}

#[tokio::test]
async fn vectors_find_their_neighbours_one_or_several() {
    let (fixture, location) = table().await;
    let ask = async |query: TableQuery| fixture.tables.query(&location, query).await;
    let one = TableQuery { vector: Some(near(vec![vec![41.2; 3]])), limit: Some(3), ..plain() };
    let found = collect(ask(one).await.unwrap()).await;
    assert_eq!(ids(&found), [41, 42, 40]);
    let distances: Vec<f32> = found
        .iter()
        .flat_map(|batch| batch["_distance"].as_primitive::<Float32Type>().values().to_vec())
        .collect();
    assert!((distances[0] - 3.0 * 0.04).abs() < 1e-3 && distances.is_sorted(), "{distances:?}");
    let filtered = TableQuery {
        vector: Some(near(vec![vec![41.2; 3]])),
        filter: Some("id % 10 = 0".to_owned()),
        prefilter: true,
        limit: Some(2),
        ..plain()
    };
    assert_eq!(ids(&collect(ask(filtered).await.unwrap()).await), [40, 50]);
    let several =
        TableQuery { vector: Some(near(vec![vec![5.0; 3], vec![90.0; 3]])), limit: Some(2), ..plain() };
    let mut pairs = Vec::new();
    for batch in collect(ask(several).await.unwrap()).await {
        let which = batch["query_index"].as_primitive::<Int32Type>().values().to_vec();
        pairs.extend(which.into_iter().zip(ids(&[batch])));
    }
    assert_eq!(pairs.len(), 4);
    assert!(pairs.contains(&(0, 5)) && pairs.contains(&(1, 90)), "{pairs:?}");
    let every = TableQuery { vector: Some(near(vec![vec![0.0; 3]])), ..plain() };
    assert_eq!(ids(&collect(ask(every).await.unwrap()).await).len(), 100);
    let wrong = TableQuery { vector: Some(near(vec![vec![0.0; 4]])), limit: Some(1), ..plain() };
    let error = ask(wrong).await.unwrap_err();
    assert!(
        matches!(&error, Error::InvalidRequest(text) if text.contains('4') && text.contains('3')),
        "{error:?}"
    );
}

#[tokio::test]
async fn full_text_and_indices_answer_queries() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![rows(0, 300)]), CreateMode::Create).await.unwrap();
    let make = async |column: &str, kind: &str| {
        let name = Some(format!("{column}_{}", kind.to_lowercase()));
        let request = IndexRequest { name, ..IndexRequest::new(column, kind) };
        fixture.tables.create_index(&location, &request, None).await
    };
    for (column, kind) in [("id", "BTREE"), ("name", "FTS"), ("vector", "IVF_PQ")] {
        make(column, kind).await.unwrap_or_else(|error| panic!("{kind}: {error:?}"));
    }
    let search = TableQuery { full_text: Some(FullText::terms("17", vec![])), limit: Some(5), ..plain() };
    assert_eq!(ids(&collect(fixture.tables.query(&location, search).await.unwrap()).await), [17]);
    let mut near = near(vec![vec![17.0; 3]]);
    near.bypass_index = true;
    let exact = TableQuery { vector: Some(near), limit: Some(1), ..plain() };
    assert_eq!(ids(&collect(fixture.tables.query(&location, exact).await.unwrap()).await), [17]);

    let labels = RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from(vec![1, 2])) as _),
        ("colour", Arc::new(StringArray::from(vec!["red", "blue"])) as _),
    ])
    .unwrap();
    let other = fixture.at("labels");
    fixture.tables.create(&other, stream(vec![labels.clone()]), CreateMode::Create).await.unwrap();
    fixture.tables.create_index(&other, &IndexRequest::new("colour", "bitmap"), None).await.unwrap();
    fixture.tables.insert(&other, stream(vec![labels]), InsertMode::Append, None).await.unwrap();
    let red = TableQuery { filter: Some("colour = 'red'".to_owned()), ..plain() };
    assert_eq!(ids(&collect(fixture.tables.query(&other, red).await.unwrap()).await), [1, 1]);
}
