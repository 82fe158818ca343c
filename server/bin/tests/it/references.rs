//! Versions, tags, branches and transactions of the namespace over HTTP: shapes, codes, who may.

use serde_json::{Value, json};

use crate::catalog::numbers;
use crate::server::{Answer, Api, Server};

const TABLE: &str = "/lance/v1/table/lake$sales$orders";

pub(crate) async fn with_orders(versions: i64) -> (Server, Api) {
    let server = Server::start().await;
    let api = server.api("admin");
    api.post("/lance/v1/namespace/lake/create", json!({})).await.ok();
    api.post("/lance/v1/namespace/lake$sales/create", json!({})).await.ok();
    api.arrow(&format!("{TABLE}/create"), &numbers(1)).await.ok();
    for _ in 1..versions {
        api.arrow(&format!("{TABLE}/insert"), &numbers(1)).await.ok();
    }
    (server, api)
}

fn at(operation: &str) -> String {
    format!("{TABLE}/{operation}")
}

/// Status and namespace code.
pub(crate) fn refused(answer: &Answer) -> (u16, u64) {
    (answer.status, answer.json["code"].as_u64().unwrap_or_else(|| panic!("no code: {}", answer.json)))
}

fn versions(list: &Value) -> Vec<u64> {
    list["versions"].as_array().unwrap().iter().map(|one| one["version"].as_u64().unwrap()).collect()
}

async fn count(api: &Api, body: Value) -> Value {
    api.post(&at("count_rows"), body).await.ok()
}

#[tokio::test]
async fn versions_are_listed_described_deleted_and_restored() {
    let (_server, api) = with_orders(5).await;
    let first = api.post(&at("version/list?limit=2"), json!({})).await.ok();
    assert_eq!((versions(&first), &first["page_token"]), (vec![5, 4], &json!("4")));
    let rest = api.post(&at("version/list/?page_token=4&descending=true"), json!({})).await.ok();
    assert_eq!((versions(&rest), rest.get("page_token")), (vec![3, 2, 1], None));
    let up = api.post(&at("version/list?descending=false"), json!({})).await.ok();
    assert_eq!(versions(&up), [1, 2, 3, 4, 5]);
    let one = api.post(&at("version/describe"), json!({ "version": 4 })).await.ok();
    assert_eq!(one["version"], first["versions"][1]);
    assert!(one["version"]["manifest_size"].as_u64().unwrap() > 100);
    assert!(one["version"]["timestamp_millis"].as_i64().unwrap() > 1_600_000_000_000);
    let newest = api.post(&at("version/describe"), json!({})).await.ok();
    assert_eq!(newest["version"]["version"], 5);

    api.post(&at("tags/create"), json!({ "tag": "kept", "version": 2 })).await.ok();
    let all = json!({ "ranges": [{ "start_version": 0, "end_version": -1 }] });
    let gone = api.post(&at("version/delete"), all).await.ok();
    assert_eq!(gone["deleted_count"], 3);
    assert_eq!(versions(&api.post(&at("version/list"), json!({})).await.ok()), [5, 2]);
    assert_eq!(refused(&api.post(&at("version/describe"), json!({ "version": 3 })).await), (404, 11));
    assert_eq!(refused(&api.post(&at("describe"), json!({ "version": 3 })).await), (404, 11));
    assert_eq!(count(&api, json!({})).await, 5);

    let restored = api.post(&at("restore"), json!({ "version": 2 })).await.ok();
    assert_eq!(restored["transaction_id"], "6");
    assert_eq!(count(&api, json!({})).await, 2);
    assert_eq!(count(&api, json!({ "version": 5 })).await, 5);
    assert_eq!(refused(&api.post(&at("restore"), json!({ "version": 3 })).await), (404, 11));
    assert_eq!(refused(&api.post(&at("restore"), json!({})).await), (400, 13));
    assert_eq!(refused(&api.post(&at("restore"), json!({ "version": 1, "branch": "no" })).await), (404, 22));
    assert_eq!(refused(&api.post(&at("version/list?branch=no"), json!({})).await), (404, 22));
    assert_eq!(refused(&api.post(&at("version/list?page_token=x"), json!({})).await), (400, 13));
    assert_eq!(refused(&api.post(&at("version/list?limit=0"), json!({})).await), (400, 13));
}

