//! Changes of rows, columns and metadata through the namespace, over HTTP, with the real engine.

use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch, StringArray};
use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::demo::ended;
use crate::server::{Answer, Api, Server};

const ORDERS: &str = "/lance/v1/table/lake$sales$orders";

fn rows(of: &[(i64, &str)]) -> RecordBatch {
    RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from_iter_values(of.iter().map(|row| row.0))) as _),
        ("name", Arc::new(StringArray::from_iter_values(of.iter().map(|row| row.1))) as _),
    ])
    .unwrap()
}

/// With the table `lake$sales$orders`: 1 is one, 2 is two, 3 is three.
async fn with_orders() -> (Server, Api) {
    let server = Server::start().await;
    let api = server.api("admin");
    api.post("/api/v1/buckets", json!({ "name": "lake", "format": "lance" })).await.ok();
    api.post("/lance/v1/namespace/lake$sales/create", json!({})).await.ok();
    let batch = rows(&[(1, "one"), (2, "two"), (3, "three")]);
    api.arrow(&format!("{ORDERS}/create"), &batch).await.ok();
    (server, api)
}

async fn ask(api: &Api, operation: &str, body: Value) -> Answer {
    api.post(&format!("{ORDERS}/{operation}"), body).await
}

async fn count(api: &Api, predicate: &str) -> i64 {
    ask(api, "count_rows", json!({ "predicate": predicate })).await.ok().as_i64().unwrap()
}

/// Status and code of a refusal.
fn said(answer: &Answer) -> (u16, i64) {
    assert!(answer.json["error"].is_string(), "{answer:?}");
    (answer.status, answer.json["code"].as_i64().unwrap())
}

#[tokio::test]
async fn rows_are_merged_updated_and_deleted() {
    let (_server, api) = with_orders().await;
    let upsert =
        format!("{ORDERS}/merge_insert?on=id&when_matched_update_all=true&when_not_matched_insert_all=true");
    let merged = api.arrow(&upsert, &rows(&[(3, "drei"), (4, "vier")])).await.ok();
    let numbers = ["num_updated_rows", "num_inserted_rows", "num_deleted_rows", "version"];
    assert_eq!(numbers.map(|name| merged[name].as_i64().unwrap()), [1, 1, 0, 2]);
    assert!(merged.get("num_attempts").is_none());
    // Both columns together are the key: neither row is the one that is there.
    let composite =
        format!("{ORDERS}/merge_insert?on=id&on=name&when_not_matched_insert_all=true&timeout=30s");
    let merged = api.arrow(&composite, &rows(&[(3, "three"), (4, "vier")])).await.ok();
    assert_eq!((&merged["num_inserted_rows"], &merged["num_updated_rows"]), (&json!(1), &json!(0)));

    let updated =
        ask(&api, "update", json!({ "updates": [["name", "upper(name)"]], "predicate": "id < 3" })).await;
    assert_eq!(updated.ok(), json!({ "updated_rows": 2, "version": 4 }));
    assert_eq!(count(&api, "name IN ('ONE', 'TWO')").await, 2);
    let deleted = ask(&api, "delete", json!({ "predicate": "id = 3" })).await.ok();
    assert_eq!(deleted, json!({ "version": 5 }));
    assert_eq!(count(&api, "true").await, 3);

    let audit = api.get("/api/v1/audit?action=rows&limit=10").await.ok();
    let audit: Vec<_> =
        audit["items"].as_array().unwrap().iter().map(|one| one["action"].as_str().unwrap()).collect();
    assert_eq!(audit, ["rows.delete", "rows.update", "rows.merge", "rows.merge"]);
}

