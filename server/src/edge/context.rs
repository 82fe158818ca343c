//! What each request carries from its first moment.

use std::net::IpAddr;

use axum::extract::ConnectInfo;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use http::{HeaderMap, Request};

use crate::config::Config;
use crate::serve::Peer;

/// The value that scripts and styles of this response must carry. A request extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nonce(pub String);

/// Identity of a request. An extension.
#[derive(Debug, Clone)]
pub struct RequestContext {
    /// Ours, or the client's `x-request-id` when it is short and plain.
    pub id: String,
    /// Where it comes from, behind trusted proxies too.
    pub address: Option<IpAddr>,
}

/// The look a person chose, by cookie; none: their system's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    Light,
    Dark,
}

impl Theme {
    /// Name of the cookie; its value is `light` or `dark`.
    pub const COOKIE: &str = "lakeglass-theme";

    pub fn of(headers: &HeaderMap) -> Option<Self> {
        match crate::auth::cookies(headers).find(|(name, _)| *name == Self::COOKIE)?.1 {
            "light" => Some(Self::Light),
            "dark" => Some(Self::Dark),
            _ => None,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

impl Nonce {
    pub(super) fn new() -> Self {
        let mut bytes = [0; 18];
        // Without randomness there is no safe page: scripts then stay off.
        if getrandom::fill(&mut bytes).is_err() {
            return Self(uuid::Uuid::new_v4().simple().to_string());
        }
        Self(STANDARD_NO_PAD.encode(bytes))
    }
}

impl RequestContext {
    pub(super) fn of<B>(config: &Config, request: &Request<B>) -> Self {
        let sent = request.headers().get("x-request-id").and_then(|value| value.to_str().ok());
        let id = sent
            .filter(|id| (1..=64).contains(&id.len()))
            .filter(|id| id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b)))
            .map_or_else(|| uuid::Uuid::now_v7().simple().to_string(), str::to_owned);
        let peer = request.extensions().get::<ConnectInfo<Peer>>().map(|info| info.0.0.ip().to_canonical());
        Self { id, address: forwarded(config, peer, request.headers()) }
    }
}

/// The last address in `X-Forwarded-For` that is not a trusted proxy, when a trusted one sent it.
fn forwarded(config: &Config, peer: Option<IpAddr>, headers: &HeaderMap) -> Option<IpAddr> {
    let trusted = |address: IpAddr| config.trusted_proxies.contains(&address);
    let peer = peer.filter(|peer| trusted(*peer)).map_or_else(|| Err(peer), Ok);
    let proxy = match peer {
        Ok(proxy) => proxy,
        Err(direct) => return direct,
    };
    let hops: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(','))
        .collect();
    for hop in hops.iter().rev() {
        match hop.trim().parse::<IpAddr>() {
            Ok(address) if trusted(address.to_canonical()) => {}
            Ok(address) => return Some(address.to_canonical()),
            Err(_) => break,
        }
    }
    Some(proxy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(proxies: &[&str], peer: &str, forwarded_for: &str) -> Option<String> {
        let mut config = Config::for_data("/nowhere".into());
        config.trusted_proxies = proxies.iter().map(|text| text.parse().unwrap()).collect();
        let peer: IpAddr = peer.parse().unwrap();
        let request = Request::builder()
            .header("x-forwarded-for", forwarded_for)
            .extension(ConnectInfo(Peer(std::net::SocketAddr::new(peer, 1))))
            .body(())
            .unwrap();
        RequestContext::of(&config, &request).address.map(|address| address.to_string())
    }

    #[test]
    fn only_trusted_proxies_say_where_a_request_comes_from() {
        assert_eq!(address(&[], "10.0.0.1", "1.2.3.4").as_deref(), Some("10.0.0.1"));
        assert_eq!(address(&["10.0.0.1"], "10.0.0.1", "6.6.6.6, 1.2.3.4").as_deref(), Some("1.2.3.4"));
        assert_eq!(
            address(&["10.0.0.1", "10.0.0.2"], "10.0.0.1", "1.2.3.4,10.0.0.2").as_deref(),
            Some("1.2.3.4")
        );
        assert_eq!(address(&["10.0.0.1"], "10.0.0.1", "junk").as_deref(), Some("10.0.0.1"));
    }

    #[test]
    fn a_request_id_is_kept_when_plain_and_replaced_when_not() {
        let config = Config::for_data("/nowhere".into());
        let id = |sent: &str| {
            let request = Request::builder().header("x-request-id", sent).body(()).unwrap();
            RequestContext::of(&config, &request).id
        };
        assert_eq!(id("client-7.a"), "client-7.a");
        assert_eq!(id("a b").len(), 32);
        assert_eq!(id(&"x".repeat(65)).len(), 32);
    }
}
