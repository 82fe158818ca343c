//! Operations on a table's indices.

use axum::extract::{FromRequestParts, Path};
use axum::response::Response;
use http::request::Parts;
use lakeglass_ports::{IndexRecord, IndexRequest, TextOptions, VectorOptions};
use lance_namespace_reqwest_client::models::{
    DescribeTableIndexStatsResponse, DropTableIndexResponse, IndexContent, ListTableIndicesResponse,
};
use serde::{Deserialize, Serialize};

use super::call::With;
use super::errors::of_table;
use super::requests::{Nothing, branch_name, version};
use super::versions::required;
use super::{paging, responses};
use crate::Problem;
use crate::indices::Building;
use crate::state::App;

/// What an index that answers is, and one that a job builds.
const READY: &str = "Ready";
const INDEXING: &str = "Indexing";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CreateIndex {
    branch: Option<String>,
    column: Option<String>,
    index_type: Option<String>,
    name: Option<String>,
    /// The remote dialect calls it a metric.
    #[serde(alias = "metric_type")]
    distance_type: Option<String>,
    /// Not of the specification.
    replace: Option<bool>,
    num_partitions: Option<u32>,
    target_partition_size: Option<u32>,
    num_sub_vectors: Option<u32>,
    num_bits: Option<u32>,
    sample_rate: Option<u32>,
    max_iterations: Option<u32>,
    m: Option<u32>,
    ef_construction: Option<u32>,
    with_position: Option<bool>,
    base_tokenizer: Option<String>,
    language: Option<String>,
    max_token_length: Option<u32>,
    lower_case: Option<bool>,
    stem: Option<bool>,
    remove_stop_words: Option<bool>,
    ascii_folding: Option<bool>,
    /// These three are not of the specification; the remote dialect sends them.
    min_ngram_length: Option<u32>,
    max_ngram_length: Option<u32>,
    prefix_only: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ListIndices {
    #[serde(deserialize_with = "version")]
    version: Option<u64>,
    branch: Option<String>,
    page_token: Option<String>,
    limit: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct IndexStats {
    #[serde(deserialize_with = "version")]
    version: Option<u64>,
    branch: Option<String>,
}

/// The name in the path of an operation on one index.
#[derive(Debug, Deserialize)]
pub(super) struct IndexName {
    index_name: String,
}

impl FromRequestParts<std::sync::Arc<App>> for IndexName {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &std::sync::Arc<App>) -> Result<Self, Problem> {
        let path = Path::<Self>::from_request_parts(parts, app).await;
        Ok(path.map_err(|_| Problem::invalid("The index's name is not readable text").code(13))?.0)
    }
}

/// The specification's answer, and a status that tells whether the index is there.
#[derive(Debug, Serialize)]
struct Created {
    transaction_id: String,
    status: &'static str,
    index_name: String,
}

/// As [`create`], for all but vector indices.
pub(super) async fn create_scalar(asked: With<CreateIndex>) -> Result<Response, Problem> {
    let kind = asked.body.index_type.as_deref().unwrap_or_default().trim();
    if kind.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("IVF")) {
        let rule = "This operation makes scalar and full text indices; make vector indices with create_index";
        return Err(Problem::invalid(rule).field("index_type", rule).code(13));
    }
    create(asked).await
}

/// Scalar and vector indices alike. The transaction is the job that builds it.
pub(super) async fn create(With { call, body }: With<CreateIndex>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let request = body.translated(call.remote)?;
    let started = call.app.indices.create(&call.actor, &table, &request).await.map_err(of_table)?;
    let status = if started.done { READY } else { INDEXING };
    Ok(responses::json(&Created { transaction_id: started.job, status, index_name: started.index }))
}

impl CreateIndex {
    /// `remote`: that dialect has no word for replacing, and means it.
    fn translated(self, remote: bool) -> Result<IndexRequest, Problem> {
        let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        if self.num_partitions.is_some() && self.target_partition_size.is_some() {
            let rule = "Send num_partitions or target_partition_size, not both";
            return Err(Problem::invalid(rule).field("num_partitions", rule).code(13));
        }
        Ok(IndexRequest {
            branch: branch_name(self.branch.as_deref()).map(str::to_owned),
            column: given(self.column).ok_or_else(|| required("column"))?,
            kind: given(self.index_type).ok_or_else(|| required("index_type"))?,
            name: given(self.name),
            distance_type: given(self.distance_type),
            replace: self.replace.unwrap_or(remote),
            vector: VectorOptions {
                partitions: self.num_partitions,
                partition_rows: self.target_partition_size,
                sub_vectors: self.num_sub_vectors,
                bits: self.num_bits,
                sample_rate: self.sample_rate,
                iterations: self.max_iterations,
                edges: self.m,
                ef_construction: self.ef_construction,
            },
            text: TextOptions {
                positions: self.with_position,
                tokenizer: given(self.base_tokenizer),
                language: given(self.language),
                longest_term: self.max_token_length,
                lower_case: self.lower_case,
                stem: self.stem,
                remove_stop_words: self.remove_stop_words,
                ascii_folding: self.ascii_folding,
                shortest_ngram: self.min_ngram_length,
                longest_ngram: self.max_ngram_length,
                prefix_only: self.prefix_only,
            },
        })
    }
}

