//! A temporary lake and batches to put into it.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::types::Float32Type;
use arrow_array::{FixedSizeListArray, Int64Array, RecordBatch, StringArray};
use futures::{StreamExt, TryStreamExt};
use lakeglass_api::FormatId;
use lakeglass_ports::{
    BatchStream, Condition, ConditionValue, Describer, Grant, Operator, Preview, PreviewRequest, Subject,
    TableEngine, TableLocation, VersionRef,
};
use object_store::local::LocalFileSystem;
use object_store::path::Path;

use crate::{CacheSize, open};

pub(super) struct Fixture {
    pub folder: tempfile::TempDir,
    pub describer: Arc<dyn Describer>,
    pub tables: Arc<dyn TableEngine>,
}

impl Fixture {
    pub(super) fn new() -> Self {
        let (describer, tables) = open(CacheSize::default());
        Self { folder: tempfile::tempdir().unwrap(), describer, tables }
    }

    /// A table's location below `lake/`, which is all that is granted.
    pub(super) fn at(&self, name: &str) -> TableLocation {
        let root = self.folder.path().join("lake");
        std::fs::create_dir_all(&root).unwrap();
        let uri = format!("file://{}/{name}", root.display());
        TableLocation {
            uri,
            options: BTreeMap::new(),
            store: Arc::new(LocalFileSystem::new_with_prefix(&root).unwrap()),
            prefix: Path::from(name),
            grants: Arc::new([Grant::new(&format!("file://{}", root.display()))]),
        }
    }

    pub(super) async fn preview(&self, location: &TableLocation, request: PreviewRequest) -> Preview {
        self.describer.preview(&subject(location, VersionRef::Latest), &request).await.unwrap()
    }
}

pub(super) fn subject(location: &TableLocation, version: VersionRef) -> Subject {
    Subject { location: location.clone(), format: FormatId::lance(), version, options: Vec::new() }
}

pub(super) fn stream(batches: Vec<RecordBatch>) -> BatchStream {
    let schema = batches[0].schema();
    BatchStream { schema, batches: futures::stream::iter(batches.into_iter().map(Ok)).boxed() }
}

/// Rows `from..to`: `id`, `name` as "row 7", and a vector of three equal values.
pub(super) fn rows(from: i64, to: i64) -> RecordBatch {
    let ids = Int64Array::from_iter_values(from..to);
    let names = StringArray::from_iter_values((from..to).map(|id| format!("row {id}")));
    #[expect(clippy::cast_precision_loss, reason = "small test values")]
    let vectors = FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(
        (from..to).map(|id| Some(vec![Some(id as f32); 3])),
        3,
    );
    RecordBatch::try_from_iter_with_nullable([
        ("id", Arc::new(ids) as _, false),
        ("name", Arc::new(names) as _, true),
        ("vector", Arc::new(vectors) as _, true),
    ])
    .unwrap()
}

pub(super) fn ids(batches: &[RecordBatch]) -> Vec<i64> {
    batches
        .iter()
        .flat_map(|batch| {
            let column = batch.column_by_name("id").unwrap();
            column.as_any().downcast_ref::<Int64Array>().unwrap().values().to_vec()
        })
        .collect()
}

pub(super) async fn collect(stream: BatchStream) -> Vec<RecordBatch> {
    stream.batches.try_collect().await.unwrap()
}

pub(super) fn request(offset: u64, limit: u32) -> PreviewRequest {
    PreviewRequest { columns: None, filter: Vec::new(), offset, limit }
}

pub(super) fn condition(column: &str, operator: Operator, value: &str) -> Condition {
    Condition {
        column: column.split('.').map(str::to_owned).collect(),
        operator,
        value: ConditionValue::One(value.to_owned()),
    }
}
