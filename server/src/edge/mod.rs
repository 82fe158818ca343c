//! What stands between the socket and a handler: request ids, limits, authentication, the checks
//! against other sites, security headers, and how problems are written.

mod assets;
mod body;
mod context;
mod guard;
mod headers;
mod health;
mod metrics;
mod origin;
mod outer;
mod rates;
mod readiness;
mod render;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::MethodRouter;
use http::header;
use tower_http::compression::CompressionLayer;

pub use assets::Assets;
pub use context::{Nonce, RequestContext, Theme};
pub use metrics::install as install_metrics;
pub use origin::is_loopback;
pub use readiness::Readiness;
pub use render::ErrorView;

use crate::config::Config;
use crate::router::Route;
use crate::state::App;

/// Why the edge cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("The assets' list {0} is not valid. Build the browser bundle again")]
    Assets(String, #[source] serde_json::Error),
}

/// What the layers keep between requests.
#[derive(Debug)]
pub struct Edge {
    pub assets: Assets,
    pub readiness: Readiness,
    rates: rates::Rates,
}

impl Edge {
    pub fn new(config: &Config) -> Result<Self, OpenError> {
        Ok(Self {
            assets: Assets::open(&config.assets)?,
            readiness: Readiness::default(),
            rates: rates::Rates::new(config.requests_per_second, config.concurrent_requests),
        })
    }
}

pub fn routes() -> Vec<Route> {
    [health::routes(), assets::routes()].concat()
}

/// Wraps one route: method, audience, rate, body limit, error shape.
pub fn guard(app: &Arc<App>, route: &Route, handler: MethodRouter<Arc<App>>) -> MethodRouter<Arc<App>> {
    let state = guard::GuardState::new(app, route);
    handler.layer(axum::middleware::from_fn_with_state(state, guard::guard))
}

/// Wraps the whole router: request id, span, panics, host and cross-site checks, security headers,
/// problems, compression.
pub fn wrap(app: &Arc<App>, router: Router<Arc<App>>) -> Router<Arc<App>> {
    let compression = CompressionLayer::new().gzip(true).br(true).compress_when(
        |_: http::StatusCode, _: http::Version, headers: &http::HeaderMap, _: &http::Extensions| {
            headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(|kind| {
                kind.starts_with("text/html")
                    || kind.starts_with("application/json")
                    || kind.starts_with("application/problem+json")
            })
        },
    );
    router
        .fallback(outer::no_route)
        .layer(DefaultBodyLimit::disable())
        .layer(axum::middleware::from_fn_with_state(Arc::clone(app), outer::outer))
        .layer(compression)
}
