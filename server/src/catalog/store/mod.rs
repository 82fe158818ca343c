//! Every statement of the catalog over its tables, one module a table. The only SQL of the capability.

pub(super) mod buckets;
pub(super) mod entries;
pub(super) mod intents;
pub(super) mod looks;
pub(super) mod mirror;
pub(super) mod namespaces;
pub(super) mod places;
pub(super) mod standing;
pub(super) mod trash;

use lakeglass_api::catalog::Properties;

/// A count as SQLite gives it; never negative.
pub(super) fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// Properties as stored.
pub(super) fn to_text(properties: &Properties) -> String {
    serde_json::to_string(properties).unwrap_or_else(|_| "{}".to_owned())
}

/// Properties from their stored form. What cannot be read counts as none: it came from this program.
pub(super) fn to_properties(text: &str) -> Properties {
    serde_json::from_str(text).unwrap_or_default()
}
