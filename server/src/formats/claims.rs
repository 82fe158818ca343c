//! Matches claims against paths natively, so that describers are asked about candidates only.
//!
//! A path is enough for every claim but magic bytes, which a scan does not read: a format that claims
//! nothing else is found when its table is registered by hand.

use lakeglass_ports::{Claim, FormatInfo};

/// What might be a table: a folder, or one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sign<'a> {
    /// The folder or object, below the bucket's root; empty: the root itself.
    pub(super) path: &'a str,
    pub(super) single: bool,
}

/// What an object at `path` is a sign of, for one format.
pub(super) fn sign_of<'a>(info: &FormatInfo, path: &'a str) -> Option<Sign<'a>> {
    info.claims.iter().find_map(|claim| match claim {
        Claim::Exact(wanted) => folder(path.strip_suffix(wanted.as_str())?),
        Claim::Folder(name) => inside(path, name).map(|path| Sign { path, single: false }),
        Claim::Glob(pattern) => glob(path, pattern).map(|path| Sign { path, single: false }),
        Claim::Suffix(suffix) => {
            let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
            let fits = name.len() > suffix.len()
                && name.is_char_boundary(name.len() - suffix.len())
                && name[name.len() - suffix.len()..].eq_ignore_ascii_case(suffix);
            let around = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            fits.then_some(Sign {
                path: if info.single_object { path } else { around },
                single: info.single_object,
            })
        }
        Claim::Magic(..) => None,
    })
}

/// A folder from what stands before a matched path: nothing, or `folder/`.
fn folder(before: &str) -> Option<Sign<'_>> {
    if before.is_empty() {
        return Some(Sign { path: "", single: false });
    }
    before.strip_suffix('/').map(|path| Sign { path, single: false })
}

/// The path before the first folder called `name`.
fn inside<'a>(path: &'a str, name: &str) -> Option<&'a str> {
    let mut start = 0;
    while let Some(found) = path[start..].find(name) {
        let (begin, end) = (start + found, start + found + name.len());
        let alone = (begin == 0 || path.as_bytes()[begin - 1] == b'/') && path[end..].starts_with('/');
        if alone {
            return Some(path[..begin].trim_end_matches('/'));
        }
        start = begin + path[begin..].chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// The path before what a pattern matches at the path's end. `*` stands for anything within a part.
fn glob<'a>(path: &'a str, pattern: &str) -> Option<&'a str> {
    let mut rest = path;
    let mut wanted: Vec<&str> = pattern.split('/').collect();
    while let Some(part) = wanted.pop() {
        let (before, name) = rest.rsplit_once('/').unwrap_or(("", rest));
        if !wild(name, part) || (!wanted.is_empty() && before.is_empty()) {
            return None;
        }
        rest = before;
    }
    Some(rest)
}

fn wild(name: &str, pattern: &str) -> bool {
    let Some((first, after)) = pattern.split_once('*') else { return name == pattern };
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let (middle, last) = after.rsplit_once('*').map_or(("", after), |(middle, last)| (middle, last));
    for part in middle.split('*').filter(|part| !part.is_empty()) {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use lakeglass_api::FormatId;
    use lakeglass_ports::Capabilities;

    use super::*;

    fn info(single_object: bool, claims: Vec<Claim>) -> FormatInfo {
        FormatInfo {
            id: FormatId::new("x"),
            title: "X".into(),
            single_object,
            claims,
            capabilities: Capabilities::default(),
            options: Vec::new(),
        }
    }

    fn found(info: &FormatInfo, path: &'static str) -> Option<(&'static str, bool)> {
        sign_of(info, path).map(|sign| (sign.path, sign.single))
    }

    #[test]
    fn a_suffix_names_an_object_or_its_folder() {
        let csv = info(true, vec![Claim::Suffix(".csv".into())]);
        assert_eq!(found(&csv, "a/b/x.CSV"), Some(("a/b/x.CSV", true)));
        assert_eq!(found(&csv, "x.csv"), Some(("x.csv", true)));
        for other in ["a/.csv", "a.csv/x", "x.csv.gz", "é"] {
            assert_eq!(found(&csv, other), None, "{other}");
        }
        let folder = info(false, vec![Claim::Suffix(".orc".into())]);
        assert_eq!(found(&folder, "a/b/x.orc"), Some(("a/b", false)));
    }

    #[test]
    fn a_folder_inside_names_the_folder_around_it() {
        let lance = info(false, vec![Claim::Folder("_versions".into())]);
        assert_eq!(found(&lance, "sales/orders/_versions/1.manifest"), Some(("sales/orders", false)));
        assert_eq!(found(&lance, "_versions/1.manifest"), Some(("", false)));
        assert_eq!(found(&lance, "t/x_versions/_versions/_versions/1"), Some(("t/x_versions", false)));
        for other in ["t/_versions", "t/x_versions/1", "t/_versionsx/1"] {
            assert_eq!(found(&lance, other), None, "{other}");
        }
    }

    #[test]
    fn exact_paths_and_patterns_match_at_the_end() {
        let zarr = info(false, vec![Claim::Exact("zarr.json".into())]);
        assert_eq!(found(&zarr, "a/zarr.json"), Some(("a", false)));
        assert_eq!(found(&zarr, "zarr.json"), Some(("", false)));
        assert_eq!(found(&zarr, "a/xzarr.json"), None);
        let iceberg = info(false, vec![Claim::Glob("metadata/*.metadata.json".into())]);
        assert_eq!(found(&iceberg, "db/t/metadata/00001-a.metadata.json"), Some(("db/t", false)));
        assert_eq!(found(&iceberg, "metadata/v1.metadata.json"), Some(("", false)));
        for other in ["t/metadata/a.json", "t/v1.metadata.json", "v1.metadata.json"] {
            assert_eq!(found(&iceberg, other), None, "{other}");
        }
        assert!(wild("abcabd", "a*b*d") && !wild("abc", "a*d") && wild("x", "*"));
    }
}
