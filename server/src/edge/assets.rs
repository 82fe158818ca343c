//! The browser bundle: hashed files, compressed beforehand, kept by browsers for good.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Path as UrlPath, State};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderValue, Method, header};

use super::OpenError;
use crate::problem::Problem;
use crate::router::{Route, Surface, Who};
use crate::state::App;

/// Maps plain names to hashed ones.
const LIST: &str = "assets.json";

pub(super) fn routes() -> Vec<Route> {
    vec![Route::on(Method::GET, Surface::Open, "/assets/{file}", Who::Anyone, serve)]
}

/// Where the bundle is and what its files are called.
#[derive(Debug, Clone, Default)]
pub struct Assets {
    folder: PathBuf,
    names: BTreeMap<String, String>,
}

impl Assets {
    /// Reads the list of a bundle's folder. Without one the pages work, plain.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        let path = folder.join(LIST);
        let names = if let Ok(bytes) = std::fs::read(&path) {
            serde_json::from_slice(&bytes)
                .map_err(|error| OpenError::Assets(path.display().to_string(), error))?
        } else {
            tracing::warn!("There is no browser bundle at {}. Pages will be unstyled", folder.display());
            BTreeMap::new()
        };
        Ok(Self { folder: folder.to_owned(), names })
    }

    /// Address of a file by its plain name, `app.css`; none when the bundle has no such file.
    pub fn url(&self, name: &str) -> Option<String> {
        self.names.get(name).map(|hashed| format!("/assets/{hashed}"))
    }

    /// Address of the icon; without a bundle, an empty one, so that browsers ask for none.
    pub fn icon(&self) -> String {
        self.url("favicon.svg").unwrap_or_else(|| "data:,".to_owned())
    }

    fn is_hashed(&self, file: &str) -> bool {
        self.names.values().any(|name| name == file)
    }
}

async fn serve(
    State(app): State<Arc<App>>,
    UrlPath(file): UrlPath<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let assets = &app.edge.assets;
    let missing = || Problem::not_found("There is no such file");
    let plain =
        !file.starts_with('.') && file.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    if !plain || file == LIST {
        return Err(missing());
    }
    let mut found = None;
    for (encoding, ending) in [("br", ".br"), ("gzip", ".gz")] {
        if accepts(&headers, encoding) {
            let bytes = tokio::fs::read(assets.folder.join(format!("{file}{ending}"))).await;
            if let Ok(bytes) = bytes {
                found = Some((bytes, Some(encoding)));
                break;
            }
        }
    }
    let (bytes, encoding) = match found {
        Some(found) => found,
        None => (tokio::fs::read(assets.folder.join(&file)).await.map_err(|_| missing())?, None),
    };
    let mut response = bytes.into_response();
    let caching = if assets.is_hashed(&file) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type(&file)));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Some(encoding) = encoding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    Ok(response)
}

fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    headers
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(','))
        .any(|item| {
            let (name, quality) = item.split_once(';').unwrap_or((item, ""));
            let refused = quality
                .trim()
                .strip_prefix("q=")
                .is_some_and(|quality| quality.trim().parse::<f32>().is_ok_and(|quality| quality <= 0.0));
            name.trim().eq_ignore_ascii_case(encoding) && !refused
        })
}

fn content_type(file: &str) -> &'static str {
    match file.rsplit_once('.').map(|(_, ending)| ending) {
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("json" | "webmanifest") => "application/json",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_taken_as_offered() {
        let offers = |text: &'static str, encoding| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
            accepts(&headers, encoding)
        };
        assert!(offers("gzip, deflate, br", "br"));
        assert!(offers("GZIP;q=0.5", "gzip"));
        assert!(!offers("gzip;q=0, br", "gzip"));
        assert!(!offers("identity", "br"));
    }

    #[test]
    fn plain_names_lead_to_hashed_files() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Assets::open(folder.path()).unwrap().url("app.css"), None);
        std::fs::write(folder.path().join(LIST), r#"{"app.css":"app-1a.css"}"#).unwrap();
        let assets = Assets::open(folder.path()).unwrap();
        assert_eq!(assets.url("app.css").as_deref(), Some("/assets/app-1a.css"));
        assert!(assets.is_hashed("app-1a.css") && !assets.is_hashed("app.css"));
        std::fs::write(folder.path().join(LIST), "[]").unwrap();
        assert!(Assets::open(folder.path()).is_err());
    }
}
