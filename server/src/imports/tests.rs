//! Files of every kind, honest and not; the spool; who may. The import of a whole file into a table is an
//! integration test.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow_array::{Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::DataType;
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use lakeglass_api::imports::FileKind;
use lakeglass_api::{BucketName, NamespacePath, Role, Scope, TableRef};
use tokio_util::sync::CancellationToken;

use super::Error;
use super::reader::{self, Choices, Opened};
use crate::auth::{Actor, Principal};
use crate::state::App;
use crate::testing;

fn batch() -> RecordBatch {
    RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from(vec![1, 2, 3])) as arrow_array::ArrayRef),
        ("name", Arc::new(StringArray::from(vec!["a", "b", "c"]))),
    ])
    .unwrap()
}

fn stream_bytes() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch().schema()).unwrap();
    writer.write(&batch()).unwrap();
    writer.finish().unwrap();
    bytes
}

fn open(bytes: &[u8], choices: Choices) -> Result<Opened, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("file");
    std::fs::write(&path, bytes).unwrap();
    reader::open(&path, choices)
}

async fn rows(opened: Opened) -> Result<Vec<RecordBatch>, lakeglass_ports::Error> {
    opened.stream(Arc::new(AtomicU64::new(0)), CancellationToken::new()).batches.try_collect().await
}

#[tokio::test]
async fn arrow_and_parquet_files_read_as_they_are() {
    let mut file = Vec::new();
    let mut writer = FileWriter::try_new(&mut file, &batch().schema()).unwrap();
    writer.write(&batch()).unwrap();
    writer.finish().unwrap();
    drop(writer);
    let mut parquet = Vec::new();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut parquet, batch().schema(), None).unwrap();
    writer.write(&batch()).unwrap();
    writer.close().unwrap();
    for (bytes, kind, known) in [
        (stream_bytes(), FileKind::Arrow, None),
        (file, FileKind::Arrow, None),
        (parquet, FileKind::Parquet, Some(3)),
    ] {
        let opened = open(&bytes, Choices::default()).unwrap();
        assert_eq!((opened.kind, opened.rows), (kind, known));
        let read = rows(opened).await.unwrap();
        assert_eq!(read.iter().map(RecordBatch::num_rows).sum::<usize>(), 3);
        assert_eq!(read[0].column(0).as_ref(), batch().column(0).as_ref());
    }
}

#[tokio::test]
async fn csv_types_are_narrow_but_change_no_value() {
    let text = "\u{feff}id;code;big;x;day;at;ok;empty\n\
                1;007;12345678901234567890;1.5;2024-02-29;2024-02-29T08:00:00Z;true;\n\
                2;12;1;-2;2024-03-01;2024-02-29T08:00:00.5Z;false;\n";
    let opened = open(text.as_bytes(), Choices::default()).unwrap();
    assert_eq!(opened.kind, FileKind::Csv);
    let names: Vec<_> = opened.schema.fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["id", "code", "big", "x", "day", "at", "ok", "empty"]);
    let types: Vec<_> = opened.schema.fields().iter().map(|field| field.data_type().clone()).collect();
    assert_eq!(
        types[..5],
        [DataType::Int64, DataType::Utf8, DataType::Utf8, DataType::Float64, DataType::Date32]
    );
    assert!(matches!(types[5], DataType::Timestamp(_, Some(_))));
    assert_eq!(types[6..], [DataType::Boolean, DataType::Utf8]);
    assert_eq!(opened.guesses.len(), 3);
    assert_eq!(rows(opened).await.unwrap()[0].num_rows(), 2);
}

#[tokio::test]
async fn csv_choices_win_and_late_surprises_are_named() {
    let numbered = open(b"a,b\n1,2\n", Choices { header: Some(false), ..Choices::default() }).unwrap();
    assert_eq!(numbered.schema.field(0).name(), "column_1");
    let one = open(b"a,b\n1,2\n", Choices { delimiter: Some(b';'), ..Choices::default() }).unwrap();
    assert_eq!(one.schema.fields().len(), 1);
    let late = format!("n\n{}word\n", "1\n".repeat(20_000));
    let error = rows(open(late.as_bytes(), Choices::default()).unwrap()).await.unwrap_err().to_string();
    assert!(error.contains("word") && error.contains("20001"), "{error}");
}

#[tokio::test]
async fn files_that_lie_or_are_cut_end_in_an_error() {
    let whole = stream_bytes();
    // A claim of more bytes than there are must not make room for them.
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] = 0xff;
        if let Ok(opened) = open(&changed, Choices::default()) {
            let _ = rows(opened).await;
        }
    }
    for bytes in [
        &b"ARROW1\0\0"[..],
        b"PAR1",
        b"PAR1PAR1",
        b"\0\x01\x02",
        b"\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"\n\n",
    ] {
        assert!(matches!(open(bytes, Choices::default()), Err(Error::Unreadable(_))), "{bytes:?}");
    }
    let twice = open(b"a,a\n1,2\n", Choices::default());
    assert!(matches!(twice, Err(Error::Unreadable(why)) if why.contains("named a")));
}

