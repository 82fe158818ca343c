//! Operations on a table's versions: list, describe, create, delete, restore.

use axum::response::Response;
use lakeglass_ports::{ManifestNaming, NewVersion, VersionRange, VersionRecord, VersionsRequest};
use lance_namespace_reqwest_client::models::{
    BatchDeleteTableVersionsResponse, CreateTableVersionResponse, DescribeTableVersionResponse,
    ListTableVersionsResponse, RestoreTableResponse, TableVersion,
};
use serde::Deserialize;

use super::call::With;
use super::errors::of_table;
use super::requests::{Nothing, branch_name, version};
use super::responses;
use crate::Problem;
use crate::catalog::{BatchOperation, BatchOutcome};

/// Versions in one answer when no limit is asked for, and at most.
const LARGEST_PAGE: usize = 1000;
/// Ranges in one request.
const MOST_RANGES: usize = 1000;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DescribeVersion {
    #[serde(deserialize_with = "version")]
    version: Option<u64>,
    branch: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct CreateVersion {
    #[serde(deserialize_with = "version")]
    version: Option<u64>,
    branch: Option<String>,
    manifest_path: Option<String>,
    manifest_size: Option<u64>,
    e_tag: Option<String>,
    naming_scheme: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct DeleteVersions {
    branch: Option<String>,
    ranges: Option<Vec<Range>>,
}

/// `-1` as the end is all up to the newest.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Range {
    start_version: i64,
    end_version: i64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Restore {
    #[serde(deserialize_with = "version")]
    version: Option<u64>,
    branch: Option<String>,
}

/// Newest first, whether or not that is asked for, unless the opposite is.
pub(super) async fn list(With { call, .. }: With<Nothing>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let parameters = &call.parameters;
    let after = parameters.get("page_token").map(str::parse::<u64>).transpose();
    let request = VersionsRequest {
        branch: branch_name(parameters.get("branch")).map(str::to_owned),
        after: after.map_err(|_| Problem::invalid("The page token is not one of this list").code(13))?,
        limit: parameters.limit()?.unwrap_or(LARGEST_PAGE).min(LARGEST_PAGE),
        newest_first: parameters.flag("descending")?.unwrap_or(true),
    };
    let page = call.app.references.versions(&call.actor, &table, &request).await.map_err(of_table)?;
    Ok(responses::json(&ListTableVersionsResponse {
        context: None,
        versions: page.versions.into_iter().map(model).collect(),
        page_token: page.next.map(|version| version.to_string()),
    }))
}

pub(super) async fn describe(With { call, body }: With<DescribeVersion>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let branch = branch_name(body.branch.as_deref());
    let found = call.app.references.version(&call.actor, &table, branch, body.version).await;
    let version = Box::new(model(found.map_err(of_table)?));
    Ok(responses::json(&DescribeTableVersionResponse { context: None, version }))
}

pub(super) async fn create(With { call, body }: With<CreateVersion>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let operation = BatchOperation::CreateVersion { table, new: body.checked()? };
    let done = call.app.catalog.commit_batch(&call.actor, vec![operation]).await.map_err(of_table)?;
    let version = done.into_iter().find_map(|outcome| match outcome {
        BatchOutcome::Created(record) => Some(Box::new(model(record))),
        _ => None,
    });
    Ok(responses::json(&CreateTableVersionResponse { context: None, transaction_id: None, version }))
}

pub(super) async fn delete(With { call, body }: With<DeleteVersions>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let ranges = body.checked()?;
    let branch = branch_name(body.branch.as_deref());
    let deleted = call.app.references.delete_versions(&call.actor, &table, branch, &ranges).await;
    Ok(responses::json(&deleted_response(deleted.map_err(of_table)?)))
}

/// The transaction is named by the version that it made.
pub(super) async fn restore(With { call, body }: With<Restore>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let version = body.version.ok_or_else(|| required("version"))?;
    let branch = branch_name(body.branch.as_deref());
    let made = call.app.references.restore(&call.actor, &table, branch, version).await.map_err(of_table)?;
    // Versions of branches are numbered apart, and a transaction's name says nothing of a branch.
    let transaction_id = branch.is_none().then(|| made.to_string());
    Ok(responses::json(&RestoreTableResponse { context: None, transaction_id }))
}

impl CreateVersion {
    pub(super) fn checked(&self) -> Result<NewVersion, Problem> {
        let naming = match self.naming_scheme.as_deref().filter(|word| !word.is_empty()) {
            None => None,
            Some(word) if word.eq_ignore_ascii_case("v1") => Some(ManifestNaming::V1),
            Some(word) if word.eq_ignore_ascii_case("v2") => Some(ManifestNaming::V2),
            Some(_) => return Err(Problem::invalid("naming_scheme is V1 or V2").code(13)),
        };
        let path = self.manifest_path.as_deref().filter(|path| !path.is_empty());
        Ok(NewVersion {
            branch: branch_name(self.branch.as_deref()).map(str::to_owned),
            version: self.version.ok_or_else(|| required("version"))?,
            manifest_path: path.ok_or_else(|| required("manifest_path"))?.to_owned(),
            manifest_size: self.manifest_size,
            e_tag: self.e_tag.clone().filter(|tag| !tag.is_empty()),
            naming,
        })
    }
}

impl DeleteVersions {
    pub(super) fn branch(&self) -> Option<String> {
        branch_name(self.branch.as_deref()).map(str::to_owned)
    }

    pub(super) fn checked(&self) -> Result<Vec<VersionRange>, Problem> {
        let ranges = self.ranges.as_deref().unwrap_or_default();
        if ranges.is_empty() || ranges.len() > MOST_RANGES {
            let rule = format!("Say which versions, as 1 to {MOST_RANGES} ranges");
            return Err(Problem::invalid(rule.clone()).field("ranges", rule).code(13));
        }
        let one = |range: &Range| {
            let start = u64::try_from(range.start_version).ok()?;
            let end = match range.end_version {
                -1 => None,
                end => Some(u64::try_from(end).ok().filter(|end| *end >= start)?),
            };
            Some(VersionRange { start, end })
        };
        ranges.iter().map(one).collect::<Option<_>>().ok_or_else(|| {
            Problem::invalid(
                "A range starts at 0 or more, and ends where it starts or later, or at -1 for all",
            )
            .code(13)
        })
    }
}

pub(super) fn deleted_response(deleted: u64) -> BatchDeleteTableVersionsResponse {
    BatchDeleteTableVersionsResponse {
        context: None,
        deleted_count: responses::rows(deleted),
        transaction_id: None,
    }
}

pub(super) fn required(field: &'static str) -> Problem {
    Problem::invalid(format!("{field} is required")).field(field, "is required").code(13)
}

pub(super) fn model(record: VersionRecord) -> TableVersion {
    TableVersion {
        // Attached versions have no top bit.
        version: i64::try_from(record.version).unwrap_or(i64::MAX),
        manifest_path: record.manifest_path,
        manifest_size: i64::try_from(record.manifest_size).ok(),
        e_tag: record.e_tag,
        timestamp_millis: Some(record.written_at_ms),
        metadata: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::namespace::requests::read;

    fn ranges(text: &str) -> Result<Vec<VersionRange>, Problem> {
        read::<DeleteVersions>(text.as_bytes())?.1.checked()
    }

    #[test]
    fn ranges_end_before_their_end_and_minus_one_is_all() {
        let read = ranges(
            r#"{"ranges": [{"start_version": 0, "end_version": -1}, {"start_version": 2, "end_version": 3}]}"#,
        );
        assert_eq!(
            read.unwrap(),
            [VersionRange { start: 0, end: None }, VersionRange { start: 2, end: Some(3) }]
        );
        for bad in [
            "{}",
            r#"{"ranges": []}"#,
            r#"{"ranges": [{"start_version": -1, "end_version": 3}]}"#,
            r#"{"ranges": [{"start_version": 1, "end_version": -2}]}"#,
            r#"{"ranges": [{"start_version": 1}]}"#,
        ] {
            assert_eq!(ranges(bad).unwrap_err().namespace_code, Some(13), "{bad}");
        }
    }

    #[test]
    fn a_new_version_needs_a_number_and_a_manifest() {
        let new = |text: &str| read::<CreateVersion>(text.as_bytes())?.1.checked();
        let read = new(
            r#"{"version": "7", "manifest_path": "_versions/x", "naming_scheme": "v2", "branch": "main"}"#,
        );
        let read = read.unwrap();
        assert_eq!((read.version, read.naming, read.branch), (7, Some(ManifestNaming::V2), None));
        for bad in [
            r#"{"version": 7}"#,
            r#"{"manifest_path": "x"}"#,
            r#"{"version": 7, "manifest_path": "x", "naming_scheme": "V3"}"#,
        ] {
            assert_eq!(new(bad).unwrap_err().namespace_code, Some(13), "{bad}");
        }
    }
}
