//! What an admin says about a connection, checked.

use std::fmt;

use http::{HeaderName, HeaderValue};
use lakeglass_api::attached::Connection;
use lakeglass_api::catalog::Backing;
use url::Url;

use super::error::{Error, Result};

/// The most parts of a parent, roots or endpoints.
const MOST: usize = 20;

/// A connection as an admin wants it.
#[derive(Debug, Clone)]
pub struct NewConnection {
    /// `Upstream` or `Directory`.
    pub backing: Backing,
    /// Upstream: where its REST API is; `/v1/…` follows it.
    pub url: Option<String>,
    /// Upstream: the namespace of theirs that is the bucket; empty: all of theirs.
    pub parent: Vec<String>,
    /// Upstream: what parts of identifiers are joined by; none: `$`.
    pub delimiter: Option<String>,
    /// Upstream: the header that carries the credentials; none: `authorization`.
    pub header: Option<String>,
    /// The credentials, as the header's whole value.
    pub secret: SecretChange,
    /// The storage whose keys open the data. A directory is in it.
    pub storage: Option<String>,
    /// Directory: folder or prefix inside the storage.
    pub prefix: Option<String>,
    /// Upstream: URIs below which vended locations may be opened; none: all of the storage, if one is named.
    pub roots: Vec<String>,
    /// Upstream: endpoints by which.
    pub endpoints: Vec<String>,
    /// Clients above viewer may be given the keys that the upstream vends.
    pub vend: bool,
}

impl NewConnection {
    /// One that says nothing yet.
    pub fn blank(backing: Backing) -> Self {
        Self {
            backing,
            url: None,
            parent: Vec::new(),
            delimiter: None,
            header: None,
            secret: SecretChange::Keep,
            storage: None,
            prefix: None,
            roots: Vec::new(),
            endpoints: Vec::new(),
            vend: false,
        }
    }

    /// As a connection is now, its credentials kept.
    pub fn of(now: &Connection) -> Self {
        Self {
            backing: now.backing,
            url: now.url.clone(),
            parent: now.parent.clone(),
            delimiter: Some(now.delimiter.clone()),
            header: now.header.clone(),
            secret: SecretChange::Keep,
            storage: now.storage.clone(),
            prefix: now.prefix.clone(),
            roots: now.roots.clone(),
            endpoints: now.endpoints.clone(),
            vend: now.vend,
        }
    }
}

/// What becomes of the credentials.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum SecretChange {
    /// They stay as they are; a new connection has none.
    #[default]
    Keep,
    Remove,
    Set(String),
}

impl fmt::Debug for SecretChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Keep => "Keep",
            Self::Remove => "Remove",
            Self::Set(_) => "Set",
        })
    }
}

/// A connection whose values hold.
#[derive(Debug, Clone)]
pub(crate) struct Prepared {
    pub(crate) backing: Backing,
    pub(crate) url: Option<Url>,
    pub(crate) parent: Vec<String>,
    pub(crate) delimiter: String,
    pub(crate) header: Option<HeaderName>,
    pub(crate) secret: SecretChange,
    /// Row id of the storage for the data.
    pub(crate) storage_id: Option<i64>,
    /// Directory: the prefix in the storage, not empty.
    pub(crate) prefix: Option<String>,
    pub(crate) roots: Vec<String>,
    pub(crate) endpoints: Vec<String>,
    pub(crate) vend: bool,
}

impl Prepared {
    /// Checks all that needs no look elsewhere. The URL and the storage are looked at by the service.
    pub(super) fn check(new: &NewConnection) -> Result<Self> {
        let delimiter =
            new.delimiter.clone().filter(|text| !text.is_empty()).unwrap_or_else(|| "$".to_owned());
        if delimiter.len() > 8 || delimiter.chars().any(char::is_control) || delimiter.contains('/') {
            return Err(Error::invalid("delimiter", "Use 1 to 8 characters, such as $"));
        }
        let fits = |part: &String| {
            (1..=200).contains(&part.len())
                && !part.contains(&delimiter)
                && !part.chars().any(char::is_control)
        };
        if new.parent.len() > MOST || !new.parent.iter().all(fits) {
            return Err(Error::invalid(
                "parent",
                format!("Name a namespace by at most {MOST} parts that do not hold {delimiter}"),
            ));
        }
        let header = new.header.as_deref().map(str::trim).filter(|name| !name.is_empty());
        let header = HeaderName::from_bytes(header.unwrap_or("authorization").as_bytes()).map_err(|_| {
            Error::invalid("header", "Use a header's name, such as authorization or x-api-key")
        })?;
        if matches!(
            header.as_str(),
            "host" | "content-length" | "transfer-encoding" | "connection" | "cookie"
        ) {
            return Err(Error::invalid("header", "Credentials do not go into this header"));
        }
        if let SecretChange::Set(value) = &new.secret {
            header_value(value)?;
        }
        let backing = new.backing;
        Ok(Self {
            backing,
            url: None,
            parent: new.parent.clone(),
            delimiter,
            header: (backing == Backing::Upstream).then_some(header),
            secret: new.secret.clone(),
            storage_id: None,
            prefix: new
                .prefix
                .clone()
                .map(|text| text.trim_matches('/').to_owned())
                .filter(|text| !text.is_empty()),
            roots: roots(&new.roots)?,
            endpoints: endpoints(&new.endpoints)?,
            vend: new.vend,
        })
    }
}

