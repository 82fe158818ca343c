//! S3-compatible object stores as storages.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use object_store::RetryConfig;
use object_store::aws::{AmazonS3Builder, S3ConditionalPut};
use serde::{Deserialize, Serialize};

use super::address::{Connector, Rule};
use super::backend::{Backend, Place};
use super::{Error, relative};

/// Keys to an object store: a storage's own, which are sealed in this form, or temporary ones.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Keys {
    pub(super) access_key_id: String,
    pub(super) secret_access_key: String,
    /// Of temporary keys only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) session_token: Option<String>,
}

impl Keys {
    /// In `object_store`'s spelling, which clients read as well.
    pub(super) fn options(self) -> impl Iterator<Item = (String, String)> {
        let token = self.session_token.map(|token| ("aws_session_token", token));
        [("aws_access_key_id", self.access_key_id), ("aws_secret_access_key", self.secret_access_key)]
            .into_iter()
            .chain(token)
            .map(|(name, value)| (name.to_owned(), value))
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys")
    }
}

/// What names a place in an object store.
#[derive(Debug, Clone)]
pub(super) struct Address {
    /// None: the provider's own for the region.
    pub(super) endpoint: Option<String>,
    pub(super) region: Option<String>,
    pub(super) path_style: bool,
    /// `bucket` or `bucket/prefix`.
    pub(super) root: String,
}

/// Checks `bucket/prefix` and gives both parts; the prefix may be empty.
pub(super) fn split_root(root: &str) -> Result<(&str, &str), Error> {
    let root = root.trim_end_matches('/');
    let (bucket, prefix) = root.split_once('/').unwrap_or((root, ""));
    let named = (3..=63).contains(&bucket.len())
        && bucket.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.'));
    if !named {
        return Err(Error::Invalid {
            field: "root",
            rule:
                "Use the object store's bucket, or bucket/prefix: 3 to 63 lower-case letters, digits, . and -"
                    .to_owned(),
        });
    }
    if !prefix.is_empty() {
        relative::check(prefix)?;
    }
    Ok((bucket, prefix))
}

/// The URI of a root, without a trailing slash.
pub(super) fn uri(root: &str) -> Result<String, Error> {
    let (bucket, prefix) = split_root(root)?;
    Ok(relative::append(&format!("s3://{bucket}"), prefix))
}

/// Opens a store; makes no request.
pub(super) fn open(address: &Address, keys: Option<&Keys>, rule: Rule) -> Result<Backend, Error> {
    let (bucket, prefix) = split_root(&address.root)?;
    let region = address.region.as_deref().unwrap_or("us-east-1");
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(bucket)
        .with_region(region)
        .with_virtual_hosted_style_request(!address.path_style)
        .with_conditional_put(S3ConditionalPut::ETagMatch)
        .with_disable_tagging(true)
        .with_http_connector(Connector(rule))
        .with_retry(RetryConfig {
            max_retries: 3,
            retry_timeout: Duration::from_secs(20),
            ..RetryConfig::default()
        });
    let mut options = BTreeMap::from([
        ("aws_region".to_owned(), region.to_owned()),
        ("aws_virtual_hosted_style_request".to_owned(), (!address.path_style).to_string()),
    ]);
    if let Some(endpoint) = &address.endpoint {
        let plain = endpoint.starts_with("http://");
        builder = builder.with_endpoint(endpoint).with_allow_http(plain);
        options.insert("aws_endpoint".to_owned(), endpoint.clone());
        options.insert("allow_http".to_owned(), plain.to_string());
    }
    if let Some(keys) = keys {
        builder =
            builder.with_access_key_id(&keys.access_key_id).with_secret_access_key(&keys.secret_access_key);
        if let Some(token) = &keys.session_token {
            builder = builder.with_token(token);
        }
        options.extend(keys.clone().options());
    } else {
        // Without this the library would ask the metadata service for keys.
        builder = builder.with_skip_signature(true);
        options.insert("aws_skip_signature".to_owned(), "true".to_owned());
    }
    Ok(Backend {
        uri: uri(&address.root)?,
        store: Arc::new(builder.build().map_err(Error::Store)?),
        base: prefix.to_owned(),
        place: Place::S3,
        options,
    })
}