#[tokio::test]
async fn a_missing_branch_is_not_found_and_never_main() {
    let (_server, api) = with_orders().await;
    for (operation, body) in [
        ("update", json!({ "updates": [["name", "'x'"]] })),
        ("delete", json!({ "predicate": "true" })),
        ("add_columns", json!({ "new_columns": [{ "name": "x", "expression": "1" }] })),
        ("alter_columns", json!({ "alterations": [{ "path": "name", "rename": "x" }] })),
        ("drop_columns", json!({ "columns": ["name"] })),
        ("backfill_column", json!({ "column": "name" })),
        ("update_field_metadata", json!({ "updates": [{ "path": "name", "metadata": { "a": "b" } }] })),
        ("stats", json!({})),
        ("explain_plan", json!({ "query": { "k": 1, "vector": [] } })),
        ("analyze_plan", json!({ "k": 1, "vector": [] })),
    ] {
        let mut body = body;
        body["branch"] = json!("nowhere");
        assert_eq!(said(&ask(&api, operation, body).await), (404, 22), "{operation}");
    }
    let merge = format!("{ORDERS}/merge_insert?on=id&when_not_matched_insert_all=true&branch=nowhere");
    assert_eq!(said(&api.arrow(&merge, &rows(&[(9, "nine")])).await), (404, 22));
    let metadata = ask(&api, "schema_metadata/update?branch=nowhere", json!({ "a": "b" })).await;
    assert_eq!(said(&metadata), (404, 22));
    let described = ask(&api, "describe?load_detailed_metadata=true", json!({})).await.ok();
    assert_eq!(described["version"], 1);
    // The main branch has a name too.
    let updated = ask(&api, "update", json!({ "updates": [["name", "'x'"]], "branch": "main" })).await;
    assert_eq!(updated.ok()["updated_rows"], 3);
}

#[tokio::test]
async fn a_reader_changes_nothing_and_a_stranger_finds_nothing() {
    let (server, api) = with_orders().await;
    let as_role = |role: &str, bucket: Option<&str>| Api {
        url: api.url.clone(),
        token: server.token(role, bucket),
        client: Client::new(),
    };
    api.post("/api/v1/buckets", json!({ "name": "other", "format": "lance" })).await.ok();
    let (reader, stranger) = (as_role("reader", Some("lake")), as_role("admin", Some("other")));
    for (operation, body) in [
        ("update", json!({ "updates": [["name", "'x'"]] })),
        ("delete", json!({ "predicate": "true" })),
        ("add_columns", json!({ "new_columns": [{ "name": "x", "computed": "id" }] })),
        ("alter_columns", json!({ "alterations": [{ "path": "name", "rename": "x" }] })),
        ("drop_columns", json!({ "columns": ["name"] })),
        ("backfill_column", json!({ "column": "name" })),
        ("schema_metadata/update", json!({ "a": "b" })),
        ("update_field_metadata", json!({ "updates": [{ "path": "name", "metadata": {} }] })),
    ] {
        assert_eq!(said(&ask(&reader, operation, body.clone()).await), (403, 15), "{operation}");
        assert_eq!(said(&ask(&stranger, operation, body).await), (404, 4), "{operation}");
    }
    let merge = format!("{ORDERS}/merge_insert?on=id&when_not_matched_insert_all=true");
    assert_eq!(said(&reader.arrow(&merge, &rows(&[(9, "nine")])).await), (403, 15));
    assert_eq!(said(&stranger.arrow(&merge, &rows(&[(9, "nine")])).await), (404, 4));
    assert_eq!(ask(&reader, "stats", json!({})).await.ok()["num_rows"], 3);
    let query = json!({ "query": { "k": 1, "vector": [], "filter": "id = 2" } });
    assert!(ask(&reader, "explain_plan", query.clone()).await.ok().is_string());
    let viewer = as_role("viewer", Some("lake"));
    assert_eq!(said(&ask(&viewer, "explain_plan", query).await), (403, 15));
    assert_eq!(count(&api, "true").await, 3);
}

