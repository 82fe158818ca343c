//! Every kind of value, hostile ones first.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{
    ListBuilder, MapBuilder, StringBuilder, StringDictionaryBuilder, StringViewBuilder,
};
use arrow_array::types::*;
use arrow_array::*;
use arrow_schema::{DataType, Field, IntervalUnit, Schema, TimeUnit, UnionFields};
use lakeglass_api::cells::Cell;

use super::*;

fn of(array: &dyn Array, row: usize) -> Cell {
    cell(array, &Field::new("x", array.data_type().clone(), true), row)
}

fn text(cell: Cell) -> String {
    match cell {
        Cell::Text { text, .. }
        | Cell::Number { text }
        | Cell::Special { text }
        | Cell::Time { text, .. } => text,
        other => panic!("{other:?}"),
    }
}

fn titled(cell: Cell) -> (String, String) {
    match cell {
        Cell::Time { text, title } => (text, title),
        other => panic!("{other:?}"),
    }
}

#[test]
fn null_empty_and_the_word_null_differ_in_kind() {
    let array = StringArray::from(vec![None, Some(""), Some("null"), Some("NaN")]);
    assert_eq!(of(&array, 0), Cell::Null);
    assert_eq!(of(&array, 1), Cell::Text { text: String::new(), cut_from: None });
    assert_eq!(of(&array, 2), Cell::Text { text: "null".into(), cut_from: None });
    assert_eq!(of(&array, 3), Cell::Text { text: "NaN".into(), cut_from: None });
    let floats = Float64Array::from(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0]);
    let special = |text: &str| Cell::Special { text: text.into() };
    let seen: Vec<Cell> = (0..5).map(|row| of(&floats, row)).collect();
    let zero = Cell::Number { text: "0.0".into() };
    assert_eq!(seen, [special("NaN"), special("+Inf"), special("-Inf"), special("-0"), zero]);
    assert_eq!(of(&NullArray::new(1), 0), Cell::Null);
}

#[test]
fn numbers_keep_every_digit() {
    assert_eq!(text(of(&Int64Array::from(vec![i64::MIN]), 0)), "-9223372036854775808");
    assert_eq!(text(of(&UInt64Array::from(vec![u64::MAX]), 0)), "18446744073709551615");
    assert_eq!(text(of(&Float64Array::from(vec![0.1]), 0)), "0.1");
    assert_eq!(text(of(&Float64Array::from(vec![f64::MIN_POSITIVE]), 0)), "2.2250738585072014e-308");
    assert_eq!(text(of(&Float64Array::from(vec![1e300]), 0)), "1e300");
    assert_eq!(text(of(&Float32Array::from(vec![0.1_f32]), 0)), "0.1");
    let halves = Float16Array::from_iter_values(
        [0.1_f32, 65504.0, -2.5].map(<Float16Type as ArrowPrimitiveType>::Native::from_f32),
    );
    assert_eq!([0, 1, 2].map(|row| text(of(&halves, row))), ["0.1", "65500.0", "-2.5"]);
    let decimals = Decimal128Array::from(vec![12300, -5, 0]).with_precision_and_scale(10, 2).unwrap();
    assert_eq!([0, 1, 2].map(|row| text(of(&decimals, row))), ["123.00", "-0.05", "0.00"]);
    let wide = Decimal256Array::from(vec![arrow_buffer_i256()]).with_precision_and_scale(76, 4).unwrap();
    assert_eq!(text(of(&wide, 0)), "123456789012345678901234567890123.4500");
    assert_eq!(text(of(&BooleanArray::from(vec![true]), 0)), "true");
    for row in 0..2 {
        let small = Int8Array::from(vec![i8::MIN, i8::MAX]);
        assert_eq!(text(of(&small, row)), ["-128", "127"][row]);
    }
}

fn arrow_buffer_i256() -> <Decimal256Type as ArrowPrimitiveType>::Native {
    <Decimal256Type as ArrowPrimitiveType>::Native::from_string("1234567890123456789012345678901234500")
        .unwrap()
}

