//! What a description says of schema, properties and the reader itself.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, Int32Array, ListArray, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field, Schema};
use lakeglass_ports::{Candidate, Claim, CreateMode, VersionRef, type_words};

use super::support::{Fixture, request, rows, stream, subject};

fn with(field: Field, entries: &[(&str, &str)]) -> Field {
    let metadata: HashMap<_, _> =
        entries.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    field.with_metadata(metadata)
}

fn nested() -> RecordBatch {
    let x = Arc::new(with(Field::new("x", DataType::Int32, false), &[("comment", "across"), ("unit", "mm")]));
    let xs: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    let point = StructArray::from(vec![(x, xs)]);
    let item = Arc::new(Field::new("item", point.data_type().clone(), true));
    let ends = offsets(vec![0, 1, 2]);
    let path = ListArray::new(Arc::clone(&item), ends, Arc::new(point.clone()), None);
    let json = StringArray::from(vec!["{\"big\": 12345678901234567890}", "[1.50]"]);
    let fields = vec![
        Field::new("point", point.data_type().clone(), true),
        Field::new("path", path.data_type().clone(), true),
        with(Field::new("document", DataType::Utf8, true), &[("ARROW:extension:name", "arrow.json")]),
        with(Field::new("notes", DataType::Utf8, true), &[("description", "free text")]),
    ];
    let schema = Schema::new_with_metadata(fields, HashMap::from([("team".to_owned(), "maps".to_owned())]));
    let notes: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(point), Arc::new(path), Arc::new(json), notes])
        .unwrap()
}

fn offsets(offsets: Vec<i32>) -> arrow::buffer::OffsetBuffer<i32> {
    arrow::buffer::OffsetBuffer::new(offsets.into())
}

#[tokio::test]
async fn a_nested_schema_is_a_list_of_parents_before_children() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![nested()]), CreateMode::Create).await.unwrap();
    let mut dataset = lance::Dataset::open(&location.uri).await.unwrap();
    dataset.update_config([("lance.auto_cleanup.interval", "20")]).await.unwrap();
    dataset.update_metadata([("owner", "ana")]).await.unwrap();

    let described = fixture.describer.describe(&subject(&location, VersionRef::Latest)).await.unwrap().answer;
    let seen: Vec<_> = described
        .schema
        .iter()
        .map(|field| (field.parent, field.name.as_str(), field.type_name.as_str(), field.doc.as_deref()))
        .collect();
    assert_eq!(
        seen,
        [
            (None, "point", "struct", None),
            (Some(0), "x", "int32", Some("across")),
            (None, "path", "list<struct>", None),
            (Some(2), "item", "struct", None),
            (Some(3), "x", "int32", Some("across")),
            (None, "document", "json", None),
            (None, "notes", "string", Some("free text")),
        ]
    );
    let x = &described.schema[1];
    assert_eq!(
        (x.nullable, x.properties[0].key.as_str(), x.properties[0].value.as_str()),
        (false, "unit", "mm")
    );
    let ids: std::collections::BTreeSet<_> = described.schema.iter().map(|field| field.id.unwrap()).collect();
    assert_eq!(ids.len(), described.schema.len());
    let has =
        |key: &str, value: &str| described.properties.iter().any(|one| one.key == key && one.value == value);
    assert!(
        has("owner", "ana") && has("config.lance.auto_cleanup.interval", "20") && has("schema.team", "maps")
    );
    assert!(described.format_version.is_some_and(|version| version.starts_with("2.")));

    // JSON comes back as the text that went in, digits and all.
    let page = fixture.preview(&location, request(0, 10)).await;
    let (_, field) = page.schema.column_with_name("document").unwrap();
    assert_eq!(type_words(field), "json");
    let text = page.batches[0].column_by_name("document").unwrap();
    let text = arrow_cast::cast(text, &DataType::Utf8).unwrap();
    let text = text.as_any().downcast_ref::<StringArray>().unwrap();
    assert!(text.value(0).contains("12345678901234567"), "{}", text.value(0));
}

#[tokio::test]
async fn the_reader_names_itself_and_recognises_its_folders() {
    let fixture = Fixture::new();
    let observer = fixture.describer.observer();
    let version = observer.strip_prefix("native lance ").unwrap();
    assert_eq!(version.split('.').count(), 3, "{observer}");
    let info = fixture.describer.formats().remove(0);
    assert_eq!(info.claims, [Claim::Folder("_versions".to_owned())]);
    assert!(info.capabilities.preview && info.capabilities.indices && !info.single_object);

    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![rows(0, 1)]), CreateMode::Create).await.unwrap();
    let folders = std::fs::read_dir(fixture.folder.path().join("lake/t")).unwrap();
    let folders = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let mut candidate = Candidate { location, objects: Vec::new(), folders };
    let found = fixture.describer.detect(&candidate).await.unwrap();
    assert_eq!((found[0].format.as_str(), found[0].confidence), ("lance", 95));
    candidate.folders = vec!["_delta_log".to_owned(), "data".to_owned()];
    assert!(fixture.describer.detect(&candidate).await.unwrap().is_empty());
}
