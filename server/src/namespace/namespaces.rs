//! Operations on namespaces. A namespace of one part is a bucket; the root's children are buckets.

use axum::response::Response;
use lakeglass_api::catalog::Properties;
use lakeglass_api::{BucketName, FormatId, ListQuery};
use lance_namespace_reqwest_client::models::{
    CreateNamespaceResponse, DescribeNamespaceResponse, DropNamespaceResponse, ListNamespacesResponse,
};

use super::call::{Call, With};
use super::errors::{self, of_namespace};
use super::ids::Place;
use super::modes::{Behavior, Create, Drop};
use super::paging;
use super::requests::{Nothing, tables as bodies};
use super::responses;
use crate::Problem;
use crate::catalog::{BucketChange, NamespaceMode, NewBucket};

/// The property that chooses a new bucket's format.
const FORMAT: &str = "format";

pub(super) async fn create(With { call, body }: With<bodies::CreateNamespace>) -> Result<Response, Problem> {
    let mode = Create::parse(body.mode.as_deref())?;
    let properties = body.properties.unwrap_or_default();
    let kept = match call.new_place()? {
        Place::Root if mode == Create::ExistOk => Properties::new(),
        Place::Root => return Err(Problem::conflict("name-taken", "The root exists always").code(2)),
        Place::Bucket(name) => create_bucket(&call, name, properties, mode).await?,
        Place::Namespace(bucket, path) => {
            let mode = match mode {
                Create::New => NamespaceMode::Create,
                Create::ExistOk => NamespaceMode::ExistOk,
                Create::Overwrite => NamespaceMode::Overwrite,
            };
            let made = call.app.catalog.create_namespace(&call.actor, &bucket, &path, properties, mode).await;
            made.map_err(of_namespace)?.0.properties
        }
    };
    let properties = responses::properties(kept);
    Ok(responses::json(&CreateNamespaceResponse { properties, ..CreateNamespaceResponse::new() }))
}

/// A bucket in the default storage, of the format that its properties name.
async fn create_bucket(
    call: &Call,
    name: BucketName,
    properties: Properties,
    mode: Create,
) -> Result<Properties, Problem> {
    let catalog = &call.app.catalog;
    let format =
        properties.get(FORMAT).map_or_else(FormatId::lance, |id| FormatId::new(id.to_ascii_lowercase()));
    let new = NewBucket {
        name: name.clone(),
        format: Some(format),
        storage: None,
        description: String::new(),
        properties: properties.clone(),
    };
    let refused = match catalog.create_bucket(&call.actor, new).await.map_err(of_namespace) {
        Ok(bucket) => return Ok(bucket.properties),
        Err(problem) => problem,
    };
    let taken = refused.namespace_code == Some(2);
    if !taken || mode == Create::New {
        return Err(refused);
    }
    let existing = catalog.bucket(&call.actor, &name).await.map_err(|_| refused)?;
    if mode == Create::ExistOk {
        return Ok(existing.properties);
    }
    let inside = ListQuery { limit: Some(1), ..ListQuery::default() };
    let root = lakeglass_api::NamespacePath::root();
    let children = catalog.namespaces(&call.actor, &name, &root, &inside).await.map_err(of_namespace)?;
    if !children.items.is_empty() {
        let detail = format!("The bucket {name} is not empty; overwriting works on an empty one only");
        return Err(Problem::conflict("not-empty", detail).code(3));
    }
    let change = BucketChange { properties: Some(properties), ..BucketChange::default() };
    let changed = catalog.update_bucket(&call.actor, &name, change).await.map_err(of_namespace)?;
    Ok(changed.properties)
}

pub(super) async fn list(call: Call) -> Result<Response, Problem> {
    let place = call.existing_place()?;
    let catalog = &call.app.catalog;
    let mut walk = paging::Walk::new(&call.parameters)?;
    while let Some(query) = walk.query() {
        walk.take(match &place {
            Place::Root => {
                let page = catalog.buckets(&call.actor, &query).await.map_err(of_namespace)?;
                page.map(|bucket| bucket.name.as_str().to_owned())
            }
            Place::Bucket(bucket) => {
                let root = lakeglass_api::NamespacePath::root();
                let page = catalog.namespaces(&call.actor, bucket, &root, &query).await;
                page.map_err(of_namespace)?.map(|namespace| leaf(&namespace))
            }
            Place::Namespace(bucket, path) => {
                let page = catalog.namespaces(&call.actor, bucket, path, &query).await;
                page.map_err(of_namespace)?.map(|namespace| leaf(&namespace))
            }
        });
    }
    let (namespaces, page_token) = walk.end();
    Ok(responses::json(&ListNamespacesResponse { context: None, namespaces, page_token }))
}

fn leaf(namespace: &lakeglass_api::catalog::Namespace) -> String {
    namespace.path.leaf().unwrap_or_default().to_owned()
}

pub(super) async fn describe(With { call, .. }: With<Nothing>) -> Result<Response, Problem> {
    let properties = responses::properties(find(&call).await?);
    Ok(responses::json(&DescribeNamespaceResponse { properties, ..DescribeNamespaceResponse::new() }))
}

pub(super) async fn exists(With { call, .. }: With<Nothing>) -> Result<Response, Problem> {
    find(&call).await?;
    Ok(responses::exists())
}

/// The properties of a namespace that the caller may see.
async fn find(call: &Call) -> Result<Properties, Problem> {
    match call.existing_place()? {
        Place::Root => Ok(Properties::new()),
        Place::Bucket(bucket) => {
            let bucket = call.app.catalog.bucket(&call.actor, &bucket).await;
            Ok(bucket.map_err(of_namespace)?.properties)
        }
        Place::Namespace(bucket, path) => {
            let namespace = call.app.catalog.namespace(&call.actor, &bucket, &path).await;
            Ok(namespace.map_err(of_namespace)?.properties)
        }
    }
}

pub(super) async fn drop(With { call, body }: With<bodies::DropNamespace>) -> Result<Response, Problem> {
    let mode = Drop::parse(body.mode.as_deref())?;
    let cascade = Behavior::parse(body.behavior.as_deref())? == Behavior::Cascade;
    match remove(&call, cascade).await {
        Ok(kept) => {
            let properties = responses::properties(kept);
            Ok(responses::json(&DropNamespaceResponse { properties, ..DropNamespaceResponse::new() }))
        }
        Err(problem) if mode == Drop::Skip && problem.namespace_code == Some(1) => Ok(responses::done()),
        Err(problem) => Err(problem),
    }
}

async fn remove(call: &Call, cascade: bool) -> Result<Properties, Problem> {
    let catalog = &call.app.catalog;
    match call.id.place().map_err(|_| errors::no_namespace())? {
        Place::Root => Err(Problem::invalid("The root cannot be dropped").code(13)),
        Place::Bucket(name) => {
            let bucket = catalog.bucket(&call.actor, &name).await.map_err(of_namespace)?;
            let contents = cascade.then_some(name.as_str());
            catalog.delete_bucket(&call.actor, &name, contents).await.map_err(of_namespace)?;
            Ok(bucket.properties)
        }
        Place::Namespace(bucket, path) => {
            let dropped = catalog.drop_namespace(&call.actor, &bucket, &path, cascade).await;
            Ok(dropped.map_err(of_namespace)?.properties)
        }
    }
}
