//! Structured conditions as typed expressions. No SQL text is made or parsed.

use arrow_schema::{DataType, Field, Schema};
use datafusion::common::Column;
use datafusion::functions::core::expr_fn::get_field;
use datafusion::functions::string::expr_fn::{contains, starts_with};
use datafusion::logical_expr::Expr;
use datafusion::scalar::ScalarValue;
use lakeglass_ports::{Condition, ConditionValue, Error, Operator, Result, is_blob, is_json, type_words};

/// Values that one "in" may list.
const MANY: usize = 1_000;

/// All conditions joined by "and"; none when there are none.
pub(crate) fn expression(conditions: &[Condition], schema: &Schema) -> Result<Option<Expr>> {
    let mut all: Option<Expr> = None;
    for condition in conditions {
        let one = one(condition, schema)?;
        all = Some(match all {
            None => one,
            Some(before) => before.and(one),
        });
    }
    Ok(all)
}

fn one(condition: &Condition, schema: &Schema) -> Result<Expr> {
    let (field, column) = resolve(&condition.column, schema)?;
    let name = condition.column.join(".");
    let single = || match &condition.value {
        ConditionValue::One(text) => value(text, field, &name),
        _ => Err(Error::InvalidRequest(format!("The filter on {name} needs one value"))),
    };
    Ok(match condition.operator {
        Operator::IsNull => column.is_null(),
        Operator::IsNotNull => column.is_not_null(),
        Operator::Equal => column.eq(single()?),
        Operator::NotEqual => column.not_eq(single()?),
        Operator::Less => column.lt(single()?),
        Operator::LessOrEqual => column.lt_eq(single()?),
        Operator::Greater => column.gt(single()?),
        Operator::GreaterOrEqual => column.gt_eq(single()?),
        Operator::Contains => contains(text_column(column, field, &name)?, single()?),
        Operator::StartsWith => starts_with(text_column(column, field, &name)?, single()?),
        Operator::In => match &condition.value {
            ConditionValue::Many(texts) if texts.is_empty() || texts.len() > MANY => {
                return Err(Error::InvalidRequest(format!("The filter on {name} needs 1 to {MANY} values")));
            }
            ConditionValue::Many(texts) => {
                let values =
                    texts.iter().map(|text| value(text, field, &name)).collect::<Result<Vec<_>>>()?;
                column.in_list(values, false)
            }
            ConditionValue::One(_) => column.in_list(vec![single()?], false),
            ConditionValue::None => {
                return Err(Error::InvalidRequest(format!("The filter on {name} needs 1 to {MANY} values")));
            }
        },
    })
}

/// Walks a path of names from the top level down.
fn resolve<'a>(path: &[String], schema: &'a Schema) -> Result<(&'a Field, Expr)> {
    let unknown = || Error::NoSuchColumn(path.join("."));
    let (top, rest) = path.split_first().ok_or_else(unknown)?;
    let (_, field) = schema.fields().find(top).ok_or_else(unknown)?;
    let (mut field, mut column) = (field, Expr::Column(Column::new_unqualified(top.as_str())));
    for name in rest {
        let DataType::Struct(children) = field.data_type() else { return Err(unknown()) };
        field = children.find(name).ok_or_else(unknown)?.1;
        column = get_field(column, name.clone());
    }
    Ok((field, column))
}

fn text_column(column: Expr, field: &Field, name: &str) -> Result<Expr> {
    match value_type(field) {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View if !is_json(field) => Ok(column),
        _ => Err(Error::InvalidRequest(format!(
            "{name} holds {}; contains and starts-with are for text",
            type_words(field)
        ))),
    }
}

fn value_type(field: &Field) -> &DataType {
    match field.data_type() {
        DataType::Dictionary(_, value) => value.as_ref(),
        other => other,
    }
}

/// What a person typed, as the column's type; or a refusal that names column and type.
fn value(text: &str, field: &Field, name: &str) -> Result<Expr> {
    let words = type_words(field);
    if is_blob(field) || is_json(field) || field.data_type().is_nested() {
        return Err(Error::InvalidRequest(format!(
            "{name} holds {words}, which can only be filtered by null or not"
        )));
    }
    let target = value_type(field);
    let wrong =
        || Error::InvalidRequest(format!("{name} holds {words}, and this is not one: {}", shown(text)));
    let trimmed = text.trim();
    let scalar = match target {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            ScalarValue::from(text).cast_to(target).map_err(|_| wrong())?
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            let bytes = hex(trimmed).ok_or_else(|| {
                Error::InvalidRequest(format!(
                    "{name} holds {words}; write bytes as 0x and hexadecimal digits"
                ))
            })?;
            ScalarValue::Binary(Some(bytes)).cast_to(target).map_err(|_| wrong())?
        }
        DataType::Boolean => match trimmed.to_ascii_lowercase().as_str() {
            "true" => ScalarValue::Boolean(Some(true)),
            "false" => ScalarValue::Boolean(Some(false)),
            _ => return Err(wrong()),
        },
        _ => ScalarValue::from(trimmed).cast_to(target).map_err(|_| wrong())?,
    };
    // Arrow's cast of a text that is no value of the type is null.
    if scalar.is_null() { Err(wrong()) } else { Ok(Expr::Literal(scalar, None)) }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if !digits.len().is_multiple_of(2) || !digits.is_ascii() {
        return None;
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect()
}

fn shown(text: &str) -> String {
    if text.chars().count() <= 60 { text.to_owned() } else { text.chars().take(60).chain(['…']).collect() }
}
