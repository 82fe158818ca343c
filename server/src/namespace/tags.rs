//! Operations on a table's tags.

use std::collections::HashMap;

use axum::response::Response;
use lakeglass_ports::TagRecord;
use lance_namespace_reqwest_client::models::{
    GetTableTagVersionResponse, ListTableTagsResponse, TagContents,
};
use serde::Deserialize;

use super::call::With;
use super::errors::of_table;
use super::paging;
use super::requests::{Nothing, branch_name, version};
use super::responses;
use super::versions::required;
use crate::Problem;

/// A tag, and what it is to point to.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the specification's names")]
pub(super) struct Tag {
    tag: Option<String>,
    #[serde(deserialize_with = "version")]
    version: Option<u64>,
    branch: Option<String>,
}

impl Tag {
    fn name(&self) -> Result<&str, Problem> {
        self.tag.as_deref().filter(|name| !name.is_empty()).ok_or_else(|| required("tag"))
    }

    fn target(&self) -> Result<(Option<&str>, u64), Problem> {
        Ok((branch_name(self.branch.as_deref()), self.version.ok_or_else(|| required("version"))?))
    }
}

/// In the specification's shape; callers of the remote dialect read the bare map of all of them.
pub(super) async fn list(With { call, .. }: With<Nothing>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let tags = call.app.references.tags(&call.actor, &table).await.map_err(of_table)?;
    if call.remote {
        let bare: HashMap<String, TagContents> = tags.into_iter().map(model).collect();
        return Ok(responses::json(&bare));
    }
    let (tags, page_token) = paging::by_name(tags, |tag| &tag.name, &call.parameters)?;
    let tags = tags.into_iter().map(model).collect();
    Ok(responses::json(&ListTableTagsResponse { context: None, tags, page_token }))
}

fn model(tag: TagRecord) -> (String, TagContents) {
    let contents = TagContents {
        branch: tag.branch,
        version: i64::try_from(tag.version).unwrap_or(i64::MAX),
        manifest_size: i64::try_from(tag.manifest_size).unwrap_or(i64::MAX),
    };
    (tag.name, contents)
}

pub(super) async fn version_of(With { call, body }: With<Tag>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let tag = call.app.references.tag(&call.actor, &table, body.name()?).await.map_err(of_table)?;
    let version = i64::try_from(tag.version).unwrap_or(i64::MAX);
    Ok(responses::json(&GetTableTagVersionResponse { context: None, version, branch: tag.branch }))
}

pub(super) async fn create(With { call, body }: With<Tag>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let (branch, version) = body.target()?;
    let created = call.app.references.create_tag(&call.actor, &table, body.name()?, branch, version).await;
    created.map_err(of_table)?;
    Ok(responses::done())
}

pub(super) async fn update(With { call, body }: With<Tag>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let (branch, version) = body.target()?;
    let updated = call.app.references.update_tag(&call.actor, &table, body.name()?, branch, version).await;
    updated.map_err(of_table)?;
    Ok(responses::done())
}

pub(super) async fn delete(With { call, body }: With<Tag>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    call.app.references.delete_tag(&call.actor, &table, body.name()?).await.map_err(of_table)?;
    Ok(responses::done())
}
