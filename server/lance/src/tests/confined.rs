//! Reads stay inside the grants.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::Schema;
use lakeglass_ports::{CreateMode, Error, Grant, InsertMode, VersionRef};
use lance::Dataset;
use lance::blob::{BlobArrayBuilder, blob_field};
use lance::dataset::WriteParams;
use lance_table::format::BasePath;

use super::support::{Fixture, request, rows, stream, subject};

/// A dataset at a location whose data files lie in a folder that no grant covers.
async fn with_base_outside(fixture: &Fixture, uri: &str) {
    let outside = fixture.folder.path().join("secret");
    std::fs::create_dir_all(&outside).unwrap();
    let base = BasePath::new(1, format!("file://{}", outside.display()), Some("other".to_owned()), false);
    let params = WriteParams::default().with_initial_bases(vec![base]).with_target_bases(vec![1]);
    let batch = rows(0, 3);
    let schema = batch.schema();
    let reader = RecordBatchIterator::new(vec![Ok(batch)], schema);
    Dataset::write(reader, uri, Some(params)).await.unwrap();
}

#[tokio::test]
async fn a_base_path_outside_the_grants_is_refused_by_every_call() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    with_base_outside(&fixture, &location.uri).await;
    let latest = subject(&location, VersionRef::Latest);
    let preview = fixture.describer.preview(&latest, &request(0, 10)).await;
    let Err(Error::OutsideGrant(shown)) = preview else { panic!("{preview:?}") };
    assert!(!shown.contains("secret"), "{shown}");
    assert!(matches!(fixture.describer.describe(&latest).await, Err(Error::OutsideGrant(_))));
    assert!(matches!(fixture.describer.history(&latest, None, 5).await, Err(Error::OutsideGrant(_))));
    let count = fixture.tables.count_rows(&location, &VersionRef::Latest, None).await;
    assert!(matches!(count, Err(Error::OutsideGrant(_))));
    let insert = fixture.tables.insert(&location, stream(vec![rows(3, 4)]), InsertMode::Append, None).await;
    assert!(matches!(insert, Err(Error::OutsideGrant(_))));

    // The same dataset is readable once the other folder is granted too.
    let mut wider = location.clone();
    let root = Grant::new(&format!("file://{}", fixture.folder.path().display()));
    wider.grants = Arc::new([root]);
    let page =
        fixture.describer.preview(&subject(&wider, VersionRef::Latest), &request(0, 10)).await.unwrap();
    assert_eq!(super::support::ids(&page.batches), [0, 1, 2]);
}

#[tokio::test]
async fn a_location_outside_the_grants_is_refused_also_through_a_link() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    let mut outside = fixture.at("t");
    outside.uri = format!("file://{}/elsewhere", fixture.folder.path().display());
    let create = fixture.tables.create(&outside, stream(vec![rows(0, 1)]), CreateMode::Create).await;
    assert!(matches!(create, Err(Error::OutsideGrant(_))), "{create:?}");
    assert!(!fixture.folder.path().join("elsewhere").exists());

    let secret = fixture.folder.path().join("secret");
    let batch = rows(0, 3);
    let schema = batch.schema();
    let reader = RecordBatchIterator::new(vec![Ok(batch)], schema);
    Dataset::write(reader, secret.to_str().unwrap(), None).await.unwrap();
    let link = fixture.folder.path().join("lake").join("t");
    std::os::unix::fs::symlink(&secret, &link).unwrap();
    let preview = fixture.describer.preview(&subject(&location, VersionRef::Latest), &request(0, 10)).await;
    assert!(matches!(preview, Err(Error::OutsideGrant(_))), "{preview:?}");
    assert!(matches!(fixture.tables.latest_version(&location).await, Err(Error::OutsideGrant(_))));
}

/// One row whose blob is a file named by its URI.
fn blob_row(uri: &str) -> RecordBatch {
    let mut blobs = BlobArrayBuilder::new(1);
    blobs.push_uri(uri).unwrap();
    let schema = Arc::new(Schema::new(vec![blob_field("picture", true)]));
    RecordBatch::try_new(schema, vec![blobs.finish().unwrap()]).unwrap()
}

#[tokio::test]
async fn a_blob_outside_the_grants_is_never_read_and_never_written() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    let secret = fixture.folder.path().join("secret.txt");
    std::fs::write(&secret, b"do not show").unwrap();
    let uri = format!("file://{}", secret.display());

    // Our own writes refuse a reference that no granted base covers.
    let create = fixture.tables.create(&location, stream(vec![blob_row(&uri)]), CreateMode::Create).await;
    assert!(matches!(create, Err(Error::OutsideGrant(_))), "{create:?}");

    // Another writer made one: the row is shown by descriptor, with a note; no byte of it is read.
    let foreign = fixture.at("foreign");
    let batch = blob_row(&uri);
    let schema = batch.schema();
    let params = WriteParams::default().with_allow_external_blob_outside_bases(true);
    let reader = RecordBatchIterator::new(vec![Ok(batch)], schema);
    Dataset::write(reader, &foreign.uri, Some(params)).await.unwrap();
    let page = fixture.preview(&foreign, request(0, 10)).await;
    assert_eq!(page.batches[0].num_rows(), 1);
    assert!(page.notes.iter().any(|note| note.code == "outside-grant"), "{:?} {:?}", page.notes, page.schema);
    assert!(!format!("{:?}", page.batches).contains("do not show"));
}
