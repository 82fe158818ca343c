//! Numbers, sizes, times and hostile text as people read them.

use std::fmt::Write as _;

use lakeglass_api::catalog::Properties;
use lakeglass_api::description::Count;
use time::OffsetDateTime;

pub use lakeglass_api::numbers::grouped as count;

/// What is shown for "not known". Never zero.
pub const DASH: &str = "—";

/// A count, marked when it is not exact: `about 1,204`.
pub fn count_of(count_of: Count) -> String {
    let number = count(count_of.value);
    if count_of.exact { number } else { format!("about {number}") }
}

/// A number with its noun in the right form: `1 row`, `2 rows`.
pub fn plural(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value == 1 { one } else { many })
}

/// Bytes in binary units, three digits at most: `412 KiB`, `3.1 GiB`.
pub fn bytes(value: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if value < 1024 {
        return format!("{value} B");
    }
    let mut unit = 0;
    let mut divisor: u64 = 1024;
    while unit + 1 < UNITS.len() && value / divisor >= 1024 {
        divisor *= 1024;
        unit += 1;
    }
    let whole = value / divisor;
    // Integer arithmetic: no float rounds 1023.99 up to a four-digit number.
    let tenth = u64::try_from(u128::from(value % divisor) * 10 / u128::from(divisor)).unwrap_or(9);
    if whole < 100 && tenth > 0 {
        format!("{whole}.{tenth} {}", UNITS[unit])
    } else {
        format!("{whole} {}", UNITS[unit])
    }
}

/// How long ago, in one unit: `4 minutes ago`. A time in the future reads as now.
pub fn ago(at_ms: i64, now_ms: i64) -> String {
    let seconds = now_ms.saturating_sub(at_ms).max(0).unsigned_abs() / 1000;
    let (value, one, many) = match seconds {
        0..=9 => return "just now".to_owned(),
        10..=59 => (seconds, "second", "seconds"),
        60..=3599 => (seconds / 60, "minute", "minutes"),
        3600..=86_399 => (seconds / 3600, "hour", "hours"),
        _ => (seconds / 86_400, "day", "days"),
    };
    format!("{} ago", plural(value, one, many))
}

/// A length of time: `9 ms`, `1.2 s`, `3 min 4 s`.
pub fn duration_ms(value: u64) -> String {
    match value {
        0..=999 => format!("{value} ms"),
        1000..=59_999 => format!("{}.{} s", value / 1000, value % 1000 / 100),
        _ => format!("{} min {} s", value / 60_000, value % 60_000 / 1000),
    }
}

/// `2026-11-30 09:41:07 UTC`; the raw number and unit when it is out of the calendar's range.
pub fn utc(at_ms: i64) -> String {
    let Ok(t) = OffsetDateTime::from_unix_timestamp(at_ms.div_euclid(1000)) else {
        return format!("{at_ms} ms since 1970");
    };
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC",
        t.year(),
        u8::from(t.month()),
        t.day(),
        t.hour(),
        t.minute(),
        t.second()
    )
}

/// The same moment for a `datetime` attribute.
pub fn iso(at_ms: i64) -> String {
    utc(at_ms).replacen(' ', "T", 1).replace(" UTC", "Z")
}

/// Properties as a form takes them: a line each, `key = value`.
pub fn property_lines(properties: &Properties) -> String {
    properties.iter().map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>().join("\n")
}

/// Text with control and bidirectional formatting characters shown as `\u{202E}`, so that a name
/// cannot reorder or hide what stands beside it.
pub fn visible(text: &str) -> String {
    if !text.chars().any(is_hidden) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{{{:X}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1024), "1 KiB");
        assert_eq!(bytes(421_888), "412 KiB");
        assert_eq!(bytes(1024 * 1024 - 1), "1023 KiB");
        assert_eq!(bytes(u64::MAX), "15.9 EiB");
    }

    #[test]
    fn ages_use_one_unit() {
        assert_eq!(ago(0, 9_000), "just now");
        assert_eq!(ago(0, 60_000), "1 minute ago");
        assert_eq!(ago(0, 7_200_000), "2 hours ago");
        assert_eq!(ago(10, 0), "just now");
    }

    #[test]
    fn times_are_utc_and_survive_nonsense() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(-1), "1969-12-31 23:59:59 UTC");
        assert_eq!(iso(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(i64::MAX), "9223372036854775807 ms since 1970");
    }

    #[test]
    fn text_cannot_reorder_its_surroundings() {
        assert_eq!(visible("a\u{202E}b"), "a\\u{202E}b");
        assert_eq!(visible("表 é"), "表 é");
        assert_eq!(visible("a\nb"), "a\\u{A}b");
    }
}
