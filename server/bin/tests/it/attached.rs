//! Buckets over another server's names: two real servers, one attached to the other.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::catalog::{names, numbers};
use crate::references::refused;
use crate::server::{Api, Server};

const SALES: &str = "/api/v1/buckets/far/namespaces/sales/tables";
const ORDERS: &str = "/lance/v1/table/far$sales$orders";

/// The server whose names they are, with the bucket `lake`, and the one that attaches it as `far`.
struct Pair {
    theirs: Server,
    them: Api,
    ours: Server,
    us: Api,
}

async fn ours(theirs: &Server) -> Server {
    let data = Arc::new(tempfile::tempdir().unwrap());
    let root = theirs.data.path().to_str().unwrap();
    Server::start_on(data, &["--allow-private-addresses", "--storage-root", root], &[]).await
}

/// Attaches `parent` of another server; its data is read from the folder that it keeps it in.
async fn attach(us: &Api, name: &str, other: &Server, parent: &[&str], token: &str) -> crate::server::Answer {
    let body = json!({ "name": name, "backing": "upstream", "connection": {
        "url": format!("{}/lance", other.url), "parent": parent, "storage": "theirs",
        "secret": format!("Bearer {token}"),
    } });
    us.post("/api/v1/buckets", body).await
}

async fn pair() -> Pair {
    let theirs = Server::start().await;
    let them = theirs.api("admin");
    them.post("/lance/v1/namespace/lake/create", json!({})).await.ok();
    let ours = ours(&theirs).await;
    let us = ours.api("admin");
    let root = theirs.data.path().join("buckets");
    us.post("/api/v1/storages", json!({ "name": "theirs", "kind": "local", "root": root })).await.ok();
    attach(&us, "far", &theirs, &["lake"], &them.token).await.ok();
    Pair { theirs, them, ours, us }
}

async fn with_orders() -> Pair {
    let pair = pair().await;
    pair.us.post("/lance/v1/namespace/far$sales/create", json!({ "properties": { "a": "b" } })).await.ok();
    pair.us.arrow(&format!("{ORDERS}/create"), &numbers(3)).await.ok();
    pair
}

/// Calls that were not this server's own, the newest first.
async fn asked_by_people(us: &Api) -> Vec<Value> {
    let mut calls = us.get("/api/v1/buckets/far/calls?limit=500").await.ok();
    let mut calls = std::mem::take(calls.as_array_mut().unwrap());
    calls.retain(|call| call["actor"].is_string());
    calls
}

#[tokio::test]
async fn names_and_rows_go_through_to_the_other_server_and_are_shown_here() {
    let Pair { them, us, .. } = &with_orders().await;
    // Made there, by their names.
    let count = them.post("/lance/v1/table/lake$sales$orders/count_rows", json!({})).await.ok();
    assert_eq!(count, 3);
    us.arrow(&format!("{ORDERS}/insert"), &numbers(2)).await.ok();
    let count =
        us.post(&format!("{ORDERS}/count_rows"), json!({ "id": ["far", "sales", "orders"] })).await.ok();
    assert_eq!(count, 5);

    // Answers are in our terms.
    let described =
        us.post(&format!("{ORDERS}/describe"), json!({ "load_detailed_metadata": true })).await.ok();
    assert_eq!(described["namespace"], json!(["far", "sales"]));
    assert_eq!(described["schema"]["fields"][0]["name"], "id");
    let listed = us.request(reqwest::Method::GET, "/lance/v1/namespace/far$sales/table/list");
    let listed: Value = listed.send().await.unwrap().json().await.unwrap();
    assert_eq!(listed["tables"], json!(["orders"]));
    let described = us.post("/lance/v1/namespace/far::sales/describe?delimiter=::", json!({})).await.ok();
    assert_eq!(described["properties"], json!({ "a": "b" }));

    // The same things over the admin API, with rows read from where they lie.
    let bucket = us.get("/api/v1/buckets/far").await.ok();
    assert_eq!((&bucket["backing"], &bucket["health"]["reach"]), (&json!("upstream"), &json!("up")));
    assert_eq!(names(&us.get(SALES).await.ok()), ["orders"]);
    let rows = us.get(&format!("{SALES}/orders/rows?limit=10")).await.ok();
    assert_eq!(rows["rows"].as_array().unwrap().len(), 5, "{rows}");
    let versions = us.get(&format!("{SALES}/orders/versions")).await.ok();
    assert_eq!(versions["items"].as_array().unwrap().len(), 2, "{versions}");
    let all: Value =
        us.request(reqwest::Method::GET, "/lance/v1/table").send().await.unwrap().json().await.unwrap();
    assert_eq!(all["tables"], json!(["far$sales$orders"]));

    // A table that somebody makes there is found by its name at once, and removed here it is gone there.
    them.arrow("/lance/v1/table/lake$sales$late/create", &numbers(1)).await.ok();
    let late = us.get(&format!("{SALES}/late")).await.ok();
    assert_eq!(late["name"], "late");
    us.post("/lance/v1/table/far$sales$late/drop", json!({})).await.ok();
    assert_eq!(refused(&them.post("/lance/v1/table/lake$sales$late/describe", json!({})).await), (404, 4));
    assert_eq!(us.get(&format!("{SALES}/late")).await.status, 404);
}

