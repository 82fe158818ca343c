//! Structured filters are typed, and values are values.

use std::sync::Arc;

use arrow_array::types::{Decimal128Type, TimestampMicrosecondType};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array,
    PrimitiveArray, RecordBatch, StringArray, StructArray,
};
use arrow_schema::{DataType, Field};
use lakeglass_ports::{
    Condition, ConditionValue, CreateMode, Error, Operator, Operator as O, PreviewRequest, VersionRef,
};

use super::support::{Fixture, condition, ids, stream, subject};

fn batch() -> RecordBatch {
    let decimals = PrimitiveArray::<Decimal128Type>::from(vec![Some(150), Some(1), None, Some(-25)])
        .with_precision_and_scale(10, 2)
        .unwrap();
    let times = PrimitiveArray::<TimestampMicrosecondType>::from(vec![0, 1_000_000, 86_400_000_000, -1])
        .with_timezone("UTC");
    let inner: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), Some(2), None, Some(4)]));
    let nested = StructArray::from(vec![(Arc::new(Field::new("x", DataType::Int32, true)), inner)]);
    let words: DictionaryArray<arrow_array::types::Int32Type> =
        vec!["red", "blue", "red", "green"].into_iter().collect();
    RecordBatch::try_from_iter_with_nullable([
        ("id", Arc::new(Int64Array::from(vec![1, 2, 3, 4])) as ArrayRef, false),
        (
            "text",
            Arc::new(StringArray::from(vec![Some("it's 100%"), Some(""), None, Some("a_b")])) as _,
            true,
        ),
        ("flag", Arc::new(BooleanArray::from(vec![true, false, true, false])) as _, true),
        ("float", Arc::new(Float64Array::from(vec![0.5, f64::NAN, -1.0, 2.5])) as _, true),
        ("bytes", Arc::new(BinaryArray::from_vec(vec![b"\x00\xff", b"", b"x", b"y"])) as _, true),
        ("price", Arc::new(decimals) as _, true),
        ("at", Arc::new(times) as _, true),
        ("nested", Arc::new(nested) as _, true),
        ("word", Arc::new(words) as _, true),
    ])
    .unwrap()
}

#[tokio::test]
async fn each_operator_finds_what_it_says() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![batch()]), CreateMode::Create).await.unwrap();
    let find = async |filter: Vec<Condition>| {
        let request = PreviewRequest { columns: None, filter, offset: 0, limit: 200 };
        fixture.describer.preview(&subject(&location, VersionRef::Latest), &request).await
    };
    let null = |column: &str, operator| Condition {
        column: vec![column.to_owned()],
        operator,
        value: ConditionValue::None,
    };
    let many = |column: &str, values: &[&str]| Condition {
        column: vec![column.to_owned()],
        operator: Operator::In,
        value: ConditionValue::Many(values.iter().map(|&value| value.to_owned()).collect()),
    };
    let cases: Vec<(Condition, Vec<i64>)> = vec![
        (condition("id", O::Equal, "2"), vec![2]),
        (condition("id", O::NotEqual, "2"), vec![1, 3, 4]),
        (condition("id", O::Less, "3"), vec![1, 2]),
        (condition("id", O::LessOrEqual, "3"), vec![1, 2, 3]),
        (condition("id", O::Greater, "3"), vec![4]),
        (condition("id", O::GreaterOrEqual, "3"), vec![3, 4]),
        (many("id", &["1", "4", "9"]), vec![1, 4]),
        (condition("text", O::Equal, "it's 100%"), vec![1]),
        (condition("text", O::Equal, ""), vec![2]),
        (condition("text", O::Contains, "%"), vec![1]),
        (condition("text", O::Contains, "_"), vec![4]),
        (condition("text", O::StartsWith, "it's"), vec![1]),
        (condition("text", O::Equal, "x' OR '1'='1"), vec![]),
        (null("text", O::IsNull), vec![3]),
        (null("text", O::IsNotNull), vec![1, 2, 4]),
        (condition("flag", O::Equal, "TRUE"), vec![1, 3]),
        (condition("float", O::Less, "0.6"), vec![1, 3]),
        (condition("bytes", O::Equal, "0x00ff"), vec![1]),
        (condition("price", O::Equal, "1.50"), vec![1]),
        (condition("price", O::Less, "0"), vec![4]),
        (condition("at", O::GreaterOrEqual, "1970-01-01T00:00:01Z"), vec![2, 3]),
        (condition("nested.x", O::Equal, "2"), vec![2]),
        (condition("word", O::Equal, "red"), vec![1, 3]),
    ];
    for (condition, expected) in cases {
        let page =
            find(vec![condition.clone()]).await.unwrap_or_else(|error| panic!("{condition:?}: {error:?}"));
        assert_eq!(ids(&page.batches), expected, "{condition:?}");
        assert!(!page.more);
    }
    let both =
        find(vec![condition("id", O::Greater, "1"), condition("flag", O::Equal, "true")]).await.unwrap();
    assert_eq!(ids(&both.batches), [3]);
}

#[tokio::test]
async fn what_does_not_fit_a_column_is_refused_by_name() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![batch()]), CreateMode::Create).await.unwrap();
    let refused = async |condition: Condition| {
        let request = PreviewRequest { columns: None, filter: vec![condition], offset: 0, limit: 10 };
        let answer = fixture.describer.preview(&subject(&location, VersionRef::Latest), &request).await;
        answer.map(|page| ids(&page.batches)).unwrap_err()
    };
    for (column, value) in [
        ("id", "two"),
        ("id", "1.5"),
        ("id", "99999999999999999999"),
        ("flag", "yes"),
        ("at", "soon"),
        ("bytes", "0xz1"),
        ("nested", "1"),
    ] {
        let error = refused(condition(column, Operator::Equal, value)).await;
        assert!(
            matches!(&error, Error::InvalidRequest(text) if text.contains(column)),
            "{column}: {error:?}"
        );
    }
    let error = refused(condition("id", Operator::Contains, "1")).await;
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    for missing in ["nothing", "nested.y", "id.x"] {
        let error = refused(condition(missing, Operator::Equal, "1")).await;
        assert!(matches!(&error, Error::NoSuchColumn(name) if name == missing), "{error:?}");
    }
}

#[tokio::test]
async fn columns_come_in_the_order_asked_for() {
    let fixture = Fixture::new();
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![batch()]), CreateMode::Create).await.unwrap();
    let ask = async |columns: &[&str]| {
        let columns = Some(columns.iter().map(|&name| name.to_owned()).collect());
        let request = PreviewRequest {
            columns,
            filter: vec![condition("flag", Operator::Equal, "false")],
            offset: 0,
            limit: 1,
        };
        fixture.describer.preview(&subject(&location, VersionRef::Latest), &request).await
    };
    let page = ask(&["word", "id"]).await.unwrap();
    let names: Vec<&str> = page.schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["word", "id"]);
    assert_eq!(ids(&page.batches), [2]);
    assert_eq!(page.batches[0].schema(), page.schema);
    assert!(page.more);
    assert!(matches!(ask(&["id", "no"]).await, Err(Error::NoSuchColumn(name)) if name == "no"));
    assert!(matches!(ask(&["id", "id"]).await, Err(Error::InvalidRequest(_))));
}
