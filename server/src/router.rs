//! One table of routes: it builds the router, feeds the security tests and the OpenAPI document.
//!
//! Each capability lists its routes in `routes()`; [`table`] joins them. A handler is reached only
//! through its row here, so a path, method, audience or body limit cannot be missed by a test.

use std::sync::Arc;

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

/// The router over the whole table, layers included.
pub fn build(app: &Arc<App>) -> Router {
    let mut router = Router::new();
    for route in table() {
        let handler = crate::edge::guard(app, &route, route.handler.clone());
        router = router.route(route.path, handler);
    }
    crate::edge::wrap(app, router).with_state(Arc::clone(app))
}
