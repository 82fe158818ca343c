//! Observations over a real database and files on disk.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lakeglass_api::description::{Cost, Observation};
use lakeglass_api::jobs::{Job, JobState};
use lakeglass_api::{BucketName, FormatId, NamespacePath, Role, Scope, TableRef};
use serde_json::{Value, json};

use super::store::Store;
use super::{Error, Observations, sweep};
use crate::auth::{Actor, Principal};
use crate::state::App;
use crate::testing;

fn root() -> Actor {
    Actor::system("tests")
}

fn table(name: &str) -> TableRef {
    TableRef {
        bucket: "files".parse().unwrap(),
        namespace: NamespacePath::new(["default"]).unwrap(),
        table: name.parse().unwrap(),
    }
}

/// An app with these files registered, nothing observed, no background work.
async fn with(folder: &Path, files: &[(&str, &[u8])]) -> Arc<App> {
    let app = testing::files(folder, "files", files).await;
    app.formats.scan(&root(), &"files".parse::<BucketName>().unwrap()).await.unwrap();
    app
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join("buckets/files").join(name), text).unwrap();
}

fn rows(seen: &Observation) -> u64 {
    seen.description.totals.rows.unwrap().value
}

#[tokio::test]
async fn a_look_is_kept_with_time_observer_and_totals() {
    let folder = tempfile::tempdir().unwrap();
    let app = with(folder.path(), &[("x.csv", b"1\n2\n")]).await;
    let x = table("x.csv");
    assert_eq!(app.observations.latest(&root(), &x).await.unwrap(), (None, None));
    let before = crate::clock::now_ms();
    let seen = app.observations.observe(&root(), &x).await.unwrap();
    assert!(seen.taken_at_ms >= before);
    assert_eq!(seen.observer, "lines 1");
    assert_eq!(seen.cost, Cost { requests: 1, bytes: 4, elapsed_ms: 0 });
    assert_eq!(app.observations.latest(&root(), &x).await.unwrap(), (Some(seen.clone()), None));
    let listed = app.catalog.table(&root(), &x).await.unwrap();
    assert_eq!((listed.rows, listed.bytes), (Some(2), Some(4)));
    assert_eq!(listed.observed_at_ms, Some(seen.taken_at_ms));
}

#[tokio::test]
async fn a_failed_look_stands_beside_the_last_good_one_until_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let app = with(folder.path(), &[("x.csv", b"1\n2\n")]).await;
    let x = table("x.csv");
    let good = app.observations.observe(&root(), &x).await.unwrap();
    write(folder.path(), "x.csv", "broken");
    assert!(matches!(app.observations.observe(&root(), &x).await, Err(Error::Describer(_))));
    let (latest, failed) = app.observations.latest(&root(), &x).await.unwrap();
    assert_eq!(latest, Some(good.clone()));
    let failed = failed.unwrap();
    assert_eq!(failed.observer, "lines 1");
    assert!(failed.cause.contains("it says so"), "{}", failed.cause);
    assert_eq!(app.catalog.table(&root(), &x).await.unwrap().rows, Some(2));
    write(folder.path(), "x.csv", "1\n2\n3\n");
    let mended = app.observations.observe(&root(), &x).await.unwrap();
    assert_eq!(app.observations.latest(&root(), &x).await.unwrap(), (Some(mended.clone()), None));
    assert_eq!(app.observations.history(&root(), &x, 10).await.unwrap(), [mended, good]);
}

#[tokio::test]
async fn the_same_state_is_one_entry_of_the_history() {
    let folder = tempfile::tempdir().unwrap();
    let app = with(folder.path(), &[("x.csv", b"1\n")]).await;
    let x = table("x.csv");
    for _ in 0..3 {
        app.observations.observe(&root(), &x).await.unwrap();
    }
    assert_eq!(app.observations.history(&root(), &x, 10).await.unwrap().len(), 1);
    write(folder.path(), "x.csv", "1\n2\n");
    let newest = app.observations.observe(&root(), &x).await.unwrap();
    let history = app.observations.history(&root(), &x, 10).await.unwrap();
    assert_eq!(history.iter().map(rows).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(history[0], newest);

    // With versions: one entry each, the newest look at it.
    let id = app.catalog.resolve(&root(), &x, Role::Viewer).await.unwrap().id;
    let store = Store::new(app.db.clone());
    for number in (1..=620_i64).chain([619, 620]) {
        let mut seen = newest.clone();
        seen.taken_at_ms += number;
        seen.description.version = Some(number.to_string());
        assert!(store.keep(id, &seen).await.unwrap());
    }
    let history = app.observations.history(&root(), &x, 10_000).await.unwrap();
    assert_eq!(history.len(), 500);
    assert_eq!(history[0].description.version.as_deref(), Some("620"));
    assert_eq!(history[1].description.version.as_deref(), Some("619"));
}

#[tokio::test]
async fn what_was_seen_of_another_format_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let app = with(folder.path(), &[("x.csv", b"1\n")]).await;
    let x = table("x.csv");
    let mut seen = app.observations.observe(&root(), &x).await.unwrap();
    let id = app.catalog.resolve(&root(), &x, Role::Viewer).await.unwrap().id;
    let store = Store::new(app.db.clone());
    sqlx::query("DELETE FROM observations").execute(&app.db.write).await.unwrap();
    seen.description.format = FormatId::lance();
    store.keep(id, &seen).await.unwrap();
    let failed = lakeglass_api::description::FailedLook {
        at_ms: seen.taken_at_ms,
        observer: "native".into(),
        cause: "of another table".into(),
    };
    store.keep_failed(id, &FormatId::lance(), &failed).await.unwrap();
    assert_eq!(app.observations.latest(&root(), &x).await.unwrap(), (None, None));
    assert!(app.observations.history(&root(), &x, 10).await.unwrap().is_empty());

    // A describer that finds another format at the place has not observed this table.
    write(folder.path(), "x.csv", "other");
    assert!(matches!(app.observations.observe(&root(), &x).await, Err(Error::OtherFormat { .. })));
    let (latest, failed) = app.observations.latest(&root(), &x).await.unwrap();
    assert_eq!(latest, None);
    assert!(failed.unwrap().cause.contains("what was found there is other"));
}

