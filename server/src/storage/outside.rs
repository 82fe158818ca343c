//! Places and addresses that are not a storage's own: those that an attached catalog names. They pass the
//! same rules, and are opened only where an admin said so.

use std::collections::BTreeMap;
use std::time::Duration;

use lakeglass_ports::{Grant, TableLocation};
use url::{Host, Url};

use super::address::Connector;
use super::s3::{self, Address, Keys};
use super::{Error, Storages, relative};

/// How long a connection to an attached catalog may take.
const CONNECT: Duration = Duration::from_secs(5);

/// Spellings of the endpoint among vended options.
const ENDPOINTS: [&str; 4] = ["aws_endpoint", "endpoint", "aws_endpoint_url", "endpoint_url"];

impl Storages {
    /// A checked URL of a service: http or https, a host that may be reached, no keys, query or fragment;
    /// a path is fine.
    pub(crate) async fn check_url(&self, field: &'static str, text: &str) -> Result<Url, Error> {
        let invalid = |rule: &str| Error::Invalid { field, rule: rule.to_owned() };
        let url =
            Url::parse(text.trim()).map_err(|_| invalid("Use a URL such as https://lake.example.org"))?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err(invalid("Use a URL without a query"));
        }
        let mut origin = url.clone();
        origin.set_path("");
        self.inner.rule.endpoint(field, origin.as_str()).await?;
        Ok(url)
    }

    /// A client that connects under the address rule: no proxy, no redirects, names resolved and checked at
    /// every connection. Its requests have no time limit of their own.
    pub(crate) fn http(&self) -> reqwest::Result<reqwest::Client> {
        let connector = Connector(self.inner.rule);
        connector.builder().connect_timeout(CONNECT).build()
    }

    /// Refuses a URL whose host is an address that may not be used: those are never resolved.
    pub(crate) fn check_literal(&self, url: &Url) -> Result<(), Error> {
        let ip = match url.host() {
            Some(Host::Ipv4(ip)) => ip.into(),
            Some(Host::Ipv6(ip)) => ip.into(),
            Some(Host::Domain(_)) => return Ok(()),
            None => return Err(Error::Address("it has no host".to_owned())),
        };
        match self.inner.rule.refusal(ip) {
            Some(why) => Err(Error::Address(why.to_owned())),
            None => Ok(()),
        }
    }

    /// The place that a URI names inside a storage, opened with the storage's keys; none when it is not
    /// below its root. The grant is the place itself.
    pub(crate) async fn locate_uri(
        &self,
        storage_id: i64,
        uri: &str,
    ) -> Result<Option<TableLocation>, Error> {
        let Ok(below) = relative::below(&self.uri(storage_id, "").await?, uri) else { return Ok(None) };
        self.backend(storage_id).await?.locate(&below, &below).await.map(Some)
    }

    /// A place in an object store, opened by what an attached catalog vended for it: only below `roots`,
    /// and only by one of `endpoints`, whose address is checked each time.
    pub(crate) async fn locate_vended(
        &self,
        uri: &str,
        vended: &BTreeMap<String, String>,
        roots: &[String],
        endpoints: &[String],
    ) -> Result<Option<TableLocation>, Error> {
        let uri = uri.trim_end_matches('/');
        let Some((bucket, _)) = uri.strip_prefix("s3://").and_then(|rest| rest.split_once('/')) else {
            return Ok(None);
        };
        if !roots.iter().any(|root| Grant::new(root).covers(uri)) {
            return Ok(None);
        }
        let endpoint =
            ENDPOINTS.iter().find_map(|key| vended.get(*key)).map(|text| text.trim_end_matches('/'));
        if let Some(endpoint) = endpoint {
            if !endpoints.iter().any(|granted| granted.trim_end_matches('/') == endpoint) {
                return Ok(None);
            }
            let checked = self.inner.rule.endpoint("endpoints", endpoint).await;
            checked.map_err(|error| Error::Address(error.to_string()))?;
        }
        let below = relative::below(&format!("s3://{bucket}"), uri)?;
        let (above, leaf) = below.rsplit_once('/').unwrap_or(("", &below));
        let find = |names: &[&str]| names.iter().find_map(|name| vended.get(*name)).cloned();
        let address = Address {
            endpoint: endpoint.map(str::to_owned),
            region: find(&["aws_region", "region"]),
            path_style: find(&["aws_virtual_hosted_style_request"]).is_none_or(|text| text != "true"),
            root: relative::join(bucket, above),
        };
        let id = find(&["aws_access_key_id", "access_key_id"]);
        let secret = find(&["aws_secret_access_key", "secret_access_key"]);
        let session_token = find(&["aws_session_token", "session_token"]);
        let keys = id.zip(secret).map(|(access_key_id, secret_access_key)| Keys {
            access_key_id,
            secret_access_key,
            session_token,
        });
        let backend = s3::open(&address, keys.as_ref(), self.inner.rule)?;
        backend.locate(leaf, leaf).await.map(Some)
    }
}
