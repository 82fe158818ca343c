//! Bytes: their length, their beginning, and what their magic bytes say. Never the bytes themselves.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_schema::DataType;
use lakeglass_api::cells::Cell;

/// Bytes shown in hexadecimal.
const HEAD: usize = 32;

/// The bytes at a row of any binary array.
pub(super) fn of(array: &dyn Array, row: usize) -> Option<&[u8]> {
    match array.data_type() {
        DataType::Binary => Some(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => Some(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => Some(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => Some(array.as_fixed_size_binary().value(row)),
        _ => None,
    }
}

pub(super) fn cell(bytes: &[u8]) -> Cell {
    Cell::Binary {
        length: bytes.len() as u64,
        head: format!("0x{}", hex::encode(&bytes[..bytes.len().min(HEAD)])),
        media: infer::get(bytes).map(|found| found.mime_type().to_owned()),
        href: None,
    }
}

/// A blob by its descriptor: the size it tells. The bytes were not read.
pub(super) fn descriptor(array: &dyn Array, row: usize) -> Option<Cell> {
    let parts = array.as_struct_opt()?;
    let size = parts.column_by_name("size")?.as_primitive_opt::<UInt64Type>()?;
    if size.is_null(row) {
        return Some(Cell::Null);
    }
    Some(Cell::Binary { length: size.value(row), head: String::new(), media: None, href: None })
}

/// The usual form of a UUID kept in 16 bytes.
pub(super) fn uuid(array: &dyn Array, row: usize) -> Option<Cell> {
    let id = uuid::Uuid::from_slice(of(array, row)?).ok()?;
    Some(Cell::Text { text: id.hyphenated().to_string(), cut_from: None })
}
