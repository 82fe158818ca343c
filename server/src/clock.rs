//! The one place that reads the time.

use time::OffsetDateTime;

/// Milliseconds since 1970, UTC.
pub fn now_ms() -> i64 {
    let now = OffsetDateTime::now_utc();
    now.unix_timestamp() * 1000 + i64::from(now.millisecond())
}