#[tokio::test]
async fn a_look_that_takes_too_long_is_a_failed_look() {
    let folder = tempfile::tempdir().unwrap();
    let app = with(folder.path(), &[("x.csv", b"hang")]).await;
    let quick = Observations::with_look_time(
        &app.db,
        app.catalog.clone(),
        app.formats.clone(),
        app.audit.clone(),
        Duration::from_millis(20),
    );
    let x = table("x.csv");
    let error = quick.observe(&root(), &x).await.unwrap_err();
    assert!(matches!(error, Error::Describer(lakeglass_ports::Error::TimedOut(_))), "{error:?}");
    assert!(quick.latest(&root(), &x).await.unwrap().1.is_some());
}

#[tokio::test]
async fn observations_go_with_the_table_and_are_seen_by_those_who_see_it() {
    let folder = tempfile::tempdir().unwrap();
    let app = with(folder.path(), &[("x.csv", b"1\n")]).await;
    let x = table("x.csv");
    app.observations.observe(&root(), &x).await.unwrap();
    let stranger = Actor::new(
        Principal::User(1),
        "eve".into(),
        vec![(Scope::Bucket("other".parse().unwrap()), Role::Admin)],
        None,
        String::new(),
    );
    assert!(app.observations.latest(&stranger, &x).await.is_err());
    assert!(app.observations.observe(&stranger, &x).await.is_err());
    assert!(app.observations.versions(&stranger, &x, None, 10).await.is_err());
    assert_eq!(app.observations.versions(&root(), &x, None, 10).await.unwrap().total, Some(0));
    app.catalog.drop_table(&root(), &x).await.unwrap();
    let left: i64 = sqlx::query_scalar(
        "SELECT (SELECT count(*) FROM observations) + (SELECT count(*) FROM failed_looks)",
    )
    .fetch_one(&app.db.read)
    .await
    .unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn a_table_that_gets_a_place_is_looked_at_soon() {
    let folder = tempfile::tempdir().unwrap();
    let app = testing::files(folder.path(), "files", &[("x.csv", b"1\n2\n3\n")]).await;
    tokio::spawn(app.observations.clone().follow());
    // The listener has to be there before the change.
    tokio::time::sleep(Duration::from_millis(20)).await;
    app.formats.scan(&root(), &"files".parse().unwrap()).await.unwrap();
    let seen = loop {
        if let (Some(seen), _) = app.observations.latest(&root(), &table("x.csv")).await.unwrap() {
            break seen;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!(rows(&seen), 3);
}

async fn swept(app: &Arc<App>, parameters: Value) -> (Job, Vec<String>) {
    let job = app.jobs.start_by_hand(&root(), sweep::NAME, "server", parameters).await.unwrap();
    let job = loop {
        let job = app.jobs.job(&root(), &job.id).await.unwrap();
        if job.state.is_over() {
            break job;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!(job.state, JobState::Succeeded, "{job:?}");
    let log = app.jobs.log(&root(), &job.id).await.unwrap();
    (job, log.into_iter().map(|line| line.text).collect())
}

#[tokio::test]
async fn a_sweep_keeps_its_budget_skips_what_it_cannot_read_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let app = with(folder.path(), &[("a.csv", b"1\n"), ("b.csv", b"broken"), ("c.csv", b"1\n2\n")]).await;
    app.jobs.run(&app);
    std::fs::remove_file(folder.path().join("buckets/files/a.csv")).unwrap();
    let (job, log) = swept(&app, json!({ "tables": 1 })).await;
    assert_eq!(job.progress.done, 1);
    assert!(log.last().unwrap().contains("as many tables as it may"), "{log:?}");

    let (job, log) = swept(&app, json!({ "older_than_minutes": 0 })).await;
    assert_eq!(job.progress.done, 3);
    assert_eq!(log.iter().filter(|line| line.starts_with("Skipped files$default$")).count(), 2, "{log:?}");
    let (latest, failed) = app.observations.latest(&root(), &table("a.csv")).await.unwrap();
    assert_eq!(latest, None);
    assert_eq!(failed.unwrap().cause, "No table was found at this location");
    let (latest, failed) = app.observations.latest(&root(), &table("c.csv")).await.unwrap();
    assert_eq!((latest.as_ref().map(rows), failed), (Some(2), None));
    // What was looked at just now is not looked at again.
    let (job, log) = swept(&app, Value::Null).await;
    assert_eq!(job.progress.done, 0, "{log:?}");
}
