//! Indices of the namespace over HTTP: built as jobs, listed with their coverage, dropped.

use std::sync::Arc;

use arrow_array::types::Float32Type;
use arrow_array::{FixedSizeListArray, Int64Array, RecordBatch, StringArray};
use serde_json::{Value, json};

use crate::references::{refused, with_orders};
use crate::server::{Api, Server};

const TABLE: &str = "/lance/v1/table/lake$sales$things";

fn at(operation: &str) -> String {
    format!("{TABLE}/{operation}")
}

/// Rows with an id, a text and a vector.
fn things(from: i64, count: i64) -> RecordBatch {
    #[expect(clippy::cast_precision_loss, reason = "small test values")]
    let vectors = FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(
        (from..from + count).map(|id| Some(vec![Some(id as f32); 8])),
        8,
    );
    RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from_iter_values(from..from + count)) as _),
        (
            "text",
            Arc::new(StringArray::from_iter_values((from..from + count).map(|id| format!("thing {id}"))))
                as _,
        ),
        ("vector", Arc::new(vectors) as _),
    ])
    .unwrap()
}

async fn with_things(count: i64) -> (Server, Api) {
    let (server, api) = with_orders(1).await;
    api.arrow(&at("create"), &things(0, count)).await.ok();
    (server, api)
}

async fn list(api: &Api) -> Vec<Value> {
    api.post(&at("index/list"), json!({})).await.ok()["indexes"].as_array().unwrap().clone()
}

#[tokio::test]
async fn an_index_is_built_listed_measured_and_dropped() {
    let (_server, api) = with_things(400).await;
    let body =
        json!({ "column": "vector", "index_type": "IVF_PQ", "distance_type": "cosine", "num_partitions": 2 });
    let made = api.post(&at("create_index"), body).await.ok();
    assert_eq!((&made["status"], &made["index_name"]), (&json!("Ready"), &json!("vector_idx")));
    let job = made["transaction_id"].as_str().unwrap();
    let shown = api.get(&format!("/api/v1/jobs/{job}")).await.ok();
    assert_eq!((&shown["kind"], &shown["state"]), (&json!("build-index"), &json!("succeeded")));
    let transaction = format!("/lance/v1/transaction/lake$sales$things${job}/describe");
    assert_eq!(api.post(&transaction, json!({})).await.ok()["status"], "Succeeded");

    let scalar = json!({ "column": "id", "index_type": "btree", "name": "by_id" });
    api.post(&at("create_scalar_index/"), scalar).await.ok();
    api.arrow(&at("insert"), &things(400, 20)).await.ok();
    let listed = list(&api).await;
    let names: Vec<_> = listed.iter().map(|index| index["index_name"].as_str().unwrap()).collect();
    assert_eq!(names, ["by_id", "vector_idx"]);
    let vector = &listed[1];
    assert_eq!((&vector["index_type"], &vector["status"]), (&json!("IVF_PQ"), &json!("Ready")));
    assert_eq!(vector["columns"], json!(["vector"]));
    assert_eq!((&vector["num_indexed_rows"], &vector["num_unindexed_rows"]), (&json!(400), &json!(20)));
    let stats = api.post(&at("index/vector_idx/stats"), json!({})).await.ok();
    assert_eq!(
        stats,
        json!({
            "distance_type": "cosine", "index_type": "IVF_PQ", "num_indexed_rows": 400,
            "num_unindexed_rows": 20, "num_indices": 1,
        })
    );
    let before = api.post(&at("index/list"), json!({ "version": 1 })).await.ok();
    assert_eq!(before["indexes"], json!([]));
    let page = api.post(&at("index/list"), json!({ "limit": 1 })).await.ok();
    assert_eq!((page["indexes"].as_array().unwrap().len(), &page["page_token"]), (1, &json!("by_id")));
    let page = api.post(&at("index/list"), json!({ "limit": 1, "page_token": "by_id" })).await.ok();
    assert_eq!(page["indexes"][0]["index_name"], "vector_idx");

    api.post(&at("index/by_id/drop"), json!({})).await.ok();
    assert_eq!(list(&api).await.len(), 1);
    let log = api.get("/api/v1/audit?action=index&limit=50").await.ok();
    let actions: Vec<_> =
        log["items"].as_array().unwrap().iter().map(|item| item["action"].as_str().unwrap()).collect();
    assert!(actions.contains(&"index.create") && actions.contains(&"index.drop"), "{actions:?}");
}

#[tokio::test]
async fn what_is_wrong_with_an_index_has_its_own_code() {
    let (_server, api) = with_things(20).await;
    let btree = json!({ "column": "id", "index_type": "BTREE" });
    api.post(&at("create_index"), btree.clone()).await.ok();
    let cases = [
        ("create_index", btree, (409, 7)),
        ("create_index", json!({ "column": "no", "index_type": "BTREE" }), (404, 12)),
        ("create_index", json!({ "column": "id", "index_type": "MAGIC" }), (400, 13)),
        ("create_index", json!({ "column": "id", "index_type": "IVF_FLAT" }), (400, 13)),
        ("create_index", json!({ "column": "vector", "index_type": "IVF_PQ" }), (400, 13)),
        ("create_index", json!({ "index_type": "BTREE" }), (400, 13)),
        ("create_index", json!({ "column": "id" }), (400, 13)),
        ("create_index", json!({ "column": "id", "index_type": "BTREE", "branch": "no" }), (404, 22)),
        ("index/none/stats", json!({}), (404, 6)),
        ("index/none/drop", json!({}), (404, 6)),
        ("index/id_idx/stats", json!({ "version": 9 }), (404, 11)),
        ("index/list", json!({ "branch": "no" }), (404, 22)),
        ("index/id_idx/drop?branch=no", json!({}), (404, 22)),
    ];
    for (operation, body, wanted) in cases {
        let answer = api.post(&at(operation), body.clone()).await;
        assert_eq!(refused(&answer), wanted, "{operation} {body}: {}", answer.json);
    }
    assert_eq!(list(&api).await.len(), 1);
    let missing = api.post("/lance/v1/table/lake$sales$none/index/list", json!({})).await;
    assert_eq!(refused(&missing), (404, 4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn indices_asked_for_together_are_all_built() {
    let (server, api) = with_things(300).await;
    let ask = |column: &str, kind: &str| {
        let api = Api { url: server.url.clone(), token: api.token.clone(), client: reqwest::Client::new() };
        let body = json!({ "column": column, "index_type": kind });
        tokio::spawn(async move { api.post(&at("create_index"), body).await })
    };
    let asked = [ask("id", "BTREE"), ask("text", "FTS"), ask("vector", "IVF_HNSW_SQ")];
    for answer in futures::future::join_all(asked).await {
        answer.unwrap().ok();
    }
    let names: Vec<_> = list(&api).await.iter().map(|index| index["index_name"].clone()).collect();
    assert_eq!(names, ["id_idx", "text_idx", "vector_idx"]);
}