#[test]
fn times_say_their_zone_or_that_they_have_none() {
    let naive = TimestampNanosecondArray::from(vec![1_709_618_828_123_456_789]);
    assert_eq!(titled(of(&naive, 0)), ("2024-03-05T06:07:08.123456789".into(), "no zone".into()));
    let utc = TimestampMillisecondArray::from(vec![-1]).with_timezone("UTC");
    assert_eq!(titled(of(&utc, 0)), ("1969-12-31T23:59:59.999Z".into(), "UTC".into()));
    let offset = TimestampSecondArray::from(vec![1_709_618_828]).with_timezone("+05:30");
    let (shown, title) = titled(of(&offset, 0));
    assert_eq!(shown, "2024-03-05T11:37:08+05:30");
    assert!(title.contains("2024-03-05T06:07:08Z") && title.contains("+05:30"), "{title}");
    let named = TimestampMicrosecondArray::from(vec![1_720_000_000_000_000]).with_timezone("Europe/Berlin");
    let (shown, title) = titled(of(&named, 0));
    assert_eq!(shown, "2024-07-03T11:46:40.000000+02:00");
    assert!(title.contains("2024-07-03T09:46:40.000000Z") && title.contains("Europe/Berlin"), "{title}");
    let unknown = TimestampSecondArray::from(vec![0]).with_timezone("Mars/Olympus\u{202E}");
    let (shown, title) = titled(of(&unknown, 0));
    assert_eq!(shown, "1970-01-01T00:00:00Z");
    assert!(title.contains("not known") && title.contains("\\u{202E}"), "{title}");
}

#[test]
fn times_out_of_range_show_the_number_and_its_unit() {
    let far = TimestampSecondArray::from(vec![i64::MAX, i64::MIN, 253_402_300_800]);
    assert_eq!(titled(of(&far, 0)), ("9223372036854775807 s".into(), "out of range; no zone".into()));
    assert_eq!(text(of(&far, 1)), "-9223372036854775808 s");
    assert_eq!(text(of(&far, 2)), "253402300800 s");
    assert_eq!(text(of(&Date32Array::from(vec![i32::MAX]), 0)), "2147483647 days");
    assert_eq!(text(of(&Date32Array::from(vec![-1]), 0)), "1969-12-31");
    assert_eq!(text(of(&Date64Array::from(vec![86_400_000, 86_400_001]), 0)), "1970-01-02");
    assert_eq!(text(of(&Date64Array::from(vec![86_400_000, 86_400_001]), 1)), "1970-01-02T00:00:00.001");
    assert_eq!(text(of(&Time32SecondArray::from(vec![86_399]), 0)), "23:59:59");
    assert_eq!(text(of(&Time32MillisecondArray::from(vec![1]), 0)), "00:00:00.001");
    assert_eq!(text(of(&Time64NanosecondArray::from(vec![3_600_000_000_001]), 0)), "01:00:00.000000001");
    assert_eq!(text(of(&Time64MicrosecondArray::from(vec![-1]), 0)), "-1 us");
}

#[test]
fn durations_and_intervals_are_iso() {
    let cases = [
        (0, "PT0S"),
        (3_723_500, "PT1H2M3.5S"),
        (-60_000, "-PT1M"),
        (i64::MIN, "-PT2562047788015H12M55.808S"),
    ];
    for (value, expected) in cases {
        assert_eq!(text(of(&DurationMillisecondArray::from(vec![value]), 0)), expected);
    }
    assert_eq!(text(of(&IntervalYearMonthArray::from(vec![14]), 0)), "P1Y2M");
    let day = IntervalDayTimeArray::from(vec![IntervalDayTimeType::make_value(3, -5)]);
    assert_eq!(text(of(&day, 0)), "P3DT-0.005S");
    let nano = IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNanoType::make_value(-1, 0, 4)]);
    assert_eq!(text(of(&nano, 0)), "P-1MT0.000000004S");
    assert!(matches!(nano.data_type(), DataType::Interval(IntervalUnit::MonthDayNano)));
}

