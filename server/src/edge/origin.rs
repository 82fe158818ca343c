//! Which hosts this server answers as, and that changes come from its own pages.

use http::{HeaderMap, Method, Request, StatusCode, header};
use url::Url;

use crate::config::Config;
use crate::problem::Problem;

/// Refuses a request for another host: against rebinding of names, and plain HTTP away from loopback.
pub(super) fn check_host<B>(config: &Config, request: &Request<B>) -> Result<(), Problem> {
    if config.insecure_http {
        return Ok(());
    }
    let Some(host) = host(request) else {
        return Err(Problem::invalid("The request has no Host header"));
    };
    if is_loopback(host) {
        return Ok(());
    }
    match &config.public_url {
        Some(url) if host.eq_ignore_ascii_case(&authority(url)) => Ok(()),
        Some(url) => Err(Problem::new(
            StatusCode::MISDIRECTED_REQUEST,
            "wrong-host",
            format!(
                "This server answers as {}. Use that address, or start it with another --public-url",
                url.origin().ascii_serialization()
            ),
        )),
        None => Err(Problem::new(
            StatusCode::MISDIRECTED_REQUEST,
            "plain-http",
            "Away from this machine Lakeglass needs https. Put a proxy with TLS before it and start it with \
             --public-url https://…, or allow plain HTTP with --insecure-http",
        )),
    }
}

/// Refuses changes that another site asks for with this browser's cookies.
pub(super) fn check_site<B>(config: &Config, request: &Request<B>) -> Result<(), Problem> {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(());
    }
    let headers = request.headers();
    let cookie = headers.contains_key(header::COOKIE);
    if !cookie && crate::auth::token(headers).is_some() {
        return Ok(());
    }
    let allowed = match (text(headers, "sec-fetch-site"), text(headers, "origin")) {
        (Some(site), _) => site == "same-origin" || site == "none",
        (None, Some(origin)) => is_own_origin(config, host(request), origin),
        (None, None) => !cookie,
    };
    if allowed {
        Ok(())
    } else {
        Err(Problem::new(
            StatusCode::FORBIDDEN,
            "cross-site",
            "This change was asked for by another site, so it was refused. Open the page here and try again",
        ))
    }
}

fn is_own_origin(config: &Config, host: Option<&str>, origin: &str) -> bool {
    let Ok(origin) = Url::parse(origin) else { return false };
    if config.public_url.as_ref().is_some_and(|url| url.origin() == origin.origin()) {
        return true;
    }
    // Without a public URL, and on loopback beside one, the request's own host is the origin.
    let usable =
        host.filter(|host| is_loopback(host) || (config.public_url.is_none() && config.insecure_http));
    usable
        .and_then(|host| Url::parse(&format!("http://{host}")).ok())
        .is_some_and(|own| own.origin() == origin.origin())
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    // What is not text is not one of the values that are allowed.
    headers.get(name).map(|value| value.to_str().unwrap_or("unreadable"))
}

/// The authority of an absolute target, else the Host header.
fn host<B>(request: &Request<B>) -> Option<&str> {
    let target = request.uri().authority().map(http::uri::Authority::as_str);
    target.or_else(|| request.headers().get(header::HOST)?.to_str().ok())
}

/// Host and port as browsers send them: no port when it is the scheme's own.
fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// `localhost`, names below it, `127.0.0.0/8` and `::1`, with or without a port.
pub fn is_loopback(host: &str) -> bool {
    let Ok(url) = Url::parse(&format!("http://{host}")) else { return false };
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(public_url: Option<&str>, insecure_http: bool) -> Config {
        let mut config = Config::for_data("/nowhere".into());
        config.public_url = public_url.map(|url| url.parse().unwrap());
        config.insecure_http = insecure_http;
        config
    }

    fn post(headers: &[(&'static str, &str)]) -> Request<()> {
        let request = Request::builder().method(Method::POST).uri("/buckets");
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)).body(()).unwrap()
    }

    #[test]
    fn plain_http_is_for_loopback_unless_allowed() {
        let ask = |config: &Config, host: &str| check_host(config, &post(&[("host", host)])).is_ok();
        let plain = config(None, false);
        for host in ["localhost:8080", "127.0.0.1", "[::1]:8080", "a.localhost"] {
            assert!(ask(&plain, host), "{host}");
        }
        for host in
            ["lake.example.com", "192.168.1.5:8080", "localhost.evil.example", "127.0.0.1.evil.example", ""]
        {
            assert!(!ask(&plain, host), "{host}");
        }
        assert!(ask(&config(None, true), "192.168.1.5:8080"));
        let public = config(Some("https://lake.example.com"), false);
        assert!(ask(&public, "lake.example.com"));
        assert!(ask(&public, "LAKE.example.com"));
        assert!(!ask(&public, "other.example.com"));
    }

    #[test]
    fn changes_come_from_own_pages_or_bear_a_token() {
        let public = config(Some("https://lake.example.com"), false);
        let local = config(None, false);
        let ask =
            |config: &Config, headers: &[(&'static str, &str)]| check_site(config, &post(headers)).is_ok();
        let cookie = ("cookie", "a=b");
        for (site, allowed) in
            [("same-origin", true), ("none", true), ("same-site", false), ("cross-site", false)]
        {
            assert_eq!(ask(&public, &[("sec-fetch-site", site), cookie]), allowed, "{site}");
        }
        assert!(ask(&public, &[("origin", "https://lake.example.com"), cookie]));
        assert!(!ask(&public, &[("origin", "https://evil.example"), cookie]));
        assert!(!ask(&public, &[("origin", "null"), cookie]));
        assert!(!ask(&public, &[("origin", "http://lake.example.com"), cookie]));
        assert!(!ask(&public, &[cookie]), "neither header, with a cookie");
        assert!(ask(&public, &[]), "neither header, no cookie");
        assert!(ask(&local, &[("host", "127.0.0.1:1"), ("origin", "http://127.0.0.1:1"), cookie]));
        assert!(!ask(&local, &[("host", "127.0.0.1:1"), ("origin", "http://127.0.0.1:2"), cookie]));
        let bearer = ("authorization", "Bearer lg_x");
        assert!(ask(&public, &[bearer, ("sec-fetch-site", "cross-site")]));
        assert!(!ask(&public, &[bearer, cookie, ("sec-fetch-site", "cross-site")]));
        assert!(!ask(&public, &[("sec-fetch-site", "cross-site")]), "sign-in from another site");
    }
}
