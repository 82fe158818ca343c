//! Operations on materialized views.

use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use http::StatusCode;
use lance_namespace_reqwest_client::models::{
    CreateMaterializedViewResponse, RefreshMaterializedViewResponse,
};
use serde::Deserialize;

use super::call::With;
use super::errors::{of_namespace, of_table};
use super::requests::version;
use super::responses;
use super::versions::required;
use crate::Problem;
use crate::views::{Definition, Error};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CreateView {
    kind: Option<String>,
    source_query: Option<String>,
    /// An Arrow schema as an IPC message or stream, in base 64.
    output_schema: Option<String>,
    with_no_data: Option<bool>,
    auto_refresh: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RefreshView {
    #[serde(deserialize_with = "version")]
    src_version: Option<u64>,
    output_limit: Option<i64>,
}

/// 201. Only views of a query are made here; what a function makes needs a runtime for functions.
pub(super) async fn create(With { call, body }: With<CreateView>) -> Result<Response, Problem> {
    let view = call.new_table()?;
    match body.kind.as_deref().map(str::to_ascii_lowercase).as_deref() {
        Some("query") => {}
        Some("udtf" | "chunker" | "scalar_udtf") => {
            let detail = "Views of functions are not carried out here; use kind query";
            return Err(Error::Unsupported(detail).into());
        }
        Some(_) => return Err(Problem::invalid("kind is query, udtf or chunker").code(13)),
        None => return Err(required("kind")),
    }
    if body.auto_refresh == Some(true) {
        let detail = "Views are not refreshed by themselves; ask for a refresh when it is wanted";
        return Err(Error::Unsupported(detail).into());
    }
    let query = body.source_query.filter(|query| !query.is_empty());
    let definition = Definition::parse(&query.ok_or_else(|| required("source_query"))?)?;
    let expected = body.output_schema.as_deref().filter(|text| !text.is_empty()).map(schema).transpose()?;
    let fill = body.with_no_data == Some(false);
    let views = &call.app.views;
    let made = views.create(&call.actor, &view, &definition, expected.as_ref(), fill).await;
    let made = made.map_err(of_namespace)?;
    let answer = CreateMaterializedViewResponse {
        context: None,
        version: i64::try_from(made.version).unwrap_or(i64::MAX),
        job_id: made.job.map(Some),
    };
    Ok((StatusCode::CREATED, responses::json(&answer)).into_response())
}

/// 202, with the job that fills the view.
pub(super) async fn refresh(With { call, body }: With<RefreshView>) -> Result<Response, Problem> {
    let view = call.existing_table()?;
    if body.output_limit.is_some() {
        let rule = "output_limit is for views of chunkers only";
        return Err(Problem::invalid(rule).field("output_limit", rule).code(13));
    }
    let job = call.app.views.refresh(&call.actor, &view, body.src_version).await.map_err(of_table)?;
    let answer = RefreshMaterializedViewResponse { context: None, job_id: job };
    Ok((StatusCode::ACCEPTED, responses::json(&answer)).into_response())
}

fn schema(text: &str) -> Result<arrow_schema::Schema, Problem> {
    let bad = || {
        let rule = "output_schema is an Arrow schema, as an IPC message or stream, in base 64";
        Problem::invalid(rule).field("output_schema", rule).code(13)
    };
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).map_err(|_| bad())?;
    // Arrow's reader panics on some types that no writer gives.
    std::panic::catch_unwind(|| decode(&bytes)).ok().flatten().ok_or_else(bad)
}

fn decode(bytes: &[u8]) -> Option<arrow_schema::Schema> {
    match arrow_ipc::reader::StreamReader::try_new(bytes, None) {
        Ok(reader) => Some(arrow_schema::Schema::clone(&reader.schema())),
        Err(_) => arrow_ipc::convert::try_schema_from_ipc_buffer(bytes).ok(),
    }
}
