//! Identifiers in the upstream's terms: its delimiter, below the namespace that is our bucket.

use lakeglass_ports::{NamesError, NamesResult};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What may stand as it is in one part of a path.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'$');

/// Where our bucket is among the upstream's names.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) parent: Vec<String>,
    pub(super) delimiter: String,
}

impl Place {
    /// All parts of an identifier of theirs, from parts below the bucket.
    pub(super) fn parts(&self, below: &[String]) -> Vec<String> {
        self.parent.iter().chain(below).cloned().collect()
    }

    /// As text; the delimiter alone is their root.
    pub(super) fn text(&self, below: &[String]) -> NamesResult<String> {
        let parts = self.parts(below);
        if let Some(part) = parts.iter().find(|part| part.is_empty() || part.contains(&self.delimiter)) {
            let message = format!("{part} cannot be named there: its names are joined by {}", self.delimiter);
            return Err(NamesError::Refused { code: 13, message });
        }
        Ok(if parts.is_empty() { self.delimiter.clone() } else { parts.join(&self.delimiter) })
    }

    /// As one part of a URL's path.
    pub(super) fn encoded(&self, below: &[String]) -> NamesResult<String> {
        Ok(utf8_percent_encode(&self.text(below)?, PLAIN).to_string())
    }

    /// A name of a list as a leaf: some servers answer full identifiers. None: some of those list what is
    /// in the namespaces below as well, and this is such a name.
    pub(super) fn leaf(&self, parent: &[String], name: &str) -> Option<String> {
        let mut full = self.parts(parent).join(&self.delimiter);
        full.push_str(&self.delimiter);
        let leaf = match name.strip_prefix(&full) {
            Some(leaf) if full.len() > self.delimiter.len() && !leaf.is_empty() => leaf,
            _ => name,
        };
        let joined = leaf.find(&self.delimiter).map(|at| (at, at + self.delimiter.len()));
        let deeper = joined.is_some_and(|(start, end)| start > 0 && end < leaf.len());
        (!deeper).then(|| leaf.to_owned())
    }

    /// Parts below the bucket from all parts of theirs; none when they are not below it.
    pub(super) fn below<'a>(&self, parts: &'a [String]) -> Option<&'a [String]> {
        parts.strip_prefix(self.parent.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &[&str]) -> Vec<String> {
        text.iter().map(|part| (*part).to_owned()).collect()
    }

    #[test]
    fn identifiers_are_put_below_the_parent_and_taken_from_it() {
        let place = Place { parent: parts(&["vectors"]), delimiter: "$".to_owned() };
        assert_eq!(place.text(&parts(&["demo", "t1"])).unwrap(), "vectors$demo$t1");
        assert_eq!(place.text(&[]).unwrap(), "vectors");
        assert_eq!(place.encoded(&parts(&["a b/c"])).unwrap(), "vectors$a%20b%2Fc");
        assert!(place.text(&parts(&["a$b"])).is_err() && place.text(&parts(&[""])).is_err());
        assert_eq!(place.below(&parts(&["vectors", "demo"])), Some(parts(&["demo"]).as_slice()));
        assert_eq!(place.below(&parts(&["other", "demo"])), None);
        let root = Place { parent: Vec::new(), delimiter: "::".to_owned() };
        assert_eq!(root.text(&[]).unwrap(), "::");
        assert_eq!(root.encoded(&parts(&["a"])).unwrap(), "a");
    }

    #[test]
    fn full_names_in_lists_become_leaves() {
        let place = Place { parent: parts(&["vectors"]), delimiter: "$".to_owned() };
        let leaf = |parent: &[&str], name: &str| place.leaf(&parts(parent), name);
        assert_eq!(leaf(&["demo"], "vectors$demo$t1").as_deref(), Some("t1"));
        assert_eq!(leaf(&["demo"], "t1").as_deref(), Some("t1"));
        assert_eq!(leaf(&[], "vectors$demo").as_deref(), Some("demo"));
        assert_eq!(leaf(&[], "vectors$demo$t1"), None, "it is in a namespace of its own");
        let root = Place { parent: Vec::new(), delimiter: "$".to_owned() };
        assert_eq!(root.leaf(&[], "$odd").as_deref(), Some("$odd"));
        assert_eq!(root.leaf(&parts(&["a"]), "a$b").as_deref(), Some("b"));
    }
}
