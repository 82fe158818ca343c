//! Prometheus metrics of the edge, and the recorder behind `/metrics`.

use std::sync::OnceLock;
use std::time::Duration;

use axum::response::Response;
use http::Method;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

use super::guard::Pattern;
use crate::router::Surface;

static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();

const DURATION: &str = "http_request_duration_seconds";

/// Installs the process's recorder; once, by the binary.
pub fn install() -> Result<(), BuildError> {
    let buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 15.0];
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full(DURATION.to_owned()), &buckets)?
        .install_recorder()?;
    metrics::describe_counter!("http_requests_total", "Requests answered, by route, method and status");
    metrics::describe_histogram!(DURATION, "Time until the head of the answer, by surface");
    if HANDLE.set(handle).is_err() {
        tracing::warn!("Metrics were already installed");
    }
    Ok(())
}

/// Everything recorded, in Prometheus text.
pub(super) fn text() -> String {
    HANDLE
        .get()
        .map(|handle| {
            handle.run_upkeep();
            handle.render()
        })
        .unwrap_or_default()
}

pub(super) fn record(response: &Response, method: &Method, surface: Surface, took: Duration) {
    // Only known routes and methods: labels must not grow with what strangers ask for.
    let route = response.extensions().get::<Pattern>().map_or("none", |pattern| pattern.0);
    let method = match method.as_str() {
        known @ ("GET" | "HEAD" | "POST" | "PUT" | "DELETE" | "PATCH") => known.to_owned(),
        _ => "other".to_owned(),
    };
    let status = response.status().as_u16().to_string();
    let surface = match surface {
        Surface::Page => "page",
        Surface::Api => "api",
        Surface::Namespace => "namespace",
        Surface::Open => "open",
    };
    metrics::counter!("http_requests_total", "route" => route, "method" => method, "status" => status)
        .increment(1);
    metrics::histogram!(DURATION, "surface" => surface).record(took.as_secs_f64());
}
