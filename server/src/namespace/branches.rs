//! Operations on a table's branches.

use axum::response::Response;
use lakeglass_ports::BranchRecord;
use lance_namespace_reqwest_client::models::{BranchContents, ListTableBranchesResponse};
use serde::Deserialize;

use super::call::With;
use super::errors::of_table;
use super::paging;
use super::requests::{Nothing, branch_name, version};
use super::responses;
use super::versions::required;
use crate::Problem;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the specification's names")]
pub(super) struct Branch {
    name: Option<String>,
    from_branch: Option<String>,
    #[serde(deserialize_with = "version")]
    from_version: Option<u64>,
}

impl Branch {
    fn name(&self) -> Result<&str, Problem> {
        self.name.as_deref().filter(|name| !name.is_empty()).ok_or_else(|| required("name"))
    }
}

pub(super) async fn list(With { call, .. }: With<Nothing>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let branches = call.app.references.branches(&call.actor, &table).await.map_err(of_table)?;
    let (branches, page_token) = paging::by_name(branches, |branch| &branch.name, &call.parameters)?;
    let branches = branches.into_iter().map(model).collect();
    Ok(responses::json(&ListTableBranchesResponse { context: None, branches, page_token }))
}

fn model(branch: BranchRecord) -> (String, BranchContents) {
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let contents = BranchContents {
        parent_branch: branch.parent_branch,
        parent_version: number(branch.parent_version),
        create_at: number(branch.created_at_s),
        manifest_size: number(branch.manifest_size),
        metadata: Some(branch.metadata.into_iter().collect()),
    };
    (branch.name, contents)
}

pub(super) async fn create(With { call, body }: With<Branch>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let from = branch_name(body.from_branch.as_deref());
    let references = &call.app.references;
    let created = references.create_branch(&call.actor, &table, body.name()?, from, body.from_version).await;
    created.map_err(of_table)?;
    Ok(responses::done())
}

pub(super) async fn delete(With { call, body }: With<Branch>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    call.app.references.delete_branch(&call.actor, &table, body.name()?).await.map_err(of_table)?;
    Ok(responses::done())
}
