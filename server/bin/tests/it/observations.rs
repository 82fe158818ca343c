//! Observations, jobs and found files, with real tables, the real plugin host and a real server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use reqwest::Method;
use serde_json::{Value, json};

use crate::server::{Api, Server};

const ORDERS: &str = "/api/v1/buckets/lake/namespaces/sales/tables/orders";

fn rows(count: i64) -> RecordBatch {
    let schema =
        Schema::new(vec![Field::new("id", DataType::Int64, false), Field::new("name", DataType::Utf8, true)]);
    let names: Vec<String> = (0..count).map(|n| format!("name {n}")).collect();
    RecordBatch::try_new(
        Arc::new(schema),
        vec![Arc::new(Int64Array::from_iter_values(0..count)), Arc::new(StringArray::from(names))],
    )
    .unwrap()
}

/// Asks again until the answer is as wanted. A minute without is a failure.
async fn until(api: &Api, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        let answer = api.get(path).await.ok();
        if wanted(&answer) {
            return answer;
        }
        assert!(Instant::now() < deadline, "{path}: {answer}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn over(api: &Api, job: &Value) -> Value {
    let path = format!("/api/v1/jobs/{}", job["id"].as_str().unwrap());
    until(api, &path, |job| ["succeeded", "failed", "cancelled"].contains(&job["state"].as_str().unwrap()))
        .await
}

async fn log_of(api: &Api, job: &Value) -> Vec<String> {
    let lines = api.get(&format!("/api/v1/jobs/{}/log", job["id"].as_str().unwrap())).await.ok();
    lines.as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap().to_owned()).collect()
}

/// With the Lance table `lake$sales$orders` of three rows.
async fn with_orders() -> (Server, Api) {
    let server = Server::start().await;
    let api = server.api("admin");
    api.post("/api/v1/buckets", json!({ "name": "lake", "format": "lance" })).await.ok();
    api.post("/lance/v1/namespace/lake$sales/create", json!({})).await.ok();
    api.arrow("/lance/v1/table/lake$sales$orders/create", &rows(3)).await.ok();
    (server, api)
}

#[tokio::test]
async fn a_write_through_the_namespace_is_observed() {
    let (_server, api) = with_orders().await;
    let observations = format!("{ORDERS}/observations");
    let first = until(&api, &observations, |seen| !seen["latest"].is_null()).await;
    let latest = &first["latest"];
    assert!(latest["observer"].as_str().unwrap().starts_with("native lance "), "{latest}");
    assert!(latest["taken_at_ms"].as_i64().unwrap() > 1_700_000_000_000);
    assert_eq!(latest["description"]["version"], "1");
    assert_eq!(latest["description"]["totals"]["rows"], json!({ "value": 3, "exact": true }));
    assert_eq!(latest["description"]["schema"][1]["name"], "name");

    api.arrow("/lance/v1/table/lake$sales$orders/insert", &rows(4)).await.ok();
    let second = until(&api, &observations, |seen| seen["latest"]["description"]["version"] == "2").await;
    assert_eq!(second["latest"]["description"]["totals"]["rows"]["value"], 7);
    let history = second["history"].as_array().unwrap();
    assert_eq!(history.len(), 2, "one for each version");
    assert_eq!(history[1]["description"]["version"], "1");
    let table = api.get(ORDERS).await.ok();
    assert_eq!(table["rows"], 7);
    assert_eq!(table["observed_at_ms"], second["latest"]["taken_at_ms"]);

    let versions = api.get(&format!("{ORDERS}/versions?limit=1")).await.ok();
    assert_eq!(versions["items"][0]["id"], "2");
    let next = versions["next"].as_str().expect("one more version");
    let older = api.get(&format!("{ORDERS}/versions?limit=1&after={next}")).await.ok();
    assert_eq!(older["items"][0]["id"], "1");
}

#[tokio::test]
async fn a_failed_look_keeps_the_last_one_and_a_sweep_says_why_it_skipped() {
    let (server, api) = with_orders().await;
    let observations = format!("{ORDERS}/observations");
    until(&api, &observations, |seen| !seen["latest"].is_null()).await;
    let folder = server.data.path().join("buckets/lake/sales/orders");
    std::fs::rename(folder.join("_versions"), folder.join("elsewhere")).unwrap();
    let failed = api.post(&observations, json!({})).await;
    assert!(failed.status >= 400 && failed.status != 500, "{failed:?}");
    let kept = api.get(&observations).await.ok();
    assert_eq!(kept["latest"]["description"]["version"], "1");
    let cause = kept["failed"]["cause"].as_str().unwrap();
    assert!(!cause.is_empty() && !cause.contains(folder.to_str().unwrap()), "{cause}");

    let sweep = json!({
        "kind": "observe-sweep", "object": "server", "parameters": { "older_than_minutes": 0 },
    });
    let job = api.post("/api/v1/jobs", sweep.clone()).await.ok();
    let job = over(&api, &job).await;
    assert_eq!(job["state"], "succeeded", "{job}");
    let log = log_of(&api, &job).await;
    assert!(log.iter().any(|line| line.starts_with("Skipped lake$sales$orders: ")), "{log:?}");

    std::fs::rename(folder.join("elsewhere"), folder.join("_versions")).unwrap();
    let mended = api.post(&observations, json!({})).await.ok();
    assert_eq!(mended["description"]["version"], "1");
    assert!(api.get(&observations).await.ok()["failed"].is_null());
}

