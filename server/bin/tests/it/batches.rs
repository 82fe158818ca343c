//! Batches over several tables: all of their changes, or none.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::catalog::numbers;
use crate::references::refused;
use crate::server::{Api, Server};

/// Tables `a` and `b` of one row each, with a second version of both staged beside them.
async fn with_two() -> (Server, Api) {
    let server = Server::start().await;
    let api = server.api("admin");
    api.post("/lance/v1/namespace/lake/create", json!({})).await.ok();
    api.post("/lance/v1/namespace/lake$sales/create", json!({})).await.ok();
    for name in ["a", "b"] {
        api.arrow(&format!("/lance/v1/table/lake$sales${name}/create"), &numbers(1)).await.ok();
        stage(&server, &api, name).await;
    }
    (server, api)
}

fn folder(server: &Server, table: &str) -> PathBuf {
    server.data.path().join("buckets/lake/sales").join(table)
}

/// Lets a copy of the table make its next version, and carries all but the commit over.
async fn stage(server: &Server, api: &Api, table: &str) {
    let (own, scratch) = (folder(server, table), folder(server, &format!("{table}-scratch")));
    copy(&own, &scratch);
    let id = format!("lake$sales${table}scratch");
    let register = json!({ "location": format!("sales/{table}-scratch") });
    let register = api.post(&format!("/lance/v1/table/{id}/register"), register).await;
    register.ok();
    api.arrow(&format!("/lance/v1/table/{id}/insert"), &numbers(10)).await.ok();
    let made = api.post(&format!("/lance/v1/table/{id}/version/describe"), json!({})).await.ok();
    let manifest = PathBuf::from(format!("/{}", made["version"]["manifest_path"].as_str().unwrap()));
    for part in ["data", "_transactions"] {
        copy(&scratch.join(part), &own.join(part));
    }
    std::fs::copy(manifest, own.join("_versions/staged")).unwrap();
    api.post(&format!("/lance/v1/table/{id}/drop"), json!({})).await.ok();
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else if !target.exists() {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn version(table: &str) -> Value {
    json!({ "id": ["lake", "sales", table], "version": 2, "manifest_path": "_versions/staged" })
}

async fn count(api: &Api, table: &str) -> Value {
    api.post(&format!("/lance/v1/table/lake$sales${table}/count_rows"), json!({})).await.ok()
}

#[tokio::test]
async fn versions_of_two_tables_are_made_together() {
    let (server, api) = with_two().await;
    let entries = json!({ "entries": [version("a"), version("b")] });
    let made = api.post("/lance/v1/table/version/batch-create", entries.clone()).await.ok();
    assert_eq!(made["versions"].as_array().unwrap().len(), 2);
    assert_eq!(made["versions"][1]["version"], 2);
    assert_eq!((count(&api, "a").await, count(&api, "b").await), (json!(11), json!(11)));
    assert!(!folder(&server, "a").join("_versions/staged").exists());
    let again = api.post("/lance/v1/table/version/batch-create", entries).await;
    assert_eq!(refused(&again), (409, 14));
}

#[tokio::test]
async fn one_version_is_made_if_nothing_is_there() {
    let (_server, api) = with_two().await;
    let path = "/lance/v1/table/lake$sales$a/version/create";
    let body = json!({ "version": 2, "manifest_path": "_versions/staged", "naming_scheme": "V2" });
    let made = api.post(path, body.clone()).await.ok();
    assert_eq!(made["version"]["version"], 2);
    assert_eq!(count(&api, "a").await, 11);
    assert_eq!(refused(&api.post(path, body).await), (409, 14));
    let outside = json!({ "version": 3, "manifest_path": "../b/_versions/staged" });
    assert_eq!(refused(&api.post(path, outside).await), (400, 13));
}

#[tokio::test]
async fn a_batch_that_fails_changes_nothing() {
    let (server, api) = with_two().await;
    // `b` gets its second version from elsewhere first.
    api.arrow("/lance/v1/table/lake$sales$b/insert", &numbers(1)).await.ok();
    let cases = [
        (json!({ "create_table_version": version("b") }), (409, 14)),
        (json!({ "declare_table": { "id": ["lake", "sales", "b"] } }), (409, 5)),
        (json!({ "declare_table": { "id": ["lake", "nowhere", "c"] } }), (404, 1)),
        (json!({ "deregister_table": { "id": ["lake", "sales", "none"] } }), (404, 4)),
        (json!({ "create_table_version": version("a") }), (400, 13)),
        (json!({ "deregister_table": { "id": ["lake", "sales", "a"] } }), (400, 13)),
        (json!({}), (400, 13)),
        (
            json!({ "declare_table": { "id": ["lake", "sales", "c"], "storage_options": { "a": "b" } } }),
            (400, 13),
        ),
    ];
    for (last, wanted) in cases {
        let operations = json!({ "operations": [
            { "create_table_version": version("a") },
            { "declare_table": { "id": ["lake", "sales", "new"] } },
            last,
        ] });
        let answer = api.post("/lance/v1/table/batch-commit", operations).await;
        assert_eq!(refused(&answer), wanted, "{last}: {}", answer.json);
        assert_eq!(count(&api, "a").await, 1, "{last}");
        let tables = api.get("/lance/v1/namespace/lake$sales/table/list").await.ok();
        assert_eq!(tables["tables"], json!(["a", "b"]), "{last}");
        assert!(!folder(&server, "new").exists(), "{last}");
    }
    assert_eq!(refused(&api.post("/lance/v1/table/batch-commit", json!({})).await), (400, 13));
    // What was staged is still there, and is committed when the rest of a batch is right.
    let operations = json!({ "operations": [
        { "create_table_version": version("a") },
        { "declare_table": { "id": ["lake", "sales", "new"], "properties": { "owner": "me" } } },
        { "deregister_table": { "id": ["lake", "sales", "b"] } },
    ] });
    let done = api.post("/lance/v1/table/batch-commit", operations).await.ok();
    let results = done["results"].as_array().unwrap();
    assert_eq!(results[0]["create_table_version"]["version"]["version"], 2);
    assert_eq!(results[1]["declare_table"]["properties"]["owner"], "me");
    assert_eq!(results[2]["deregister_table"]["id"], json!(["lake", "sales", "b"]));
    assert_eq!(count(&api, "a").await, 11);
    let tables = api.get("/lance/v1/namespace/lake$sales/table/list").await.ok();
    assert_eq!(tables["tables"], json!(["a", "new"]));
    assert!(folder(&server, "new").join(".lance-reserved").exists());
    assert!(folder(&server, "b").join(".lance-deregistered").exists());
    assert_eq!(api.get("/api/v1/buckets/lake/trash").await.ok()["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn records_of_versions_are_deleted_in_a_batch() {
    let (_server, api) = with_two().await;
    api.arrow("/lance/v1/table/lake$sales$b/insert", &numbers(1)).await.ok();
    let delete =
        json!({ "id": ["lake", "sales", "b"], "ranges": [{ "start_version": 0, "end_version": -1 }] });
    let operations = json!({ "operations": [
        { "create_table_version": version("a") },
        { "delete_table_versions": delete },
    ] });
    let done = api.post("/lance/v1/table/batch-commit", operations).await.ok();
    assert_eq!(done["results"][1]["delete_table_versions"]["deleted_count"], 1);
    assert_eq!((count(&api, "a").await, count(&api, "b").await), (json!(11), json!(2)));
}