#[test]
fn hidden_characters_are_shown_and_long_text_is_cut_between_graphemes() {
    let shown = |value: &str| text(of(&StringArray::from(vec![value]), 0));
    assert_eq!(shown("a\u{202E}b\n\0"), "a\\u{202E}b\\u{A}\\u{0}");
    assert_eq!(shown("\\u{A}"), "\\u{5C}u{A}");
    assert_eq!(shown("C:\\new 表 é 👩‍👩‍👧"), "C:\\new 表 é 👩‍👩‍👧");
    assert_eq!(shown("<img src=x onerror=alert(1)>"), "<img src=x onerror=alert(1)>");
    let long = "é".repeat(500);
    let Cell::Text { text: cut, cut_from } = of(&StringArray::from(vec![long.as_str()]), 0) else { panic!() };
    assert_eq!((cut.chars().count(), cut_from), (200, Some(1_000)));
    let family = format!("abc{}", "👩‍👩‍👧".repeat(300));
    let Cell::Text { text: cut, .. } = of(&LargeStringArray::from(vec![family.as_str()]), 0) else {
        panic!()
    };
    assert!(cut.len() <= 2_000 && cut.ends_with('👧'), "{}", cut.len());
    let piled = format!("a{}", "\u{301}".repeat(1_000_000));
    let Cell::Text { text: cut, cut_from } = of(&StringArray::from(vec![piled.as_str()]), 0) else {
        panic!()
    };
    assert!(cut.len() <= 2_000 && cut_from == Some(2_000_001));
    let mut views = StringViewBuilder::new();
    views.append_value("a view longer than twelve bytes");
    assert_eq!(text(of(&views.finish(), 0)), "a view longer than twelve bytes");
}

#[test]
fn bytes_are_their_length_their_head_and_their_magic() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR and more than thirty-two bytes";
    let array = BinaryArray::from_vec(vec![png, b""]);
    let Cell::Binary { length, head, media, href } = of(&array, 0) else { panic!() };
    assert_eq!((length, media.as_deref(), href), (png.len() as u64, Some("image/png"), None));
    assert_eq!(head, format!("0x{}", hex::encode(&png[..32])));
    assert_eq!(of(&array, 1), Cell::Binary { length: 0, head: "0x".into(), media: None, href: None });
    let id = FixedSizeBinaryArray::try_from_iter([vec![0x11_u8; 16]].into_iter()).unwrap();
    assert!(matches!(of(&id, 0), Cell::Binary { length: 16, .. }));
    let field = extension("arrow.uuid", DataType::FixedSizeBinary(16));
    assert_eq!(text(cell(&id, &field, 0)), "11111111-1111-1111-1111-111111111111");
}

fn extension(name: &str, data_type: DataType) -> Field {
    let metadata = HashMap::from([("ARROW:extension:name".to_owned(), name.to_owned())]);
    Field::new("x", data_type, true).with_metadata(metadata)
}

#[test]
fn blobs_are_their_size() {
    let sizes = UInt64Array::from(vec![Some(5_000_000_000), None]);
    let parts = StructArray::from(vec![
        (
            Arc::new(Field::new("position", DataType::UInt64, true)),
            Arc::new(UInt64Array::from(vec![0, 0])) as ArrayRef,
        ),
        (Arc::new(Field::new("size", DataType::UInt64, true)), Arc::new(sizes) as ArrayRef),
    ]);
    let field = extension("lance.blob.v2", parts.data_type().clone());
    let expected = Cell::Binary { length: 5_000_000_000, head: String::new(), media: None, href: None };
    assert_eq!(cell(&parts, &field, 0), expected);
    assert_eq!(cell(&parts, &field, 1), Cell::Null);
}

#[test]
fn vectors_have_statistics_and_a_line() {
    let vector = |values: Vec<f32>| {
        let size = i32::try_from(values.len()).unwrap();
        FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(
            [Some(values.into_iter().map(Some))],
            size,
        )
    };
    let Cell::Vector { dimension, norm, min, max, nans, zeros, head, spark } =
        of(&vector(vec![3.0, -4.0, 0.0]), 0)
    else {
        panic!()
    };
    assert_eq!((dimension, nans, zeros), (3, 0, 1));
    assert_eq!((norm.as_str(), min.as_str(), max.as_str()), ("5.0", "-4.0", "3.0"));
    assert_eq!(head, ["3.0", "-4.0", "0.0"]);
    assert_eq!(spark, [100, 0, 57]);
    let Cell::Vector { norm, min, nans, spark, .. } = of(&vector(vec![f32::NAN, 1.0, f32::INFINITY, 0.0]), 0)
    else {
        panic!()
    };
    assert_eq!((norm.as_str(), min.as_str(), nans), ("NaN", "0.0", 1));
    assert_eq!(spark, [50, 100, 50, 0]);
    let Cell::Vector { norm, spark, .. } = of(&vector(vec![f32::MAX; 768]), 0) else { panic!() };
    assert!(norm.starts_with("9.43") && spark == [50; 64], "{norm}");
    let nullable = FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>([Some([Some(1.0), None])], 2);
    assert!(matches!(of(&nullable, 0), Cell::Nested { .. }));
    let bytes = FixedSizeListArray::from_iter_primitive::<UInt8Type, _, _>([Some([Some(255), Some(1)])], 2);
    assert!(matches!(of(&bytes, 0), Cell::Vector { dimension: 2, .. }));
}

