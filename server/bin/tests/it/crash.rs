//! The server is killed at each step of each change of the catalog and started again: nothing is lost,
//! nothing is left over, and the change has either happened or not.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::{Client, Method};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::catalog::{names, numbers};
use crate::server::{Api, Server};

const SALES: &str = "/api/v1/buckets/lake/namespaces/sales";

/// A change, the steps it passes, and the tables listed afterwards when it was killed at the last of them
/// or at an earlier one.
struct Case {
    change: &'static str,
    steps: &'static [(&'static str, &'static [&'static str])],
}

const CASES: [Case; 11] = [
    Case {
        change: "create",
        steps: &[("create.reserved", &["t", "u"]), ("create.written", &["new", "t", "u"])],
    },
    Case {
        change: "declare",
        steps: &[("declare.reserved", &["new", "t", "u"]), ("declare.marked", &["new", "t", "u"])],
    },
    Case {
        change: "register",
        steps: &[("register.recorded", &["new", "t", "u"]), ("settle.marked", &["new", "t", "u"])],
    },
    Case {
        change: "register over",
        steps: &[
            ("register.recorded", &["t", "u"]),
            ("register.displaced", &["t", "u"]),
            ("settle.marked", &["t", "u"]),
        ],
    },
    Case { change: "rename", steps: &[("rename.begun", &["t", "u"]), ("rename.recorded", &["new", "u"])] },
    Case { change: "deregister", steps: &[("deregister.recorded", &["u"]), ("settle.marked", &["u"])] },
    Case {
        change: "restore",
        steps: &[("restore.recorded", &["t", "u", "v"]), ("settle.marked", &["t", "u", "v"])],
    },
    Case { change: "drop", steps: &[("drop.recorded", &["u"]), ("drop.removed", &["u"])] },
    Case { change: "drop the namespace", steps: &[("drop-namespace.recorded", &[]), ("drop.removed", &[])] },
    Case {
        change: "batch",
        steps: &[
            ("batch.put", &["t", "u"]),
            ("batch.recorded", &["new", "u"]),
            ("settle.marked", &["new", "u"]),
        ],
    },
    Case {
        change: "delete the bucket",
        steps: &[("delete-bucket.recorded", &[]), ("delete-bucket.removed", &[])],
    },
];

/// A data folder with the tables `t` and `u` of `lake$sales`, and `v` in Trash; and an admin's token.
async fn prepared() -> (Arc<TempDir>, String) {
    let server = Server::start().await;
    let api = server.api("admin");
    api.post("/api/v1/buckets", json!({ "name": "lake", "format": "lance" })).await.ok();
    api.post("/api/v1/buckets/lake/namespaces", json!({ "namespace": "sales" })).await.ok();
    for name in ["t", "u", "v"] {
        api.arrow(&format!("/lance/v1/table/lake$sales${name}/create"), &numbers(3)).await.ok();
    }
    api.post(&format!("{SALES}/tables/v/deregister"), json!({})).await.ok();
    let token = api.token.clone();
    (server.stop(), token)
}

