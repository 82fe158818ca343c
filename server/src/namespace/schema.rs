//! Arrow schemas in JSON: in the specification's words, or in those of the remote dialect.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use lance_namespace_reqwest_client::models::{JsonArrowDataType, JsonArrowField, JsonArrowSchema};

/// How types are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// Arrow's own names: "float32", "utf8".
    Specification,
    /// Lance's logical types, with their parameters in the name: "float", "string", "timestamp:us:UTC".
    Remote,
}

/// A schema as clients read it. What the JSON has no word for is given as what it decodes to.
pub(super) fn json(schema: &Schema, words: Words) -> JsonArrowSchema {
    JsonArrowSchema {
        fields: fields(schema.fields(), words),
        metadata: (!schema.metadata().is_empty()).then(|| schema.metadata().clone()),
    }
}

fn fields(fields: &Fields, words: Words) -> Vec<JsonArrowField> {
    fields.iter().map(|one| field(one, words)).collect()
}

fn field(field: &Arc<Field>, words: Words) -> JsonArrowField {
    JsonArrowField {
        metadata: (!field.metadata().is_empty()).then(|| field.metadata().clone()),
        name: field.name().clone(),
        nullable: field.is_nullable(),
        r#type: Box::new(data_type(field.data_type(), words)),
    }
}

fn data_type(data_type_: &DataType, words: Words) -> JsonArrowDataType {
    let named = |name: String| JsonArrowDataType::new(name);
    let of = |name: &str, length: Option<i32>, inner: &Arc<Field>| JsonArrowDataType {
        fields: Some(vec![field(inner, words)]),
        length: length.map(i64::from),
        ..named(name.to_owned())
    };
    match data_type_ {
        DataType::FixedSizeBinary(size) => {
            JsonArrowDataType { length: Some(i64::from(*size)), ..named("fixed_size_binary".to_owned()) }
        }
        DataType::List(inner) | DataType::ListView(inner) => of("list", None, inner),
        DataType::LargeList(inner) | DataType::LargeListView(inner) => of("large_list", None, inner),
        DataType::FixedSizeList(inner, size) => of("fixed_size_list", Some(*size), inner),
        DataType::Struct(inner) => {
            JsonArrowDataType { fields: Some(fields(inner, words)), ..named("struct".to_owned()) }
        }
        DataType::Map(entries, _) => of("map", None, entries),
        DataType::Dictionary(_, values) => data_type(values, words),
        DataType::RunEndEncoded(_, values) => data_type(values.data_type(), words),
        DataType::Union(_, _) => named("union".to_owned()),
        plain if words == Words::Remote => named(logical_name(plain)),
        DataType::Decimal32(precision, scale) => decimal("decimal32", *precision, *scale),
        DataType::Decimal64(precision, scale) => decimal("decimal64", *precision, *scale),
        DataType::Decimal128(precision, scale) => decimal("decimal128", *precision, *scale),
        DataType::Decimal256(precision, scale) => decimal("decimal256", *precision, *scale),
        plain => named(arrow_name(plain).to_owned()),
    }
}

/// Precision and scale share one number in the specification's JSON.
fn decimal(name: &str, precision: u8, scale: i8) -> JsonArrowDataType {
    let length = i64::from(precision) * 1000 + i64::from(scale);
    JsonArrowDataType { length: Some(length), ..JsonArrowDataType::new(name.to_owned()) }
}

/// A type without parameters in the specification's words.
fn arrow_name(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Boolean => "bool",
        DataType::Int8 => "int8",
        DataType::Int16 => "int16",
        DataType::Int32 => "int32",
        DataType::Int64 => "int64",
        DataType::UInt8 => "uint8",
        DataType::UInt16 => "uint16",
        DataType::UInt32 => "uint32",
        DataType::UInt64 => "uint64",
        DataType::Float16 => "float16",
        DataType::Float32 => "float32",
        DataType::Float64 => "float64",
        DataType::Date32 => "date32",
        DataType::Date64 => "date64",
        DataType::Time32(_) => "time32",
        DataType::Time64(_) => "time64",
        DataType::Timestamp(_, _) => "timestamp",
        DataType::Duration(_) => "duration",
        DataType::Interval(_) => "interval",
        DataType::Utf8 | DataType::Utf8View => "utf8",
        DataType::LargeUtf8 => "large_utf8",
        DataType::Binary | DataType::BinaryView => "binary",
        DataType::LargeBinary => "large_binary",
        _ => "null",
    }
}

