//! Times as ISO 8601, in their own zone or said to have none, with every digit of their unit.

use std::fmt::Write as _;
use std::str::FromStr;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::timezone::Tz;
use arrow_array::types::{
    Date32Type, Date64Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, IntervalDayTimeType, IntervalMonthDayNanoType, IntervalYearMonthType,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use chrono::{DateTime, Datelike, NaiveDateTime, Offset, TimeZone, Utc};
use lakeglass_api::cells::Cell;

const DAY: i64 = 86_400;

pub(super) fn cell(array: &dyn Array, row: usize) -> Cell {
    match array.data_type() {
        DataType::Timestamp(unit, zone) => {
            timestamp(timestamp_value(array, *unit, row), *unit, zone.as_deref())
        }
        DataType::Date32 => {
            let days = i64::from(array.as_primitive::<Date32Type>().value(row));
            match days.checked_mul(DAY).and_then(|seconds| moment(seconds, 0)) {
                Some(at) => time(at.format("%Y-%m-%d").to_string(), "date".to_owned()),
                None => raw(days, "days", "date"),
            }
        }
        DataType::Date64 => {
            let milliseconds = array.as_primitive::<Date64Type>().value(row);
            if milliseconds.rem_euclid(DAY * 1_000) == 0 {
                match moment(milliseconds.div_euclid(1_000), 0) {
                    Some(at) => time(at.format("%Y-%m-%d").to_string(), "date".to_owned()),
                    None => raw(milliseconds, "ms", "date"),
                }
            } else {
                timestamp(milliseconds, TimeUnit::Millisecond, None)
            }
        }
        DataType::Time32(TimeUnit::Second) => {
            clock(i64::from(array.as_primitive::<Time32SecondType>().value(row)), TimeUnit::Second)
        }
        DataType::Time32(_) => {
            clock(i64::from(array.as_primitive::<Time32MillisecondType>().value(row)), TimeUnit::Millisecond)
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            clock(array.as_primitive::<Time64MicrosecondType>().value(row), TimeUnit::Microsecond)
        }
        DataType::Time64(_) => {
            clock(array.as_primitive::<Time64NanosecondType>().value(row), TimeUnit::Nanosecond)
        }
        DataType::Duration(unit) => {
            let value = match unit {
                TimeUnit::Second => array.as_primitive::<DurationSecondType>().value(row),
                TimeUnit::Millisecond => array.as_primitive::<DurationMillisecondType>().value(row),
                TimeUnit::Microsecond => array.as_primitive::<DurationMicrosecondType>().value(row),
                TimeUnit::Nanosecond => array.as_primitive::<DurationNanosecondType>().value(row),
            };
            let unit_word = word(*unit);
            time(duration(i128::from(value), *unit), format!("duration, {value} {unit_word}"))
        }
        DataType::Interval(unit) => interval(array, *unit, row),
        other => Cell::Text { text: format!("? {other}"), cut_from: None },
    }
}

fn timestamp_value(array: &dyn Array, unit: TimeUnit, row: usize) -> i64 {
    match unit {
        TimeUnit::Second => array.as_primitive::<TimestampSecondType>().value(row),
        TimeUnit::Millisecond => array.as_primitive::<TimestampMillisecondType>().value(row),
        TimeUnit::Microsecond => array.as_primitive::<TimestampMicrosecondType>().value(row),
        TimeUnit::Nanosecond => array.as_primitive::<TimestampNanosecondType>().value(row),
    }
}

fn timestamp(value: i64, unit: TimeUnit, zone: Option<&str>) -> Cell {
    let each = per_second(unit);
    let (seconds, rest) = (value.div_euclid(each), value.rem_euclid(each));
    let nanos = u32::try_from(rest * (1_000_000_000 / each)).unwrap_or(0);
    let about = zone.map_or_else(|| "no zone".to_owned(), |zone| format!("zone {}", super::visible(zone)));
    let Some(utc) = moment(seconds, nanos) else { return raw(value, word(unit), &about) };
    let Some(zone) = zone else {
        return time(iso(utc.naive_utc(), unit), "no zone".to_owned());
    };
    let in_utc = format!("{}Z", iso(utc.naive_utc(), unit));
    let Ok(known) = Tz::from_str(zone) else {
        return time(in_utc, format!("UTC; {about} is not known to this server"));
    };
    let local = known.from_utc_datetime(&utc.naive_utc());
    let offset = local.offset().fix().local_minus_utc();
    if offset == 0 && matches!(zone, "UTC" | "Z" | "+00:00" | "Etc/UTC") {
        return time(in_utc, "UTC".to_owned());
    }
    let (sign, size) = if offset < 0 { ('-', -offset) } else { ('+', offset) };
    let (hours, minutes, seconds) = (size / 3_600, size / 60 % 60, size % 60);
    // Local mean times of the nineteenth century have seconds.
    let tail = if seconds == 0 { String::new() } else { format!(":{seconds:02}") };
    let text = format!("{}{sign}{hours:02}:{minutes:02}{tail}", iso(local.naive_local(), unit));
    time(text, format!("{in_utc} in UTC; {about}"))
}

/// A moment whose year has four digits.
fn moment(seconds: i64, nanos: u32) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(seconds, nanos).filter(|at| (1..=9_999).contains(&at.year()))
}

