//! Columns as the Create table form sends them, and the Arrow schema they make.

use arrow_schema::Schema;
use lakeglass_app::pages::namespace::create_table::{ColumnRow, MAX_COLUMNS};

use super::fields::Fields;
use crate::catalog::{self, Column};

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
    let columns: Vec<Column> = rows
        .iter()
        .map(|row| Column {
            name: row.name.clone(),
            kind: row.kind.clone(),
            size: row.size.clone(),
            nullable: row.nullable,
        })
        .collect();
    let faults = match catalog::schema(&columns) {
        Ok(schema) => return Ok(schema),
        Err(faults) => faults,
    };
    for (place, fault) in faults {
        if let Some(row) = rows.get_mut(place) {
            row.fault = Some(fault);
        }
    }
    Err(rows)
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
        let rows = vec![row("a", "int64", ""), row("a", "int64", ""), row("v", "vector", "0")];
        let wrong = schema(rows.clone()).unwrap_err();
        assert_eq!(wrong[0].fault, None);
        assert!(wrong[1..].iter().all(|row| row.fault.is_some()), "{wrong:?}");
        let typed: Vec<_> = wrong.into_iter().map(|row| ColumnRow { fault: None, ..row }).collect();
        assert_eq!(typed, rows);
    }
}
