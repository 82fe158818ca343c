//! Files sent to the running server become tables.

use std::fmt::Write as _;

use reqwest::Method;
use serde_json::{Value, json};

use crate::demo::ended;
use crate::server::{Api, Server};

async fn send(api: &Api, name: &str, content: impl Into<reqwest::Body>) -> Value {
    let path = format!("/api/v1/buckets/shop/files?name={name}");
    let response = api.request(Method::POST, &path).body(content).send().await.unwrap();
    assert_eq!(response.status(), 201, "{}", response.text().await.unwrap());
    serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
}

async fn import(api: &Api, table: &str, file: &Value) -> Value {
    let path = format!("/api/v1/buckets/shop/namespaces/sales/tables/{table}/import");
    let job = api.post(&path, json!({ "file": file["id"] })).await.ok();
    ended(api, job["id"].as_str().unwrap()).await
}

fn spooled(server: &Server) -> usize {
    std::fs::read_dir(server.data.path().join("spool")).unwrap().count()
}

#[tokio::test]
async fn a_csv_file_becomes_a_table_and_leaves_nothing_behind() {
    let server = Server::start().await;
    let api = server.api("admin");
    api.post("/api/v1/buckets", json!({ "name": "shop", "format": "lance" })).await.ok();
    api.post("/api/v1/buckets/shop/namespaces", json!({ "namespace": "sales" })).await.ok();

    let mut text = String::from("id,place,amount\n");
    for id in 0..50_000 {
        writeln!(text, "{id},Oslo,{}.5", id % 100).unwrap();
    }
    let file = send(&api, "sales.csv", text).await;
    assert_eq!(file["kind"], "csv");
    assert_eq!(file["columns"][2]["type_name"], "float64");
    let job = import(&api, "orders", &file).await;
    assert_eq!(job["state"], "succeeded", "{job}");
    assert_eq!(job["progress"]["done"], 50_000);
    let rows = api.get("/api/v1/buckets/shop/namespaces/sales/tables/orders/rows?offset=49999").await.ok();
    assert_eq!(rows["rows"][0][0]["text"], "49999");
    assert_eq!(spooled(&server), 0);

    // A file that turns out unreadable half way leaves no table.
    let late = format!("id\n{}word\n", "1\n".repeat(20_000));
    let file = send(&api, "late.csv", late).await;
    let job = import(&api, "late", &file).await;
    assert_eq!(job["state"], "failed");
    assert!(job["cause"].as_str().unwrap().contains("word"), "{job}");
    assert_eq!(api.get("/api/v1/buckets/shop/namespaces/sales/tables/late").await.status, 404);
    assert_eq!(spooled(&server), 0);

    // A name that is taken is said before anything is read.
    let file = send(&api, "again.csv", "a,b\n1,2\n").await;
    let path = "/api/v1/buckets/shop/namespaces/sales/tables/orders/import";
    assert_eq!(api.post(path, json!({ "file": file["id"] })).await.status, 409);
}
