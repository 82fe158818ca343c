//! What an admin says of a storage, and the rules that it must keep.

use lakeglass_api::catalog::StorageKind;

use super::Error;
use super::s3::Keys;

/// A storage to be added.
#[derive(Clone)]
pub struct NewStorage {
    /// 1 to 63 of `a-z`, `0-9` and `-`.
    pub name: String,
    pub kind: StorageKind,
    /// Absolute folder, or `bucket/prefix` in the object store.
    pub root: String,
    /// As this server sees it; none: the provider's own for the region.
    pub endpoint: Option<String>,
    /// As clients see it, when different.
    pub client_endpoint: Option<String>,
    pub region: Option<String>,
    pub path_style: bool,
    /// Access key id and secret; none: requests are not signed.
    pub keys: Option<(String, String)>,
    /// Clients above viewer may be given the keys themselves.
    pub vend_keys: bool,
    /// ARN of a role that the keys may assume to make temporary keys for clients.
    pub sts_role: Option<String>,
}

impl NewStorage {
    /// A folder.
    pub fn local(name: String, root: String) -> Self {
        Self {
            name,
            kind: StorageKind::Local,
            root,
            endpoint: None,
            client_endpoint: None,
            region: None,
            path_style: false,
            keys: None,
            vend_keys: false,
            sts_role: None,
        }
    }
}

impl std::fmt::Debug for NewStorage {
    /// Without the keys.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewStorage")
            .field("name", &self.name)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

/// What to change of a storage; none leaves a field as it is.
#[derive(Clone, Default)]
pub struct StorageChange {
    pub client_endpoint: Option<String>,
    pub keys: Option<(String, String)>,
    pub vend_keys: Option<bool>,
    /// Empty: none any more.
    pub sts_role: Option<String>,
}

impl std::fmt::Debug for StorageChange {
    /// Without the keys.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StorageChange").field("vend_keys", &self.vend_keys).finish_non_exhaustive()
    }
}

pub(super) fn check_name(name: &str) -> Result<(), Error> {
    let fits = (1..=63).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if fits {
        return Ok(());
    }
    let rule = "Use 1 to 63 characters: a to z, 0 to 9 and hyphens".to_owned();
    Err(Error::Invalid { field: "name", rule })
}

pub(super) fn to_keys((id, secret): (String, String)) -> Result<Keys, Error> {
    let fits = |text: &str| (1..=256).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
    if fits(&id) && fits(&secret) {
        return Ok(Keys { access_key_id: id, secret_access_key: secret, session_token: None });
    }
    let rule = "Give both the access key id and the secret, of at most 256 characters each".to_owned();
    Err(Error::Invalid { field: "keys", rule })
}

/// The ARN of a role; none for an empty text.
pub(super) fn role(text: Option<String>) -> Result<Option<String>, Error> {
    let Some(text) = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    if text.starts_with("arn:") && text.len() <= 2048 && text.bytes().all(|b| b.is_ascii_graphic()) {
        return Ok(Some(text));
    }
    let rule = "Use the ARN of a role, such as arn:aws:iam::123456789012:role/tables".to_owned();
    Err(Error::Invalid { field: "sts_role", rule })
}

/// The server never connects to it, so only its shape is checked.
pub(super) fn client_endpoint(text: Option<String>) -> Result<Option<String>, Error> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    let url = url::Url::parse(text.trim()).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && matches!(url.path(), "" | "/")
            && url.query().is_none()
    });
    let rule = || Error::Invalid {
        field: "client_endpoint",
        rule: "Use a URL with scheme, host and port only, such as https://s3.example.org".to_owned(),
    };
    Ok(Some(url.ok_or_else(rule)?.as_str().trim_end_matches('/').to_owned()))
}
