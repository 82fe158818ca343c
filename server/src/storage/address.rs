//! Which addresses this server may connect to for storages: checked when one is added, and at every
//! connection, so that a name that changes its answer leads nowhere new.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use object_store::ClientOptions;
use object_store::client::{HttpClient, HttpConnector};
use url::{Host, Url};

use super::Error;

/// The rule that configuration sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    /// Loopback and private addresses may be used.
    pub(super) allow_private: bool,
}

impl Rule {
    /// Why an address may not be used; none: it may.
    pub(super) fn refusal(self, ip: IpAddr) -> Option<&'static str> {
        let v4 = match ip {
            IpAddr::V4(v4) => Some(v4),
            IpAddr::V6(v6) => embedded(v6),
        };
        let (never, private) = match (v4, ip) {
            (Some(v4), _) => (never_v4(v4), private_v4(v4)),
            (None, IpAddr::V6(v6)) => (never_v6(v6), private_v6(v6)),
            (None, IpAddr::V4(_)) => (true, false),
        };
        if never {
            Some("link-local, metadata, multicast and unspecified addresses are never used")
        } else if private && !self.allow_private {
            Some("loopback and private addresses are not allowed by this server's configuration")
        } else {
            None
        }
    }

    /// A checked endpoint: http or https, a host, nothing after it, and an address that may be used.
    pub(super) async fn endpoint(self, field: &'static str, text: &str) -> Result<Url, Error> {
        let invalid = |rule: &str| Error::Invalid { field, rule: rule.to_owned() };
        let url = Url::parse(text).map_err(|_| invalid("Use a URL such as https://s3.example.org"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(invalid("Use http or https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid("Put the keys into their own fields, not into the URL"));
        }
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(invalid("Use scheme, host and port only"));
        }
        let ips = match url.host() {
            Some(Host::Ipv4(ip)) => vec![IpAddr::V4(ip)],
            Some(Host::Ipv6(ip)) => vec![IpAddr::V6(ip)],
            Some(Host::Domain(name)) => {
                resolve(name).await.map_err(|_| invalid("This host was not found"))?
            }
            None => return Err(invalid("Use a URL with a host")),
        };
        match ips.into_iter().find_map(|ip| self.refusal(ip)) {
            Some(why) => Err(invalid(&format!("This address may not be used: {why}"))),
            None => Ok(url),
        }
    }
}

/// An IPv4 address inside an IPv6 one: mapped, or translated by NAT64.
fn embedded(v6: Ipv6Addr) -> Option<Ipv4Addr> {
    let octets = v6.octets();
    let nat64 = octets.starts_with(&[0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]);
    let last = Ipv4Addr::new(octets[12], octets[13], octets[14], octets[15]);
    v6.to_ipv4_mapped().or_else(|| nat64.then_some(last))
}

fn never_v4(ip: Ipv4Addr) -> bool {
    // Metadata services outside the link-local range.
    let metadata = [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(168, 63, 129, 16)];
    ip.is_link_local()
        || ip.is_multicast()
        || ip.is_broadcast()
        || ip.octets()[0] == 0
        || metadata.contains(&ip)
}

fn private_v4(ip: Ipv4Addr) -> bool {
    let [first, second, ..] = ip.octets();
    ip.is_loopback() || ip.is_private() || (first == 100 && (64..128).contains(&second))
}

fn never_v6(ip: Ipv6Addr) -> bool {
    let metadata = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
    ip.is_unicast_link_local() || ip.is_multicast() || ip.is_unspecified() || ip == metadata
}

fn private_v6(ip: Ipv6Addr) -> bool {
    ip.is_loopback() || ip.is_unique_local()
}

async fn resolve(name: &str) -> std::io::Result<Vec<IpAddr>> {
    let ips: Vec<IpAddr> = tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect();
    if ips.is_empty() { Err(std::io::ErrorKind::NotFound.into()) } else { Ok(ips) }
}

/// Connects an object store under the rule: no proxy, no redirects, each name resolved once for a
/// connection and refused when any of its addresses is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Connector(pub(super) Rule);

impl Connector {
    /// A client under the rule, its time limits still to be set.
    pub(super) fn builder(self) -> reqwest::ClientBuilder {
        reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .dns_resolver(Arc::new(self))
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = self
            .builder()
            .connect_timeout(std::time::Duration::from_secs(5))
            .read_timeout(std::time::Duration::from_secs(30))
            .build()
            .map_err(|source| object_store::Error::Generic { store: "S3", source: Box::new(source) })?;
        Ok(HttpClient::new(client))
    }
}

impl reqwest::dns::Resolve for Connector {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let rule = self.0;
        Box::pin(async move {
            let ips = resolve(name.as_str()).await?;
            if let Some(why) = ips.iter().find_map(|ip| rule.refusal(*ip)) {
                return Err(why.into());
            }
            let addresses = ips.into_iter().map(|ip| SocketAddr::new(ip, 0));
            Ok(Box::new(addresses) as reqwest::dns::Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRICT: Rule = Rule { allow_private: false };
    const LOOSE: Rule = Rule { allow_private: true };

    #[test]
    fn metadata_and_link_local_are_never_reached_and_private_only_when_allowed() {
        for never in [
            "169.254.169.254",
            "fe80::1",
            "fd00:ec2::254",
            "100.100.100.200",
            "0.0.0.0",
            "::",
            "224.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
        ] {
            let ip: IpAddr = never.parse().unwrap();
            assert!(LOOSE.refusal(ip).is_some() && STRICT.refusal(ip).is_some(), "{never}");
        }
        for private in ["127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "100.64.0.1", "::1", "fd12::1"]
        {
            let ip: IpAddr = private.parse().unwrap();
            assert!(LOOSE.refusal(ip).is_none() && STRICT.refusal(ip).is_some(), "{private}");
        }
        for public in ["8.8.8.8", "2606:4700::1111", "172.32.0.1", "100.128.0.1"] {
            assert!(STRICT.refusal(public.parse().unwrap()).is_none(), "{public}");
        }
    }

    #[tokio::test]
    async fn endpoints_are_scheme_host_and_port_only() {
        for good in ["http://127.0.0.1:8333", "https://127.0.0.1/"] {
            assert!(LOOSE.endpoint("endpoint", good).await.is_ok(), "{good}");
            assert!(STRICT.endpoint("endpoint", good).await.is_err(), "{good}");
        }
        for bad in [
            "ftp://127.0.0.1",
            "file:///etc/passwd",
            "http://user:secret@127.0.0.1",
            "http://127.0.0.1/bucket",
            "http://127.0.0.1?x=1",
            "http://169.254.169.254",
            "http://[::ffff:169.254.169.254]",
            "http://2852039166",
            "not a url",
        ] {
            assert!(LOOSE.endpoint("endpoint", bad).await.is_err(), "{bad}");
        }
    }
}
