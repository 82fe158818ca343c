//! Bodies and parameters of changes of rows, columns and metadata.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use super::version;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct Update {
    /// Pairs of a column and a SQL expression.
    pub(in crate::namespace) updates: Option<Vec<(String, String)>>,
    pub(in crate::namespace) predicate: Option<String>,
    pub(in crate::namespace) branch: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct Delete {
    pub(in crate::namespace) predicate: Option<String>,
    pub(in crate::namespace) branch: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct AddColumns {
    pub(in crate::namespace) new_columns: Option<Vec<NewColumn>>,
    pub(in crate::namespace) branch: Option<String>,
}

/// One of the three says where the values come from.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct NewColumn {
    pub(in crate::namespace) name: Option<String>,
    pub(in crate::namespace) expression: Option<String>,
    pub(in crate::namespace) computed: Option<String>,
    pub(in crate::namespace) virtual_column: Option<serde::de::IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct AlterColumns {
    pub(in crate::namespace) alterations: Option<Vec<Alteration>>,
    pub(in crate::namespace) branch: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct Alteration {
    pub(in crate::namespace) path: Option<String>,
    pub(in crate::namespace) rename: Option<String>,
    pub(in crate::namespace) nullable: Option<bool>,
    pub(in crate::namespace) data_type: Option<serde_json::Value>,
    pub(in crate::namespace) virtual_column: Option<serde::de::IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct DropColumns {
    pub(in crate::namespace) columns: Option<Vec<String>>,
    pub(in crate::namespace) branch: Option<String>,
}

/// How the work is cut up is this server's; those fields are not read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct BackfillColumn {
    pub(in crate::namespace) column: Option<String>,
    pub(in crate::namespace) r#where: Option<String>,
    pub(in crate::namespace) branch: Option<String>,
    #[serde(deserialize_with = "version")]
    pub(in crate::namespace) read_version: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct UpdateFieldMetadata {
    pub(in crate::namespace) updates: Option<Vec<FieldMetadata>>,
    pub(in crate::namespace) branch: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct FieldMetadata {
    pub(in crate::namespace) path: Option<String>,
    /// Null takes a key away.
    pub(in crate::namespace) metadata: BTreeMap<String, Option<String>>,
    pub(in crate::namespace) replace: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct Stats {
    pub(in crate::namespace) branch: Option<String>,
}

/// A time as the specification writes it: "30s", "5m", "500ms"; a number alone is seconds.
pub(in crate::namespace) fn duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number: f64 = text[..text.len() - unit.len()].parse().ok()?;
    let seconds = match unit.trim() {
        "" | "s" => number,
        "ms" => number / 1000.0,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::namespace::requests::read;

    #[test]
    fn times_have_units() {
        for (text, ms) in
            [("30s", 30_000), ("5m", 300_000), ("500ms", 500), ("1.5", 1_500), ("1h", 3_600_000)]
        {
            assert_eq!(duration(text), Some(Duration::from_millis(ms)), "{text}");
        }
        for bad in ["", "s", "-1s", "soon", "5 weeks", "1.2.3s"] {
            assert_eq!(duration(bad), None, "{bad}");
        }
    }

    #[test]
    fn updates_are_pairs_and_metadata_may_be_null() {
        let update = read::<Update>(br#"{"updates": [["a", "a + 1"]], "predicate": null}"#).unwrap().1;
        assert_eq!(update.updates, Some(vec![("a".to_owned(), "a + 1".to_owned())]));
        assert!(read::<Update>(br#"{"updates": [["a"]]}"#).is_err());
        let text = br#"{"updates": [{"path": "a", "metadata": {"k": null, "l": "v"}, "replace": null}]}"#;
        let one = read::<UpdateFieldMetadata>(text).unwrap().1.updates.unwrap().remove(0);
        assert_eq!(one.metadata["k"], None);
        assert_eq!(one.metadata["l"].as_deref(), Some("v"));
    }
}
