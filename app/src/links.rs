//! Every path of the console, percent-encoded in one place.

use lakeglass_api::{BucketName, NamespacePath, TableRef};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but the unreserved characters of RFC 3986.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// One path segment or query value, encoded.
pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// A path from its segments, each encoded: `path(["buckets", "a/b"])` is `/buckets/a%2Fb`.
pub fn path<'a>(segments: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for segment in segments {
        out.push('/');
        out.push_str(&encode(segment));
    }
    out
}

/// A path with a query; pairs with an empty value are left out.
pub fn with_query<'a>(path: &str, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    add_query(path, pairs)
}

/// An address, with or without a query, and more pairs; those with an empty value are left out.
pub fn add_query<'a>(address: &str, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut out = address.to_owned();
    let mut separator = if address.contains('?') { '&' } else { '?' };
    for (key, value) in pairs {
        if value.is_empty() {
            continue;
        }
        out.push(separator);
        out.push_str(&encode(key));
        out.push('=');
        out.push_str(&encode(value));
        separator = '&';
    }
    out
}

pub fn bucket(bucket: &BucketName) -> String {
    path(["buckets", bucket.as_str()])
}

/// A part of a bucket: "settings", "trash".
pub fn bucket_tab(bucket: &BucketName, tab: &str) -> String {
    path(["buckets", bucket.as_str(), tab])
}

pub fn namespace(bucket: &BucketName, namespace: &NamespacePath) -> String {
    path(["buckets", bucket.as_str(), "ns", &namespace.dotted()])
}

pub fn new_table(bucket: &BucketName, namespace: &NamespacePath) -> String {
    path(["buckets", bucket.as_str(), "ns", &namespace.dotted(), "new-table"])
}

pub fn table(table: &TableRef) -> String {
    path(["buckets", table.bucket.as_str(), "ns", &table.namespace.dotted(), "tables", table.table.as_str()])
}

/// A tab of a table: "rows", "versions", "connect", "settings".
pub fn table_tab(of: &TableRef, tab: &str) -> String {
    format!("{}/{}", table(of), encode(tab))
}

pub fn job(id: &str) -> String {
    path(["jobs", id])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_one_segment() {
        assert_eq!(path(["a", "b/c?d#e%f g"]), "/a/b%2Fc%3Fd%23e%25f%20g");
        assert_eq!(path(["表"]), "/%E8%A1%A8");
        assert_eq!(path(["<img src=x>"]), "/%3Cimg%20src%3Dx%3E");
    }

    #[test]
    fn queries_encode_keys_and_values_and_skip_empty_ones() {
        let address = with_query("/r", [("f", "a:eq:1&2"), ("x", ""), ("y", "1")]);
        assert_eq!(address, "/r?f=a%3Aeq%3A1%262&y=1");
        assert_eq!(add_query(&address, [("z", "2")]), "/r?f=a%3Aeq%3A1%262&y=1&z=2");
    }
}