#[tokio::test]
async fn jobs_are_followed_by_events_and_hidden_from_those_outside() {
    let server = Server::start().await;
    let api = server.api("admin");
    let job = json!({ "kind": "observe-sweep", "object": "server" });
    let job = api.post("/api/v1/jobs", job).await;
    assert_eq!(job.status, 202);
    let job = over(&api, &job.json).await;
    let path = format!("/api/v1/jobs/{}", job["id"].as_str().unwrap());
    let events = api.request(Method::GET, &format!("{path}/events")).send().await.unwrap();
    assert_eq!(events.headers()["content-type"], "text/event-stream");
    let text = events.text().await.unwrap();
    assert!(text.contains("event: job") && text.contains("\"succeeded\""), "{text}");
    let again = api.request(Method::GET, &format!("{path}/events")).header("last-event-id", "1");
    assert_eq!(again.send().await.unwrap().status(), 204);
    assert_eq!(api.post(&format!("{path}/cancel"), json!({})).await.status, 409);
    let listed = api.get("/api/v1/jobs?kind=observe-sweep&state=succeeded").await.ok();
    assert!(listed["items"].as_array().unwrap().iter().any(|one| one["id"] == job["id"]));

    api.post("/api/v1/buckets", json!({ "name": "lake", "format": "lance" })).await.ok();
    let outside = Api {
        url: server.url.clone(),
        token: server.token("admin", Some("lake")),
        client: api.client.clone(),
    };
    assert_eq!(outside.get(&path).await.status, 404);
    assert_eq!(outside.get(&format!("{path}/log")).await.status, 404);
    assert_eq!(outside.get("/api/v1/jobs").await.ok()["items"], json!([]));
    let refused = json!({ "kind": "observe-sweep", "object": "server" });
    assert_eq!(outside.post("/api/v1/jobs", refused).await.status, 403);
    let unknown = json!({ "kind": "observe-sweep", "object": "server", "parameters": { "speed": 1 } });
    let unknown = api.post("/api/v1/jobs", unknown).await;
    assert_eq!(unknown.status, 400);
    assert!(unknown.json["detail"].as_str().unwrap().contains("speed"), "{}", unknown.json);
}

#[tokio::test]
async fn files_of_a_csv_bucket_are_found_described_and_previewed_through_wasm() {
    let server = Server::start().await;
    let api = server.api("admin");
    let cards = api.get("/api/v1/formats").await.ok();
    let csv = cards.as_array().unwrap().iter().find(|card| card["id"] == "csv").unwrap();
    assert_eq!(csv["serving"]["status"], "usable", "build the describers first: cargo xtask plugins");
    api.post("/api/v1/buckets", json!({ "name": "files", "format": "csv" })).await.ok();
    let folder = server.data.path().join("buckets/files");
    std::fs::create_dir_all(folder.join("shop/eu")).unwrap();
    std::fs::write(folder.join("people.csv"), "name,age\nAda,36\n\"Lin, Wu\",41\n").unwrap();
    std::fs::write(folder.join("shop/eu/orders.csv"), "id;total\n1;2.50\n").unwrap();
    std::fs::write(folder.join("picture.csv"), b"\x89PNG\r\n\x00\x01").unwrap();
    let report = api.post("/api/v1/buckets/files/scan", json!({})).await.ok();
    assert_eq!(report["registered"], json!(["default/people.csv", "shop.eu/orders.csv"]), "{report}");
    assert_eq!(report["skipped"][0]["path"], "picture.csv");

    let people = "/api/v1/buckets/files/namespaces/default/tables/people.csv";
    let seen = until(&api, &format!("{people}/observations"), |seen| !seen["latest"].is_null()).await;
    let latest = &seen["latest"];
    assert!(latest["observer"].as_str().unwrap().starts_with("plugin csv "), "{latest}");
    let columns: Vec<&str> = latest["description"]["schema"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| field["name"].as_str().unwrap())
        .collect();
    assert_eq!(columns, ["name", "age"]);
    let grid = api.get(&format!("{people}/rows?limit=50")).await.ok();
    assert_eq!(grid["rows"].as_array().unwrap().len(), 2, "{grid}");
    assert_eq!(grid["rows"][1][0]["text"], "Lin, Wu");
    assert_eq!(grid["rows"][1][1]["text"], "41");
}
