//! The real CSV component over real files.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use arrow_array::Int64Array;
use arrow_array::cast::AsArray;
use lakeglass_api::description::Property;
use lakeglass_ports::{
    Candidate, Claim, Condition, ConditionValue, Describer, Error, Operator, PreviewRequest, VersionRef,
};
use object_store::memory::InMemory;
use object_store::{ObjectStoreExt, PutPayload};
use tokio::sync::OnceCell;

use super::{host, on_disk, subject};
use crate::Host;

/// The component, built first when it is not there yet.
fn component() -> Vec<u8> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let path = target.join("lakeglass/plugins/csv.wasm");
    if !path.exists() {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo).args(["xtask", "plugins"]).current_dir(&root).status().unwrap();
        assert!(status.success(), "cargo xtask plugins failed");
    }
    std::fs::read(&path).unwrap()
}

static CACHE: OnceCell<tempfile::TempDir> = OnceCell::const_new();

/// A host whose compiled code the tests of this process share.
async fn csv() -> (Arc<Host>, Arc<dyn Describer>) {
    let folder = CACHE.get_or_init(|| async { tempfile::tempdir().unwrap() }).await;
    let host = host(|config| config.cache = Some(folder.path().join("compiled")));
    let describer = host.load("csv", &component()).await.unwrap();
    (host, describer)
}

const SALES: &str =
    "id,day,amount,place\n1,2024-05-01,9.5,Oslo\n2,2024-05-02,NA,\"Bergen, N\"\n3,2024-05-03,7,Oslo\n";

#[tokio::test]
async fn the_component_says_what_it_serves() {
    let (_, csv) = csv().await;
    assert_eq!(csv.observer(), concat!("plugin csv ", env!("CARGO_PKG_VERSION")));
    let formats = csv.formats();
    assert_eq!(formats.len(), 1);
    assert_eq!((formats[0].id.as_str(), formats[0].single_object), ("csv", true));
    assert!(formats[0].claims.contains(&Claim::Suffix(".csv".to_owned())));
    assert!(formats[0].capabilities.preview && !formats[0].capabilities.filter);
    assert_eq!(formats[0].options[0].key, "delimiter");
}

#[tokio::test]
async fn a_file_on_disk_is_detected_described_and_previewed() {
    let (_, csv) = csv().await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("shop")).unwrap();
    std::fs::write(folder.path().join("shop/sales.csv"), SALES).unwrap();
    let location = on_disk(folder.path(), "shop/sales.csv");

    let candidate = Candidate {
        location: location.clone(),
        objects: vec![("sales.csv".to_owned(), SALES.len() as u64)],
        folders: Vec::new(),
    };
    let found = csv.detect(&candidate).await.unwrap();
    assert_eq!((found.len(), found[0].format.as_str()), (1, "csv"));

    let subject = subject(location, "csv");
    let described = csv.describe(&subject).await.unwrap();
    let columns: Vec<_> =
        described.answer.schema.iter().map(|field| (field.name.as_str(), field.type_name.as_str())).collect();
    assert_eq!(columns, [("id", "int64"), ("day", "date32"), ("amount", "float64"), ("place", "string")]);
    assert_eq!(described.answer.totals.rows.unwrap().value, 3);
    assert_eq!(described.answer.notes[0].code, "inferred-types");
    assert_eq!((described.cost.requests, described.cost.bytes), (1, SALES.len() as u64));

    let request = PreviewRequest {
        columns: Some(vec!["place".to_owned(), "id".to_owned()]),
        offset: 1,
        limit: 1,
        ..PreviewRequest::default()
    };
    let preview = csv.preview(&subject, &request).await.unwrap();
    assert!(preview.more);
    assert_eq!(preview.batches[0].column(0).as_string::<i32>().value(0), "Bergen, N");
    let ids: &Int64Array = preview.batches[0].column(1).as_primitive();
    assert_eq!(ids.values(), &[2]);

    assert!(csv.history(&subject, None, 10).await.unwrap().answer.versions.is_empty());
}

