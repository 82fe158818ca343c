//! How heavy a cell is on a page, and whether it was cut.

use lakeglass_api::cells::Cell;

/// Bytes of text in a cell, about.
pub(super) fn of(cell: &Cell) -> usize {
    let text = match cell {
        Cell::Null => 0,
        Cell::Text { text, .. } | Cell::Number { text } | Cell::Special { text } => text.len(),
        Cell::Time { text, title } => text.len() + title.len(),
        Cell::Binary { head, .. } => head.len(),
        Cell::Vector { head, spark, .. } => {
            head.iter().map(String::len).sum::<usize>() + spark.len() * 3 + 64
        }
        Cell::Nested { summary, full, .. } => summary.len() + full.len(),
        Cell::Json { text, pretty } => text.len() + pretty.len(),
    };
    // Its place in the markup.
    text + 24
}

pub(super) fn is_cut(cell: &Cell) -> bool {
    match cell {
        Cell::Text { cut_from, .. } => cut_from.is_some(),
        Cell::Nested { cut, .. } => *cut,
        _ => false,
    }
}
