//! Security headers on every response. A handler that set one of them itself keeps it.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::context::{Nonce, RequestContext};

const FIXED: [(HeaderName, &str); 4] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

pub(super) fn policy(nonce: &Nonce) -> String {
    let nonce = &nonce.0;
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic' 'wasm-unsafe-eval'; \
         style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; media-src 'self'; connect-src 'self'; \
         font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
    )
}

pub(super) fn add(headers: &mut HeaderMap, context: &RequestContext, nonce: &Nonce, https: bool) {
    for (name, value) in FIXED {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if https {
        let value = HeaderValue::from_static("max-age=31536000");
        headers.entry(header::STRICT_TRANSPORT_SECURITY).or_insert(value);
    }
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY)
        && let Ok(value) = HeaderValue::try_from(policy(nonce))
    {
        headers.insert(header::CONTENT_SECURITY_POLICY, value);
    }
    // Pages and answers depend on who asks; only what says otherwise may be kept.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if let Ok(value) = HeaderValue::try_from(&context.id) {
        headers.insert("x-request-id", value);
    }
}
