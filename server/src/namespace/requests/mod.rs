//! What clients send, read leniently: unknown fields are ignored, numbers may use all 64 bits, an
//! empty body is an empty request. Bodies may carry credentials, so none is ever logged.

pub(super) mod changes;
pub(super) mod query;
pub(super) mod tables;

use std::collections::BTreeMap;

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

/// A version: a number up to 2^64-1, or the same as text.
pub(super) fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
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
    let envelope: Envelope = object(bytes)?;
    refuse_storage_options(envelope.storage_options.as_ref().is_some_and(|options| !options.is_empty()))?;
    Ok((envelope, object(bytes)?))
}

/// Reads a body that is a bare map of texts. Null values are left out.
pub(super) fn map_of_texts(bytes: &[u8]) -> Result<BTreeMap<String, String>, Problem> {
    let sent: BTreeMap<String, Option<String>> = object(bytes)?;
    Ok(sent.into_iter().filter_map(|(key, value)| Some((key, value?))).collect())
}

/// Reads a JSON object; nothing is an empty one.
fn object<T: Default + for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, Problem> {
    let text = bytes.trim_ascii();
    if text.is_empty() || text == b"null" {
        return Ok(T::default());
    }
    if text.first() != Some(&b'{') {
        return Err(Problem::invalid("The body must be a JSON object").code(13));
    }
    // The message names a position and a type, never the text around it.
    serde_json::from_slice(text)
        .map_err(|error| Problem::invalid(format!("The body cannot be read: {error}")).code(13))
}

/// A text that says something.
pub(super) fn text(sent: Option<String>) -> Option<String> {
    sent.filter(|text| !text.trim().is_empty())
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

/// As [`branch_name`], to keep.
pub(super) fn branch_of(branch: Option<&str>) -> Option<String> {
    branch_name(branch).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::tables::{CreateNamespace, DeclareTable};
    use super::*;

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
