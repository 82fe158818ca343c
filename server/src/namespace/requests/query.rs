//! Bodies of queries and counts.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use super::version;
use crate::namespace::full_text;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct CountRows {
    pub(in crate::namespace) predicate: Option<String>,
    #[serde(deserialize_with = "version")]
    pub(in crate::namespace) version: Option<u64>,
    pub(in crate::namespace) branch: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the specification's names")]
pub(in crate::namespace) struct Query {
    pub(in crate::namespace) vector: Option<Vectors>,
    /// Rows wanted; 0: all. Signed, because clients write "all" as the largest signed 64-bit number.
    pub(in crate::namespace) k: Option<i64>,
    pub(in crate::namespace) offset: Option<i64>,
    pub(in crate::namespace) columns: Option<Columns>,
    pub(in crate::namespace) filter: Option<String>,
    pub(in crate::namespace) prefilter: Option<bool>,
    pub(in crate::namespace) full_text_query: Option<full_text::Sent>,
    pub(in crate::namespace) vector_column: Option<String>,
    pub(in crate::namespace) distance_type: Option<String>,
    pub(in crate::namespace) nprobes: Option<u32>,
    pub(in crate::namespace) minimum_nprobes: Option<u32>,
    pub(in crate::namespace) maximum_nprobes: Option<u32>,
    pub(in crate::namespace) ef: Option<u32>,
    pub(in crate::namespace) refine_factor: Option<u32>,
    pub(in crate::namespace) lower_bound: Option<f32>,
    pub(in crate::namespace) upper_bound: Option<f32>,
    pub(in crate::namespace) bypass_vector_index: Option<bool>,
    pub(in crate::namespace) fast_search: Option<bool>,
    pub(in crate::namespace) with_row_id: Option<bool>,
    #[serde(deserialize_with = "version")]
    pub(in crate::namespace) version: Option<u64>,
    pub(in crate::namespace) branch: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct ExplainPlan {
    pub(in crate::namespace) query: Option<Query>,
    pub(in crate::namespace) verbose: Option<bool>,
    pub(in crate::namespace) branch: Option<String>,
}

/// Query vectors: as the specification nests them, as a flat list, or as a list of lists.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "a vector is a list of numbers, a list of such lists, or {\"single_vector\": …}"
)]
pub(in crate::namespace) enum Vectors {
    Flat(Vec<f32>),
    Many(Vec<Vec<f32>>),
    Named {
        #[serde(default)]
        single_vector: Option<Vec<f32>>,
        #[serde(default)]
        multi_vector: Option<Vec<Vec<f32>>>,
    },
}

/// Columns of the answer: names, or names for expressions.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "columns are a list of names, or a map of new names to columns")]
pub(in crate::namespace) enum Columns {
    Names(Vec<String>),
    /// As older clients of the remote dialect send new names and expressions.
    Pairs(Vec<(String, String)>),
    Nested {
        column_names: Vec<String>,
    },
    NestedAliases {
        column_aliases: Ordered,
    },
    Aliases(Ordered),
    /// The specification's two fields, both null.
    #[expect(clippy::zero_sized_map_values, reason = "a map of nulls is what the wire holds")]
    Unset(#[expect(dead_code, reason = "only that every value is null matters")] BTreeMap<String, ()>),
}

/// A map of texts in the order it was written.
#[derive(Debug, Default)]
pub(in crate::namespace) struct Ordered(pub(in crate::namespace) Vec<(String, String)>);

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> serde::de::Visitor<'de> for Pairs {
            type Value = Ordered;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map of texts")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Ordered, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry::<String, String>()? {
                    pairs.push(pair);
                }
                Ok(Ordered(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::namespace::requests::read;

    fn query(text: &str) -> Query {
        read::<Query>(text.as_bytes()).unwrap().1
    }

    #[test]
    fn vectors_come_flat_nested_or_not_at_all() {
        assert!(matches!(
            query(r#"{"vector": {}}"#).vector,
            Some(Vectors::Named { single_vector: None, multi_vector: None })
        ));
        assert!(matches!(query(r#"{"vector": []}"#).vector, Some(Vectors::Flat(v)) if v.is_empty()));
        assert!(matches!(query(r#"{"vector": [1, 0.5]}"#).vector, Some(Vectors::Flat(v)) if v == [1.0, 0.5]));
        assert!(
            matches!(query(r#"{"vector": [[1, 0], [0, 1]]}"#).vector, Some(Vectors::Many(v)) if v.len() == 2)
        );
        assert!(matches!(query(r#"{"vector": {"single_vector": [1]}}"#).vector,
            Some(Vectors::Named { single_vector: Some(v), .. }) if v == [1.0]));
        assert!(query(r#"{"vector": null}"#).vector.is_none());
        assert!(read::<Query>(br#"{"vector": "x"}"#).unwrap_err().detail.contains("list of numbers"));
    }

    #[test]
    fn columns_come_as_list_or_map_and_keep_their_order() {
        assert!(
            matches!(query(r#"{"columns": ["b", "a"]}"#).columns, Some(Columns::Names(v)) if v == ["b", "a"])
        );
        assert!(matches!(query(r#"{"columns": {"column_names": ["b", "a"]}}"#).columns,
            Some(Columns::Nested { column_names }) if column_names == ["b", "a"]));
        assert!(matches!(query(r#"{"columns": {"column_aliases": {"z": "b", "a": "c"}}}"#).columns,
            Some(Columns::NestedAliases { column_aliases }) if column_aliases.0[0] == ("z".into(), "b".into())));
        assert!(matches!(query(r#"{"columns": {"z": "b", "a": "c"}}"#).columns,
            Some(Columns::Aliases(pairs)) if pairs.0[1] == ("a".into(), "c".into())));
        assert!(matches!(
            query(r#"{"columns": {"column_names": null, "column_aliases": null}}"#).columns,
            Some(Columns::Unset(_))
        ));
        assert!(read::<Query>(br#"{"columns": {"z": 5}}"#).is_err());
    }

    #[test]
    fn k_and_versions_use_all_their_bits() {
        let request = query(r#"{"k": 9223372036854775807, "version": 18446744073709551615}"#);
        assert_eq!((request.k, request.version), (Some(i64::MAX), Some(u64::MAX)));
        assert_eq!(query(r#"{"version": "7"}"#).version, Some(7));
        assert!(read::<Query>(br#"{"version": -1}"#).is_err());
    }
}
