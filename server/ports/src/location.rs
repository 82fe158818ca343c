//! Where a table's bytes are, and what may be read on its behalf.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::path::Path;

/// A root URI under which reads are allowed: `file:///data/buckets/` or `s3://lake/vision/`.
/// Always ends with `/`, so that `vision` never grants `vision-private`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant(String);

impl Grant {
    pub fn new(root: &str) -> Self {
        Self(if root.ends_with('/') { root.to_owned() } else { format!("{root}/") })
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `uri` lies under this root. Anything with an empty, `.` or `..` segment, a wildcard,
    /// or a percent-encoded separator or dot does not.
    pub fn covers(&self, uri: &str) -> bool {
        let Some(rest) = uri.strip_prefix(&self.0).or_else(|| (format!("{uri}/") == self.0).then_some(""))
        else {
            return false;
        };
        let lower = rest.to_ascii_lowercase();
        !rest.starts_with('/')
            && !rest.contains(['*', '?', '\\', '\0'])
            && !lower.contains("%2e")
            && !lower.contains("%2f")
            && !lower.contains("%5c")
            && !rest.trim_end_matches('/').split('/').any(|part| part == "." || part == "..")
            && !rest.contains("//")
    }
}

/// A table's root: as URI with store options for Lance, and as an opened store with a prefix for
/// everything else. Both name the same folder.
#[derive(Clone)]
pub struct TableLocation {
    /// `file:///…` or `s3://bucket/…`, without a trailing `/`.
    pub uri: String,
    /// Options in the spelling of `object_store` (`aws_endpoint`, `aws_access_key_id`, …). Hold secrets.
    pub options: BTreeMap<String, String>,
    pub store: Arc<dyn ObjectStore>,
    /// The table's folder (or single object) inside `store`.
    pub prefix: Path,
    /// Roots that reads on behalf of this table may touch.
    pub grants: Arc<[Grant]>,
}

impl TableLocation {
    /// Whether `uri` lies under one of this table's grants.
    pub fn may_read(&self, uri: &str) -> bool {
        self.grants.iter().any(|grant| grant.covers(uri))
    }
}

impl fmt::Debug for TableLocation {
    /// Without the options, which hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableLocation")
            .field("uri", &self.uri)
            .field("grants", &self.grants)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Grant;

    #[test]
    fn a_grant_covers_what_is_below_it_and_nothing_beside() {
        let grant = Grant::new("file:///data/vision");
        for inside in ["file:///data/vision", "file:///data/vision/", "file:///data/vision/t/a.lance"] {
            assert!(grant.covers(inside), "{inside}");
        }
        for outside in [
            "file:///data/vision-private/t",
            "file:///data/",
            "file:///data/vision/../x",
            "file:///data/vision/a/%2e%2e/x",
            "file:///data/vision/a%2Fb",
            "file:///data/vision//x",
            "file:///data/vision/*",
            "s3://data/vision/t",
        ] {
            assert!(!grant.covers(outside), "{outside}");
        }
    }
}
