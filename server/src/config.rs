//! What the command line, environment and `lakeglass.toml` decide, already merged and checked.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use url::Url;

/// A setting that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    #[error("--public-url must start with http:// or https://")]
    Scheme,
    #[error(
        "--public-url is an origin, such as {0}, without a path: the console, its cookies and the clients' \
         endpoint start at the root of a host. Give this server a host name of its own"
    )]
    Path(String),
    #[error("--public-url holds no user or password. Use {0}")]
    User(String),
}

/// Settings of one server process.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the command line")]
pub struct Config {
    /// Folder of the database, the secrets' key, spools and the default local storage.
    pub data: PathBuf,
    pub listen: SocketAddr,
    /// The origin that people and clients use; none: the request's own Host, on loopback only.
    pub public_url: Option<Url>,
    /// Plain HTTP away from loopback was explicitly allowed.
    pub insecure_http: bool,
    /// Load the demo data after the first start.
    pub demo: bool,
    /// Folder of the browser bundle (hashed files and `assets.json`).
    pub assets: PathBuf,
    /// Largest Arrow body accepted, in bytes.
    pub max_arrow_bytes: u64,
    /// Local folders under which storages may be made, besides the one inside `data`.
    pub storage_roots: Vec<PathBuf>,
    /// Private and loopback addresses that storages and upstreams may use.
    pub allow_private_addresses: bool,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpAddr>,
    /// `/metrics` without signing in.
    pub open_metrics: bool,
    /// Steady rate of one principal, and of one address without one; four times as many in a burst.
    pub requests_per_second: u32,
    /// Requests of one principal at a time.
    pub concurrent_requests: usize,
    /// Minutes between two sweeps of observations; 0: none.
    pub sweep_minutes: u32,
}

impl Config {
    /// Metadata bodies, in bytes.
    pub const MAX_JSON_BYTES: usize = 1 << 20;

    /// Defaults for a data folder: loopback, no demo, Arrow bodies up to 1 GiB.
    pub fn for_data(data: PathBuf) -> Self {
        Self {
            data,
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            public_url: None,
            insecure_http: false,
            demo: false,
            assets: PathBuf::from("assets"),
            max_arrow_bytes: 1 << 30,
            storage_roots: Vec::new(),
            allow_private_addresses: true,
            trusted_proxies: Vec::new(),
            open_metrics: false,
            requests_per_second: 200,
            concurrent_requests: 64,
            sweep_minutes: 15,
        }
    }

    /// What no server may run with, in words for whoever started it.
    pub fn check(&self) -> Result<(), Wrong> {
        let Some(url) = &self.public_url else { return Ok(()) };
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Wrong::Scheme);
        }
        let origin = url.origin().ascii_serialization();
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err(Wrong::Path(origin));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Wrong::User(origin));
        }
        Ok(())
    }

    /// Browsers reach this server by https: cookies are bound to it.
    pub fn is_https(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.scheme() == "https")
    }

    /// The origin that people and clients use, without a slash at its end.
    pub fn origin(&self) -> String {
        match &self.public_url {
            Some(url) => url.origin().ascii_serialization(),
            None => format!("http://{}", self.listen),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_is_an_origin_and_nothing_more() {
        let check = |url: &str| {
            let mut config = Config::for_data("/nowhere".into());
            config.public_url = Some(Url::parse(url).unwrap());
            config.check()
        };
        let origin = "https://lake.example.com:8443".to_owned();
        for good in ["https://lake.example.com", "http://127.0.0.1:8080/", "https://lake.example.com:8443"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for path in ["/console", "/console/", "/?a=b", "/#x"] {
            assert_eq!(check(&format!("{origin}{path}")), Err(Wrong::Path(origin.clone())), "{path}");
        }
        assert_eq!(check("https://me:secret@lake.example.com:8443"), Err(Wrong::User(origin)));
        assert_eq!(check("ftp://lake.example.com"), Err(Wrong::Scheme));
    }
}