fn nested(cell: Cell) -> (String, String, bool) {
    match cell {
        Cell::Nested { summary, full, cut } => (summary, full, cut),
        other => panic!("{other:?}"),
    }
}

#[test]
fn nested_values_are_one_line_and_indented_text() {
    let mut lists = ListBuilder::new(StringBuilder::new());
    lists.append_value([Some("a"), None, Some("null"), Some("q\"\\")]);
    lists.append_value(Vec::<Option<&str>>::new());
    lists.append_null();
    let lists = lists.finish();
    let (summary, full, cut) = nested(of(&lists, 0));
    assert_eq!(summary, r#"["a", null, "null", "q\"\\"]"#);
    assert_eq!(full, "[\n  \"a\"\n  null\n  \"null\"\n  \"q\\\"\\\\\"\n]");
    assert!(!cut);
    assert_eq!(nested(of(&lists, 1)).0, "[]");
    assert_eq!(of(&lists, 2), Cell::Null);

    let inner: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN]));
    let big: ArrayRef = Arc::new(Int64Array::from(vec![i64::MAX]));
    let record = StructArray::from(vec![
        (Arc::new(Field::new("n\u{202E}", DataType::Float64, true)), inner),
        (Arc::new(Field::new("big", DataType::Int64, true)), big),
    ]);
    assert_eq!(nested(of(&record, 0)).0, "{n\\u{202E}: NaN, big: 9223372036854775807}");

    let mut maps = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    for (key, value) in [("z", "1"), ("a", "2"), ("z", "3")] {
        maps.keys().append_value(key);
        maps.values().append_value(value);
    }
    maps.append(true).unwrap();
    assert_eq!(nested(of(&maps.finish(), 0)).0, r#"{"z" → "1", "a" → "2", "z" → "3"}"#);
}

#[test]
fn nested_values_are_bounded_in_depth_and_number() {
    let wide = ListArray::from_iter_primitive::<Int32Type, _, _>([Some((0..1_000_000).map(Some))]);
    let (summary, full, cut) = nested(of(&wide, 0));
    assert!(cut && summary.chars().count() <= 161 && full.ends_with("and 999900 more\n]"), "{full}");
    let mut deep: ArrayRef = Arc::new(Int32Array::from(vec![7]));
    for _ in 0..200 {
        let field = Arc::new(Field::new("item", deep.data_type().clone(), true));
        let offsets = vec![0, 1];
        deep = Arc::new(ListArray::new(field, arrow::buffer::OffsetBuffer::new(offsets.into()), deep, None));
    }
    let (_, full, cut) = nested(of(&deep, 0));
    assert!(cut && full.contains('…') && !full.contains('7'));
}

#[test]
fn encodings_show_the_value_behind_them() {
    let mut words = StringDictionaryBuilder::<Int8Type>::new();
    words.append_value("red");
    words.append_null();
    words.append_value("blue");
    let words = words.finish();
    assert_eq!(text(of(&words, 0)), "red");
    assert_eq!(of(&words, 1), Cell::Null);
    assert_eq!(text(of(&words.slice(2, 1), 0)), "blue");
    let runs = RunArray::<Int32Type>::try_new(
        &Int32Array::from(vec![2, 5]),
        &StringArray::from(vec![Some("x"), None]),
    )
    .unwrap();
    assert_eq!(text(of(&runs, 1)), "x");
    assert_eq!(of(&runs, 2), Cell::Null);
    let fields = UnionFields::try_new(
        [0, 1],
        [Field::new("i", DataType::Int32, true), Field::new("s", DataType::Utf8, true)],
    )
    .unwrap();
    let children: Vec<ArrayRef> =
        vec![Arc::new(Int32Array::from(vec![5])), Arc::new(StringArray::from(vec!["five"]))];
    let union = UnionArray::try_new(fields, vec![1_i8, 0].into(), Some(vec![0, 0].into()), children).unwrap();
    assert_eq!((text(of(&union, 0)), text(of(&union, 1))), ("five".into(), "5".into()));
}

