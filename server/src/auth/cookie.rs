//! The session cookie: its name, its marks, and finding it in a request.

use http::{HeaderMap, HeaderValue, header};

/// How cookies are named and marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CookieRules {
    /// Browsers reach this server by https.
    pub secure: bool,
}

impl CookieRules {
    /// `__Host-` binds the cookie to https and this host; browsers refuse that name on plain HTTP.
    pub fn name(self) -> &'static str {
        if self.secure { "__Host-lakeglass" } else { "lakeglass" }
    }

    /// `Set-Cookie` for a session.
    pub fn set(self, secret: &str) -> HeaderValue {
        self.header(secret, "")
    }

    /// `Set-Cookie` that removes it.
    pub fn clear(self) -> HeaderValue {
        self.header("", "; Max-Age=0")
    }

    fn header(self, value: &str, rest: &str) -> HeaderValue {
        let secure = if self.secure { "; Secure" } else { "" };
        let text = format!("{}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{rest}", self.name());
        // Names and secrets are plain ASCII, so this never falls back.
        HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
    }

    /// The cookie's value in a request. Two of that name are as good as none: someone added one.
    pub fn find(self, headers: &HeaderMap) -> Option<&str> {
        let mut found = cookies(headers).filter(|(name, _)| *name == self.name()).map(|(_, value)| value);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }
}

/// Every cookie of a request, `(name, value)`.
pub(crate) fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_host_bound_under_https_and_plain_on_loopback() {
        let secure = CookieRules { secure: true }.set("v");
        assert_eq!(secure, "__Host-lakeglass=v; Path=/; HttpOnly; SameSite=Lax; Secure");
        let plain = CookieRules { secure: false }.clear();
        assert_eq!(plain, "lakeglass=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
    }

    #[test]
    fn a_cookie_is_found_among_others_and_a_doubled_one_is_not() {
        let rules = CookieRules { secure: false };
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=1; lakeglass=secret;b=2"));
        assert_eq!(rules.find(&headers), Some("secret"));
        assert_eq!(CookieRules { secure: true }.find(&headers), None);
        headers.append(header::COOKIE, HeaderValue::from_static("lakeglass=other"));
        assert_eq!(rules.find(&headers), None);
    }
}
