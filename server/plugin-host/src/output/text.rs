//! Text from guests, made fit to show: bounded, and without characters that hide or reorder others.

/// Names of columns, keys, identifiers.
pub(crate) const NAME: usize = 1024;
/// Messages, values, reasons.
pub(crate) const SENTENCE: usize = 4096;

/// One line of at most `most` characters. Line ends and tabs become spaces; other control characters
/// and marks of direction go.
pub(crate) fn line(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len().min(most));
    let mut kept = 0;
    for character in text.chars() {
        let shown = match character {
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
            other if other.is_control() || is_hidden(other) => continue,
            other => other,
        };
        if kept == most {
            out.push('…');
            break;
        }
        out.push(shown);
        kept += 1;
    }
    out
}

fn is_hidden(character: char) -> bool {
    matches!(
        character,
        '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_or_reorders_text_goes() {
        assert_eq!(line("a\u{202e}b\u{0}c\u{1b}[31m\nd", 100), "abc[31m d");
        assert_eq!(line("<b>ünï</b>", 100), "<b>ünï</b>");
        assert_eq!(line(&"x".repeat(50), 10), format!("{}…", "x".repeat(10)));
    }
}
