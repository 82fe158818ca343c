//! Vectors: dimension, norm and statistics, the first values and a small line of their shape.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type, Int8Type, UInt8Type};
use arrow_array::{Array, FixedSizeListArray};
use arrow_schema::DataType;
use lakeglass_api::cells::Cell;

use super::number::{double, half, single};

/// Values shown as they are.
const HEAD: usize = 8;
/// Points of the line.
const POINTS: usize = 64;

/// A vector cell; none when the item is no plain number, a value is null, or the dimension is zero.
pub(super) fn cell(lists: &FixedSizeListArray, row: usize) -> Option<Cell> {
    let values = lists.value(row);
    if values.is_empty() || values.null_count() > 0 {
        return None;
    }
    let numbers: Vec<f64> = match values.data_type() {
        DataType::Float16 => values
            .as_primitive::<Float16Type>()
            .values()
            .iter()
            .map(|value| f64::from(value.to_f32()))
            .collect(),
        DataType::Float32 => {
            values.as_primitive::<Float32Type>().values().iter().copied().map(f64::from).collect()
        }
        DataType::Float64 => values.as_primitive::<Float64Type>().values().to_vec(),
        DataType::Int8 => values.as_primitive::<Int8Type>().values().iter().copied().map(f64::from).collect(),
        DataType::UInt8 => {
            values.as_primitive::<UInt8Type>().values().iter().copied().map(f64::from).collect()
        }
        _ => return None,
    };
    let finite = || numbers.iter().copied().filter(|number| number.is_finite());
    let known = || numbers.iter().copied().filter(|number| !number.is_nan());
    let at = |number: Option<f64>| number.map_or_else(|| "NaN".to_owned(), |number| exact(&values, number));
    Some(Cell::Vector {
        dimension: u32::try_from(numbers.len()).unwrap_or(u32::MAX),
        norm: rounded(norm(&numbers)),
        min: at(known().reduce(f64::min)),
        max: at(known().reduce(f64::max)),
        nans: count(numbers.iter().filter(|number| number.is_nan()).count()),
        zeros: count(numbers.iter().filter(|number| **number == 0.0).count()),
        head: (0..numbers.len().min(HEAD)).map(|index| shown(&values, index)).collect(),
        spark: spark(&numbers, finite().reduce(f64::min), finite().reduce(f64::max)),
    })
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The Euclidean norm, scaled so that large values do not overflow.
fn norm(numbers: &[f64]) -> f64 {
    let largest = numbers.iter().fold(0.0_f64, |largest, number| largest.max(number.abs()));
    if numbers.iter().any(|number| number.is_nan()) {
        return f64::NAN;
    }
    if largest == 0.0 || largest.is_infinite() {
        return largest;
    }
    largest * numbers.iter().map(|number| (number / largest).powi(2)).sum::<f64>().sqrt()
}

/// Six digits are enough to read a norm by.
fn rounded(value: f64) -> String {
    if !value.is_finite() {
        return double(value);
    }
    format!("{value:.5e}").parse().map_or_else(|_| double(value), double)
}

/// A value of the vector in its own precision.
fn exact(values: &dyn Array, number: f64) -> String {
    match values.data_type() {
        DataType::Float64 => double(number),
        #[expect(clippy::cast_possible_truncation, reason = "the value came from 32 bits")]
        DataType::Float32 => single(number as f32),
        DataType::Float16 => {
            let all = values.as_primitive::<Float16Type>();
            let same = |value: f32| f64::from(value).to_bits() == number.to_bits();
            let found = all.values().iter().find(|value| same(value.to_f32()));
            found.map_or_else(|| double(number), |value| half(*value))
        }
        _ => format!("{number}"),
    }
}

fn shown(values: &dyn Array, index: usize) -> String {
    match values.data_type() {
        DataType::Float16 => half(values.as_primitive::<Float16Type>().value(index)),
        DataType::Float32 => single(values.as_primitive::<Float32Type>().value(index)),
        DataType::Float64 => double(values.as_primitive::<Float64Type>().value(index)),
        DataType::Int8 => values.as_primitive::<Int8Type>().value(index).to_string(),
        _ => values.as_primitive::<UInt8Type>().value(index).to_string(),
    }
}

/// At most 64 means of neighbouring values, 0 at the smallest and 100 at the largest. What is not
/// finite counts as the middle; so does everything when all values are equal.
fn spark(numbers: &[f64], low: Option<f64>, high: Option<f64>) -> Vec<u8> {
    let (low, high) = (low.unwrap_or(0.0), high.unwrap_or(0.0));
    let points = numbers.len().min(POINTS);
    (0..points)
        .map(|point| {
            let bucket = &numbers[point * numbers.len() / points..(point + 1) * numbers.len() / points];
            let height = |number: &f64| {
                // Halved, so that the distance of the extremes does not overflow.
                let place = (number / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
                if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.5 }
            };
            #[expect(clippy::cast_precision_loss, reason = "a bucket is far smaller than 2^52")]
            let mean = bucket.iter().map(height).sum::<f64>() / bucket.len() as f64;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100")]
            let percent = (mean * 100.0).round() as u8;
            percent
        })
        .collect()
}
