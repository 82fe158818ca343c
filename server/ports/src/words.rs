//! Arrow types in words, the same wherever a type is shown.

use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};

/// The metadata key under which Arrow keeps an extension type's name.
const EXTENSION_NAME: &str = "ARROW:extension:name";

/// Whether a field is a JSON extension value: text, or Lance's binary form of it.
pub fn is_json(field: &Field) -> bool {
    matches!(extension(field), Some("arrow.json" | "lance.json"))
}

/// Whether a field is a UUID extension value.
pub fn is_uuid(field: &Field) -> bool {
    extension(field) == Some("arrow.uuid")
}

/// Whether a field is a blob column: its values are descriptors, its bytes lie elsewhere.
pub fn is_blob(field: &Field) -> bool {
    extension(field) == Some("lance.blob.v2")
        || field.metadata().get("lance-encoding:blob").is_some_and(|value| value == "true")
}

fn extension(field: &Field) -> Option<&str> {
    field.metadata().get(EXTENSION_NAME).map(String::as_str)
}

/// A field's type in words: `int64`, `fixed_size_list<float32, 64>`, `decimal(10, 2)`,
/// `timestamp(us, UTC)`, `struct`, `json`, `blob`. A struct's fields are named by their own rows.
pub fn type_words(field: &Field) -> String {
    if is_json(field) {
        return "json".to_owned();
    }
    if is_blob(field) {
        return "blob".to_owned();
    }
    if is_uuid(field) {
        return "uuid".to_owned();
    }
    words(field.data_type())
}

fn words(data_type: &DataType) -> String {
    match data_type {
        DataType::Null => "null".to_owned(),
        DataType::Boolean => "bool".to_owned(),
        DataType::Int8 => "int8".to_owned(),
        DataType::Int16 => "int16".to_owned(),
        DataType::Int32 => "int32".to_owned(),
        DataType::Int64 => "int64".to_owned(),
        DataType::UInt8 => "uint8".to_owned(),
        DataType::UInt16 => "uint16".to_owned(),
        DataType::UInt32 => "uint32".to_owned(),
        DataType::UInt64 => "uint64".to_owned(),
        DataType::Float16 => "float16".to_owned(),
        DataType::Float32 => "float32".to_owned(),
        DataType::Float64 => "float64".to_owned(),
        DataType::Utf8 => "string".to_owned(),
        DataType::LargeUtf8 => "large_string".to_owned(),
        DataType::Utf8View => "string_view".to_owned(),
        DataType::Binary => "binary".to_owned(),
        DataType::LargeBinary => "large_binary".to_owned(),
        DataType::BinaryView => "binary_view".to_owned(),
        DataType::FixedSizeBinary(size) => format!("fixed_size_binary({size})"),
        DataType::Date32 => "date32".to_owned(),
        DataType::Date64 => "date64".to_owned(),
        DataType::Time32(unit) => format!("time32({})", unit_words(*unit)),
        DataType::Time64(unit) => format!("time64({})", unit_words(*unit)),
        DataType::Timestamp(unit, None) => format!("timestamp({})", unit_words(*unit)),
        DataType::Timestamp(unit, Some(zone)) => format!("timestamp({}, {zone})", unit_words(*unit)),
        DataType::Duration(unit) => format!("duration({})", unit_words(*unit)),
        DataType::Interval(IntervalUnit::YearMonth) => "interval(year-month)".to_owned(),
        DataType::Interval(IntervalUnit::DayTime) => "interval(day-time)".to_owned(),
        DataType::Interval(IntervalUnit::MonthDayNano) => "interval(month-day-nano)".to_owned(),
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => format!("decimal({precision}, {scale})"),
        DataType::List(item) => format!("list<{}>", type_words(item)),
        DataType::LargeList(item) => format!("large_list<{}>", type_words(item)),
        DataType::ListView(item) => format!("list_view<{}>", type_words(item)),
        DataType::LargeListView(item) => format!("large_list_view<{}>", type_words(item)),
        DataType::FixedSizeList(item, size) => format!("fixed_size_list<{}, {size}>", type_words(item)),
        DataType::Struct(_) => "struct".to_owned(),
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) if fields.len() == 2 => {
                format!("map<{}, {}>", type_words(&fields[0]), type_words(&fields[1]))
            }
            _ => "map".to_owned(),
        },
        DataType::Union(..) => "union".to_owned(),
        DataType::Dictionary(key, value) => format!("dictionary<{}, {}>", words(key), words(value)),
        DataType::RunEndEncoded(_, values) => format!("run_end_encoded<{}>", type_words(values)),
    }
}

fn unit_words(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use super::*;

    #[test]
    fn types_read_as_words_with_their_parameters() {
        let item = Arc::new(Field::new("item", DataType::Float32, true));
        let cases = [
            (DataType::FixedSizeList(item.clone(), 64), "fixed_size_list<float32, 64>"),
            (DataType::List(item), "list<float32>"),
            (DataType::Decimal128(10, 2), "decimal(10, 2)"),
            (DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), "timestamp(us, UTC)"),
            (
                DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8)),
                "dictionary<int8, string>",
            ),
        ];
        for (data_type, expected) in cases {
            assert_eq!(type_words(&Field::new("x", data_type, true)), expected);
        }
    }

    #[test]
    fn extensions_are_named_over_their_storage() {
        let named = |name: &str, data_type| {
            Field::new("x", data_type, true)
                .with_metadata(HashMap::from([(EXTENSION_NAME.to_owned(), name.to_owned())]))
        };
        assert_eq!(type_words(&named("lance.json", DataType::LargeBinary)), "json");
        assert_eq!(type_words(&named("arrow.json", DataType::Utf8)), "json");
        assert_eq!(type_words(&named("arrow.uuid", DataType::FixedSizeBinary(16))), "uuid");
    }
}
