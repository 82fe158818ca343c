//! How the text is written: delimiter and header, as a person says or as the start suggests.

use lakeglass_describer_sdk::{Error, Subject};

use crate::kind::is_typed;
use crate::records::{Records, Source};

/// How much of the start decides the delimiter.
const LOOK: usize = 64 << 10;
const LOOK_RECORDS: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    pub(crate) header: bool,
    /// Nobody said so, and the file left room for doubt.
    pub(crate) header_guessed: bool,
}

pub(crate) fn delimiter_word(delimiter: u8) -> &'static str {
    match delimiter {
        b';' => "semicolon",
        b'\t' => "tab",
        b'|' => "bar",
        _ => "comma",
    }
}

impl Dialect {
    /// `text` is the start of the file without its byte order mark; `whole` when it is all of it.
    pub(crate) fn find(subject: &Subject, path: &str, text: &[u8], whole: bool) -> Result<Self, Error> {
        let look = &text[..text.len().min(LOOK)];
        let cut = !whole || look.len() < text.len();
        let delimiter = match subject.option("delimiter").unwrap_or("detect") {
            "detect" => detect_delimiter(path, look, cut)?,
            "comma" | "," => b',',
            "semicolon" | ";" => b';',
            "tab" | "\t" | "\\t" => b'\t',
            "bar" | "|" => b'|',
            other => {
                return Err(Error::InvalidRequest(format!(
                    "{other:?} is no delimiter. Use detect, comma, semicolon, tab or bar"
                )));
            }
        };
        let (header, header_guessed) = match subject.option("header").unwrap_or("detect") {
            "detect" => detect_header(look, cut, delimiter)?,
            "yes" => (true, false),
            "no" => (false, false),
            other => {
                return Err(Error::InvalidRequest(format!(
                    "{other:?} is no header option. Use detect, yes or no"
                )));
            }
        };
        Ok(Self { delimiter, header, header_guessed })
    }
}

/// The delimiter that parts most lines into the same number of cells, and more than one.
fn detect_delimiter(path: &str, look: &[u8], cut: bool) -> Result<u8, Error> {
    // First among equals: what the name promises, then what is common.
    let order = if path.to_ascii_lowercase().ends_with(".tsv") { *b"\t,;|" } else { *b",;\t|" };
    let mut best = (0, order[0]);
    for delimiter in order {
        let mut records = Records::new(Source { head: look, tail: None, cut }, delimiter);
        let mut lengths = Vec::new();
        while lengths.len() < LOOK_RECORDS {
            match records.next() {
                Ok(Some(record)) => lengths.push(record.len()),
                // The end, or one long record to this delimiter: not this one.
                Ok(None) | Err(Error::Corrupt(_) | Error::Unsupported(_)) => break,
                Err(error) => return Err(error),
            }
        }
        let total = lengths.len();
        lengths.sort_unstable();
        let Some(&modal) = lengths.get(total / 2) else { continue };
        let agreeing = lengths.iter().filter(|&&length| length == modal).count();
        if modal > 1 {
            // How many lines agree decides; how many cells they have breaks ties.
            let score = agreeing * 1000 / total * 100 + modal.min(99);
            if score > best.0 {
                best = (score, delimiter);
            }
        }
    }
    Ok(best.1)
}

/// Whether the first record names columns, and whether that is a guess worth saying.
fn detect_header(look: &[u8], cut: bool, delimiter: u8) -> Result<(bool, bool), Error> {
    let mut records = Records::new(Source { head: look, tail: None, cut }, delimiter);
    let Some(first) = records.next()? else { return Ok((false, false)) };
    let names: Vec<String> =
        first.cells().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect();
    let named = names.iter().filter(|name| !name.is_empty()).count();
    if named == 0 || names.iter().any(|name| is_typed(name)) {
        return Ok((false, true));
    }
    let mut sorted = names.clone();
    sorted.sort();
    sorted.dedup();
    let distinct = sorted.len() == names.len();
    let mut rows = 0;
    while rows < LOOK_RECORDS {
        let Some(record) = records.next()? else { break };
        rows += 1;
        let typed =
            record.cells().any(|cell| std::str::from_utf8(cell).is_ok_and(|cell| is_typed(cell.trim())));
        if typed && distinct {
            // Words above numbers: as certain as it gets.
            return Ok((true, false));
        }
    }
    Ok((distinct && rows > 0, true))
}
