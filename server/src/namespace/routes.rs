//! Every operation of the specification as a route, carried out or refused.

use axum::handler::Handler;
use http::Method;

use super::{
    batches, branches, changes, columns, data, indices, metadata, namespaces, query, snippets, tables, tags,
    transactions, versions, views,
};
use crate::router::{BodyLimit, Route, Surface, Who};
use crate::state::App;

/// The routes of one operation: clients of the remote dialect end paths with a slash.
macro_rules! operation {
    ($method:ident $path:literal, $handler:expr) => {
        operation!($method $path, $handler, BodyLimit::Metadata)
    };
    ($method:ident $path:literal, $handler:expr, $body:expr) => {
        [
            row(Method::$method, concat!("/lance/v1", $path), $body, $handler),
            row(Method::$method, concat!("/lance/v1", $path, "/"), $body, $handler),
        ]
    };
}

fn row<H, T>(method: Method, path: &'static str, body: BodyLimit, handler: H) -> Route
where
    H: Handler<T, std::sync::Arc<App>>,
    T: 'static,
{
    let body = if method == Method::GET { BodyLimit::None } else { body };
    Route::on(method, Surface::Namespace, path, Who::SignedIn, handler).body(body)
}

#[expect(clippy::large_stack_arrays, reason = "built once, at the start")]
pub fn routes() -> Vec<Route> {
    let mut routes = [
        // Namespaces.
        operation!(POST "/namespace/{id}/create", namespaces::create),
        operation!(GET "/namespace/{id}/list", namespaces::list),
        operation!(POST "/namespace/{id}/describe", namespaces::describe),
        operation!(POST "/namespace/{id}/drop", namespaces::drop),
        operation!(POST "/namespace/{id}/exists", namespaces::exists),
        operation!(GET "/namespace/{id}/table/list", tables::list),
        // Tables.
        operation!(GET "/table", tables::list_all),
        operation!(POST "/table/{id}/register", tables::register),
        operation!(POST "/table/{id}/describe", tables::describe),
        operation!(POST "/table/{id}/exists", tables::exists),
        operation!(POST "/table/{id}/drop", tables::drop),
        operation!(POST "/table/{id}/deregister", tables::deregister),
        operation!(POST "/table/{id}/declare", tables::declare),
        operation!(POST "/table/{id}/rename", tables::rename),
        operation!(POST "/table/{id}/restore", versions::restore),
        operation!(POST "/table/{id}/schema_metadata/update", metadata::replace_of_schema),
        operation!(POST "/table/{id}/update_field_metadata", metadata::update_of_fields),
        operation!(POST "/table/{id}/stats", metadata::stats),
        operation!(POST "/table/{id}/add_columns", columns::add),
        operation!(POST "/table/{id}/alter_columns", columns::alter),
        operation!(POST "/table/{id}/drop_columns", columns::drop),
        operation!(POST "/table/{id}/backfill_column", columns::backfill),
        // Rows.
        operation!(POST "/table/{id}/create", data::create, BodyLimit::Data),
        operation!(POST "/table/{id}/insert", data::insert, BodyLimit::Data),
        operation!(POST "/table/{id}/merge_insert", changes::merge, BodyLimit::Data),
        operation!(POST "/table/{id}/update", changes::update),
        operation!(POST "/table/{id}/delete", changes::delete),
        operation!(POST "/table/{id}/query", query::query),
        operation!(POST "/table/{id}/count_rows", query::count_rows),
        operation!(POST "/table/{id}/explain_plan", query::explain),
        operation!(POST "/table/{id}/analyze_plan", query::analyze),
        // Versions and commits.
        operation!(POST "/table/{id}/version/list", versions::list),
        operation!(POST "/table/{id}/version/create", versions::create),
        operation!(POST "/table/{id}/version/describe", versions::describe),
        operation!(POST "/table/{id}/version/delete", versions::delete),
        operation!(POST "/table/version/batch-create", batches::create_versions),
        operation!(POST "/table/batch-commit", batches::commit),
        // Indices.
        operation!(POST "/table/{id}/create_index", indices::create),
        operation!(POST "/table/{id}/create_scalar_index", indices::create_scalar),
        operation!(POST "/table/{id}/index/list", indices::list),
        operation!(POST "/table/{id}/index/{index_name}/stats", indices::stats),
        operation!(POST "/table/{id}/index/{index_name}/drop", indices::drop),
        // Tags and branches.
        operation!(POST "/table/{id}/tags/list", tags::list),
        operation!(POST "/table/{id}/tags/version", tags::version_of),
        operation!(POST "/table/{id}/tags/create", tags::create),
        operation!(POST "/table/{id}/tags/update", tags::update),
        operation!(POST "/table/{id}/tags/delete", tags::delete),
        operation!(POST "/table/{id}/branches/list", branches::list),
        operation!(POST "/table/{id}/branches/create", branches::create),
        operation!(POST "/table/{id}/branches/delete", branches::delete),
        // Views and transactions.
        operation!(POST "/materialized_view/{id}/create", views::create),
        operation!(POST "/materialized_view/{id}/refresh", views::refresh),
        operation!(POST "/transaction/{id}/describe", transactions::describe),
        operation!(POST "/transaction/{id}/alter", transactions::alter),
    ]
    .concat();
    routes.push(snippets::route());
    routes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// How many operations the specification has, at the version of the client crate.
    const OPERATIONS: usize = 54;

    #[test]
    fn every_operation_has_a_route_with_and_without_a_slash() {
        let routes = routes();
        let paths: BTreeSet<&str> = routes
            .iter()
            .filter(|route| route.path.starts_with("/lance/v1/"))
            .map(|route| route.path)
            .collect();
        let bare: Vec<&str> = paths.iter().copied().filter(|path| !path.ends_with('/')).collect();
        assert_eq!(bare.len(), OPERATIONS);
        for path in bare {
            assert!(paths.contains(format!("{path}/").as_str()), "{path}");
        }
        assert!(
            routes.iter().filter(|r| r.path.starts_with("/lance")).all(|r| r.surface == Surface::Namespace)
        );
    }
}