/// Credentials as a header carries them.
pub(super) fn header_value(value: &str) -> Result<HeaderValue> {
    let wrong = || Error::invalid("secret", "Use at most 8,192 printable characters, on one line");
    if value.is_empty() || value.len() > 8192 {
        return Err(wrong());
    }
    let mut value = HeaderValue::from_str(value).map_err(|_| wrong())?;
    value.set_sensitive(true);
    Ok(value)
}

fn roots(sent: &[String]) -> Result<Vec<String>> {
    let fits = |root: &String| {
        let rest = root.strip_prefix("s3://").or_else(|| root.strip_prefix("file:///"));
        rest.is_some_and(|rest| !rest.trim_matches('/').is_empty())
            && root.len() <= 1000
            && !root.contains(['*', '?', '\\', '#'])
            && !root.split('/').any(|part| part == "." || part == "..")
    };
    let sent: Vec<String> = said(sent);
    if sent.len() > MOST || !sent.iter().all(fits) {
        return Err(Error::invalid("roots", "Name places by their URI, such as s3://lake/vision"));
    }
    Ok(sent)
}

fn endpoints(sent: &[String]) -> Result<Vec<String>> {
    let sent: Vec<String> = said(sent);
    let fits = |text: &String| {
        Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
    };
    if sent.len() > MOST || !sent.iter().all(fits) {
        return Err(Error::invalid("endpoints", "Name endpoints by scheme, host and port"));
    }
    Ok(sent)
}

/// Lists without what says nothing, and without slashes at the end.
fn said(sent: &[String]) -> Vec<String> {
    let texts = sent.iter().map(|text| text.trim().trim_end_matches('/').to_owned());
    texts.filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new() -> NewConnection {
        NewConnection {
            backing: Backing::Upstream,
            url: Some("http://127.0.0.1:9101".to_owned()),
            parent: vec!["vectors".to_owned()],
            delimiter: None,
            header: None,
            secret: SecretChange::Set("Bearer very-secret".to_owned()),
            storage: None,
            prefix: None,
            roots: vec!["s3://lake/vision/".to_owned(), " ".to_owned()],
            endpoints: vec!["http://127.0.0.1:8333/".to_owned()],
            vend: false,
        }
    }

    #[test]
    fn values_that_hold_are_kept_in_one_form() {
        let kept = Prepared::check(&new()).unwrap();
        assert_eq!((kept.delimiter.as_str(), kept.header.as_ref().unwrap().as_str()), ("$", "authorization"));
        assert_eq!(
            (kept.roots, kept.endpoints),
            (vec!["s3://lake/vision".to_owned()], vec!["http://127.0.0.1:8333".to_owned()])
        );
        assert!(!format!("{:?}", new()).contains("very-secret"));
    }

    #[test]
    fn values_that_do_not_hold_are_refused_by_field() {
        let refused = |change: &dyn Fn(&mut NewConnection)| {
            let mut wanted = new();
            change(&mut wanted);
            match Prepared::check(&wanted).unwrap_err() {
                Error::Invalid { field, .. } => field,
                other => panic!("{other}"),
            }
        };
        assert_eq!(refused(&|new| new.parent = vec!["a$b".to_owned()]), "parent");
        assert_eq!(refused(&|new| new.parent = vec![String::new()]), "parent");
        assert_eq!(refused(&|new| new.delimiter = Some("/".to_owned())), "delimiter");
        assert_eq!(refused(&|new| new.header = Some("not a name".to_owned())), "header");
        assert_eq!(refused(&|new| new.header = Some("Host".to_owned())), "header");
        assert_eq!(refused(&|new| new.secret = SecretChange::Set("a\nb".to_owned())), "secret");
        for root in ["/etc", "file:///", "s3://", "s3://lake/../x", "s3://lake/*"] {
            assert_eq!(refused(&|new| new.roots = vec![root.to_owned()]), "roots", "{root}");
        }
        assert_eq!(refused(&|new| new.endpoints = vec!["127.0.0.1:8333".to_owned()]), "endpoints");
    }
}