#[tokio::test]
async fn a_file_in_an_object_store_reads_the_same() {
    let (_, csv) = csv().await;
    let store = Arc::new(InMemory::new());
    store
        .put(&"shop/sales.tsv".into(), PutPayload::from(SALES.replace(',', "\t").into_bytes()))
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut subject = subject(on_disk(folder.path(), "shop/sales.tsv"), "csv");
    subject.location.store = store;
    subject.location.uri = "s3://lake/shop/sales.tsv".to_owned();
    assert_eq!(csv.describe(&subject).await.unwrap().answer.schema.len(), 4);
    subject.options = vec![Property { key: "delimiter".to_owned(), value: "bar".to_owned() }];
    assert_eq!(csv.describe(&subject).await.unwrap().answer.schema.len(), 1);
}

#[tokio::test]
async fn what_it_cannot_do_is_said() {
    let (_, csv) = csv().await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.csv"), SALES).unwrap();
    let mut subject = subject(on_disk(folder.path(), "a.csv"), "csv");
    let filter = Condition {
        column: vec!["id".to_owned()],
        operator: Operator::Equal,
        value: ConditionValue::One("1".to_owned()),
    };
    let filtered = PreviewRequest { filter: vec![filter], limit: 1, ..PreviewRequest::default() };
    assert!(matches!(csv.preview(&subject, &filtered).await.unwrap_err(), Error::Unsupported(_)));
    let missing = PreviewRequest { columns: Some(vec!["x".to_owned()]), limit: 1, ..Default::default() };
    let error = csv.preview(&subject, &missing).await.unwrap_err();
    assert_eq!(error.to_string(), "There is no column x");
    subject.version = VersionRef::Version("1".to_owned());
    assert!(matches!(csv.describe(&subject).await.unwrap_err(), Error::Unsupported(_)));
    subject.version = VersionRef::Latest;
    std::fs::remove_file(folder.path().join("a.csv")).unwrap();
    assert!(matches!(csv.describe(&subject).await.unwrap_err(), Error::NotFound));
    std::fs::write(folder.path().join("a.csv"), b"a\0b").unwrap();
    assert!(matches!(csv.describe(&subject).await.unwrap_err(), Error::NotThisFormat));
}

#[tokio::test]
async fn a_budget_of_bytes_ends_a_deep_offset_with_its_reason() {
    let host = host(|config| config.limits.read_bytes = 6 << 20);
    let csv = host.load("csv", &component()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("big.csv"), "n,text\n".to_owned() + &"1,words\n".repeat(1 << 20))
        .unwrap();
    let subject = subject(on_disk(folder.path(), "big.csv"), "csv");
    let near = PreviewRequest { offset: 10, limit: 10, ..PreviewRequest::default() };
    assert_eq!(csv.preview(&subject, &near).await.unwrap().batches[0].num_rows(), 10);
    let deep = PreviewRequest { offset: 1_000_000, limit: 10, ..PreviewRequest::default() };
    let error = csv.preview(&subject, &deep).await.unwrap_err();
    assert!(matches!(&error, Error::Quota(why) if why.contains("1000000")), "{error}");
}

#[tokio::test]
async fn kept_code_is_used_only_when_it_is_ours() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("compiled");
    let load = async || {
        let host = host(|config| config.cache = Some(cache.clone()));
        host.load("csv", &component()).await.map(|csv| csv.observer())
    };
    load().await.unwrap();
    let kept = std::fs::read_dir(&cache).unwrap().next().unwrap().unwrap().path();
    let honest = std::fs::read(&kept).unwrap();
    assert_eq!(std::fs::metadata(&cache).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(std::fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    // Changed code would crash if it ran; it is compiled again instead, and mended.
    let mut changed = honest.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 0xff;
    for bytes in [changed, Vec::new(), honest[..20].to_vec()] {
        std::fs::write(&kept, bytes).unwrap();
        load().await.unwrap();
        assert_eq!(std::fs::read(&kept).unwrap().len(), honest.len());
    }
}