/// Asks for a change. The answer does not come: the server ends before it.
async fn ask(api: &Api, change: &str) {
    let send = |method, path: &str, body: Value| {
        let request = api.request(method, path).json(&body);
        async move { drop(request.send().await) }
    };
    let tables = format!("{SALES}/tables");
    match change {
        "create" => {
            let request = api.request(Method::POST, "/lance/v1/table/lake$sales$new/create");
            let request = request.header("content-type", "application/vnd.apache.arrow.stream");
            drop(request.body(crate::catalog::stream(&numbers(3))).send().await);
        }
        "declare" => send(Method::POST, &tables, json!({ "name": "new" })).await,
        "register" => {
            let body = json!({ "name": "new", "register": true, "location": "sales/v" });
            send(Method::POST, &tables, body).await;
        }
        "register over" => {
            let body = json!({ "name": "u", "register": true, "location": "sales/v", "overwrite": true });
            send(Method::POST, &tables, body).await;
        }
        "rename" => send(Method::PATCH, &format!("{tables}/t"), json!({ "name": "new" })).await,
        "deregister" => send(Method::POST, &format!("{tables}/t/deregister"), json!({})).await,
        "restore" => {
            let trash = api.get("/api/v1/buckets/lake/trash").await.ok();
            let path = format!("/api/v1/buckets/lake/trash/{}/restore", trash["items"][0]["id"]);
            send(Method::POST, &path, json!({})).await;
        }
        "drop" => send(Method::DELETE, &format!("{tables}/t"), json!({})).await,
        "batch" => {
            let operations = json!({ "operations": [
                { "declare_table": { "id": ["lake", "sales", "new"] } },
                { "deregister_table": { "id": ["lake", "sales", "t"] } },
            ] });
            send(Method::POST, "/lance/v1/table/batch-commit", operations).await;
        }
        "drop the namespace" => send(Method::DELETE, &format!("{SALES}?cascade=true"), json!({})).await,
        "delete the bucket" => {
            send(Method::DELETE, "/api/v1/buckets/lake?with_contents=lake", json!({})).await;
        }
        other => panic!("{other}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_change_survives_a_kill_at_every_step() {
    let (template, token) = prepared().await;
    for case in CASES {
        for (step, expected) in case.steps {
            let data = Arc::new(tempfile::tempdir().unwrap());
            copy(template.path(), data.path());
            let mut dying = Server::start_on(data, &[], &[("LAKEGLASS_CRASH_AT", step)]).await;
            let data = Arc::clone(&dying.data);
            let as_admin =
                |url: &str| Api { url: url.to_owned(), token: token.clone(), client: Client::new() };
            ask(&as_admin(&dying.url), case.change).await;
            let status = dying.wait_for_end();
            assert!(!status.success(), "{} does not pass {step}", case.change);
            drop(dying);

            let server = Server::start_on(data, &[], &[]).await;
            let at = format!("{} killed at {step}", case.change);
            settled(&as_admin(&server.url), server.data.path(), expected, &at).await;
        }
    }
}

/// Waits until what was interrupted is mended; then all must be as expected.
async fn settled(api: &Api, data: &Path, expected: &[&str], at: &str) {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        match check(api, data, expected).await {
            Ok(()) => return,
            Err(fault) => assert!(Instant::now() < deadline, "{at}: {fault}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn check(api: &Api, data: &Path, expected: &[&str]) -> Result<(), String> {
    let listed = api.get(&format!("{SALES}/tables")).await;
    let listed = if listed.status == 404 { json!({ "items": [] }) } else { listed.ok() };
    if names(&listed) != expected {
        return Err(format!("{:?} are listed, not {expected:?}", names(&listed)));
    }
    let trash = api.get("/api/v1/buckets/lake/trash").await;
    let trash = if trash.status == 404 { json!({ "items": [] }) } else { trash.ok() };
    let mut known: Vec<PathBuf> = Vec::new();
    for item in listed["items"].as_array().into_iter().flatten() {
        let folder = place(item);
        let declared = item["state"] == "declared";
        expect(folder.join(".lance-reserved").exists() == declared, &folder, "marked as reserved")?;
        expect(!folder.join(".lance-deregistered").exists(), &folder, "not marked as deregistered")?;
        if !declared {
            let path =
                format!("/lance/v1/table/lake$sales${}/count_rows", item["name"].as_str().unwrap_or(""));
            let rows = api.post(&path, json!({})).await;
            expect(rows.status == 200 && rows.json == 3, &folder, "readable with its 3 rows")?;
        }
        known.push(folder);
    }
    for item in trash["items"].as_array().into_iter().flatten() {
        let folder = place(&item["table"]);
        expect(folder.join(".lance-deregistered").exists(), &folder, "marked as deregistered")?;
        expect(!files(&folder.join("_versions")).is_empty(), &folder, "with its versions")?;
        known.push(folder);
    }
    for file in files(&data.join("buckets")) {
        expect(known.iter().any(|folder| file.starts_with(folder)), &file, "of a table that is known")?;
    }
    Ok(())
}

fn expect(holds: bool, path: &Path, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{} should be {what}", path.display())) }
}

/// The folder of a local location.
fn place(table: &Value) -> PathBuf {
    PathBuf::from(table["location"].as_str().unwrap().strip_prefix("file://").unwrap())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// Copies a data folder; the places in its database are relative to it.
fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