#[tokio::test]
async fn columns_come_change_and_go() {
    let (_server, api) = with_orders().await;
    let added = json!({ "new_columns": [{ "name": "twice", "expression": "id * 2" }, { "name": "loud", "expression": "upper(name)" }] });
    assert_eq!(ask(&api, "add_columns", added).await.ok(), json!({ "version": 2 }));
    assert_eq!(count(&api, "twice = id * 2 AND loud = upper(name)").await, 3);
    let altered = json!({ "alterations": [
        { "path": "twice", "rename": "double", "data_type": { "type": "int32" } }, { "path": "loud", "nullable": true },
    ] });
    assert_eq!(ask(&api, "alter_columns", altered).await.ok(), json!({ "version": 3 }));
    assert_eq!(ask(&api, "drop_columns", json!({ "columns": ["loud"] })).await.ok(), json!({ "version": 4 }));
    let described = ask(&api, "describe?load_detailed_metadata=true", json!({})).await.ok();
    let fields: Vec<_> = described["schema"]["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| (field["name"].as_str().unwrap(), field["type"]["type"].as_str().unwrap()))
        .collect();
    assert_eq!(fields, [("id", "int64"), ("name", "utf8"), ("double", "int32")]);

    for (operation, body, refusal) in [
        ("add_columns", json!({ "new_columns": [{ "name": "x", "expression": "no + 1" }] }), (404, 12)),
        ("add_columns", json!({ "new_columns": [{ "name": "x" }] }), (400, 13)),
        ("add_columns", json!({ "new_columns": [{ "name": "x", "virtual_column": {} }] }), (406, 0)),
        ("add_columns", json!({}), (400, 13)),
        ("alter_columns", json!({ "alterations": [{ "path": "no", "rename": "x" }] }), (404, 12)),
        ("alter_columns", json!({ "alterations": [{ "path": "id" }] }), (400, 13)),
        ("alter_columns", json!({ "alterations": [{ "path": "id", "data_type": "varchar" }] }), (400, 13)),
        ("drop_columns", json!({ "columns": ["no"] }), (404, 12)),
        ("drop_columns", json!({ "columns": [] }), (400, 13)),
    ] {
        assert_eq!(said(&ask(&api, operation, body.clone()).await), refusal, "{operation} {body}");
    }
}

#[tokio::test]
async fn a_computed_column_is_filled_by_a_job() {
    let (_server, api) = with_orders().await;
    let declared = json!({ "new_columns": [{ "name": "twice", "computed": "id * 2" }] });
    ask(&api, "add_columns", declared).await.ok();
    assert_eq!(count(&api, "twice IS NULL").await, 3);
    for (body, refusal) in [
        (json!({ "column": "name" }), (400, 13)),
        (json!({ "column": "no" }), (404, 12)),
        (json!({}), (400, 13)),
        (json!({ "column": "twice", "read_version": 1 }), (406, 0)),
    ] {
        assert_eq!(said(&ask(&api, "backfill_column", body.clone()).await), refusal, "{body}");
    }
    let started =
        ask(&api, "backfill_column", json!({ "column": "twice", "where": "id > 1", "concurrency": 4 })).await;
    assert_eq!(started.status, 202, "{started:?}");
    let job = ended(&api, started.json["job_id"].as_str().unwrap()).await;
    assert_eq!(job["state"], "succeeded", "{job}");
    assert_eq!((&job["kind"], &job["progress"]["done"]), (&json!("backfill-column"), &json!(2)));
    assert_eq!(count(&api, "twice = id * 2").await, 2);
    let started = ask(&api, "backfill_column", json!({ "column": "twice" })).await;
    let job = ended(&api, started.json["job_id"].as_str().unwrap()).await;
    assert_eq!((&job["state"], &job["progress"]["done"]), (&json!("succeeded"), &json!(1)));
    assert_eq!(count(&api, "twice = id * 2").await, 3);
}

#[tokio::test]
async fn metadata_and_numbers_are_answered_as_the_specification_shapes_them() {
    let (_server, api) = with_orders().await;
    let kept = ask(&api, "schema_metadata/update", json!({ "owner": "ann", "id": "orders" })).await.ok();
    assert_eq!(kept, json!({ "owner": "ann", "id": "orders" }));
    let kept = ask(&api, "schema_metadata/update", json!({ "owner": "bob", "gone": null })).await.ok();
    assert_eq!(kept, json!({ "owner": "bob" }));
    let update = json!({ "updates": [{ "path": "name", "metadata": { "lang": "en", "unit": "x" } }] });
    let kept = ask(&api, "update_field_metadata", update).await.ok();
    assert_eq!(kept["fields"], json!({ "name": { "lang": "en", "unit": "x" } }));
    let update = json!({ "updates": [{ "path": "name", "metadata": { "lang": null } }] });
    let kept = ask(&api, "update_field_metadata", update).await.ok();
    assert_eq!(kept, json!({ "version": 5, "fields": { "name": { "unit": "x" } } }));
    let missing = json!({ "updates": [{ "path": "no", "metadata": { "a": "b" } }] });
    assert_eq!(said(&ask(&api, "update_field_metadata", missing).await), (404, 12));

    ask(&api, "delete", json!({ "predicate": "id = 1" })).await.ok();
    // Clients of the remote dialect send nothing at all.
    let stats = api.request(Method::POST, &format!("{ORDERS}/stats/")).send().await.unwrap();
    let stats: Value = serde_json::from_slice(&stats.bytes().await.unwrap()).unwrap();
    assert_eq!((&stats["num_rows"], &stats["num_indices"]), (&json!(2), &json!(0)));
    assert!(stats["total_bytes"].as_i64().unwrap() > 0);
    assert_eq!(stats["fragment_stats"]["num_fragments"], 1);
    assert_eq!(stats["fragment_stats"]["num_small_fragments"], 1);
    let lengths = &stats["fragment_stats"]["lengths"];
    for name in ["min", "max", "mean", "p25", "p50", "p75", "p99"] {
        assert_eq!(lengths[name], 2, "{name}");
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_change_has_its_own_code() {
    let (_server, api) = with_orders().await;
    for (operation, body, refusal) in [
        ("update", json!({}), (400, 13)),
        ("update", json!({ "updates": [["no", "1"]] }), (404, 12)),
        ("update", json!({ "updates": [["id", "1 +"]] }), (400, 13)),
        ("update", json!({ "updates": [["id", "'word'"]] }), (400, 13)),
        ("update", json!({ "updates": [["id", "1 / 0"]] }), (400, 13)),
        ("delete", json!({}), (400, 13)),
        ("delete", json!({ "predicate": "no = 1" }), (404, 12)),
        ("explain_plan", json!({}), (400, 13)),
        ("analyze_plan", json!({ "k": 1, "filter": "no = 1" }), (404, 12)),
    ] {
        assert_eq!(said(&ask(&api, operation, body.clone()).await), refusal, "{operation} {body}");
    }
    let merge = async |query: &str, batch: &RecordBatch| {
        said(&api.arrow(&format!("{ORDERS}/merge_insert?{query}"), batch).await)
    };
    let batch = rows(&[(9, "nine")]);
    assert_eq!(merge("when_not_matched_insert_all=true", &batch).await, (400, 13));
    assert_eq!(merge("on=id", &batch).await, (400, 13));
    assert_eq!(merge("on=no&when_not_matched_insert_all=true", &batch).await, (404, 12));
    assert_eq!(merge("on=id&when_not_matched_insert_all=true&timeout=soon", &batch).await, (400, 13));
    let twice = rows(&[(1, "a"), (1, "b")]);
    assert_eq!(merge("on=id&when_matched_update_all=true", &twice).await, (400, 13));
    let garbage =
        api.request(Method::POST, &format!("{ORDERS}/merge_insert?on=id&when_matched_update_all=true"));
    assert_eq!(garbage.body("no arrow").send().await.unwrap().status(), 400);

    api.post("/lance/v1/table/lake$sales$later/declare", json!({})).await.ok();
    for operation in ["stats", "count_rows"] {
        let declared = api.post(&format!("/lance/v1/table/lake$sales$later/{operation}"), json!({})).await;
        assert_eq!(said(&declared), (409, 19), "{operation}");
    }
    let deleted = api.post("/lance/v1/table/lake$sales$later/delete", json!({ "predicate": "true" })).await;
    assert_eq!(said(&deleted), (409, 19));
    let nothing = api.post("/lance/v1/table/lake$sales$no/delete", json!({ "predicate": "true" })).await;
    assert_eq!(said(&nothing), (404, 4));
    assert_eq!(count(&api, "true").await, 3);
}

#[tokio::test]
async fn plans_say_how_a_query_would_run_and_how_it_ran() {
    let (server, api) = with_orders().await;
    let explained = ask(
        &api,
        "explain_plan",
        json!({ "query": { "k": 2, "vector": [], "filter": "id > 1" }, "verbose": true }),
    );
    let plan = explained.await.ok().as_str().unwrap().to_owned();
    assert!(plan.contains("LanceRead") && plan.contains("id > "), "{plan}");
    let analyzed = ask(&api, "analyze_plan", json!({ "k": 2, "vector": {}, "filter": "id > 1" })).await.ok();
    let analyzed = analyzed.as_str().unwrap();
    assert!(analyzed.contains("output_rows"), "{analyzed}");
    let folder = server.data.path().display().to_string();
    assert!(
        !plan.contains(folder.trim_start_matches('/')) && !analyzed.contains(folder.trim_start_matches('/'))
    );
}

#[tokio::test]
async fn tables_of_another_format_are_left_alone_by_every_operation() {
    let server = Server::start().await;
    let api = server.api("admin");
    api.post("/api/v1/buckets", json!({ "name": "files", "format": "csv" })).await.ok();
    let folder = server.data.path().join("buckets/files/raw");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("people.csv");
    std::fs::write(&file, "id,name\n1,one\n").unwrap();
    api.post("/api/v1/buckets/files/scan", json!({})).await.ok();

    let table = "/lance/v1/table/files$raw$people.csv";
    for (operation, body) in [
        ("describe", json!({})),
        ("deregister", json!({})),
        ("drop", json!({})),
        ("rename", json!({ "new_table_name": "stolen" })),
        ("query", json!({ "k": 1, "vector": [] })),
        ("count_rows", json!({})),
        ("update", json!({ "updates": [["name", "'x'"]] })),
        ("delete", json!({ "predicate": "true" })),
        ("explain_plan", json!({ "query": { "k": 1, "vector": [] } })),
        ("analyze_plan", json!({ "k": 1, "vector": [] })),
        ("add_columns", json!({ "new_columns": [{ "name": "x", "expression": "1" }] })),
        ("alter_columns", json!({ "alterations": [{ "path": "name", "rename": "x" }] })),
        ("drop_columns", json!({ "columns": ["name"] })),
        ("backfill_column", json!({ "column": "name" })),
        ("schema_metadata/update", json!({ "a": "b" })),
        ("update_field_metadata", json!({ "updates": [{ "path": "name", "metadata": { "a": "b" } }] })),
        ("stats", json!({})),
    ] {
        let answer = api.post(&format!("{table}/{operation}"), body).await;
        assert_eq!(said(&answer), (406, 0), "{operation}: {answer:?}");
    }
    for operation in ["insert", "merge_insert?on=id&when_not_matched_insert_all=true"] {
        let answer = api.arrow(&format!("{table}/{operation}"), &rows(&[(2, "two")])).await;
        assert_eq!(said(&answer), (406, 0), "{operation}: {answer:?}");
    }
    let taken = api.arrow(&format!("{table}/create?mode=overwrite"), &rows(&[(2, "two")])).await;
    assert!((400..500).contains(&taken.status), "{taken:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "id,name\n1,one\n");
    let kept = api.get("/api/v1/buckets/files/namespaces/raw/tables/people.csv").await.ok();
    assert_eq!(kept["format"], "csv");
}
