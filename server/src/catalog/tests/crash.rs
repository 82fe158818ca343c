//! Every change is stopped at every step, as if the process had ended there; after a restart nothing is
//! lost, nothing is left over, and the change has either happened or not.

use std::time::Duration;

use lakeglass_api::NamespacePath;
use lakeglass_api::catalog::{Properties, TableState};

use super::kit::{Kit, files, reference, rows};
use crate::catalog::crash::test::stop_at;
use crate::catalog::{Catalog, TableMode};

/// A change of `lake/sales/t` (or of the bucket around it) and the steps it passes.
struct Case {
    change: &'static str,
    steps: &'static [&'static str],
}

const CASES: [Case; 10] = [
    Case { change: "create", steps: &["create.reserved", "create.written"] },
    Case { change: "declare", steps: &["declare.reserved", "declare.marked"] },
    Case { change: "register", steps: &["register.recorded", "settle.marked"] },
    Case { change: "register-over", steps: &["register.recorded", "register.displaced", "settle.marked"] },
    Case { change: "rename", steps: &["rename.begun", "rename.recorded"] },
    Case { change: "deregister", steps: &["deregister.recorded", "settle.marked"] },
    Case { change: "restore", steps: &["restore.recorded", "settle.marked"] },
    Case { change: "drop", steps: &["drop.recorded", "drop.removed"] },
    Case { change: "drop-namespace", steps: &["drop-namespace.recorded", "drop.removed"] },
    Case { change: "delete-bucket", steps: &["delete-bucket.recorded", "delete-bucket.removed"] },
];

async fn change(catalog: Catalog, what: &'static str, trashed: i64) {
    let actor = crate::auth::Actor::system("test");
    let (new, t, u) = (reference("lake/sales/new"), reference("lake/sales/t"), reference("lake/sales/u"));
    let none = Properties::new;
    // Outcomes are seen after the restart; this one never comes back.
    match what {
        "create" => {
            drop(catalog.create_table(&actor, &new, rows(1), TableMode::Create, none()).await);
        }
        "declare" => drop(catalog.declare_table(&actor, &new, None, none()).await),
        "register" => drop(catalog.register_table(&actor, &new, "sales/v", false, none()).await),
        "register-over" => drop(catalog.register_table(&actor, &u, "sales/v", true, none()).await),
        "rename" => drop(catalog.rename_table(&actor, &t, &new.table, None).await),
        "deregister" => drop(catalog.deregister_table(&actor, &t).await),
        "restore" => drop(catalog.restore_from_trash(&actor, trashed, None).await),
        "drop" => drop(catalog.drop_table(&actor, &t).await),
        "drop-namespace" => {
            let path = NamespacePath::from_dotted("sales").unwrap();
            drop(catalog.drop_namespace(&actor, &t.bucket, &path, true).await);
        }
        "delete-bucket" => drop(catalog.delete_bucket(&actor, &t.bucket, Some("lake")).await),
        other => panic!("{other}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_change_survives_an_end_at_every_step() {
    for case in CASES {
        for step in case.steps {
            let mut kit = Kit::with_sales().await;
            for name in ["t", "u", "v"] {
                kit.create(&format!("lake/sales/{name}")).await.unwrap();
            }
            kit.catalog().deregister_table(&kit.admin, &reference("lake/sales/v")).await.unwrap();
            let trashed = kit.trash("lake").await[0].1;

            stop_at(Some(step));
            let running = change(kit.catalog().clone(), case.change, trashed);
            let ended = tokio::time::timeout(Duration::from_millis(500), running).await;
            assert!(ended.is_err(), "{} passes {step}", case.change);
            stop_at(None);
            kit.restart().await;
            check(&kit, case.change, step).await;
        }
    }
}

/// What must hold after the restart.
async fn check(kit: &Kit, change: &str, step: &str) {
    let at = format!("{change} stopped at {step}");
    assert_eq!(kit.open_intents().await, 0, "{at}");
    let known: Vec<(String, String)> =
        sqlx::query_as("SELECT location, state FROM entries ORDER BY location")
            .fetch_all(&kit.app.db.read)
            .await
            .unwrap();
    let lasting = ["declared", "created", "deregistered"];
    assert!(known.iter().all(|(_, state)| lasting.contains(&state.as_str())), "{at}: {known:?}");
    // No folder without an entry, and no entry without its data or marker.
    let found = files(&kit.path("lake"));
    for file in &found {
        let owned = known.iter().any(|(location, _)| file.starts_with(&format!("{location}/")));
        assert!(owned, "{at}: {file} belongs to nothing");
    }
    for (location, state) in &known {
        let has = |name: &str| found.contains(&format!("{location}/{name}"));
        assert_eq!(has(".lance-deregistered"), state == "deregistered", "{at}: {location}");
        assert_eq!(has(".lance-reserved"), state == "declared", "{at}: {location}");
        assert_eq!(has("_versions/1.manifest"), state != "declared", "{at}: {location}");
    }
    let names = match change {
        "drop-namespace" | "delete-bucket" => Vec::new(),
        _ => kit.names("lake", "sales").await,
    };
    let expected: &[&str] = match (change, step) {
        ("create", "create.written") | ("declare" | "register", _) => &["new", "t", "u"],
        ("rename", "rename.recorded") => &["new", "u"],
        ("deregister" | "drop", _) => &["u"],
        ("restore", _) => &["t", "u", "v"],
        ("drop-namespace" | "delete-bucket", _) => &[],
        _ => &["t", "u"],
    };
    assert_eq!(names, expected, "{at}");
    if change == "declare" {
        let new = kit.catalog().table(&kit.admin, &reference("lake/sales/new")).await.unwrap();
        assert_eq!(new.state, TableState::Declared);
    }
    if change == "delete-bucket" {
        assert!(!kit.path("lake").exists(), "{at}");
        kit.bucket("lake", None).await.unwrap();
    }
}
