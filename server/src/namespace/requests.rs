//! What clients send, read leniently: unknown fields are ignored, numbers may use all 64 bits, an
//! empty body is an empty request. Bodies may carry credentials, so none is ever logged.

use std::collections::BTreeMap;

use lakeglass_api::catalog::Properties;
use lakeglass_ports::VersionRef;
use serde::{Deserialize, Deserializer};

use crate::Problem;

/// What every body may hold, whatever the operation.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Envelope {
    pub(super) id: Option<Vec<String>>,
    /// Refused: options are vended by this server, never taken from a client.
    storage_options: Option<BTreeMap<String, serde_json::Value>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Nothing {}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CreateNamespace {
    pub(super) mode: Option<String>,
    pub(super) properties: Option<Properties>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DropNamespace {
    pub(super) mode: Option<String>,
    pub(super) behavior: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DeclareTable {
    pub(super) location: Option<String>,
    pub(super) properties: Option<Properties>,
    pub(super) vend_credentials: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RegisterTable {
    pub(super) location: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) properties: Option<Properties>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RenameTable {
    pub(super) new_table_name: Option<String>,
    pub(super) new_namespace_id: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TableExists {
    #[serde(deserialize_with = "version")]
    pub(super) version: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DescribeTable {
    #[serde(deserialize_with = "version")]
    pub(super) version: Option<u64>,
    pub(super) tag: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) with_table_uri: Option<bool>,
    pub(super) load_detailed_metadata: Option<bool>,
    pub(super) check_declared: Option<bool>,
    pub(super) vend_credentials: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CountRows {
    pub(super) predicate: Option<String>,
    #[serde(deserialize_with = "version")]
    pub(super) version: Option<u64>,
    pub(super) branch: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the specification's names")]
pub(super) struct Query {
    pub(super) vector: Option<Vectors>,
    /// Rows wanted; 0: all. Signed, because clients write "all" as the largest signed 64-bit number.
    pub(super) k: Option<i64>,
    pub(super) offset: Option<i64>,
    pub(super) columns: Option<Columns>,
    pub(super) filter: Option<String>,
    pub(super) prefilter: Option<bool>,
    pub(super) full_text_query: Option<FullText>,
    pub(super) vector_column: Option<String>,
    pub(super) distance_type: Option<String>,
    pub(super) nprobes: Option<u32>,
    pub(super) minimum_nprobes: Option<u32>,
    pub(super) maximum_nprobes: Option<u32>,
    pub(super) ef: Option<u32>,
    pub(super) refine_factor: Option<u32>,
    pub(super) lower_bound: Option<f32>,
    pub(super) upper_bound: Option<f32>,
    pub(super) bypass_vector_index: Option<bool>,
    pub(super) fast_search: Option<bool>,
    pub(super) with_row_id: Option<bool>,
    #[serde(deserialize_with = "version")]
    pub(super) version: Option<u64>,
    pub(super) branch: Option<String>,
}

/// Query vectors: as the specification nests them, as a flat list, or as a list of lists.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "a vector is a list of numbers, a list of such lists, or {\"single_vector\": …}"
)]
pub(super) enum Vectors {
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
pub(super) enum Columns {
    Names(Vec<String>),
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
pub(super) struct Ordered(pub(super) Vec<(String, String)>);

/// A full-text query in the specification's shape, or flat as the remote dialect sends it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FullText {
    pub(super) string_query: Option<StringQuery>,
    pub(super) structured_query: Option<StructuredQuery>,
    pub(super) query: Option<serde_json::Value>,
    pub(super) columns: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct StringQuery {
    pub(super) query: String,
    pub(super) columns: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct StructuredQuery {
    pub(super) query: serde_json::Value,
}

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

/// A version: a number up to 2^64-1, or the same as text.
fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a version is a whole number, 0 or more")]
    enum Form {
        Number(u64),
        Text(String),
    }
    match Option::<Form>::deserialize(deserializer)? {
        None => Ok(None),
        Some(Form::Number(number)) => Ok(Some(number)),
        Some(Form::Text(text)) => text
            .parse()
            .map(Some)
            .map_err(|_| serde::de::Error::custom("a version is a whole number, 0 or more")),
    }
}

/// Reads a JSON body and what every body may hold. Empty: the defaults.
pub(super) fn read<T: Default + for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<(Envelope, T), Problem> {
    let text = bytes.trim_ascii();
    if text.is_empty() || text == b"null" {
        return Ok((Envelope::default(), T::default()));
    }
    let wrong = |error: serde_json::Error| {
        // The message names a position and a type, never the text around it.
        Problem::invalid(format!("The body cannot be read: {error}")).code(13)
    };
    if text.first() != Some(&b'{') {
        return Err(Problem::invalid("The body must be a JSON object").code(13));
    }
    let envelope: Envelope = serde_json::from_slice(text).map_err(wrong)?;
    refuse_storage_options(envelope.storage_options.as_ref().is_some_and(|options| !options.is_empty()))?;
    Ok((envelope, serde_json::from_slice(text).map_err(wrong)?))
}

pub(super) fn refuse_storage_options(sent: bool) -> Result<(), Problem> {
    if sent {
        let detail = "storage_options are not taken from clients: the server vends them. Leave them out";
        Err(Problem::invalid(detail).code(13))
    } else {
        Ok(())
    }
}

/// Which state of a table is meant. A tag excludes the others; `main` is no branch.
pub(super) fn version_ref(
    version: Option<u64>,
    tag: Option<&str>,
    branch: Option<&str>,
) -> Result<VersionRef, Problem> {
    let branch = branch_name(branch);
    let tag = tag.filter(|tag| !tag.is_empty());
    match (version, tag, branch) {
        (None, None, None) => Ok(VersionRef::Latest),
        (Some(version), None, None) => Ok(VersionRef::Version(version.to_string())),
        (None, Some(tag), None) => Ok(VersionRef::Tag(tag.to_owned())),
        (version, None, Some(branch)) => {
            Ok(VersionRef::Branch(branch.to_owned(), version.map(|version| version.to_string())))
        }
        (_, Some(_), _) => {
            Err(Problem::invalid("A tag cannot be combined with a version or a branch; send one").code(13))
        }
    }
}

/// The branch asked for; none for the main one.
pub(super) fn branch_name(branch: Option<&str>) -> Option<&str> {
    branch.filter(|name| !name.is_empty() && *name != "main")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Query {
        read::<Query>(text.as_bytes()).unwrap().1
    }

    #[test]
    fn an_empty_body_is_an_empty_request() {
        for body in ["", "  \n", "null", "{}"] {
            let (envelope, request) = read::<CreateNamespace>(body.as_bytes()).unwrap();
            assert!(envelope.id.is_none() && request.mode.is_none(), "{body:?}");
        }
        for body in ["[]", "7", "{", "{\"mode\": 7}"] {
            let refused = read::<CreateNamespace>(body.as_bytes()).unwrap_err();
            assert_eq!((refused.status.as_u16(), refused.namespace_code), (400, Some(13)), "{body:?}");
        }
    }

    #[test]
    fn unknown_fields_and_nulls_are_ignored() {
        let text = r#"{"identity": {"auth_token": "x"}, "context": {"a": "b"}, "id": ["a"], "mode": null,
            "properties": null, "use_rte": true}"#;
        let (envelope, request) = read::<CreateNamespace>(text.as_bytes()).unwrap();
        assert_eq!(envelope.id, Some(vec!["a".to_owned()]));
        assert!(request.properties.is_none());
    }

    #[test]
    fn storage_options_from_a_client_are_refused() {
        assert!(read::<DeclareTable>(br#"{"storage_options": {}}"#).is_ok());
        let refused = read::<DeclareTable>(br#"{"storage_options": {"aws_endpoint": "x"}}"#).unwrap_err();
        assert_eq!(refused.namespace_code, Some(13));
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

    #[test]
    fn a_tag_stands_alone_and_main_is_no_branch() {
        assert_eq!(version_ref(None, None, Some("main")).unwrap(), VersionRef::Latest);
        assert_eq!(version_ref(Some(3), None, None).unwrap(), VersionRef::Version("3".into()));
        assert_eq!(
            version_ref(Some(3), None, Some("dev")).unwrap(),
            VersionRef::Branch("dev".into(), Some("3".into()))
        );
        assert!(version_ref(Some(3), Some("v1"), None).is_err());
    }
}