fn iso(at: NaiveDateTime, unit: TimeUnit) -> String {
    let pattern = match unit {
        TimeUnit::Second => "%Y-%m-%dT%H:%M:%S",
        TimeUnit::Millisecond => "%Y-%m-%dT%H:%M:%S%.3f",
        TimeUnit::Microsecond => "%Y-%m-%dT%H:%M:%S%.6f",
        TimeUnit::Nanosecond => "%Y-%m-%dT%H:%M:%S%.9f",
    };
    at.format(pattern).to_string()
}

fn clock(value: i64, unit: TimeUnit) -> Cell {
    let each = per_second(unit);
    if value < 0 || value >= DAY * each {
        return raw(value, word(unit), "time of day");
    }
    let (seconds, rest) = (value / each, value % each);
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let text = format!(
        "{hours:02}:{minutes:02}:{seconds:02}{}",
        fraction(u128::from(rest.unsigned_abs()), unit, false)
    );
    time(text, "time of day, no zone".to_owned())
}

/// "PT1H2M3.5S"; negative ones with a sign in front.
fn duration(value: i128, unit: TimeUnit) -> String {
    let each = u128::from(per_second(unit).unsigned_abs());
    let (sign, size) = (if value < 0 { "-" } else { "" }, value.unsigned_abs());
    let (seconds, rest) = (size / each, size % each);
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    // Writing to a String does not fail.
    let mut text = format!("{sign}PT");
    if hours > 0 {
        let _ = write!(text, "{hours}H");
    }
    if minutes > 0 {
        let _ = write!(text, "{minutes}M");
    }
    if seconds > 0 || rest > 0 || (hours == 0 && minutes == 0) {
        let _ = write!(text, "{seconds}{}S", fraction(rest, unit, true));
    }
    text
}

/// ".005": the part of a second, all digits of the unit, or only those that count.
fn fraction(rest: u128, unit: TimeUnit, short: bool) -> String {
    let width = match unit {
        TimeUnit::Second => return String::new(),
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    };
    let digits = format!("{rest:0width$}");
    let digits = if short { digits.trim_end_matches('0') } else { digits.as_str() };
    if digits.is_empty() { String::new() } else { format!(".{digits}") }
}

/// "P1Y2M", "P3DT4.005S": each part keeps its own sign, because parts do not add up.
fn interval(array: &dyn Array, unit: IntervalUnit, row: usize) -> Cell {
    match unit {
        IntervalUnit::YearMonth => {
            let months = array.as_primitive::<IntervalYearMonthType>().value(row);
            time(iso_interval(months, 0, 0, TimeUnit::Second), format!("interval of {months} months"))
        }
        IntervalUnit::DayTime => {
            let value = array.as_primitive::<IntervalDayTimeType>().value(row);
            let (days, ms) = (value.days, value.milliseconds);
            let text = iso_interval(0, days, i128::from(ms), TimeUnit::Millisecond);
            time(text, format!("interval of {days} days and {ms} ms"))
        }
        IntervalUnit::MonthDayNano => {
            let value = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
            let (months, days, ns) = (value.months, value.days, value.nanoseconds);
            let text = iso_interval(months, days, i128::from(ns), TimeUnit::Nanosecond);
            time(text, format!("interval of {months} months, {days} days and {ns} ns"))
        }
    }
}

fn iso_interval(months: i32, days: i32, rest: i128, unit: TimeUnit) -> String {
    // Writing to a String does not fail.
    let mut text = String::from("P");
    if months / 12 != 0 {
        let _ = write!(text, "{}Y", months / 12);
    }
    if months % 12 != 0 {
        let _ = write!(text, "{}M", months % 12);
    }
    if days != 0 {
        let _ = write!(text, "{days}D");
    }
    if rest != 0 {
        let each = i128::from(per_second(unit));
        let sign = if rest < 0 { "-" } else { "" };
        let (seconds, part) = ((rest / each).unsigned_abs(), (rest % each).unsigned_abs());
        let _ = write!(text, "T{sign}{seconds}{}S", fraction(part, unit, true));
    }
    if text == "P" { "P0D".to_owned() } else { text }
}

/// A number that is no date: itself, its unit, and what it should have been.
fn raw(value: i64, unit: &str, about: &str) -> Cell {
    time(format!("{value} {unit}"), format!("out of range; {about}"))
}

fn time(text: String, title: String) -> Cell {
    Cell::Time { text, title }
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

fn word(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}