#[tokio::test]
async fn tags_have_their_own_codes_and_two_shapes() {
    let (_server, api) = with_orders(2).await;
    assert_eq!(api.post(&at("tags/list"), json!({})).await.ok(), json!({ "tags": {} }));
    for (tag, version) in [("a", 1), ("b", 2), ("c", 1)] {
        api.post(&at("tags/create"), json!({ "tag": tag, "version": version })).await.ok();
    }
    let page = api.post(&at("tags/list?limit=2"), json!({})).await.ok();
    assert_eq!(page["page_token"], "b");
    assert_eq!(page["tags"]["b"]["version"], 2);
    assert!(page["tags"]["a"]["manifestSize"].as_u64().unwrap() > 100);
    let rest = api.post(&at("tags/list?page_token=b"), json!({})).await.ok();
    assert_eq!(rest["tags"].as_object().unwrap().keys().collect::<Vec<_>>(), ["c"]);
    // The remote dialect reads the bare map.
    let bare = api
        .request(reqwest::Method::POST, "/lance/v1/table/orders/tags/list/")
        .header("x-lancedb-database", "lake$sales");
    let bare: Value = bare.send().await.unwrap().json().await.unwrap();
    assert_eq!(bare["a"]["version"], 1);

    let version = async |tag: &str| api.post(&at("tags/version"), json!({ "tag": tag })).await;
    assert_eq!(version("b").await.ok(), json!({ "version": 2 }));
    api.post(&at("tags/update"), json!({ "tag": "b", "version": 1 })).await.ok();
    assert_eq!(version("b").await.ok()["version"], 1);
    api.post(&at("tags/delete"), json!({ "tag": "b" })).await.ok();
    let cases = [
        ("tags/version", json!({ "tag": "b" }), (404, 8)),
        ("tags/delete", json!({ "tag": "b" }), (404, 8)),
        ("tags/update", json!({ "tag": "b", "version": 1 }), (404, 8)),
        ("tags/create", json!({ "tag": "a", "version": 2 }), (409, 9)),
        ("tags/create", json!({ "tag": "d", "version": 9 }), (404, 11)),
        ("tags/create", json!({ "tag": "d", "version": 1, "branch": "no" }), (404, 22)),
        ("tags/create", json!({ "tag": "d e", "version": 1 }), (400, 13)),
        ("tags/create", json!({ "version": 1 }), (400, 13)),
        ("tags/create", json!({ "tag": "d" }), (400, 13)),
        ("describe", json!({ "tag": "b" }), (404, 8)),
    ];
    for (operation, body, wanted) in cases {
        assert_eq!(refused(&api.post(&at(operation), body.clone()).await), wanted, "{operation} {body}");
    }
    // A tag reads as the version it names.
    let described = api.post(&at("describe"), json!({ "tag": "a", "load_detailed_metadata": true })).await;
    assert_eq!(described.ok()["version"], 1);
}