/// A type with its parameters as Lance names it.
fn logical_name(data_type: &DataType) -> String {
    let unit = |unit: TimeUnit| match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    };
    match data_type {
        DataType::Float16 => "halffloat".to_owned(),
        DataType::Float32 => "float".to_owned(),
        DataType::Float64 => "double".to_owned(),
        DataType::Utf8 | DataType::Utf8View => "string".to_owned(),
        DataType::LargeUtf8 => "large_string".to_owned(),
        DataType::Date32 => "date32:day".to_owned(),
        DataType::Date64 => "date64:ms".to_owned(),
        DataType::Time32(of) => format!("time32:{}", unit(*of)),
        DataType::Time64(of) => format!("time64:{}", unit(*of)),
        DataType::Duration(of) => format!("duration:{}", unit(*of)),
        DataType::Timestamp(of, zone) => {
            format!("timestamp:{}:{}", unit(*of), zone.as_deref().unwrap_or("-"))
        }
        DataType::Decimal32(precision, scale) => format!("decimal:32:{precision}:{scale}"),
        DataType::Decimal64(precision, scale) => format!("decimal:64:{precision}:{scale}"),
        DataType::Decimal128(precision, scale) => format!("decimal:128:{precision}:{scale}"),
        DataType::Decimal256(precision, scale) => format!("decimal:256:{precision}:{scale}"),
        plain => arrow_name(plain).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_structs_and_decimals_keep_their_shape() {
        let item = Arc::new(Field::new("item", DataType::Float32, true));
        let inner = Fields::from(vec![Field::new("price", DataType::Decimal128(10, 2), false)]);
        let schema = Schema::new(vec![
            Field::new("vec", DataType::FixedSizeList(item, 64), true),
            Field::new("row", DataType::Struct(inner), true)
                .with_metadata([("unit".to_owned(), "EUR".to_owned())].into()),
        ]);
        let written = serde_json::to_value(json(&schema, Words::Specification)).unwrap();
        assert_eq!(
            written,
            serde_json::json!({"fields": [
                {"name": "vec", "nullable": true, "type": {"type": "fixed_size_list", "length": 64,
                    "fields": [{"name": "item", "nullable": true, "type": {"type": "float32"}}]}},
                {"name": "row", "nullable": true, "metadata": {"unit": "EUR"}, "type": {"type": "struct",
                    "fields": [{"name": "price", "nullable": false, "type": {"type": "decimal128", "length": 10002}}]}},
            ]})
        );
    }

    #[test]
    fn the_remote_dialect_puts_parameters_in_names() {
        let item = Arc::new(Field::new("item", DataType::Float32, true));
        let zone = Some("UTC".into());
        let cases = [
            (DataType::Timestamp(TimeUnit::Microsecond, zone), "timestamp:us:UTC"),
            (DataType::Timestamp(TimeUnit::Nanosecond, None), "timestamp:ns:-"),
            (DataType::Decimal128(10, 2), "decimal:128:10:2"),
            (DataType::Utf8, "string"),
            (DataType::Int64, "int64"),
            (DataType::LargeBinary, "large_binary"),
        ];
        for (data_type_, name) in cases {
            assert_eq!(data_type(&data_type_, Words::Remote).r#type, name);
        }
        let vector = data_type(&DataType::FixedSizeList(item, 2), Words::Remote);
        assert_eq!((vector.r#type.as_str(), vector.length), ("fixed_size_list", Some(2)));
        assert_eq!(vector.fields.unwrap()[0].r#type.r#type, "float");
    }
}