#[tokio::test]
async fn refusals_of_the_other_server_come_through_and_protection_stays_ours() {
    let Pair { us, .. } = &with_orders().await;
    assert_eq!(refused(&us.post("/lance/v1/table/far$sales$none/describe", json!({})).await), (404, 4));
    assert_eq!(refused(&us.post("/lance/v1/namespace/far$none/describe", json!({})).await), (404, 1));
    assert_eq!(refused(&us.post("/lance/v1/namespace/far$sales/create", json!({})).await), (409, 2));
    assert_eq!(refused(&us.arrow(&format!("{ORDERS}/create"), &numbers(1)).await), (409, 5));
    assert_eq!(refused(&us.post("/lance/v1/namespace/far$sales/drop", json!({})).await), (409, 3));
    let other = us.post(&format!("{ORDERS}/describe"), json!({ "id": ["lake", "sales", "orders"] })).await;
    assert_eq!(refused(&other), (400, 13));
    let options = json!({ "storage_options": { "aws_endpoint": "http://elsewhere" } });
    assert_eq!(refused(&us.post("/lance/v1/table/far$sales$new/declare", options).await), (400, 13));

    us.patch(&format!("{SALES}/orders"), json!({ "protected": true })).await.ok();
    assert_eq!(refused(&us.post(&format!("{ORDERS}/drop"), json!({})).await), (409, 19));
    let cascade = us.post("/lance/v1/namespace/far$sales/drop", json!({ "behavior": "Cascade" })).await;
    assert_eq!(refused(&cascade), (409, 19));
    let batch = json!({ "operations": [{ "declare_table": { "id": ["far", "sales", "x"] } }] });
    assert_eq!(refused(&us.post("/lance/v1/table/batch-commit", batch).await), (406, 0));
}

#[tokio::test]
async fn a_silent_server_leaves_what_was_seen_last_and_is_left_alone() {
    let Pair { theirs, us, ours, .. } = with_orders().await;
    assert_eq!(names(&us.get(SALES).await.ok()), ["orders"]);
    drop(theirs);
    // Lists are trusted for a moment.
    tokio::time::sleep(std::time::Duration::from_millis(2100)).await;
    for _ in 0..6 {
        let answer = us.post(&format!("{ORDERS}/count_rows"), json!({})).await;
        assert_eq!(refused(&answer), (503, 17), "{}", answer.json);
    }
    assert_eq!(names(&us.get(SALES).await.ok()), ["orders"]);
    for time in ["first", "second"] {
        let never = us.get("/api/v1/buckets/far/namespaces/never.seen/tables").await;
        assert_eq!(never.status, 503, "{time}: not looked at is not absent: {}", never.json);
    }
    assert_eq!(us.get(&format!("{SALES}/orders")).await.ok()["name"], "orders");
    let health = us.get("/api/v1/buckets/far").await.ok()["health"].clone();
    assert_eq!((&health["reach"], &health["breaker"]["state"]), (&json!("down"), &json!("open")), "{health}");
    assert!(health["cause"].as_str().is_some_and(|cause| cause.contains("no connection")), "{health}");
    assert!(health["listed_at_ms"].is_i64() && health["answered_at_ms"].is_i64(), "{health}");
    let checked = us.post("/api/v1/buckets/far/connection/check", json!({})).await.ok();
    assert!(checked["health"]["cause"].is_string(), "{checked}");

    // It is as well after a restart, when nothing was asked yet.
    let data = ours.stop();
    let again = Server::start_on(data, &["--allow-private-addresses"], &[]).await;
    let us = again.api("admin");
    assert_eq!(names(&us.get(SALES).await.ok()), ["orders"]);
    us.delete("/api/v1/buckets/far").await;
    assert_eq!(us.get("/api/v1/buckets/far").await.status, 404);
}

