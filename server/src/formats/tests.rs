//! Cards, and the scan of a bucket of files on disk.

use std::sync::Arc;
use std::time::Duration;

use lakeglass_api::formats::{ScanReport, Serving};
use lakeglass_api::jobs::JobState;
use lakeglass_api::{BucketName, FormatId, ListQuery, NamespacePath, Role, Scope};
use serde_json::json;

use super::{Error, Scanned};
use crate::auth::{Actor, Denied, Principal};
use crate::state::App;
use crate::testing;

fn root() -> Actor {
    Actor::system("tests")
}

async fn scan(app: &Arc<App>, bucket: &str) -> ScanReport {
    match app.formats.scan(&root(), &bucket.parse().unwrap()).await.unwrap() {
        Scanned::Report(report) => report,
        Scanned::Job(job) => panic!("{job:?}"),
    }
}

async fn names(app: &Arc<App>, bucket: &str, namespace: &str) -> Vec<String> {
    let (bucket, path): (BucketName, _) =
        (bucket.parse().unwrap(), NamespacePath::from_dotted(namespace).unwrap());
    let page = app.catalog.tables(&root(), &bucket, &path, &ListQuery::default(), true).await.unwrap();
    page.items.into_iter().map(|table| table.name.to_string()).collect()
}

#[tokio::test]
async fn cards_say_what_serves_a_format_or_why_nothing_does() {
    let folder = tempfile::tempdir().unwrap();
    let app = testing::app(folder.path(), vec![Arc::new(testing::Lines)]).await;
    let cards = app.formats.cards();
    let first = &cards[0];
    assert_eq!(first.id, FormatId::new("csv"));
    assert_eq!(first.serving, Serving::Usable { observer: "lines 1".into() });
    assert_eq!(first.claims, ["a file ending in .csv"]);
    assert!(first.can_preview && !first.can_time_travel && !first.can_create_tables);
    let iceberg = cards.iter().find(|card| card.id == FormatId::new("iceberg")).unwrap();
    match &iceberg.serving {
        Serving::Unavailable { reason } => assert!(reason.contains("Iceberg") && reason.contains("plugin")),
        usable @ Serving::Usable { .. } => panic!("{usable:?}"),
    }
    assert!(app.formats.describer(&FormatId::new("iceberg")).await.is_none());
    assert!(app.formats.info(&FormatId::new("csv")).await.is_some());
}

#[tokio::test]
async fn files_get_names_by_their_place_and_a_second_scan_knows_them() {
    let folder = tempfile::tempdir().unwrap();
    let files: [(&str, &[u8]); 8] = [
        ("x.csv", b"a\n1\n"),
        ("a/b/y.csv", b"a\n"),
        ("a/Sales 2026.csv", b"a\n"),
        // These two make one name.
        ("a/z 1.csv", b"a\n"),
        ("a/z_1.csv", b"a\n"),
        ("a/picture.csv", b"\xff\xfe\x00"),
        ("a/notes.txt", b"a\n"),
        (".hidden/h.csv", b"a\n"),
    ];
    let app = testing::files(folder.path(), "files", &files).await;
    let report = scan(&app, "files").await;
    assert!(report.complete);
    assert_eq!(report.objects, 8);
    assert_eq!(report.registered, ["a/Sales_2026.csv", "a.b/y.csv", "a/z_1.csv", "default/x.csv"]);
    assert_eq!(report.registered_count, 4);
    let skipped: Vec<_> = report.skipped.iter().map(|one| (one.path.as_str(), one.reason.as_str())).collect();
    assert_eq!(
        skipped,
        [
            ("a/picture.csv", "It is not a table of CSV"),
            ("a/z_1.csv", "a/z 1.csv has the same name in the catalog"),
        ]
    );
    assert_eq!(names(&app, "files", "a").await, ["Sales_2026.csv", "z_1.csv"]);
    assert_eq!(names(&app, "files", "default").await, ["x.csv"]);
    let again = scan(&app, "files").await;
    assert_eq!((again.known_count, again.registered_count, again.skipped_count), (4, 0, 2));
}

#[tokio::test]
async fn an_empty_bucket_and_a_wrong_one() {
    let folder = tempfile::tempdir().unwrap();
    let app = testing::files(folder.path(), "files", &[]).await;
    assert_eq!(scan(&app, "files").await, ScanReport { complete: true, ..ScanReport::default() });
    let files: BucketName = "files".parse().unwrap();
    let with = |grants| Actor::new(Principal::User(1), "ada".into(), grants, None, String::new());
    let reader = with(vec![(Scope::Bucket(files.clone()), Role::Reader)]);
    let stranger = with(vec![(Scope::Bucket("elsewhere".parse().unwrap()), Role::Admin)]);
    for (actor, denied) in [(reader, Denied::Forbidden(Role::Editor)), (stranger, Denied::Hidden)] {
        match app.formats.scan(&actor, &files).await {
            Err(Error::Catalog(crate::catalog::Error::Denied(found))) => assert_eq!(found, denied),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_large_bucket_is_scanned_by_a_job_whose_log_says_what_it_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let app = testing::files(folder.path(), "files", &[("bad.csv", b"\xff")]).await;
    let root_folder = folder.path().join("buckets/files");
    for n in 0..150 {
        std::fs::write(root_folder.join(format!("t{n:03}.csv")), "a\n").unwrap();
    }
    app.jobs.run(&app);
    let job = match app.formats.scan(&root(), &"files".parse().unwrap()).await.unwrap() {
        Scanned::Job(job) => job,
        Scanned::Report(report) => panic!("{report:?}"),
    };
    assert_eq!(job.parameters["max_objects"], "500000");
    let job = loop {
        let job = app.jobs.job(&root(), &job.id).await.unwrap();
        if job.state.is_over() {
            break job;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!(job.state, JobState::Succeeded, "{job:?}");
    assert_eq!((job.progress.done, job.progress.total), (151, Some(151)));
    let log: Vec<String> =
        app.jobs.log(&root(), &job.id).await.unwrap().into_iter().map(|line| line.text).collect();
    assert_eq!(log[0], "Skipped \"bad.csv\": It is not a table of CSV");
    assert_eq!(log[1], "Listed 151 objects: 150 tables registered, 0 known before, 1 skipped");
    // A bound of its own: fewer objects than there are.
    let bounded = json!({ "max_objects": 1 });
    let job = app.jobs.start_by_hand(&root(), "scan-bucket", "files", bounded).await.unwrap();
    assert_eq!(job.parameters["max_objects"], "1000");
}