#[tokio::test]
async fn branches_are_written_apart_and_deleted_when_nothing_stands_on_them() {
    let (_server, api) = with_orders(3).await;
    api.post(&at("branches/create"), json!({ "name": "trial", "from_version": 2 })).await.ok();
    api.post(&at("branches/create"), json!({ "name": "next", "from_branch": "trial" })).await.ok();
    api.arrow(&at("insert?branch=trial"), &numbers(10)).await.ok();
    assert_eq!(count(&api, json!({ "branch": "trial" })).await, 12);
    assert_eq!(count(&api, json!({ "branch": "next" })).await, 2);
    assert_eq!(count(&api, json!({})).await, 3);
    let list = api.post(&at("branches/list"), json!({})).await.ok();
    assert_eq!(list["branches"]["trial"]["parentVersion"], 2);
    assert_eq!(list["branches"]["next"]["parentBranch"], "trial");
    assert!(list["branches"]["trial"]["createAt"].as_i64().unwrap() > 1_600_000_000);
    let of_branch = api.post(&at("version/list?branch=trial"), json!({})).await.ok();
    let newest = versions(&of_branch)[0];
    let tag = json!({ "tag": "good", "version": newest, "branch": "trial" });
    api.post(&at("tags/create"), tag).await.ok();
    let tag = api.post(&at("tags/version"), json!({ "tag": "good" })).await.ok();
    assert_eq!(tag, json!({ "version": newest, "branch": "trial" }));
    let cases = [
        ("branches/create", json!({ "name": "trial" }), (409, 23)),
        ("branches/create", json!({ "name": "x", "from_branch": "no" }), (404, 22)),
        ("branches/create", json!({ "name": "x", "from_version": 9 }), (404, 11)),
        ("branches/create", json!({ "name": "../x" }), (400, 13)),
        ("branches/create", json!({}), (400, 13)),
        ("branches/delete", json!({ "name": "no" }), (404, 22)),
        ("branches/delete", json!({ "name": "trial" }), (409, 19)),
        ("branches/delete", json!({ "name": "main" }), (400, 13)),
    ];
    for (operation, body, wanted) in cases {
        assert_eq!(refused(&api.post(&at(operation), body.clone()).await), wanted, "{operation} {body}");
    }
    api.post(&at("branches/delete"), json!({ "name": "next" })).await.ok();
    api.post(&at("tags/delete"), json!({ "tag": "good" })).await.ok();
    api.post(&at("branches/delete"), json!({ "name": "trial" })).await.ok();
    assert_eq!(api.post(&at("branches/list"), json!({})).await.ok(), json!({ "branches": {} }));
}

#[tokio::test]
async fn a_declared_table_has_no_versions_and_takes_no_tags() {
    let (_server, api) = with_orders(1).await;
    let declared = "/lance/v1/table/lake$sales$later";
    api.post(&format!("{declared}/declare"), json!({})).await.ok();
    for operation in ["version/list", "tags/list", "branches/list", "index/list"] {
        let listed = api.post(&format!("{declared}/{operation}"), json!({})).await.ok();
        let empty = listed.as_object().unwrap().values().all(|value| {
            value.as_array().is_some_and(Vec::is_empty)
                || value.as_object().is_some_and(serde_json::Map::is_empty)
        });
        assert!(empty, "{operation}: {listed}");
    }
    let cases = [
        ("version/describe", json!({ "version": 1 }), (404, 11)),
        ("version/describe", json!({}), (409, 19)),
        ("tags/version", json!({ "tag": "a" }), (404, 8)),
        ("tags/create", json!({ "tag": "a", "version": 1 }), (409, 19)),
        ("restore", json!({ "version": 1 }), (409, 19)),
        ("create_index", json!({ "column": "id", "index_type": "BTREE" }), (409, 19)),
    ];
    for (operation, body, wanted) in cases {
        let answer = api.post(&format!("{declared}/{operation}"), body).await;
        assert_eq!(refused(&answer), wanted, "{operation}: {}", answer.json);
    }
}

