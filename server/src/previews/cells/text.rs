//! Text: what cannot be seen is shown, what is long is cut.

use std::borrow::Cow;
use std::fmt::Write as _;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use lakeglass_api::cells::Cell;
use unicode_segmentation::UnicodeSegmentation;

/// Graphemes shown of a long text, and the bytes they may take: marks can pile up without end.
const GRAPHEMES: usize = 200;
const BYTES: usize = 2_000;

/// The text at a row of any text array.
pub(super) fn of(array: &dyn Array, row: usize) -> Option<&str> {
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().value(row)),
        DataType::Utf8View => Some(array.as_string_view().value(row)),
        _ => None,
    }
}

pub(super) fn cell(text: &str) -> Cell {
    let kept = head(text, GRAPHEMES, BYTES);
    let cut_from = (kept.len() < text.len()).then_some(text.len() as u64);
    Cell::Text { text: visible(kept).into_owned(), cut_from }
}

/// The first graphemes of a text, within a number of bytes.
pub(super) fn head(text: &str, graphemes: usize, bytes: usize) -> &str {
    // A text is looked at only as far as it may be shown.
    let window = &text[..text.floor_char_boundary(bytes)];
    if let Some((at, _)) = window.grapheme_indices(true).nth(graphemes) {
        return &window[..at];
    }
    if window.len() == text.len() {
        return window;
    }
    // The last grapheme may go on past the window; alone it is shown as far as it goes.
    match window.grapheme_indices(true).next_back() {
        Some((at, _)) if at > 0 => &window[..at],
        _ => window,
    }
}

/// A text in which control, bidirectional and invisible characters stand as `\u{…}`. A backslash that
/// could be read as such an escape is escaped itself, so that no two texts look the same.
pub fn visible(text: &str) -> Cow<'_, str> {
    let ambiguous = text.contains("\\u{");
    if !ambiguous && !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for (at, character) in text.char_indices() {
        if is_hidden(character) || (character == '\\' && text[at..].starts_with("\\u{")) {
            // Writing to a String does not fail.
            let _ = write!(shown, "\\u{{{:X}}}", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Characters that are not seen, or that change how others are seen. Joiners inside emoji stay.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            u32::from(character),
            0x00AD
                | 0x061C
                | 0x180E
                | 0x200B
                | 0x200E
                | 0x200F
                | 0x2028..=0x202E
                | 0x2060..=0x206F
                | 0xFEFF
                | 0xFFF9..=0xFFFB
                | 0xE0000..=0xE007F
        )
}
