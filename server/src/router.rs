//! One table of routes: it builds the router, feeds the security tests and the OpenAPI document.
//!
//! Each capability lists its routes in `routes()`; [`table`] joins them. A handler is reached only
//! through its row here, so a path, method, audience or body limit cannot be missed by a test.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::routing::MethodRouter;
use http::Method;
use lakeglass_api::Role;

use crate::state::App;

/// Who may reach a route at all. Services check the object besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// No session needed: health, sign-in, assets.
    Anyone,
    /// Any principal; what it sees depends on its grants.
    SignedIn,
    /// At least this role on the server.
    Server(Role),
    /// At least this role on the bucket named in the path.
    Bucket(Role),
}

/// How errors are written, and how the caller proves who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// HTML for people, by session cookie.
    Page,
    /// JSON under `/api/v1`, by session cookie or token.
    Api,
    /// The Lance Namespace REST specification under `/lance`, by token (or session).
    Namespace,
    /// Health, metrics, assets.
    Open,
}

/// How large a body may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyLimit {
    /// GET and HEAD.
    None,
    /// JSON and forms: 1 MiB.
    Metadata,
    /// Arrow and imported files: the configured size.
    Data,
}

/// Gives a route's OpenAPI operation and the schemas it names.
pub type Operation = fn() -> utoipa::openapi::path::Operation;
/// Collects named schemas: `(name, schema)`.
pub type Schemas = fn(&mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::schema::Schema>)>);

/// One row of the table.
#[derive(Clone)]
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub who: Who,
    pub surface: Surface,
    pub body: BodyLimit,
    /// For the OpenAPI document; only `/api/v1` routes have it.
    pub operation: Option<(Operation, Schemas)>,
    handler: MethodRouter<Arc<App>>,
}

impl std::fmt::Debug for Route {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {:?} {:?} {:?}", self.method, self.path, self.surface, self.who, self.body)
    }
}

impl Route {
    fn new(
        method: Method,
        surface: Surface,
        path: &'static str,
        who: Who,
        handler: MethodRouter<Arc<App>>,
    ) -> Self {
        let body = if method == Method::GET { BodyLimit::None } else { BodyLimit::Metadata };
        Self { method, path, who, surface, body, operation: None, handler }
    }

    /// `GET` (and `HEAD`) of a page.
    pub fn page<H, T>(path: &'static str, who: Who, handler: H) -> Self
    where
        H: axum::handler::Handler<T, Arc<App>>,
        T: 'static,
    {
        Self::new(Method::GET, Surface::Page, path, who, axum::routing::get(handler))
    }

    /// `POST` of a form.
    pub fn form<H, T>(path: &'static str, who: Who, handler: H) -> Self
    where
        H: axum::handler::Handler<T, Arc<App>>,
        T: 'static,
    {
        Self::new(Method::POST, Surface::Page, path, who, axum::routing::post(handler))
    }

    /// Any method of any surface.
    pub fn on<H, T>(method: Method, surface: Surface, path: &'static str, who: Who, handler: H) -> Self
    where
        H: axum::handler::Handler<T, Arc<App>>,
        T: 'static,
    {
        let filter =
            axum::routing::MethodFilter::try_from(method.clone()).unwrap_or(axum::routing::MethodFilter::GET);
        Self::new(method, surface, path, who, axum::routing::on(filter, handler))
    }

    /// A route of `/api/v1`.
    pub fn api<H, T>(method: Method, path: &'static str, who: Who, handler: H) -> Self
    where
        H: axum::handler::Handler<T, Arc<App>>,
        T: 'static,
    {
        Self::on(method, Surface::Api, path, who, handler)
    }

    #[must_use]
    pub fn body(mut self, body: BodyLimit) -> Self {
        self.body = body;
        self
    }

    /// Describes the operation by the type that `#[utoipa::path]` makes beside a handler.
    #[must_use]
    pub fn doc<P: utoipa::Path + utoipa::__dev::SchemaReferences>(mut self) -> Self {
        self.operation = Some((P::operation, P::schemas));
        self
    }
}

/// Every route of the server.
pub fn table() -> Vec<Route> {
    [
        crate::edge::routes(),
        crate::openapi::routes(),
        crate::auth::routes(),
        crate::audit::routes(),
        crate::storage::routes(),
        crate::catalog::routes(),
        crate::formats::routes(),
        crate::observations::routes(),
        crate::previews::routes(),
        crate::jobs::routes(),
        crate::imports::routes(),
        crate::namespace::routes(),
        crate::console::routes(),
    ]
    .concat()
}

/// The nearest page at or above a path, which a browser can load by itself; `/` at the last. For
/// coming back to after a POST.
pub fn nearest_page(path: &str) -> &str {
    static PAGES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let pages = table().into_iter();
        let pages = pages.filter(|route| route.method == Method::GET && route.surface == Surface::Page);
        pages.map(|route| route.path).collect()
    });
    let mut at = path;
    loop {
        if PAGES.iter().any(|pattern| is_of(pattern, at)) {
            return at;
        }
        match at.rfind('/') {
            None | Some(0) => return "/",
            Some(end) => at = &at[..end],
        }
    }
}

/// Whether a path fits a route's pattern.
fn is_of(pattern: &str, path: &str) -> bool {
    let (mut wanted, mut found) = (pattern.split('/'), path.split('/'));
    loop {
        match (wanted.next(), found.next()) {
            (None, None) => return true,
            (Some(wanted), Some(found)) if wanted == found => {}
            (Some(wanted), Some(found)) if wanted.starts_with('{') && !found.is_empty() => {}
            _ => return false,
        }
    }
}

/// The router over the whole table, layers included.
pub fn build(app: &Arc<App>) -> Router {
    let mut router = Router::new();
    for route in table() {
        let handler = crate::namespace::through(app, &route, route.handler.clone());
        let handler = crate::edge::guard(app, &route, handler);
        router = router.route(route.path, handler);
    }
    crate::edge::wrap(app, router).with_state(Arc::clone(app))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bucket, namespace, table or user may have any name that its rule takes: no page of ours stands
    /// where one of them would.
    #[test]
    fn no_name_hides_behind_a_path_of_the_server() {
        let table = table();
        for fixed in &table {
            for route in table.iter().filter(|route| route.path != fixed.path) {
                assert!(!is_of(route.path, fixed.path), "{} hides what {} names", fixed.path, route.path);
            }
        }
    }

    #[test]
    fn a_post_comes_back_to_a_page() {
        for (path, page) in [
            ("/buckets/a/namespaces", "/buckets/a"),
            ("/buckets/a/ns/b/tables/t/settings/rename", "/buckets/a/ns/b/tables/t/settings"),
            ("/buckets/a/trash/7/restore", "/buckets/a/trash"),
            ("/settings/users/%3Cb%3E/grants", "/settings/users/%3Cb%3E"),
            ("/settings/sessions/password", "/settings/sessions"),
            ("/preferences", "/"),
            ("/nowhere/at/all", "/"),
            ("", "/"),
        ] {
            assert_eq!(nearest_page(path), page, "{path}");
        }
    }
}
