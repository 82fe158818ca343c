//! The demo data in a running server: every tab has something true to show, and loading it again changes
//! nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{Api, Server};

const DIGITS: &str = "/api/v1/buckets/demo/namespaces/vision/tables/digits";
const PENGUINS: &str = "/api/v1/buckets/demo/namespaces/wildlife/tables/penguins";
const FILE: &str = "/api/v1/buckets/demo-files/namespaces/antarctica/tables/penguins-raw.csv";

/// Waits for a job's end and gives its last state.
pub(crate) async fn ended(api: &Api, id: &str) -> Value {
    let deadline = Instant::now() + Duration::from_mins(4);
    loop {
        let job = api.get(&format!("/api/v1/jobs/{id}")).await.ok();
        if !matches!(job["state"].as_str(), Some("queued" | "running")) {
            return job;
        }
        assert!(Instant::now() < deadline, "{job}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn demo_jobs(api: &Api) -> Vec<Value> {
    let page = api.get("/api/v1/jobs?kind=load-demo").await.ok();
    page["items"].as_array().unwrap().clone()
}

/// The job that the server starts by itself once it is ready.
async fn loaded(api: &Api) -> Value {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        if let Some(job) = demo_jobs(api).await.first() {
            return ended(api, job["id"].as_str().unwrap()).await;
        }
        assert!(Instant::now() < deadline, "no job loads the demo");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn observed(api: &Api, table: &str) -> Value {
    api.post(&format!("{table}/observations"), json!({})).await.ok()["description"].clone()
}

fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    let found = list.as_array().unwrap().iter().find(|one| one["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {list}"))
}

#[tokio::test]
async fn the_demo_fills_every_tab_and_is_loaded_once() {
    let data = Arc::new(tempfile::tempdir().unwrap());
    let server = Server::start_on(Arc::clone(&data), &["--demo"], &[]).await;
    let api = server.api("admin");
    let job = loaded(&api).await;
    assert_eq!(job["state"], "succeeded", "{job}\n{}", server.output());

    let digits = observed(&api, DIGITS).await;
    assert_eq!(digits["totals"]["rows"]["value"], 1787);
    assert_eq!(digits["totals"]["deleted_rows"]["value"], 10);
    for (index, column) in [("label_idx", "label"), ("vector_idx", "vector")] {
        let index = named(&digits["indices"], index);
        assert_eq!(index["columns"], json!([column]));
        // The last part came after the index.
        assert_eq!(index["rows_not_covered"], 297);
    }
    assert_eq!(named(&digits["references"], "first-thousand")["kind"], "tag");
    let versions = api.get(&format!("{DIGITS}/versions")).await.ok();
    assert!(versions["items"].as_array().unwrap().len() >= 5, "{versions}");
    let rows = api.get(&format!("{DIGITS}/rows?limit=3")).await.ok();
    assert_eq!(rows["rows"].as_array().unwrap().len(), 3);
    assert!(rows["rows"][0].to_string().contains("image/png"), "{}", rows["rows"][0]);

    let penguins = observed(&api, PENGUINS).await;
    assert_eq!(penguins["totals"]["rows"]["value"], 342);
    assert_eq!(penguins["totals"]["deleted_rows"]["value"], 2);
    assert_eq!(named(&penguins["references"], "two-seasons")["kind"], "tag");

    let file = observed(&api, FILE).await;
    assert_eq!(file["totals"]["rows"], json!({ "value": 344, "exact": true }));
    assert_eq!(named(&file["schema"], "Date Egg")["type_name"], "date32");
    let rows = api.get(&format!("{FILE}/rows?limit=2&offset=342")).await.ok();
    assert_eq!(rows["rows"].as_array().unwrap().len(), 2);
    assert_eq!(rows["more"], false);

    // Again, by hand: nothing changes.
    let before = api.get(&format!("{DIGITS}/versions")).await.ok();
    let again = api.post("/api/v1/jobs", json!({ "kind": "load-demo", "object": "server" })).await.ok();
    assert_eq!(ended(&api, again["id"].as_str().unwrap()).await["state"], "succeeded");
    assert_eq!(api.get(&format!("{DIGITS}/versions")).await.ok(), before);

    // After a restart: the demo was loaded, and stays as people left it.
    api.delete(PENGUINS).await.ok();
    let jobs = demo_jobs(&api).await.len();
    drop(api);
    server.stop();
    let server = Server::start_on(data, &["--demo"], &[]).await;
    let api = server.api("admin");
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(demo_jobs(&api).await.len(), jobs);
    assert_eq!(api.get(PENGUINS).await.status, 404);
}