#[test]
fn json_keeps_its_digits_and_its_text() {
    let field = extension("arrow.json", DataType::Utf8);
    let source = r#"{"big":12345678901234567890123,"s":"a, b: {c} \" x","e":[],"l":[1.50,{"k":null}]}"#;
    let array = StringArray::from(vec![source, "{not json", "\"\u{202E}\""]);
    let Cell::Json { text: exact, pretty } = cell(&array, &field, 0) else { panic!() };
    assert_eq!(exact, source);
    let expected = "{\n  \"big\": 12345678901234567890123,\n  \"s\": \"a, b: {c} \\\" x\",\n  \"e\": [],\n  \"l\": [\n    1.50,\n    {\n      \"k\": null\n    }\n  ]\n}";
    assert_eq!(pretty, expected);
    assert!(matches!(cell(&array, &field, 1), Cell::Text { .. }));
    let Cell::Json { pretty, .. } = cell(&array, &field, 2) else { panic!() };
    assert_eq!(pretty, "\"\\u{202E}\"");
    let huge = format!("[{}]", "1,".repeat(100_000));
    assert!(matches!(
        cell(&StringArray::from(vec![huge.as_str()]), &field, 0),
        Cell::Text { cut_from: Some(_), .. }
    ));
}

#[test]
fn every_type_has_a_cell() {
    let timestamps = [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];
    let item = Arc::new(Field::new("item", DataType::Int32, true));
    let entries = Field::new(
        "entries",
        DataType::Struct(
            vec![Field::new("k", DataType::Utf8, false), Field::new("v", DataType::Int32, true)].into(),
        ),
        false,
    );
    let mut types = vec![
        DataType::Null,
        DataType::Boolean,
        DataType::Float16,
        DataType::BinaryView,
        DataType::Utf8View,
        DataType::LargeBinary,
        DataType::Decimal32(5, 2),
        DataType::Decimal64(10, -2),
        DataType::ListView(Arc::clone(&item)),
        DataType::LargeListView(Arc::clone(&item)),
        DataType::LargeList(Arc::clone(&item)),
        DataType::FixedSizeList(item, 0),
        DataType::Map(Arc::new(entries), false),
        DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Int64)),
    ];
    types.extend(timestamps.map(|unit| DataType::Timestamp(unit, Some("UTC".into()))));
    types.extend(timestamps.map(DataType::Duration));
    for data_type in types {
        let nulls = new_null_array(&data_type, 2);
        assert_eq!(of(&nulls, 1), Cell::Null, "{data_type}");
    }
    let scaled = Decimal64Array::from(vec![12]).with_precision_and_scale(10, -2).unwrap();
    assert_eq!(text(of(&scaled, 0)), "1200");
}

#[test]
fn a_page_is_bounded_and_says_what_it_left_out() {
    let long = "x".repeat(1_900);
    let column = StringArray::from_iter_values(std::iter::repeat_n(&long, 100));
    let schema = Arc::new(Schema::new(vec![Field::new("t", DataType::Utf8, false)]));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(column)]).unwrap();
    let page = cells(&schema, &[batch.clone(), batch.clone()], 10_000);
    assert!(page.left_out && page.rows.len() == 44, "{}", page.rows.len());
    let codes: Vec<&str> = page.notes.iter().map(|note| note.code.as_str()).collect();
    assert_eq!(codes, ["cells-cut", "page-cut"]);
    let tiny = cells(&schema, &[batch], 1);
    assert_eq!(tiny.rows.len(), 1);
    assert_eq!(tiny.columns[0].type_name, "string");
    assert!(!tiny.columns[0].numeric && !tiny.columns[0].nullable);
}
