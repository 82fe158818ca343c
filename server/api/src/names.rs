//! The names that this catalog accepts, and the rule each refusal quotes.
//!
//! These rules bind what is created here. Columns, tags, properties and the names found in attached
//! folders or upstream catalogs are any text at all, and are never parsed into these types.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Why a name was refused: the rule, as a sentence a person can act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameError {
    /// What was being named: "bucket", "namespace" or "table".
    pub what: &'static str,
    /// The rule, for example "3 to 63 characters: a to z, 0 to 9 and hyphens".
    pub rule: &'static str,
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Not a {} name. Use {}", self.what, self.rule)
    }
}

impl std::error::Error for NameError {}

/// A bucket's name: 3 to 63 of `a-z`, `0-9` and `-`, neither first nor last a hyphen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(try_from = "String", into = "String")]
pub struct BucketName(String);

/// A path of namespace parts inside a bucket: 1 to 8 parts of `[A-Za-z0-9_-]{1,64}`, at most 200
/// bytes once joined by `.`. The empty path is the bucket itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct NamespacePath(Vec<String>);

/// A table's name: `[A-Za-z0-9_.-]{1,128}`, not `.` or `..`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(try_from = "String", into = "String")]
pub struct TableName(String);

/// The full name of a table. Namespaces between bucket and table are never empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TableRef {
    pub bucket: BucketName,
    pub namespace: NamespacePath,
    pub table: TableName,
}

const BUCKET_RULE: NameError = NameError {
    what: "bucket",
    rule: "3 to 63 characters: a to z, 0 to 9 and hyphens, with a letter or digit at each end",
};
const PART_RULE: NameError =
    NameError { what: "namespace", rule: "1 to 64 characters a part: letters, digits, _ and -" };
const PATH_RULE: NameError =
    NameError { what: "namespace", rule: "at most 8 parts, and at most 200 bytes in all" };
const TABLE_RULE: NameError = NameError {
    what: "table",
    rule: "1 to 128 characters: letters, digits, _, . and -, but not . or .. alone",
};

impl BucketName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TableName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl NamespacePath {
    /// The bucket itself: no parts.
    pub fn root() -> Self {
        Self::default()
    }

    /// A path from its parts, each checked.
    pub fn new<I, S>(parts: I) -> Result<Self, NameError>
    where
        I: IntoIterator<Item = S>,
        S: Into<String>,
    {
        let parts: Vec<String> = parts.into_iter().map(Into::into).collect();
        for part in &parts {
            let fits = (1..=64).contains(&part.len())
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
            if !fits {
                return Err(PART_RULE);
            }
        }
        let joined = parts.iter().map(String::len).sum::<usize>() + parts.len().saturating_sub(1);
        if parts.len() > 8 || joined > 200 {
            return Err(PATH_RULE);
        }
        Ok(Self(parts))
    }

    /// A path from its stored form, parts joined by `.`; the empty text is the bucket itself.
    pub fn from_dotted(text: &str) -> Result<Self, NameError> {
        if text.is_empty() { Ok(Self::root()) } else { Self::new(text.split('.')) }
    }

    pub fn parts(&self) -> &[String] {
        &self.0
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The path one level up; none for the bucket itself.
    pub fn parent(&self) -> Option<Self> {
        self.0.split_last().map(|(_, rest)| Self(rest.to_vec()))
    }

    /// The last part; none for the bucket itself.
    pub fn leaf(&self) -> Option<&str> {
        self.0.last().map(String::as_str)
    }

    /// This path with one more part.
    pub fn child(&self, part: &str) -> Result<Self, NameError> {
        Self::new(self.0.iter().cloned().chain([part.to_owned()]))
    }

    /// Parts joined by `.`, as stored and as used in folder names.
    pub fn dotted(&self) -> String {
        self.0.join(".")
    }
}

impl FromStr for BucketName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let bytes = text.as_bytes();
        let fits = (3..=63).contains(&bytes.len())
            && bytes.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
            && bytes.first() != Some(&b'-')
            && bytes.last() != Some(&b'-');
        if fits { Ok(Self(text.to_owned())) } else { Err(BUCKET_RULE) }
    }
}