#[tokio::test]
async fn roles_decide_and_every_change_is_recorded() {
    let (server, admin) = with_orders(2).await;
    let with = |token: String| Api { url: server.url.clone(), token, client: reqwest::Client::new() };
    let viewer = with(server.token("viewer", Some("lake")));
    for operation in ["version/list", "tags/list", "branches/list", "index/list"] {
        viewer.post(&at(operation), json!({})).await.ok();
    }
    admin.post("/lance/v1/namespace/other/create", json!({})).await.ok();
    let stranger = with(server.token("editor", Some("other")));
    let changes = [
        ("version/delete", json!({ "ranges": [{ "start_version": 0, "end_version": -1 }] })),
        ("version/create", json!({ "version": 3, "manifest_path": "_versions/x" })),
        ("restore", json!({ "version": 1 })),
        ("tags/create", json!({ "tag": "a", "version": 1 })),
        ("branches/create", json!({ "name": "b" })),
        ("create_index", json!({ "column": "id", "index_type": "BTREE" })),
    ];
    for (operation, body) in &changes {
        assert_eq!(refused(&viewer.post(&at(operation), body.clone()).await), (403, 15), "{operation}");
        assert_eq!(refused(&stranger.post(&at(operation), body.clone()).await), (404, 4), "{operation}");
    }
    let batch = json!({ "operations": [{ "deregister_table": { "id": ["lake", "sales", "orders"] } }] });
    assert_eq!(refused(&viewer.post("/lance/v1/table/batch-commit", batch.clone()).await), (403, 15));
    assert_eq!(stranger.post("/lance/v1/table/batch-commit", batch).await.status, 404);
    assert_eq!(count(&admin, json!({})).await, 2);
    // What goes cannot be brought back, so it takes an admin of the bucket.
    let editor = with(server.token("editor", Some("lake")));
    let range = json!([{ "start_version": 0, "end_version": 2 }]);
    let single = editor.post(&at("version/delete"), json!({ "ranges": range })).await;
    assert_eq!(refused(&single), (403, 15));
    let batch = json!({ "operations": [
        { "delete_table_versions": { "id": ["lake", "sales", "orders"], "ranges": range } },
    ] });
    assert_eq!(refused(&editor.post("/lance/v1/table/batch-commit", batch).await), (403, 15));

    for (operation, body) in [
        ("tags/create", json!({ "tag": "a", "version": 1 })),
        ("tags/update", json!({ "tag": "a", "version": 2 })),
        ("tags/delete", json!({ "tag": "a" })),
        ("branches/create", json!({ "name": "b" })),
        ("branches/delete", json!({ "name": "b" })),
        ("restore", json!({ "version": 1 })),
        ("version/delete", json!({ "ranges": [{ "start_version": 0, "end_version": 2 }] })),
    ] {
        admin.post(&at(operation), body).await.ok();
    }
    let log = admin.get("/api/v1/audit?limit=200").await.ok();
    let actions: Vec<_> =
        log["items"].as_array().unwrap().iter().map(|item| item["action"].as_str().unwrap()).collect();
    for wanted in [
        "tag.create",
        "tag.update",
        "tag.delete",
        "branch.create",
        "branch.delete",
        "version.restore",
        "version.delete",
    ] {
        assert!(actions.contains(&wanted), "{wanted} is not among {actions:?}");
    }
}

#[tokio::test]
async fn a_transaction_is_described_and_stays_as_it_was_committed() {
    let (_server, api) = with_orders(2).await;
    let path =
        |name: &str, operation: &str| format!("/lance/v1/transaction/lake$sales$orders${name}/{operation}");
    let second = api.post(&path("2", "describe"), json!({})).await.ok();
    assert_eq!(
        (&second["status"], &second["properties"]["operation"]),
        (&json!("Succeeded"), &json!("Append"))
    );
    let uuid = second["properties"]["uuid"].as_str().unwrap().to_owned();
    assert_eq!(api.post(&path(&uuid, "describe"), json!({})).await.ok(), second);
    for missing in ["9", "no-such"] {
        assert_eq!(refused(&api.post(&path(missing, "describe"), json!({})).await), (404, 10), "{missing}");
    }
    let cancel = json!({ "actions": [{ "setStatusAction": { "status": "Canceled" } }] });
    assert_eq!(refused(&api.post(&path("2", "alter"), cancel).await), (409, 19));
    let property = json!({ "actions": [{ "setPropertyAction": { "key": "a", "value": "b" } }] });
    assert_eq!(refused(&api.post(&path("2", "alter"), property).await), (409, 19));
    for bad in [
        json!({}),
        json!({ "actions": [{}] }),
        json!({ "actions": [{ "setStatusAction": { "status": "Odd" } }] }),
    ] {
        assert_eq!(refused(&api.post(&path("2", "alter"), bad.clone()).await), (400, 13), "{bad}");
    }
}