/// Of the newest version, those that jobs are building as well.
pub(super) async fn list(With { call, body }: With<ListIndices>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let branch = branch_name(body.branch.as_deref());
    let service = &call.app.indices;
    let known = service.list(&call.actor, &table, branch, body.version).await.map_err(of_table)?;
    let mut indexes: Vec<IndexContent> = known.into_iter().map(|one| content(one, call.remote)).collect();
    if branch.is_none() && body.version.is_none() {
        let building = service.building(&call.actor, &table).await.map_err(of_table)?;
        let new = building.into_iter().filter(|one| !indexes.iter().any(|had| had.index_name == one.name));
        indexes.extend(new.map(unbuilt).collect::<Vec<_>>());
    }
    indexes.sort_by(|a, b| a.index_name.cmp(&b.index_name));
    let parameters = call.parameters.with("page_token", body.page_token).with("limit", body.limit);
    let (indexes, page_token) = paging::by_name(indexes, |index| &index.index_name, &parameters)?;
    Ok(responses::json(&ListTableIndicesResponse { context: None, indexes, page_token }))
}

fn content(index: IndexRecord, remote: bool) -> IndexContent {
    let count = |number: u64| i64::try_from(number).ok();
    IndexContent {
        index_name: index.name,
        index_uuid: index.uuid,
        columns: index.columns,
        status: READY.to_owned(),
        index_type: Some(known_type(index.kind, remote)),
        type_url: Some(index.type_url).filter(|url| !url.is_empty()),
        num_indexed_rows: count(index.indexed_rows),
        num_unindexed_rows: count(index.unindexed_rows),
        size_bytes: index.bytes.and_then(count),
        num_segments: i32::try_from(index.segments).ok(),
        created_at: index.created_at_ms.and_then(rfc3339),
        index_version: Some(index.index_version),
        index_details: index.details,
    }
}

fn unbuilt(index: Building) -> IndexContent {
    IndexContent {
        index_name: index.name,
        // Its own comes with its first part.
        index_uuid: index.job,
        columns: vec![index.column],
        status: INDEXING.to_owned(),
        index_type: Some(index.kind),
        type_url: None,
        num_indexed_rows: Some(0),
        num_unindexed_rows: None,
        size_bytes: None,
        num_segments: None,
        created_at: None,
        index_version: None,
        index_details: None,
    }
}

/// Clients of the remote dialect read a closed list of types, which has a word for the others.
fn known_type(kind: String, remote: bool) -> String {
    let known =
        kind.starts_with("IVF_") || matches!(kind.as_str(), "BTREE" | "BITMAP" | "LABEL_LIST" | "FTS" | "FM");
    if remote && !known { "Unknown".to_owned() } else { kind }
}

fn rfc3339(at_ms: i64) -> Option<String> {
    let at = chrono::DateTime::<chrono::Utc>::from_timestamp_millis(at_ms)?;
    Some(at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true))
}

pub(super) async fn stats(
    name: IndexName,
    With { call, body }: With<IndexStats>,
) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let branch = branch_name(body.branch.as_deref());
    let found = call.app.indices.index(&call.actor, &table, branch, body.version, &name.index_name).await;
    let index = found.map_err(of_table)?;
    Ok(responses::json(&DescribeTableIndexStatsResponse {
        context: None,
        distance_type: index.distance_type,
        index_type: Some(known_type(index.kind, call.remote)),
        num_indexed_rows: i64::try_from(index.indexed_rows).ok(),
        num_unindexed_rows: i64::try_from(index.unindexed_rows).ok(),
        num_indices: i32::try_from(index.segments).ok(),
    }))
}

pub(super) async fn drop(name: IndexName, With { call, .. }: With<Nothing>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let branch = branch_name(call.parameters.get("branch"));
    let made = call.app.indices.drop_index(&call.actor, &table, branch, &name.index_name).await;
    let made = made.map_err(of_table)?;
    let transaction_id = branch.is_none().then(|| made.to_string());
    Ok(responses::json(&DropTableIndexResponse { context: None, transaction_id }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::namespace::requests::read;

    fn translated(text: &str, remote: bool) -> Result<IndexRequest, Problem> {
        read::<CreateIndex>(text.as_bytes())?.1.translated(remote)
    }

    #[test]
    fn both_dialects_ask_for_the_same_index() {
        let own =
            r#"{"column": "v", "index_type": "IVF_PQ", "distance_type": "cosine", "num_partitions": 4}"#;
        let other = r#"{"column": "v", "index_type": "IVF_PQ", "metric_type": "cosine", "num_partitions": 4,
            "sample_rate": null, "use_rte": 1}"#;
        let (own, other) = (translated(own, false).unwrap(), translated(other, true).unwrap());
        assert_eq!(own.vector.partitions, Some(4));
        assert_eq!(own, IndexRequest { replace: false, ..other.clone() });
        assert!(other.replace);
    }

    #[test]
    fn a_column_and_a_type_are_needed() {
        for bad in [
            "{}",
            r#"{"column": "v"}"#,
            r#"{"index_type": "BTREE", "column": " "}"#,
            r#"{"column": "v", "index_type": "IVF_PQ", "num_partitions": 1, "target_partition_size": 1}"#,
            r#"{"column": "v", "index_type": "IVF_PQ", "num_partitions": -1}"#,
        ] {
            assert_eq!(translated(bad, false).unwrap_err().namespace_code, Some(13), "{bad}");
        }
    }

    #[test]
    fn a_remote_client_gets_a_type_that_it_can_read() {
        assert_eq!(known_type("ZONEMAP".to_owned(), true), "Unknown");
        assert_eq!(known_type("ZONEMAP".to_owned(), false), "ZONEMAP");
        assert_eq!(known_type("IVF_HNSW_SQ".to_owned(), true), "IVF_HNSW_SQ");
        assert_eq!(rfc3339(1_600_000_000_123).as_deref(), Some("2020-09-13T12:26:40.123Z"));
    }
}
