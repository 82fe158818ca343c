//! Buckets, namespaces and tables over the admin REST API, with real tables.

use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::server::{Api, Server};

const TABLES: &str = "/api/v1/buckets/lake/namespaces/sales/tables";

/// One column, `id`, from 0 up.
pub(crate) fn numbers(count: i64) -> RecordBatch {
    let schema = Schema::new(vec![Field::new("id", DataType::Int64, false)]);
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(Int64Array::from_iter_values(0..count))]).unwrap()
}

/// A batch as an Arrow stream.
pub(crate) fn stream(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

/// Names of a page's items, as they come.
pub(crate) fn names(page: &Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

async fn with_sales() -> (Server, Api) {
    let server = Server::start().await;
    let api = server.api("admin");
    api.post("/api/v1/buckets", json!({ "name": "lake", "format": "lance" })).await.ok();
    api.post("/api/v1/buckets/lake/namespaces", json!({ "namespace": "sales" })).await.ok();
    (server, api)
}

#[tokio::test]
async fn what_is_made_is_answered_with_its_place_and_faults_with_their_field() {
    let (_server, api) = with_sales().await;
    let columns = json!([{ "name": "id", "type": "int64" }, { "name": "v", "type": "vector", "size": "4" }]);
    let body = json!({ "name": "orders", "columns": columns });
    let made = api.request(Method::POST, TABLES).json(&body).send().await.unwrap();
    assert_eq!(made.status(), 201);
    assert_eq!(made.headers()["location"], format!("{TABLES}/orders"));
    let table = api.get(&format!("{TABLES}/orders")).await.ok();
    assert_eq!((table["state"].as_str(), table["format"].as_str()), (Some("created"), Some("lance")));
    let rows = api.post("/lance/v1/table/lake$sales$orders/count_rows", json!({})).await.ok();
    assert_eq!(rows, 0);

    let again = api.request(Method::POST, TABLES).json(&body).send().await.unwrap();
    assert_eq!(again.status(), 409);
    assert_eq!(again.headers()["content-type"], "application/problem+json");
    let bad = api.post("/api/v1/buckets", json!({ "name": "ice", "format": "iceberg" })).await;
    assert_eq!((bad.status, &bad.json["errors"][0]["field"]), (400, &json!("format")));
    let columns = json!([{ "name": "x", "type": "varchar" }]);
    let bad = api.post(TABLES, json!({ "name": "bad", "columns": columns })).await;
    assert_eq!((bad.status, &bad.json["errors"][0]["field"]), (400, &json!("columns[0]")));
    let missing = api.get("/api/v1/buckets/nothing").await;
    assert_eq!(missing.status, 404);
}

#[tokio::test]
async fn a_table_lives_through_rename_trash_and_drop() {
    let (server, api) = with_sales().await;
    api.arrow("/lance/v1/table/lake$sales$orders/create", &numbers(3)).await.ok();
    let before = api.get(&format!("{TABLES}/orders")).await.ok();
    let renamed =
        api.patch(&format!("{TABLES}/orders"), json!({ "name": "bills", "protected": true })).await.ok();
    assert_eq!(renamed["location"], before["location"]);
    assert_eq!(api.delete(&format!("{TABLES}/bills")).await.status, 409);
    api.patch(&format!("{TABLES}/bills"), json!({ "protected": false })).await.ok();

    api.post(&format!("{TABLES}/bills/deregister"), json!({})).await.ok();
    assert_eq!(names(&api.get(TABLES).await.ok()), [""; 0]);
    let trash = api.get("/api/v1/buckets/lake/trash").await.ok();
    let id = &trash["items"][0]["id"];
    // Another bucket's Trash does not hold it.
    api.post("/api/v1/buckets", json!({ "name": "other", "format": "lance" })).await.ok();
    assert_eq!(api.delete(&format!("/api/v1/buckets/other/trash/{id}")).await.status, 404);
    api.post(&format!("/api/v1/buckets/lake/trash/{id}/restore"), json!({ "name": "back" })).await.ok();
    let rows = api.post("/lance/v1/table/lake$sales$back/count_rows", json!({})).await.ok();
    assert_eq!(rows, 3);

    assert!(server.data.path().join("buckets/lake/sales/orders/_versions").exists());
    api.delete(&format!("{TABLES}/back")).await.ok();
    assert!(!server.data.path().join("buckets/lake/sales").exists());
    let actions = api.get("/api/v1/audit?action=table&limit=100").await.ok();
    let actions: Vec<_> =
        actions["items"].as_array().unwrap().iter().map(|item| item["action"].as_str().unwrap()).collect();
    for wanted in
        ["table.create", "table.rename", "table.protect", "table.deregister", "table.restore", "table.drop"]
    {
        assert!(actions.contains(&wanted), "{wanted} is not among {actions:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_creators_of_one_name_give_one_200_seven_409_and_one_folder() {
    let (server, api) = with_sales().await;
    let tries = (0..8).map(|_| {
        let api = Api { url: api.url.clone(), token: api.token.clone(), client: Client::new() };
        tokio::spawn(
            async move { api.arrow("/lance/v1/table/lake$sales$t/create", &numbers(10)).await.status },
        )
    });
    let mut statuses = Vec::new();
    for answer in futures::future::join_all(tries).await {
        statuses.push(answer.unwrap());
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409, 409, 409, 409, 409]);
    let folders: Vec<_> = std::fs::read_dir(server.data.path().join("buckets/lake/sales")).unwrap().collect();
    assert_eq!(folders.len(), 1);
    let rows = api.post("/lance/v1/table/lake$sales$t/count_rows", json!({})).await.ok();
    assert_eq!(rows, 10);
}

#[tokio::test]
async fn places_outside_the_bucket_are_refused_whatever_they_look_like() {
    let (_server, api) = with_sales().await;
    api.post("/api/v1/buckets", json!({ "name": "other", "format": "lance" })).await.ok();
    api.post("/api/v1/buckets/other/namespaces", json!({ "namespace": "x" })).await.ok();
    api.arrow("/lance/v1/table/other$x$t/create", &numbers(1)).await.ok();
    let foreign = api.get("/api/v1/buckets/other/namespaces/x/tables/t").await.ok();
    for place in [
        foreign["location"].as_str().unwrap(),
        "../other/x/t",
        "sales/../../other/x/t",
        "sales/%2e%2e/%2e%2e/other/x/t",
        "file:///etc",
        "/etc/passwd",
        "s3://other/x/t",
        "sales/*",
    ] {
        for register in [true, false] {
            let body = json!({ "name": "stolen", "location": place, "register": register });
            let refused = api.post(TABLES, body).await;
            assert_eq!(refused.status, 400, "{place}: {}", refused.json);
        }
    }
    assert_eq!(names(&api.get(TABLES).await.ok()), [""; 0]);
}

#[tokio::test]
async fn a_storage_outside_the_roots_or_at_a_forbidden_address_is_refused() {
    let server = Server::start().await;
    let api = server.api("admin");
    let elsewhere = tempfile::tempdir().unwrap();
    let local = json!({ "name": "disk", "kind": "local", "root": elsewhere.path() });
    assert_eq!(api.post("/api/v1/storages", local).await.status, 400);
    let metadata = json!({
        "name": "cloud", "kind": "s3", "root": "lake", "endpoint": "http://169.254.169.254",
        "keys": { "access_key_id": "a", "secret_access_key": "hidden-secret" },
    });
    let refused = api.post("/api/v1/storages", metadata).await;
    assert_eq!((refused.status, &refused.json["errors"][0]["field"]), (400, &json!("endpoint")));
    assert!(!server.output().contains("hidden-secret"));

    let inside = json!({ "name": "disk", "kind": "local", "root": server.data.path().join("more") });
    api.post("/api/v1/storages", inside).await.ok();
    let body = json!({ "name": "lake", "format": "lance", "storage": "disk" });
    api.post("/api/v1/buckets", body).await.ok();
    assert_eq!(api.delete("/api/v1/storages/disk").await.status, 409);
    api.delete("/api/v1/buckets/lake").await;
    assert_eq!(api.delete("/api/v1/storages/disk").await.status, 204);
}
