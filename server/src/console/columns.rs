//! Columns as the Create table form sends them, and the Arrow schema they make.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, TimeUnit};
use lakeglass_app::pages::namespace::create_table::{ColumnRow, MAX_COLUMNS};

use super::fields::Fields;

/// Longest column name, in bytes.
const MAX_NAME: usize = 255;
/// Largest dimension of a vector column.
const MAX_DIMENSION: i32 = 65_536;

/// The rows of the form, in order. Rows are numbered from 0 without gaps.
pub(super) fn rows(fields: &Fields) -> Vec<ColumnRow> {
    let field = |index: usize, part: &str| format!("c{index}-{part}");
    (0..MAX_COLUMNS)
        .take_while(|&index| fields.ticked(&field(index, "type")))
        .map(|index| ColumnRow {
            name: fields.raw(&field(index, "name")).to_owned(),
            kind: fields.text(&field(index, "type")).to_owned(),
            size: fields.text(&field(index, "size")).to_owned(),
            nullable: fields.ticked(&field(index, "nullable")),
            fault: None,
        })
        .collect()
}

/// The schema, or the same rows with what is wrong beside each.
pub(super) fn schema(mut rows: Vec<ColumnRow>) -> Result<Schema, Vec<ColumnRow>> {
    let mut seen = HashSet::new();
    let mut fields = Vec::with_capacity(rows.len());
    for row in &mut rows {
        match one(row, &mut seen) {
            Ok(field) => fields.push(field),
            Err(fault) => row.fault = Some(fault),
        }
    }
    if rows.iter().any(|row| row.fault.is_some()) { Err(rows) } else { Ok(Schema::new(fields)) }
}

fn one(row: &ColumnRow, seen: &mut HashSet<String>) -> Result<Field, String> {
    if row.name.trim().is_empty() {
        return Err("Give it a name".to_owned());
    }
    if row.name.len() > MAX_NAME {
        return Err(format!("Use a name of at most {MAX_NAME} bytes"));
    }
    if row.name.contains('.') {
        return Err("Leave dots out of its name: clients read them as nesting".to_owned());
    }
    if !seen.insert(row.name.clone()) {
        return Err("Another column has this name".to_owned());
    }
    let kind = data_type(&row.kind, &row.size)?;
    Ok(Field::new(&row.name, kind, row.nullable))
}

fn data_type(kind: &str, size: &str) -> Result<DataType, String> {
    let plain = match kind {
        "int64" => DataType::Int64,
        "int32" => DataType::Int32,
        "int16" => DataType::Int16,
        "int8" => DataType::Int8,
        "uint64" => DataType::UInt64,
        "uint32" => DataType::UInt32,
        "uint16" => DataType::UInt16,
        "uint8" => DataType::UInt8,
        "float64" => DataType::Float64,
        "float32" => DataType::Float32,
        "bool" => DataType::Boolean,
        "utf8" => DataType::Utf8,
        "large_utf8" => DataType::LargeUtf8,
        "binary" => DataType::Binary,
        "large_binary" => DataType::LargeBinary,
        "date32" => DataType::Date32,
        "timestamp_utc" => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        "timestamp" => DataType::Timestamp(TimeUnit::Microsecond, None),
        "decimal" => return decimal(size),
        "vector" => return vector(size),
        _ => return Err("Choose one of the types".to_owned()),
    };
    if size.is_empty() {
        Ok(plain)
    } else {
        Err("Only vectors and decimals have a size; leave it empty".to_owned())
    }
}

fn vector(size: &str) -> Result<DataType, String> {
    let dimension = size.parse().ok().filter(|dimension| (1..=MAX_DIMENSION).contains(dimension));
    let dimension =
        dimension.ok_or_else(|| format!("Give the vector’s dimension as its size, 1 to {MAX_DIMENSION}"))?;
    Ok(DataType::FixedSizeList(Arc::new(Field::new("item", DataType::Float32, true)), dimension))
}

fn decimal(size: &str) -> Result<DataType, String> {
    let parts = size.split_once(',').and_then(|(precision, scale)| {
        Some((precision.trim().parse::<u8>().ok()?, scale.trim().parse::<i8>().ok()?))
    });
    match parts {
        Some((precision @ 1..=38, scale))
            if (0..=38).contains(&scale) && scale.unsigned_abs() <= precision =>
        {
            Ok(DataType::Decimal128(precision, scale))
        }
        _ => {
            Err("Give the decimal’s precision and scale as its size, such as 18, 2; at most 38 digits"
                .to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use lakeglass_app::pages::namespace::create_table::TYPES;

    use super::*;

    fn row(name: &str, kind: &str, size: &str) -> ColumnRow {
        ColumnRow { name: name.into(), kind: kind.into(), size: size.into(), nullable: true, fault: None }
    }

    #[test]
    fn every_type_on_offer_makes_a_column() {
        for (kind, _) in TYPES {
            let size = match kind {
                "decimal" => "18, 2",
                "vector" => "64",
                _ => "",
            };
            let schema = schema(vec![row("c", kind, size)]).unwrap_or_else(|rows| panic!("{kind}: {rows:?}"));
            assert_eq!(schema.field(0).name(), "c");
        }
    }

    #[test]
    fn each_wrong_row_says_what_to_do_and_keeps_what_was_typed() {
        let rows = vec![
            row("a", "int64", ""),
            row("a", "int64", ""),
            row(" ", "int64", ""),
            row("a.b", "int64", ""),
            row("v", "vector", "0"),
            row("d", "decimal", "10"),
            row("e", "decimal", "2, 3"),
            row("f", "int64", "3"),
            row("g", "map", ""),
        ];
        let wrong = schema(rows.clone()).unwrap_err();
        assert_eq!(wrong[0].fault, None);
        assert!(wrong[1..].iter().all(|row| row.fault.is_some()), "{wrong:?}");
        let typed: Vec<_> = wrong.into_iter().map(|row| ColumnRow { fault: None, ..row }).collect();
        assert_eq!(typed, rows);
    }

    #[test]
    fn sizes_become_dimensions_and_digits() {
        let schema = schema(vec![row("v", "vector", "64"), row("d", "decimal", "18,2")]).unwrap();
        assert!(matches!(schema.field(0).data_type(), DataType::FixedSizeList(_, 64)));
        assert_eq!(schema.field(1).data_type(), &DataType::Decimal128(18, 2));
    }
}