#[tokio::test]
async fn each_role_does_what_it_may_and_nothing_is_sent_otherwise() {
    let Pair { us, ours, them, .. } = &with_orders().await;
    let client = |role: &str, bucket: &str| Api {
        url: ours.url.clone(),
        token: ours.token(role, Some(bucket)),
        client: reqwest::Client::new(),
    };
    us.post("/lance/v1/namespace/near/create", json!({})).await.ok();
    let (viewer, reader, stranger) =
        (client("viewer", "far"), client("reader", "far"), client("admin", "near"));
    let before = asked_by_people(us).await.len();

    assert_eq!(refused(&viewer.post(&format!("{ORDERS}/query"), json!({ "k": 1 })).await), (403, 15));
    let narrowed = json!({ "predicate": "id > 1" });
    assert_eq!(refused(&viewer.post(&format!("{ORDERS}/count_rows"), narrowed).await), (403, 15));
    assert_eq!(refused(&reader.arrow(&format!("{ORDERS}/insert"), &numbers(1)).await), (403, 15));
    assert_eq!(refused(&reader.post(&format!("{ORDERS}/drop"), json!({})).await), (403, 15));
    let editor = client("editor", "far");
    let cascade = json!({ "behavior": "Cascade" });
    assert_eq!(refused(&editor.post("/lance/v1/namespace/far$sales/drop", cascade).await), (403, 15));
    assert_eq!(refused(&stranger.post(&format!("{ORDERS}/describe"), json!({})).await), (404, 4));
    assert_eq!(refused(&stranger.post("/lance/v1/namespace/far$sales/describe", json!({})).await), (404, 1));
    assert_eq!(asked_by_people(us).await.len(), before);

    let described = viewer.post(&format!("{ORDERS}/describe"), json!({})).await.ok();
    assert_eq!(described["storage_options"], json!({}));
    reader.post(&format!("{ORDERS}/query"), json!({ "k": 2 })).await;
    let newest = asked_by_people(us).await.swap_remove(0);
    assert_eq!(
        (&newest["operation"], &newest["object"]),
        (&json!("table/query"), &json!("lake$sales$orders"))
    );
    assert_eq!((&newest["status"], &newest["actor"]), (&json!(200), &json!("test")));

    // The credentials are nowhere to be read.
    let connection = us.get("/api/v1/buckets/far/connection").await.ok();
    assert!(connection["secret_set_at_ms"].is_i64());
    assert!(!connection.to_string().contains(&them.token) && !ours.output().contains(&them.token));
    assert_eq!(viewer.get("/api/v1/buckets/far/connection").await.status, 403);
    assert_eq!(stranger.get("/api/v1/buckets/far/connection").await.status, 404);
    // They do not follow to another address, and an admin of the bucket alone changes nothing.
    let elsewhere = json!({ "url": "http://127.0.0.1:9/lance" });
    let moved = us.patch("/api/v1/buckets/far/connection", elsewhere.clone()).await;
    assert_eq!((moved.status, &moved.json["errors"][0]["field"]), (400, &json!("secret")), "{}", moved.json);
    assert_eq!(client("admin", "far").patch("/api/v1/buckets/far/connection", elsewhere).await.status, 403);
}

#[tokio::test]
async fn a_connection_that_cannot_be_is_refused_and_leaves_nothing() {
    let Pair { theirs, them, ours, us } = &pair().await;
    let wrong = attach(us, "wrong", theirs, &["lake"], "lg_nothing").await;
    assert_eq!(wrong.status, 400, "{}", wrong.json);
    assert!(wrong.json["detail"].as_str().unwrap().contains("credentials"), "{}", wrong.json);
    assert_eq!(attach(us, "wrong", theirs, &["none"], &them.token).await.status, 400);
    // To itself.
    assert_eq!(attach(us, "wrong", ours, &[], &us.token).await.status, 400);
    let metadata =
        json!({ "name": "wrong", "backing": "upstream", "connection": { "url": "http://169.254.169.254/" } });
    let refused_address = us.post("/api/v1/buckets", metadata).await;
    assert_eq!((refused_address.status, &refused_address.json["errors"][0]["field"]), (400, &json!("url")));
    assert_eq!(us.get("/api/v1/buckets/wrong").await.status, 404);
    let editor = ours.api("editor");
    assert_eq!(attach(&editor, "wrong", theirs, &["lake"], &them.token).await.status, 403);
    assert_eq!(attach(us, "far", theirs, &["lake"], &them.token).await.status, 409);
}

#[tokio::test]
async fn a_circle_of_servers_is_refused_where_it_closes() {
    let pair = pair().await;
    let (us, them) = (&pair.us, &pair.them);
    let data = pair.theirs.stop();
    // Theirs may connect to ours from now on, at another port.
    let theirs = Server::start_on(data, &["--allow-private-addresses"], &[]).await;
    let back = json!({ "name": "back", "backing": "upstream", "connection": {
        "url": format!("{}/lance", pair.ours.url), "secret": format!("Bearer {}", us.token),
    } });
    let them = Api { url: theirs.url.clone(), token: them.token.clone(), client: reqwest::Client::new() };
    them.post("/api/v1/buckets", back).await.ok();
    // Ours is attached to theirs, which is attached to all of ours.
    let circle = attach(us, "circle", &theirs, &["back", "circle"], &them.token).await;
    assert_eq!(circle.status, 400, "{}", circle.json);
    assert!(circle.json["detail"].as_str().unwrap().contains("came back"), "{}", circle.json);
}
