//! Types in JSON read back: in the specification's words, and in those of the remote dialect.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, TimeUnit};
use serde::Deserialize;

use crate::Problem;

/// A type by name alone, or with what it holds.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Form {
    Name(String),
    Full {
        r#type: String,
        #[serde(default)]
        fields: Option<Vec<Child>>,
        #[serde(default)]
        length: Option<i64>,
    },
}

#[derive(Debug, Deserialize)]
struct Child {
    name: String,
    r#type: Form,
    #[serde(default)]
    nullable: Option<bool>,
}

/// A type that a client named.
pub(super) fn data_type(json: &serde_json::Value) -> Result<DataType, Problem> {
    let form = Form::deserialize(json).ok();
    form.as_ref().and_then(of_form).ok_or_else(|| {
        let rule = "is a type such as \"int64\", \"float32\", \"utf8\", \"timestamp:us:UTC\" or \
                    {\"type\": \"fixed_size_list\", \"fields\": […], \"length\": 4}";
        Problem::invalid(format!("data_type {rule}")).field("data_type", rule).code(13)
    })
}

fn of_form(form: &Form) -> Option<DataType> {
    let (name, children, length) = match form {
        Form::Name(name) => (name, None, None),
        Form::Full { r#type, fields, length } => (r#type, fields.as_deref(), *length),
    };
    let only = || match children {
        Some([one]) => field(one),
        _ => None,
    };
    let size = || length.and_then(|length| i32::try_from(length).ok()).filter(|size| *size >= 0);
    Some(match name.to_ascii_lowercase().as_str() {
        "list" => DataType::List(only()?),
        "large_list" => DataType::LargeList(only()?),
        "fixed_size_list" => DataType::FixedSizeList(only()?, size()?),
        "fixed_size_binary" => DataType::FixedSizeBinary(size()?),
        "map" => DataType::Map(only()?, false),
        "struct" => DataType::Struct(children?.iter().map(field).collect::<Option<Fields>>()?),
        "decimal32" => decimal(length?, DataType::Decimal32)?,
        "decimal64" => decimal(length?, DataType::Decimal64)?,
        "decimal128" => decimal(length?, DataType::Decimal128)?,
        "decimal256" => decimal(length?, DataType::Decimal256)?,
        lower => plain(lower).or_else(|| with_parameters(name))?,
    })
}

fn field(child: &Child) -> Option<Arc<Field>> {
    let nullable = child.nullable.unwrap_or(true);
    Some(Arc::new(Field::new(&child.name, of_form(&child.r#type)?, nullable)))
}

/// Precision and scale share one number in the specification's JSON.
fn decimal(length: i64, make: fn(u8, i8) -> DataType) -> Option<DataType> {
    Some(make(u8::try_from(length / 1000).ok()?, i8::try_from(length % 1000).ok()?))
}

fn plain(name: &str) -> Option<DataType> {
    Some(match name {
        "null" => DataType::Null,
        "bool" | "boolean" => DataType::Boolean,
        "int8" => DataType::Int8,
        "int16" => DataType::Int16,
        "int32" => DataType::Int32,
        "int64" => DataType::Int64,
        "uint8" => DataType::UInt8,
        "uint16" => DataType::UInt16,
        "uint32" => DataType::UInt32,
        "uint64" => DataType::UInt64,
        "float16" | "halffloat" => DataType::Float16,
        "float32" | "float" => DataType::Float32,
        "float64" | "double" => DataType::Float64,
        "utf8" | "string" => DataType::Utf8,
        "large_utf8" | "large_string" => DataType::LargeUtf8,
        "binary" => DataType::Binary,
        "large_binary" => DataType::LargeBinary,
        "date32" | "date32:day" => DataType::Date32,
        "date64" | "date64:ms" => DataType::Date64,
        "timestamp" => DataType::Timestamp(TimeUnit::Microsecond, None),
        "duration" => DataType::Duration(TimeUnit::Microsecond),
        "time32" => DataType::Time32(TimeUnit::Millisecond),
        "time64" => DataType::Time64(TimeUnit::Microsecond),
        _ => return None,
    })
}

/// Lance's logical types with their parameters in the name: "timestamp:us:UTC", "decimal:128:10:2".
fn with_parameters(name: &str) -> Option<DataType> {
    let mut parts = name.splitn(3, ':');
    let (kind, first) = (parts.next()?, parts.next()?);
    let rest = parts.next();
    let unit = match first {
        "s" => Some(TimeUnit::Second),
        "ms" => Some(TimeUnit::Millisecond),
        "us" => Some(TimeUnit::Microsecond),
        "ns" => Some(TimeUnit::Nanosecond),
        _ => None,
    };
    Some(match (kind, unit, rest) {
        ("time32", Some(unit @ (TimeUnit::Second | TimeUnit::Millisecond)), None) => DataType::Time32(unit),
        ("time64", Some(unit @ (TimeUnit::Microsecond | TimeUnit::Nanosecond)), None) => {
            DataType::Time64(unit)
        }
        ("duration", Some(unit), None) => DataType::Duration(unit),
        ("timestamp", Some(unit), zone) => {
            DataType::Timestamp(unit, zone.filter(|zone| *zone != "-").map(Into::into))
        }
        ("decimal", None, Some(numbers)) => {
            let (precision, scale) = numbers.split_once(':')?;
            let (precision, scale) = (precision.parse().ok()?, scale.parse().ok()?);
            match first {
                "32" => DataType::Decimal32(precision, scale),
                "64" => DataType::Decimal64(precision, scale),
                "128" => DataType::Decimal128(precision, scale),
                "256" => DataType::Decimal256(precision, scale),
                _ => return None,
            }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use arrow_schema::Schema;
    use serde_json::json;

    use super::*;
    use crate::namespace::schema::{self, Words};

    #[test]
    fn what_is_written_is_read_back() {
        let vector = DataType::FixedSizeList(Arc::new(Field::new("item", DataType::Float32, true)), 4);
        let zoned = DataType::Timestamp(TimeUnit::Nanosecond, Some("Europe/Oslo".into()));
        let types = [
            DataType::Int64,
            DataType::Float16,
            DataType::Utf8,
            DataType::LargeBinary,
            DataType::Date32,
            DataType::Decimal128(10, 2),
            DataType::FixedSizeBinary(16),
            DataType::List(Arc::new(Field::new("item", DataType::Utf8, false))),
            DataType::Struct(vec![Field::new("x", vector.clone(), true)].into()),
            vector,
        ];
        let remote_only =
            [zoned, DataType::Time64(TimeUnit::Nanosecond), DataType::Duration(TimeUnit::Second)];
        let written = |data_type: &DataType, words| {
            let schema = Schema::new(vec![Field::new("c", data_type.clone(), true)]);
            serde_json::to_value(schema::json(&schema, words).fields[0].r#type.clone()).unwrap()
        };
        for one in &types {
            assert_eq!(data_type(&written(one, Words::Specification)).unwrap(), *one);
        }
        for one in types.iter().chain(&remote_only) {
            assert_eq!(data_type(&written(one, Words::Remote)).unwrap(), *one);
        }
    }

    #[test]
    fn a_name_alone_is_a_type_and_an_unknown_one_is_refused() {
        assert_eq!(data_type(&json!("INT32")).unwrap(), DataType::Int32);
        for bad in
            [json!("varchar"), json!(7), json!({}), json!({"type": "list"}), json!("timestamp:fortnight")]
        {
            assert_eq!(data_type(&bad).unwrap_err().namespace_code, Some(13), "{bad}");
        }
    }
}
