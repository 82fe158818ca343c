//! Columns in words, for people and REST that make a table without an Arrow library.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, TimeUnit};
use serde::Deserialize;

/// Columns of one described table.
const MOST: usize = 1000;
/// Bytes of a column's name.
const LONGEST_NAME: usize = 255;
/// Dimension of a vector column.
const WIDEST_VECTOR: i32 = 65_536;
/// Digits of a decimal.
const MOST_DIGITS: u8 = 38;

/// A column of a table to be made.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
pub struct Column {
    pub name: String,
    /// `int8` to `int64`, `uint8` to `uint64`, `float32`, `float64`, `bool`, `utf8`, `large_utf8`, `binary`,
    /// `large_binary`, `date32`, `timestamp` and `timestamp_utc` (microseconds), `decimal`, or `vector` (of
    /// 32-bit floats).
    #[serde(rename = "type")]
    pub kind: String,
    /// A vector's dimension, or a decimal's precision and scale: `18,2`. Else empty.
    #[serde(default)]
    pub size: String,
    #[serde(default = "yes")]
    pub nullable: bool,
}

fn yes() -> bool {
    true
}

/// The Arrow schema of described columns, or what is wrong with which of them (by place).
pub fn schema(columns: &[Column]) -> Result<Schema, Vec<(usize, String)>> {
    if columns.len() > MOST {
        return Err(vec![(MOST, format!("Use at most {MOST} columns"))]);
    }
    let (mut names, mut fields, mut faults) = (HashSet::new(), Vec::new(), Vec::new());
    for (place, column) in columns.iter().enumerate() {
        match field(column) {
            Ok(_) if !names.insert(column.name.as_str()) => {
                faults.push((place, "Another column has this name".to_owned()));
            }
            Ok(field) => fields.push(field),
            Err(fault) => faults.push((place, fault)),
        }
    }
    if faults.is_empty() { Ok(Schema::new(fields)) } else { Err(faults) }
}

fn field(column: &Column) -> Result<Field, String> {
    let name = column.name.as_str();
    if name.trim().is_empty() || name.len() > LONGEST_NAME {
        return Err(format!("Give it a name of 1 to {LONGEST_NAME} bytes"));
    }
    if name.contains('.') {
        return Err("Leave dots out of its name: clients read them as nesting".to_owned());
    }
    let sized = column.size.trim();
    let data_type = match column.kind.as_str() {
        "vector" => return Ok(Field::new(name, vector(sized)?, column.nullable)),
        "decimal" => return Ok(Field::new(name, decimal(sized)?, column.nullable)),
        kind => plain(kind).ok_or_else(|| format!("There is no type {kind:?} here"))?,
    };
    if sized.is_empty() {
        return Ok(Field::new(name, data_type, column.nullable));
    }
    Err("Only vectors and decimals have a size; leave it empty".to_owned())
}

fn plain(kind: &str) -> Option<DataType> {
    let utc = || DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let types = [
        ("int8", DataType::Int8),
        ("int16", DataType::Int16),
        ("int32", DataType::Int32),
        ("int64", DataType::Int64),
        ("uint8", DataType::UInt8),
        ("uint16", DataType::UInt16),
        ("uint32", DataType::UInt32),
        ("uint64", DataType::UInt64),
        ("float32", DataType::Float32),
        ("float64", DataType::Float64),
        ("bool", DataType::Boolean),
        ("utf8", DataType::Utf8),
        ("large_utf8", DataType::LargeUtf8),
        ("binary", DataType::Binary),
        ("large_binary", DataType::LargeBinary),
        ("date32", DataType::Date32),
        ("timestamp", DataType::Timestamp(TimeUnit::Microsecond, None)),
        ("timestamp_utc", utc()),
    ];
    types.into_iter().find(|(name, _)| *name == kind).map(|(_, data_type)| data_type)
}

fn vector(size: &str) -> Result<DataType, String> {
    match size.parse() {
        Ok(dimension @ 1..=WIDEST_VECTOR) => {
            let item = Arc::new(Field::new("item", DataType::Float32, true));
            Ok(DataType::FixedSizeList(item, dimension))
        }
        _ => Err(format!("Give the vector's dimension as its size, 1 to {WIDEST_VECTOR}")),
    }
}

fn decimal(size: &str) -> Result<DataType, String> {
    let parts =
        size.split_once(',').map(|(precision, scale)| (precision.trim().parse(), scale.trim().parse()));
    match parts {
        Some((Ok(precision @ 1..=MOST_DIGITS), Ok(scale @ 0_i8..))) if scale.unsigned_abs() <= precision => {
            Ok(DataType::Decimal128(precision, scale))
        }
        _ => Err(format!("Give precision and scale as its size, such as 18,2; at most {MOST_DIGITS} digits")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, kind: &str, size: &str) -> Column {
        Column { name: name.into(), kind: kind.into(), size: size.into(), nullable: true }
    }

    #[test]
    fn types_in_words_become_arrow_types() {
        let columns =
            [column("id", "int64", ""), column("price", "decimal", "18, 2"), column("v", "vector", "64")];
        let made = schema(&columns).unwrap();
        assert_eq!(made.field(0).data_type(), &DataType::Int64);
        assert_eq!(made.field(1).data_type(), &DataType::Decimal128(18, 2));
        assert!(matches!(made.field(2).data_type(), DataType::FixedSizeList(_, 64)));
    }

    #[test]
    fn each_fault_is_said_beside_its_column() {
        let columns = [
            column("ok", "int64", ""),
            column("ok", "utf8", ""),
            column("", "utf8", ""),
            column("a.b", "utf8", ""),
            column("sized", "utf8", "3"),
            column("v", "vector", "0"),
            column("d", "decimal", "2,18"),
            column("d2", "decimal", "39,1"),
            column("x", "varchar", ""),
        ];
        let places: Vec<_> = schema(&columns).unwrap_err().into_iter().map(|fault| fault.0).collect();
        assert_eq!(places, [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
