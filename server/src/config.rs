//! What the command line, environment and `lakeglass.toml` decide, already merged and checked.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use url::Url;

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