impl FromStr for TableName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let fits = (1..=128).contains(&text.len())
            && text != "."
            && text != ".."
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
        if fits { Ok(Self(text.to_owned())) } else { Err(TABLE_RULE) }
    }
}

impl TryFrom<String> for BucketName {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl TryFrom<String> for TableName {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl TryFrom<Vec<String>> for NamespacePath {
    type Error = NameError;

    fn try_from(parts: Vec<String>) -> Result<Self, NameError> {
        Self::new(parts)
    }
}

impl From<BucketName> for String {
    fn from(name: BucketName) -> Self {
        name.0
    }
}

impl From<TableName> for String {
    fn from(name: TableName) -> Self {
        name.0
    }
}

impl From<NamespacePath> for Vec<String> {
    fn from(path: NamespacePath) -> Self {
        path.0
    }
}

impl fmt::Display for BucketName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for NamespacePath {
    /// Parts joined by `.`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.dotted())
    }
}

impl fmt::Display for TableRef {
    /// `bucket$part$table`, the form that namespace clients use.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.bucket)?;
        for part in self.namespace.parts() {
            write!(f, "${part}")?;
        }
        write!(f, "${}", self.table)
    }
}

impl FromStr for TableRef {
    type Err = NameError;

    /// Reads `bucket$part$table`, as it is displayed.
    fn from_str(text: &str) -> Result<Self, NameError> {
        let parts: Vec<&str> = text.split('$').collect();
        let [bucket, namespace @ .., table] = parts.as_slice() else { return Err(TABLE_RULE) };
        Ok(Self {
            bucket: bucket.parse()?,
            namespace: NamespacePath::new(namespace.iter().copied())?,
            table: table.parse()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_take_lower_case_digits_and_inner_hyphens() {
        for good in ["abc", "a-1", &"x".repeat(63)] {
            assert!(good.parse::<BucketName>().is_ok(), "{good}");
        }
        for bad in ["", "ab", "Abc", "a_b", "-ab", "ab-", "a.b", "a/b", &"x".repeat(64)] {
            assert!(bad.parse::<BucketName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn tables_take_dots_but_no_path_tricks() {
        for good in ["t", "a.b", "...", "x_y-z"] {
            assert!(good.parse::<TableName>().is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "a$b", "a b", "é", &"x".repeat(129)] {
            assert!(bad.parse::<TableName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_table_is_read_back_from_its_text() {
        let table: TableRef = "lake$a$b$t.1".parse().unwrap();
        assert_eq!(
            (table.bucket.as_str(), table.namespace.dotted(), table.table.as_str()),
            ("lake", "a.b".into(), "t.1")
        );
        assert_eq!(table.to_string(), "lake$a$b$t.1");
        for bad in ["", "lake", "lake$a$", "LAKE$a$t"] {
            assert!(bad.parse::<TableRef>().is_err(), "{bad}");
        }
    }

    #[test]
    fn namespace_paths_are_bounded_in_depth_and_length() {
        assert!(NamespacePath::new(["a"; 8]).is_ok());
        assert!(NamespacePath::new(["a"; 9]).is_err());
        assert!(NamespacePath::new(["a.b"]).is_err());
        assert!(NamespacePath::new([""]).is_err());
        assert!(NamespacePath::new(vec!["x".repeat(64); 3]).is_ok());
        assert!(NamespacePath::new(vec!["x".repeat(64); 4]).is_err());
        let path = NamespacePath::from_dotted("a.b").unwrap();
        assert_eq!(path.parent().unwrap().dotted(), "a");
        assert_eq!(path.leaf(), Some("b"));
    }
}
