//! Metadata of schema and columns, and a table in numbers.

use std::collections::BTreeMap;

use axum::response::Response;
use lakeglass_api::Role;
use lakeglass_ports::FieldMetadataChange;
use lance_namespace_reqwest_client::models::{
    FragmentStats, FragmentSummary, GetTableStatsResponse, UpdateFieldMetadataResponse,
};

use super::call::{Raw, With};
use super::errors::{of_table, required};
use super::requests::{branch_of, changes, map_of_texts, text, version_ref};
use super::responses::{self, number};
use crate::Problem;

/// A bare map in, and a bare map out: over HTTP the specification wraps neither.
pub(super) async fn replace_of_schema(Raw { call, bytes }: Raw) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let metadata = map_of_texts(&bytes)?;
    let branch = branch_of(call.parameters.get("branch"));
    let kept = call.app.changes.replace_schema_metadata(&call.actor, &table, metadata, branch).await;
    Ok(responses::json(&kept.map_err(of_table)?))
}

pub(super) async fn update_of_fields(
    With { call, body }: With<changes::UpdateFieldMetadata>,
) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let mut changes = BTreeMap::<String, FieldMetadataChange>::new();
    for update in body.updates.unwrap_or_default() {
        let path = text(update.path).ok_or_else(|| required("updates", "a path for each column"))?;
        let replace = update.replace.unwrap_or(false);
        let change = FieldMetadataChange { path: path.clone(), entries: update.metadata, replace };
        if changes.insert(path, change).is_some() {
            return Err(required("updates", "each column once"));
        }
    }
    if changes.is_empty() {
        return Err(required("updates", "a list of columns and their metadata"));
    }
    let branch = branch_of(body.branch.as_deref());
    let changes = changes.into_values().collect();
    let changed = call.app.changes.update_field_metadata(&call.actor, &table, changes, branch).await;
    let (version, fields) = changed.map_err(of_table)?;
    let fields = fields.into_iter().map(|(path, metadata)| (path, metadata.into_iter().collect()));
    Ok(responses::json(&UpdateFieldMetadataResponse {
        fields: Some(fields.collect()),
        ..UpdateFieldMetadataResponse::new(number(version))
    }))
}

pub(super) async fn stats(With { call, body }: With<changes::Stats>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let branch = body.branch.as_deref().or(call.parameters.get("branch"));
    let at = version_ref(None, None, branch)?;
    let found =
        call.app.catalog.resolve_written(&call.actor, &table, Role::Viewer).await.map_err(of_table)?;
    let stats = call.app.engines.tables.stats(&found.location, &at).await.map_err(of_table)?;
    let lengths = stats.lengths;
    let summary = FragmentSummary {
        min: number(lengths.min),
        max: number(lengths.max),
        mean: number(lengths.mean),
        p25: number(lengths.p25),
        p50: number(lengths.p50),
        p75: number(lengths.p75),
        p99: number(lengths.p99),
    };
    let fragments = FragmentStats::new(number(stats.fragments), number(stats.small_fragments), summary);
    Ok(responses::json(&GetTableStatsResponse::new(
        number(stats.bytes),
        number(stats.rows),
        number(stats.indices),
        fragments,
    )))
}
