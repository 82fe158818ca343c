//! Handwritten digits: each with its image, its vector and its label.

use std::io;
use std::sync::Arc;

use arrow_array::types::Float32Type;
use arrow_array::{ArrayRef, BinaryArray, FixedSizeListArray, Int32Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::{png, unpacked};

const PACKED: &[u8] = include_bytes!("data/digits.csv.gz");
/// Pixels of a side, as measured and as drawn.
const SIDE: usize = 8;
const SCALE: usize = 4;
const PIXELS: usize = SIDE * SIDE;
/// The same as Arrow and PNG count them.
const DIMENSION: i32 = 64;
const DRAWN_SIDE: u32 = 32;
/// The largest value of a pixel: full ink.
const INK: u8 = 16;

/// `id`, `label`, `image` (PNG) and `vector` (64 numbers from 0 to 1).
pub(super) fn schema() -> SchemaRef {
    let item = Arc::new(Field::new("item", DataType::Float32, true));
    Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int64, false),
        Field::new("label", DataType::Int32, false),
        Field::new("image", DataType::Binary, false),
        Field::new("vector", DataType::FixedSizeList(item, DIMENSION), false),
    ]))
}

/// All 1,797 digits in the order of their source.
pub(super) fn all() -> io::Result<RecordBatch> {
    let text = String::from_utf8(unpacked(PACKED)?).map_err(io::Error::other)?;
    let mut labels = Vec::new();
    let mut images = Vec::new();
    let mut vectors = Vec::new();
    for line in text.lines() {
        let numbers: Vec<u8> =
            line.split(',').map(str::parse).collect::<Result<_, _>>().map_err(io::Error::other)?;
        let Some((pixels, [label])) = numbers.split_at_checked(PIXELS) else {
            return Err(io::Error::other("a digit without 64 pixels and a label"));
        };
        labels.push(i32::from(*label));
        images.push(png::grey(DRAWN_SIDE, &drawn(pixels))?);
        vectors
            .push(Some(pixels.iter().map(|&ink| Some(f32::from(ink) / f32::from(INK))).collect::<Vec<_>>()));
    }
    let ids = Int64Array::from_iter_values((0_i64..).take(labels.len()));
    let vectors = FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(vectors, DIMENSION);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(ids),
        Arc::new(Int32Array::from(labels)),
        Arc::new(BinaryArray::from_iter_values(images)),
        Arc::new(vectors),
    ];
    RecordBatch::try_new(schema(), columns).map_err(io::Error::other)
}

/// Ink as darkness, every pixel repeated so that it can be seen.
fn drawn(pixels: &[u8]) -> Vec<u8> {
    let mut grey = Vec::with_capacity(PIXELS * SCALE * SCALE);
    for row in pixels.chunks_exact(SIDE) {
        let line: Vec<u8> = row.iter().flat_map(|&ink| std::iter::repeat_n(shade(ink), SCALE)).collect();
        for _ in 0..SCALE {
            grey.extend_from_slice(&line);
        }
    }
    grey
}

/// No ink is white, full ink is black.
fn shade(ink: u8) -> u8 {
    let dark = u16::from(ink.min(INK)) * 255 / u16::from(INK);
    255 - u8::try_from(dark).unwrap_or(u8::MAX)
}