#[tokio::test]
async fn a_stopped_import_ends_its_rows() {
    let text = format!("n\n{}", "1\n".repeat(100_000));
    let stop = CancellationToken::new();
    let opened = open(text.as_bytes(), Choices::default()).unwrap();
    let mut batches = opened.stream(Arc::new(AtomicU64::new(0)), stop.clone()).batches;
    assert!(batches.next().await.unwrap().is_ok());
    stop.cancel();
    let rest: Vec<_> = batches.collect().await;
    assert!(rest.last().unwrap().is_err() && rest.len() < 8, "{} batches", rest.len());
}

fn editor(number: i64) -> Actor {
    let grants = vec![(Scope::Bucket("files".parse().unwrap()), Role::Editor)];
    Actor::new(Principal::User(number), format!("user {number}"), grants, None, String::new())
}

fn content(
    bytes: &[u8],
) -> impl futures::Stream<Item = Result<Bytes, std::io::Error>> + Unpin + Send + use<> {
    futures::stream::iter([Ok(Bytes::copy_from_slice(bytes))])
}

async fn app(folder: &std::path::Path) -> (Arc<App>, BucketName) {
    let app = testing::app(folder, Vec::new()).await;
    let bucket: BucketName = "files".parse().unwrap();
    let new = crate::catalog::NewBucket {
        name: bucket.clone(),
        format: None,
        storage: None,
        description: String::new(),
        properties: lakeglass_api::catalog::Properties::new(),
    };
    app.catalog.create_bucket(&Actor::system("test"), new).await.unwrap();
    (app, bucket)
}

#[tokio::test]
async fn a_received_file_is_private_and_its_senders_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (app, bucket) = app(folder.path()).await;
    let file = app.imports.receive(&editor(1), &bucket, "a\n.csv", content(b"a,b\n1,2\n")).await.unwrap();
    assert_eq!((file.name.as_str(), file.bytes, file.kind), ("a.csv", 8, FileKind::Csv));
    let stored = std::fs::metadata(folder.path().join("spool").join(&file.id)).unwrap();
    assert_eq!(stored.permissions().mode() & 0o777, 0o600);

    let look = async |actor: Actor, id: &str| app.imports.look(&actor, id, Choices::default()).await;
    assert_eq!(look(editor(1), &file.id).await.unwrap().columns.len(), 2);
    assert!(matches!(look(editor(2), &file.id).await, Err(Error::NoSuchFile)));
    assert!(matches!(look(editor(1), "../lakeglass.db").await, Err(Error::NoSuchFile)));

    let viewer = Actor::new(
        Principal::User(1),
        "viewer".into(),
        vec![(Scope::Bucket(bucket.clone()), Role::Viewer)],
        None,
        String::new(),
    );
    let refused = app.imports.receive(&viewer, &bucket, "a.csv", content(b"a\n")).await;
    assert!(matches!(refused, Err(Error::Denied(_))));
    app.imports.discard(&editor(1), &file.id).await.unwrap();
    assert!(matches!(look(editor(1), &file.id).await, Err(Error::NoSuchFile)));
}

#[tokio::test]
async fn what_cannot_be_read_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (app, bucket) = app(folder.path()).await;
    for bytes in [&b""[..], b"PAR1 and nothing more"] {
        app.imports.receive(&editor(1), &bucket, "x", content(bytes)).await.unwrap_err();
    }
    let broken =
        futures::stream::iter([Ok(Bytes::from_static(b"a,b\n")), Err(std::io::Error::other("gone"))]);
    let error = app.imports.receive(&editor(1), &bucket, "x", broken).await.unwrap_err();
    assert!(matches!(error, Error::BrokenOff));
    assert_eq!(std::fs::read_dir(folder.path().join("spool")).unwrap().count(), 0);
}

#[tokio::test]
async fn an_import_needs_a_namespace_and_a_file_of_the_bucket() {
    let folder = tempfile::tempdir().unwrap();
    let (app, bucket) = app(folder.path()).await;
    let file = app.imports.receive(&editor(1), &bucket, "a.csv", content(b"a,b\n1,2\n")).await.unwrap();
    let table = TableRef {
        bucket: bucket.clone(),
        namespace: NamespacePath::new(["sales"]).unwrap(),
        table: "t".parse().unwrap(),
    };
    let start = async |id: &str| app.imports.start(&editor(1), &table, id, Choices::default()).await;
    assert!(matches!(start(&file.id).await, Err(Error::Catalog(_))));
    app.catalog
        .create_namespace(
            &Actor::system("test"),
            &bucket,
            &table.namespace,
            lakeglass_api::catalog::Properties::new(),
            crate::catalog::NamespaceMode::Create,
        )
        .await
        .unwrap();
    assert!(matches!(start("0123456789abcdef0123456789abcdef").await, Err(Error::NoSuchFile)));
    let job = start(&file.id).await.unwrap();
    assert_eq!((job.kind.as_str(), job.object.as_str()), ("import-file", "files$sales$t"));
}
