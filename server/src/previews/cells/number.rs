//! Numbers and booleans as exact text.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_schema::DataType;
use lakeglass_api::cells::Cell;

pub(super) fn cell(array: &dyn Array, row: usize) -> Cell {
    let text = match array.data_type() {
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        DataType::Int8 => array.as_primitive::<Int8Type>().value(row).to_string(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(row).to_string(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().value(row).to_string(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().value(row).to_string(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).to_string(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).to_string(),
        DataType::Decimal32(..) => array.as_primitive::<Decimal32Type>().value_as_string(row),
        DataType::Decimal64(..) => array.as_primitive::<Decimal64Type>().value_as_string(row),
        DataType::Decimal128(..) => array.as_primitive::<Decimal128Type>().value_as_string(row),
        DataType::Decimal256(..) => array.as_primitive::<Decimal256Type>().value_as_string(row),
        DataType::Float16 => return float(&half(array.as_primitive::<Float16Type>().value(row))),
        DataType::Float32 => return float(&single(array.as_primitive::<Float32Type>().value(row))),
        DataType::Float64 => return float(&double(array.as_primitive::<Float64Type>().value(row))),
        other => format!("? {other}"),
    };
    Cell::Number { text }
}

fn float(text: &str) -> Cell {
    let text = text.to_owned();
    if matches!(text.as_str(), "NaN" | "+Inf" | "-Inf" | "-0") {
        Cell::Special { text }
    } else {
        Cell::Number { text }
    }
}

/// The shortest text that reads back as the same number; "NaN", "+Inf", "-Inf" and "-0" as words.
pub(super) fn double(value: f64) -> String {
    words(value).map_or_else(|| format!("{value:?}"), str::to_owned)
}

/// As [`double`], for 32 bits.
pub(super) fn single(value: f32) -> String {
    words(f64::from(value)).map_or_else(|| format!("{value:?}"), str::to_owned)
}

type Half = <Float16Type as ArrowPrimitiveType>::Native;

/// As [`double`], for 16 bits.
pub(super) fn half(value: Half) -> String {
    let wide = value.to_f32();
    if let Some(word) = words(f64::from(wide)) {
        return word.to_owned();
    }
    // Six digits tell any two halves apart; fewer often do.
    (0..6)
        .map(|digits| format!("{wide:.digits$e}"))
        .filter_map(|text| text.parse::<f32>().ok())
        .find(|candidate| Half::from_f32(*candidate) == value)
        .map_or_else(|| format!("{wide:?}"), |candidate| format!("{candidate:?}"))
}

fn words(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value.is_infinite() {
        Some(if value > 0.0 { "+Inf" } else { "-Inf" })
    } else if value == 0.0 && value.is_sign_negative() {
        Some("-0")
    } else {
        None
    }
}
