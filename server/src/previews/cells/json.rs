//! JSON values, laid out without being reparsed: every number keeps its digits.

use std::fmt::Write as _;

use lakeglass_api::cells::Cell;

use super::text::{head, visible};

/// Bytes of a JSON value that are shown; a longer one is shown as cut text.
const BYTES: usize = 16 << 10;

pub(super) fn cell(text: &str) -> Cell {
    if text.len() > BYTES {
        let kept = head(text, usize::MAX, 2_000);
        return Cell::Text { text: visible(kept).into_owned(), cut_from: Some(text.len() as u64) };
    }
    // Only checked: what is shown comes from the text itself.
    if serde_json::from_str::<serde::de::IgnoredAny>(text).is_err() {
        return super::text::cell(text);
    }
    Cell::Json { text: visible(text).into_owned(), pretty: visible_lines(&pretty(text)) }
}

/// Valid JSON with line breaks and two spaces a level. Strings and numbers are copied as they are.
fn pretty(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut tokens = text.chars().peekable();
    while let Some(token) = tokens.next() {
        if in_string {
            out.push(token);
            in_string = escaped || token != '"';
            escaped = token == '\\' && !escaped;
            continue;
        }
        match token {
            '"' => {
                in_string = true;
                out.push(token);
            }
            '{' | '[' => {
                out.push(token);
                while tokens.next_if(char::is_ascii_whitespace).is_some() {}
                if let Some(close) = tokens.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(token);
            }
            ',' => {
                out.push(token);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            space if space.is_ascii_whitespace() => {}
            other => out.push(other),
        }
    }
    out
}

fn line(out: &mut String, depth: usize) {
    // Writing to a String does not fail.
    let _ = write!(out, "\n{:width$}", "", width = depth * 2);
}

/// As [`visible`], keeping our own line breaks.
fn visible_lines(text: &str) -> String {
    text.split('\n').map(|line| visible(line)).collect::<Vec<_>>().join("\n")
}
