//! Computed columns: a SQL expression kept in the column's metadata, and values filled in later.
//!
//! The keys are those by which LanceDB declares its own, so that a column declared by either is
//! filled by both.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{Field, Schema};
use datafusion::common::DFSchema;
use datafusion::logical_expr::ExprSchemable;
use lakeglass_ports::{Error, Result, TableLocation, Written};
use lance::Dataset;
use lance_datafusion::planner::Planner;

use super::rows;
use crate::error::map;
use crate::open::{Lake, newest};

const COMPUTED: &str = "computed_column";
const KIND: &str = "computed_column.kind";
const EXPRESSION: &str = "computed_column.expression";
/// A JSON list of the columns that the expression reads.
const INPUTS: &str = "computed_column.inputs";
const SQL: &str = "sql";

/// Fields for computed columns, each of the type that its expression gives.
pub(super) fn schema(dataset: &Dataset, columns: &[(&str, &str)]) -> Result<Arc<Schema>> {
    let stored = Arc::new(Schema::from(dataset.schema()));
    let planner = Planner::new(Arc::clone(&stored));
    let typed = DFSchema::try_from(stored.as_ref().clone()).map_err(|error| map(error.into()))?;
    let fields = columns.iter().map(|(name, text)| {
        let expression = planner.parse_expr(text).map_err(map)?;
        if expression.is_volatile() {
            return Err(Error::InvalidRequest(format!(
                "The expression of computed column {name} gives another value each time it is evaluated"
            )));
        }
        let data_type = expression.get_type(&typed).map_err(|error| map(error.into()))?;
        let inputs = serde_json::to_string(&Planner::column_names_in_expr(&expression));
        let metadata = HashMap::from([
            (COMPUTED.to_owned(), "true".to_owned()),
            (KIND.to_owned(), SQL.to_owned()),
            (EXPRESSION.to_owned(), (*text).to_owned()),
            (INPUTS.to_owned(), inputs.map_err(Error::internal)?),
        ]);
        Ok(Field::new(*name, data_type, true).with_metadata(metadata))
    });
    Ok(Arc::new(Schema::new(fields.collect::<Result<Vec<_>>>()?)))
}

/// The SQL expression that a column was declared with.
pub(super) fn expression(dataset: &Dataset, column: &str) -> Result<String> {
    let field = dataset.schema().field(column).ok_or_else(|| Error::NoSuchColumn(column.to_owned()))?;
    let kind = field.metadata.get(KIND).map_or(SQL, String::as_str);
    match field.metadata.get(EXPRESSION) {
        Some(expression) if kind == SQL => Ok(expression.clone()),
        _ => Err(Error::InvalidRequest(format!(
            "Column {column} is not computed from a SQL expression, so there is nothing to fill it with. \
             Add it with \"computed\""
        ))),
    }
}

/// Fills a computed column where a predicate holds; none: where it is null.
pub(super) async fn backfill(
    lake: &Lake,
    location: &TableLocation,
    column: &str,
    predicate: Option<&str>,
    branch: Option<&str>,
) -> Result<Written> {
    let dataset = lake.open(location, &newest(branch), None).await?;
    let updates = [(column.to_owned(), expression(&dataset, column)?)];
    let empty = format!("`{}` IS NULL", column.trim_matches('`').replace('`', "``"));
    rows::update(lake, location, &updates, Some(predicate.unwrap_or(&empty)), branch).await
}
