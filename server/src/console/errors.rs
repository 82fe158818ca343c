//! Error pages: the problem of a request as a page with ways on.

use std::sync::Arc;

use axum::response::{Html, IntoResponse as _, Response};
use http::{Method, Uri};
use lakeglass_api::{BucketName, ListQuery, NamespacePath};
use lakeglass_app::pages::errors::{self, ErrorPage, Way};
use lakeglass_app::{Crumb, Section, links, render};

use super::preferences::Looks;
use super::visit;
use crate::auth::Actor;
use crate::edge::Nonce;
use crate::problem::Problem;
use crate::state::App;

/// Ways offered near what was not found.
const WAYS: usize = 8;

/// A request that failed, as far as its page needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Failed<'a> {
    pub(crate) nonce: &'a Nonce,
    pub(crate) method: &'a Method,
    /// Path and query asked for.
    pub(crate) uri: &'a Uri,
    pub(crate) looks: Looks,
    pub(crate) request_id: &'a str,
}

/// The error page within the frame, for someone who is signed in.
pub(crate) async fn page(app: &Arc<App>, actor: &Actor, failed: Failed<'_>, problem: &Problem) -> Response {
    let title = errors::title(problem.status.as_u16());
    let back = visit::address(failed.method, failed.uri);
    let mut frame = visit::frame(app, actor, failed.nonce, failed.looks, back);
    frame.counts = visit::counts(app, actor).await;
    let frame = frame.at(Section::Elsewhere, vec![Crumb::here(title)]);
    let ways = if problem.status == http::StatusCode::NOT_FOUND {
        near(app, actor, failed.uri.path()).await
    } else {
        Vec::new()
    };
    let data = ErrorPage {
        status: problem.status.as_u16(),
        detail: problem.detail.clone(),
        fields: problem.fields.iter().map(|field| (field.field.clone(), field.message.clone())).collect(),
        request_id: failed.request_id.to_owned(),
        ways,
        retry_after: problem.retry_after,
    };
    (problem.status, Html(render(&frame, title, || errors::page(data)))).into_response()
}

/// Things around a path that the person may see: the deepest place on the way that exists, with what
/// is in it, else the buckets. Failing to look is no reason for a second error.
async fn near(app: &App, actor: &Actor, path: &str) -> Vec<Way> {
    let place = Place::of(path);
    if let Some(bucket) = place.bucket
        && app.catalog.bucket(actor, &bucket).await.is_ok()
    {
        return in_bucket(app, actor, &bucket, place.namespace).await;
    }
    let query = ListQuery { limit: Some(8), ..ListQuery::default() };
    let buckets = app.catalog.buckets(actor, &query).await.map(|page| page.items).unwrap_or_default();
    buckets
        .into_iter()
        .map(|bucket| Way { label: format!("Bucket {}", bucket.name), href: links::bucket(&bucket.name) })
        .collect()
}

async fn in_bucket(
    app: &App,
    actor: &Actor,
    bucket: &BucketName,
    namespace: Option<NamespacePath>,
) -> Vec<Way> {
    let query = ListQuery { limit: Some(8), ..ListQuery::default() };
    let mut ways = Vec::new();
    if let Some(path) = namespace
        && app.catalog.namespace(actor, bucket, &path).await.is_ok()
    {
        ways.push(Way { label: format!("Namespace {path}"), href: links::namespace(bucket, &path) });
        let tables = app.catalog.tables(actor, bucket, &path, &query, true).await;
        ways.extend(tables.map(|page| page.items).unwrap_or_default().into_iter().map(|table| Way {
            label: format!("Table {}", table.name),
            href: links::table(&table.reference()),
        }));
    } else {
        let found = app.catalog.namespaces(actor, bucket, &NamespacePath::root(), &query).await;
        ways.extend(found.map(|page| page.items).unwrap_or_default().into_iter().map(|namespace| Way {
            label: format!("Namespace {}", namespace.path),
            href: links::namespace(&namespace.bucket, &namespace.path),
        }));
    }
    ways.truncate(WAYS - 1);
    ways.push(Way { label: format!("Bucket {bucket}"), href: links::bucket(bucket) });
    ways
}

/// What a console path names, as far as it can be read.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    bucket: Option<BucketName>,
    namespace: Option<NamespacePath>,
}

impl Place {
    fn of(path: &str) -> Self {
        let mut segments = path.split('/').skip(1);
        let bucket = match segments.next() {
            Some("buckets") => segments.next().and_then(|name| name.parse().ok()),
            _ => None,
        };
        let namespace = match segments.next() {
            Some("ns") => segments.next().and_then(|dotted| NamespacePath::from_dotted(dotted).ok()),
            _ => None,
        };
        Self { bucket, namespace: namespace.filter(|path| !path.is_root()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_a_bucket_and_a_namespace_where_it_can() {
        let place = Place::of("/buckets/media/ns/a.b/tables/gone");
        assert_eq!(place.bucket.unwrap().as_str(), "media");
        assert_eq!(place.namespace.unwrap().dotted(), "a.b");
        assert_eq!(Place::of("/buckets/NOT%20A/ns/x").bucket, None);
        assert_eq!(Place::of("/jobs/1"), Place { bucket: None, namespace: None });
    }
}
