//! What stands between the socket and a handler: health, layers, and how problems are written.

use std::sync::Arc;

use axum::Router;
use axum::routing::MethodRouter;

use crate::router::{Route, Surface, Who};
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![Route::on(http::Method::GET, Surface::Open, "/healthz", Who::Anyone, healthz)]
}

async fn healthz() -> &'static str {
    "ok"
}

/// Wraps one route: audience, body limit, error shape.
pub fn guard(_app: &Arc<App>, _route: &Route, handler: MethodRouter<Arc<App>>) -> MethodRouter<Arc<App>> {
    handler
}

/// Wraps the whole router: request id, security headers, cross-site check, limits.
pub fn wrap(_app: &Arc<App>, router: Router<Arc<App>>) -> Router<Arc<App>> {
    router
}
