//! `/healthz`, `/readyz` and `/metrics`.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use http::{Method, StatusCode, header};
use lakeglass_api::Role;

use super::metrics;
use crate::router::{Route, Surface, Who};
use crate::state::App;

/// Open to anyone when the configuration says so.
pub(super) const METRICS: &str = "/metrics";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::on(Method::GET, Surface::Open, "/healthz", Who::Anyone, healthz),
        Route::on(Method::GET, Surface::Open, "/readyz", Who::Anyone, readyz),
        Route::on(Method::GET, Surface::Open, METRICS, Who::Server(Role::Viewer), prometheus),
    ]
}

/// The process answers.
async fn healthz() -> &'static str {
    "ok"
}

/// The process can serve, or what it waits for.
async fn readyz(State(app): State<Arc<App>>) -> (StatusCode, String) {
    let mut waiting = app.edge.readiness.waiting();
    let question = sqlx::query_scalar::<_, i64>("SELECT 1").fetch_one(&app.db.read);
    if !matches!(tokio::time::timeout(Duration::from_secs(2), question).await, Ok(Ok(1))) {
        waiting.push("database");
    }
    if app.audit.is_failing() {
        waiting.push("audit log");
    }
    if waiting.is_empty() {
        (StatusCode::OK, "ready".to_owned())
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, format!("waiting for: {}", waiting.join(", ")))
    }
}

/// Prometheus text.
async fn prometheus() -> ([(header::HeaderName, &'static str); 1], String) {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], metrics::text())
}
