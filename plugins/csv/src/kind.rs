//! What a column's cells look like: the guess at a type, and the parsers that carry it out.

use arrow_schema::{DataType, TimeUnit};
use lakeglass_describer_sdk::LogicalType;

/// A column's type, narrowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Boolean,
    Integer,
    Float,
    Date,
    /// Without a zone.
    Timestamp,
    /// With a zone or an offset, kept in UTC.
    Instant,
    Text,
}

const NARROW: [Kind; 6] =
    [Kind::Boolean, Kind::Integer, Kind::Float, Kind::Date, Kind::Timestamp, Kind::Instant];

impl Kind {
    /// The type in the words that rows of it are headed with: the format has none of its own.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Boolean => "bool",
            Self::Integer => "int64",
            Self::Float => "float64",
            Self::Date => "date32",
            Self::Timestamp => "timestamp(us)",
            Self::Instant => "timestamp(us, UTC)",
            Self::Text => "string",
        }
    }

    pub(crate) fn logical(self) -> LogicalType {
        match self {
            Self::Boolean => LogicalType::Boolean,
            Self::Integer => LogicalType::Int((64, true)),
            Self::Float => LogicalType::Float(64),
            Self::Date => LogicalType::Date,
            Self::Timestamp => LogicalType::Timestamp((6, None)),
            Self::Instant => LogicalType::Timestamp((6, Some("UTC".to_owned()))),
            Self::Text => LogicalType::Utf8,
        }
    }

    pub(crate) fn arrow(self) -> DataType {
        match self {
            Self::Boolean => DataType::Boolean,
            Self::Integer => DataType::Int64,
            Self::Float => DataType::Float64,
            Self::Date => DataType::Date32,
            Self::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::Instant => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Self::Text => DataType::Utf8,
        }
    }

    fn accepts(self, cell: &str) -> bool {
        match self {
            Self::Boolean => boolean(cell).is_some(),
            Self::Integer => integer(cell).is_some(),
            Self::Float => float(cell).is_some(),
            Self::Date => date(cell).is_some(),
            Self::Timestamp => timestamp(cell).is_some_and(|(_, zoned)| !zoned),
            Self::Instant => timestamp(cell).is_some_and(|(_, zoned)| zoned),
            Self::Text => true,
        }
    }
}

/// Whether a cell reads as something other than text.
pub(crate) fn is_typed(cell: &str) -> bool {
    NARROW.iter().any(|kind| kind.accepts(cell))
}

/// Texts that stand for no value in columns of other types. In a column of text they stay as they are:
/// NA is a country there as often as it is nothing.
pub(crate) fn is_missing_word(cell: &str) -> bool {
    matches!(cell, "NA" | "N/A" | "na" | "n/a" | "NULL" | "null" | "NaN" | "nan" | "\\N" | "-")
}

/// Narrows a column's kind cell by cell.
#[derive(Debug, Clone, Default)]
pub(crate) struct Guess {
    refused: [bool; NARROW.len()],
    values: u64,
}

impl Guess {
    /// Takes note of a cell that has a value.
    pub(crate) fn see(&mut self, cell: &str) {
        if is_missing_word(cell) || self.refused == [true; NARROW.len()] {
            return;
        }
        self.values += 1;
        for (kind, refused) in NARROW.iter().zip(&mut self.refused) {
            *refused = *refused || !kind.accepts(cell);
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        let narrow = NARROW.iter().zip(&self.refused).find(|(_, refused)| !**refused);
        match narrow {
            Some((&kind, _)) if self.values > 0 => kind,
            _ => Kind::Text,
        }
    }
}

pub(crate) fn boolean(cell: &str) -> Option<bool> {
    match cell {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// Plain whole numbers. "007" is a code and "+1" a prefix: both stay text.
pub(crate) fn integer(cell: &str) -> Option<i64> {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    if digits.is_empty()
        || !digits.bytes().all(|byte| byte.is_ascii_digit())
        || (digits.len() > 1 && digits.starts_with('0'))
    {
        return None;
    }
    cell.parse().ok()
}

/// Numbers with a point or an exponent, and whole ones. Whole numbers beyond 64 bits are ids, which
/// a float would change: they stay text.
pub(crate) fn float(cell: &str) -> Option<f64> {
    let body = cell.strip_prefix('-').unwrap_or(cell);
    let whole = body.bytes().all(|byte| byte.is_ascii_digit());
    if whole {
        #[expect(clippy::cast_precision_loss, reason = "a column of floats with a whole number in it")]
        return integer(cell).map(|value| value as f64);
    }
    let starts_as_number = body.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let plain =
        body.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    let code = body.len() > 1 && body.starts_with('0') && !body.starts_with("0.") && !body.starts_with("0e");
    if !starts_as_number || !plain || code {
        return None;
    }
    cell.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Days since 1970 of "2024-05-31".
pub(crate) fn date(cell: &str) -> Option<i32> {
    let bytes = cell.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let (year, month, day) = (digits(&bytes[..4])?, digits(&bytes[5..7])?, digits(&bytes[8..])?);
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let last = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return None,
    };
    if day == 0 || day > last {
        return None;
    }
    // Days from the first of March of year 0, in 400-year cycles of 146,097 days.
    let shifted = if month <= 2 { year - 1 } else { year };
    let cycle = shifted.div_euclid(400);
    let of_cycle = shifted.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = cycle * 146_097 + of_cycle * 365 + of_cycle / 4 - of_cycle / 100 + of_year - 719_468;
    i32::try_from(days).ok()
}

/// Microseconds since 1970 of "2024-05-31T08:15:00.25Z", and whether it had a zone.
pub(crate) fn timestamp(cell: &str) -> Option<(i64, bool)> {
    let day = i64::from(date(cell.get(..10)?)?);
    let rest = cell.get(10..)?.strip_prefix(['T', ' '])?;
    let bytes = rest.as_bytes();
    if bytes.len() < 5 || bytes[2] != b':' {
        return None;
    }
    let (hour, minute) = (digits(&bytes[..2])?, digits(&bytes[3..5])?);
    let mut rest = &bytes[5..];
    let mut second = 0;
    let mut micros = 0;
    if let [b':', a, b, after @ ..] = rest {
        second = digits(&[*a, *b])?;
        rest = after;
        if let [b'.', after @ ..] = rest {
            let length = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if length == 0 || length > 9 {
                return None;
            }
            let kept = length.min(6);
            micros = digits(&after[..kept])? * 10_i64.pow(6 - u32::try_from(kept).ok()?);
            rest = &after[length..];
        }
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (offset, zoned) = match rest {
        [] => (0, false),
        b"Z" | b"z" => (0, true),
        [sign @ (b'+' | b'-'), zone @ ..] => {
            let (hours, minutes) = match zone {
                [a, b] => (digits(&[*a, *b])?, 0),
                [a, b, c, d] | [a, b, b':', c, d] => (digits(&[*a, *b])?, digits(&[*c, *d])?),
                _ => return None,
            };
            if hours > 14 || minutes > 59 {
                return None;
            }
            let seconds = hours * 3600 + minutes * 60;
            (if *sign == b'-' { -seconds } else { seconds }, true)
        }
        _ => return None,
    };
    Some(((day * 86_400 + hour * 3600 + minute * 60 + second - offset) * 1_000_000 + micros, zoned))
}

fn digits(bytes: &[u8]) -> Option<i64> {
    bytes.iter().try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0')))
}
