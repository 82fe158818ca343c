//! Locations as text: relative to a root, checked, and turned into URIs.

use url::Url;

use super::Error;

/// Bytes a location may have; object stores stop at 1,024 with their prefix.
const LONGEST: usize = 900;

/// Checks a location relative to a root: parts joined by `/`, none empty, `.` or `..`, no wildcard.
pub(crate) fn check(relative: &str) -> Result<(), Error> {
    let refuse = |rule: &str| Err(Error::Location(rule.to_owned()));
    if relative.is_empty() || relative.len() > LONGEST {
        return refuse("A location has 1 to 900 bytes below its bucket");
    }
    if relative.contains(['*', '?', '\\']) || relative.chars().any(char::is_control) {
        return refuse("A location may not hold *, ?, backslashes or control characters");
    }
    // Nothing here decodes them, but something that is handed the location might.
    let lower = relative.to_ascii_lowercase();
    if ["%2e", "%2f", "%5c"].iter().any(|encoded| lower.contains(encoded)) {
        return refuse("A location may not hold encoded dots, slashes or backslashes");
    }
    if relative.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return refuse("A location may not hold empty parts, . or ..");
    }
    Ok(())
}

/// A location that a client sent, relative to the root it must be under. Accepts a relative path, a
/// URI below `root_uri`, and for local storages the plain path of the same place.
pub(crate) fn below(root_uri: &str, sent: &str) -> Result<String, Error> {
    let sent = sent.trim_end_matches('/');
    let outside = || Error::Location(format!("The location must be below {root_uri}"));
    let relative = if sent.contains("://") {
        // As sent, not as a URL parser would normalise it: `..` must be seen, not resolved.
        let rest = sent.strip_prefix(root_uri).and_then(|rest| rest.strip_prefix('/')).ok_or_else(outside)?;
        let decoded = percent_encoding::percent_decode_str(rest).decode_utf8().map_err(|_| outside())?;
        if decoded.matches('/').count() != rest.matches('/').count() {
            return Err(Error::Location("A location may not hold encoded slashes".to_owned()));
        }
        decoded.into_owned()
    } else if sent.starts_with('/') {
        let root = Url::parse(root_uri)
            .ok()
            .filter(|url| url.scheme() == "file")
            .and_then(|url| url.to_file_path().ok())
            .ok_or_else(outside)?;
        let root = root.to_str().ok_or_else(outside)?;
        sent.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')).ok_or_else(outside)?.to_owned()
    } else {
        sent.to_owned()
    };
    check(&relative)?;
    Ok(relative)
}

/// Joins two relative parts, either of which may be empty.
pub(crate) fn join(root: &str, below: &str) -> String {
    match (root.is_empty(), below.is_empty()) {
        (true, _) => below.to_owned(),
        (_, true) => root.to_owned(),
        _ => format!("{root}/{below}"),
    }
}

/// `base` (a URI without a trailing slash) with a relative path appended, percent-encoded.
pub(crate) fn append(base: &str, relative: &str) -> String {
    /// What a URL path would encode, and `%` itself.
    const PATH: &percent_encoding::AsciiSet = &percent_encoding::CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'#')
        .add(b'%')
        .add(b'<')
        .add(b'>')
        .add(b'?')
        .add(b'[')
        .add(b']')
        .add(b'^')
        .add(b'`')
        .add(b'{')
        .add(b'|')
        .add(b'}')
        .add(b'\\');
    if relative.is_empty() {
        return base.to_owned();
    }
    let mut uri = base.to_owned();
    for part in relative.split('/') {
        uri.push('/');
        uri.extend(percent_encoding::utf8_percent_encode(part, PATH));
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tricks_are_refused_and_plain_paths_pass() {
        for good in ["a", "sales/orders", "a b/ü.csv", "sales.eu/t-1", "a/b%c"] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in [
            "", "/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "a*", "a?b", "a%2Eb", "a%2fb", "a\\b",
            "a\nb",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
        assert!(check(&"x".repeat(901)).is_err());
    }

    #[test]
    fn a_sent_location_must_be_below_the_root() {
        let root = "file:///data/my%20lake/vision";
        for sent in ["ns/t", "ns/t/", "file:///data/my%20lake/vision/ns/t", "/data/my lake/vision/ns/t"] {
            assert_eq!(below(root, sent).unwrap(), "ns/t", "{sent}");
        }
        for sent in [
            "file:///data/my%20lake/vision",
            "file:///data/my%20lake/vision-private/t",
            "file:///data/my%20lake/vision/../other/t",
            "file:///data/my%20lake/vision/%2e%2e/t",
            "file:///data/my%20lake/vision/a%2F..%2Fb",
            "/etc/passwd",
            "../other",
            "s3://vision/ns/t",
            "ns/*",
        ] {
            assert!(below(root, sent).is_err(), "{sent}");
        }
    }

    #[test]
    fn appended_parts_are_encoded() {
        assert_eq!(append("s3://b/p", "a b/c#d%"), "s3://b/p/a%20b/c%23d%25");
        assert_eq!(append("s3://b", ""), "s3://b");
    }
}
