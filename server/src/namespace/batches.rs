//! Operations on several tables at once.

use axum::response::Response;
use lakeglass_api::catalog::Properties;
use lakeglass_api::{Role, TableRef};
use lance_namespace_reqwest_client::models::{
    BatchCommitTablesResponse, BatchCreateTableVersionsResponse, CommitTableResult,
    CreateTableVersionResponse, DeclareTableResponse, DeregisterTableResponse,
};
use serde::Deserialize;

use super::call::{Call, With};
use super::errors::{of_namespace, of_table};
use super::ids::{self, BadTable};
use super::requests::refuse_storage_options;
use super::versions::{CreateVersion, DeleteVersions, deleted_response, model, required};
use super::{responses, tables};
use crate::Problem;
use crate::catalog::{BatchOperation, BatchOutcome};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct BatchCreate {
    entries: Option<Vec<Named<CreateVersion>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct BatchCommit {
    operations: Option<Vec<Operation>>,
}

/// A request that names its table itself.
#[derive(Debug, Deserialize)]
pub(super) struct Named<T> {
    id: Option<Vec<String>>,
    storage_options: Option<serde_json::Map<String, serde_json::Value>>,
    #[serde(flatten)]
    request: T,
}

/// Exactly one of them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Operation {
    declare_table: Option<Named<Declare>>,
    create_table_version: Option<Named<CreateVersion>>,
    delete_table_versions: Option<Named<DeleteVersions>>,
    deregister_table: Option<Named<Nothing>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Declare {
    location: Option<String>,
    properties: Option<Properties>,
    vend_credentials: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Nothing {}

pub(super) async fn create_versions(With { call, body }: With<BatchCreate>) -> Result<Response, Problem> {
    let entries = body.entries.filter(|entries| !entries.is_empty()).ok_or_else(|| required("entries"))?;
    let operations = entries
        .iter()
        .map(|entry| {
            let table = existing(&call, entry)?;
            Ok(BatchOperation::CreateVersion { table, new: entry.request.checked()? })
        })
        .collect::<Result<Vec<_>, Problem>>()?;
    let outcomes = call.app.catalog.commit_batch(&call.actor, operations).await.map_err(of_table)?;
    let versions = outcomes
        .into_iter()
        .filter_map(|outcome| match outcome {
            BatchOutcome::Created(record) => Some(model(record)),
            _ => None,
        })
        .collect();
    Ok(responses::json(&BatchCreateTableVersionsResponse { context: None, transaction_id: None, versions }))
}

pub(super) async fn commit(With { call, body }: With<BatchCommit>) -> Result<Response, Problem> {
    let asked =
        body.operations.filter(|operations| !operations.is_empty()).ok_or_else(|| required("operations"))?;
    let operations = asked.iter().map(|one| operation(&call, one)).collect::<Result<Vec<_>, _>>()?;
    let outcomes = call.app.catalog.commit_batch(&call.actor, operations).await.map_err(of_namespace)?;
    let mut results = Vec::with_capacity(outcomes.len());
    for (asked, outcome) in asked.iter().zip(outcomes) {
        results.push(result(&call, asked, outcome).await?);
    }
    Ok(responses::json(&BatchCommitTablesResponse { context: None, transaction_id: None, results }))
}

fn operation(call: &Call, one: &Operation) -> Result<BatchOperation, Problem> {
    let given = [
        one.declare_table.is_some(),
        one.create_table_version.is_some(),
        one.delete_table_versions.is_some(),
        one.deregister_table.is_some(),
    ];
    if given.iter().filter(|given| **given).count() != 1 {
        let rule = "Each operation is exactly one of declare_table, create_table_version, delete_table_versions and deregister_table";
        return Err(Problem::invalid(rule).field("operations", rule).code(13));
    }
    if let Some(new) = &one.declare_table {
        let table = named(call, new)?.map_err(|bad| Problem::invalid(bad.to_string()).code(13))?;
        let location = new.request.location.clone().filter(|location| !location.is_empty());
        let properties = new.request.properties.clone().unwrap_or_default();
        return Ok(BatchOperation::Declare { table, location, properties });
    }
    if let Some(new) = &one.create_table_version {
        let table = existing(call, new)?;
        return Ok(BatchOperation::CreateVersion { table, new: new.request.checked()? });
    }
    if let Some(old) = &one.delete_table_versions {
        return Ok(BatchOperation::DeleteVersions {
            table: existing(call, old)?,
            branch: old.request.branch(),
            ranges: old.request.checked()?,
        });
    }
    let old = one.deregister_table.as_ref().ok_or_else(|| required("operations"))?;
    Ok(BatchOperation::Deregister { table: existing(call, old)? })
}

/// The table that a part of a batch names.
fn named<T>(call: &Call, part: &Named<T>) -> Result<Result<TableRef, BadTable>, Problem> {
    refuse_storage_options(part.storage_options.as_ref().is_some_and(|options| !options.is_empty()))?;
    let id = part.id.as_deref().ok_or_else(|| required("id"))?;
    Ok(ids::table(&call.id.beside(id)))
}

fn existing<T>(call: &Call, part: &Named<T>) -> Result<TableRef, Problem> {
    named(call, part)?.map_err(|bad| Problem::not_found(bad.to_string()).code(4))
}

async fn result(call: &Call, asked: &Operation, outcome: BatchOutcome) -> Result<CommitTableResult, Problem> {
    let mut result = CommitTableResult::new();
    match outcome {
        BatchOutcome::Declared(table) => {
            let vend = asked.declare_table.as_ref().and_then(|asked| asked.request.vend_credentials);
            let reference = TableRef {
                bucket: table.bucket.clone(),
                namespace: table.namespace.clone(),
                table: table.name.clone(),
            };
            let resolved = call.app.catalog.resolve(&call.actor, &reference, Role::Viewer).await;
            let resolved = resolved.map_err(of_table)?;
            result.declare_table = Some(Box::new(DeclareTableResponse {
                location: Some(table.location),
                storage_options: tables::options_if_any(call, &resolved, vend).await,
                properties: responses::properties(table.properties),
                managed_versioning: Some(false),
                ..DeclareTableResponse::new()
            }));
        }
        BatchOutcome::Created(record) => {
            let version = Some(Box::new(model(record)));
            let created = CreateTableVersionResponse { context: None, transaction_id: None, version };
            result.create_table_version = Some(Box::new(created));
        }
        BatchOutcome::Deleted(deleted) => {
            result.delete_table_versions = Some(Box::new(deleted_response(deleted)));
        }
        BatchOutcome::Deregistered(table) => {
            let asked = asked.deregister_table.as_ref();
            result.deregister_table = Some(Box::new(DeregisterTableResponse {
                id: asked.and_then(|asked| asked.id.clone()),
                location: Some(table.location),
                properties: responses::properties(table.properties),
                ..DeregisterTableResponse::new()
            }));
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::namespace::requests::read;

    #[test]
    fn parts_of_a_batch_name_their_tables_and_keep_all_bits() {
        let text = r#"{"entries": [{"id": ["b", "n", "t"], "version": 9007199254740993,
            "manifest_path": "_versions/x", "naming_scheme": "V2", "metadata": {"a": "b"}}]}"#;
        let (envelope, batch) = read::<BatchCreate>(text.as_bytes()).unwrap();
        assert!(envelope.id.is_none());
        let entries = batch.entries.unwrap();
        assert_eq!(entries[0].id.as_deref().unwrap(), ["b", "n", "t"]);
        assert_eq!(entries[0].request.checked().unwrap().version, 9_007_199_254_740_993);
        let text =
            r#"{"operations": [{"deregister_table": {"id": ["b", "n", "t"]}, "declare_table": null}]}"#;
        let (_, batch) = read::<BatchCommit>(text.as_bytes()).unwrap();
        assert!(batch.operations.unwrap()[0].deregister_table.is_some());
    }
}
