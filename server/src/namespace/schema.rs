//! Arrow schemas in the specification's JSON.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema};
use lance_namespace_reqwest_client::models::{JsonArrowDataType, JsonArrowField, JsonArrowSchema};

/// A schema as clients read it. What the JSON has no word for is given as what it decodes to.
pub(super) fn json(schema: &Schema) -> JsonArrowSchema {
    JsonArrowSchema {
        fields: fields(schema.fields()),
        metadata: (!schema.metadata().is_empty()).then(|| schema.metadata().clone()),
    }
}

fn fields(fields: &Fields) -> Vec<JsonArrowField> {
    fields.iter().map(field).collect()
}

fn field(field: &Arc<Field>) -> JsonArrowField {
    JsonArrowField {
        metadata: (!field.metadata().is_empty()).then(|| field.metadata().clone()),
        name: field.name().clone(),
        nullable: field.is_nullable(),
        r#type: Box::new(data_type(field.data_type())),
    }
}

fn data_type(data_type_: &DataType) -> JsonArrowDataType {
    let plain = |name: &str| JsonArrowDataType::new(name.to_owned());
    let sized = |name: &str, length: i64| JsonArrowDataType { length: Some(length), ..plain(name) };
    let of = |name: &str, inner: &Arc<Field>| JsonArrowDataType {
        fields: Some(vec![field(inner)]),
        ..plain(name)
    };
    // Precision and scale share one number in this JSON.
    let decimal =
        |name: &str, precision: u8, scale: i8| sized(name, i64::from(precision) * 1000 + i64::from(scale));
    match data_type_ {
        DataType::Null => plain("null"),
        DataType::Boolean => plain("bool"),
        DataType::Int8 => plain("int8"),
        DataType::Int16 => plain("int16"),
        DataType::Int32 => plain("int32"),
        DataType::Int64 => plain("int64"),
        DataType::UInt8 => plain("uint8"),
        DataType::UInt16 => plain("uint16"),
        DataType::UInt32 => plain("uint32"),
        DataType::UInt64 => plain("uint64"),
        DataType::Float16 => plain("float16"),
        DataType::Float32 => plain("float32"),
        DataType::Float64 => plain("float64"),
        DataType::Decimal32(precision, scale) => decimal("decimal32", *precision, *scale),
        DataType::Decimal64(precision, scale) => decimal("decimal64", *precision, *scale),
        DataType::Decimal128(precision, scale) => decimal("decimal128", *precision, *scale),
        DataType::Decimal256(precision, scale) => decimal("decimal256", *precision, *scale),
        DataType::Date32 => plain("date32"),
        DataType::Date64 => plain("date64"),
        DataType::Time32(_) => plain("time32"),
        DataType::Time64(_) => plain("time64"),
        DataType::Timestamp(_, _) => plain("timestamp"),
        DataType::Duration(_) => plain("duration"),
        DataType::Interval(_) => plain("interval"),
        DataType::Utf8 | DataType::Utf8View => plain("utf8"),
        DataType::LargeUtf8 => plain("large_utf8"),
        DataType::Binary | DataType::BinaryView => plain("binary"),
        DataType::LargeBinary => plain("large_binary"),
        DataType::FixedSizeBinary(size) => sized("fixed_size_binary", i64::from(*size)),
        DataType::List(inner) | DataType::ListView(inner) => of("list", inner),
        DataType::LargeList(inner) | DataType::LargeListView(inner) => of("large_list", inner),
        DataType::FixedSizeList(inner, size) => {
            JsonArrowDataType { length: Some(i64::from(*size)), ..of("fixed_size_list", inner) }
        }
        DataType::Struct(inner) => JsonArrowDataType { fields: Some(fields(inner)), ..plain("struct") },
        DataType::Map(entries, _) => of("map", entries),
        DataType::Dictionary(_, values) => data_type(values),
        DataType::RunEndEncoded(_, values) => data_type(values.data_type()),
        DataType::Union(_, _) => plain("union"),
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
        let written = serde_json::to_value(json(&schema)).unwrap();
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
}
