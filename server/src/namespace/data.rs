//! Operations that bring rows in: create and insert.

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::response::Response;
use http::HeaderMap;
use lakeglass_api::Role;
use lakeglass_ports::InsertMode;
use lance_namespace_reqwest_client::models::{CreateTableResponse, InsertIntoTableResponse};

use super::call::Call;
use super::errors::{of_namespace, of_table};
use super::modes::{Create, Insert};
use super::requests::{branch_name, refuse_storage_options};
use super::{arrow_in, responses, tables};
use crate::Problem;
use crate::catalog::TableMode;

/// A request with rows in its body, which nothing has read yet.
#[derive(Debug)]
pub(super) struct WithRows {
    pub(super) call: Call,
    pub(super) headers: HeaderMap,
    pub(super) body: Body,
}

impl FromRequest<std::sync::Arc<crate::App>> for WithRows {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &std::sync::Arc<crate::App>) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        let call = <Call as axum::extract::FromRequestParts<_>>::from_request_parts(&mut parts, app).await?;
        Ok(Self { call, headers: parts.headers, body })
    }
}

pub(super) async fn create(WithRows { call, headers, body }: WithRows) -> Result<Response, Problem> {
    let table = call.new_table()?;
    let mode = match Create::parse(call.parameters.get("mode"))? {
        Create::New => TableMode::Create,
        Create::ExistOk => TableMode::ExistOk,
        Create::Overwrite => TableMode::Overwrite,
    };
    let properties = call.parameters.map("properties")?.unwrap_or_default();
    let options = call.parameters.map("storage_options")?.unwrap_or_default();
    refuse_storage_options(!options.is_empty())?;

    let upload = arrow_in::open(body, &headers, call.app.config.max_arrow_bytes).await?;
    let created = call.app.catalog.create_table(&call.actor, &table, upload.rows, mode, properties).await;
    let (made, written) = created.map_err(|error| upload.fault.or(of_namespace(error)))?;
    let resolved = call.app.catalog.resolve(&call.actor, &table, Role::Viewer).await.map_err(of_table)?;
    let answer = CreateTableResponse {
        location: Some(made.location),
        version: responses::version(written.version),
        storage_options: tables::options_if_any(&call, &resolved, None).await,
        properties: responses::properties(made.properties),
        ..CreateTableResponse::new()
    };
    Ok(call.announced(responses::json(&answer)))
}

pub(super) async fn insert(WithRows { call, headers, body }: WithRows) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let mode = match Insert::parse(call.parameters.get("mode"))? {
        Insert::Append => InsertMode::Append,
        Insert::Overwrite => InsertMode::Overwrite,
    };
    let branch = branch_name(call.parameters.get("branch")).map(str::to_owned);
    tables::lance_table(&call, &table, Role::Editor).await?;

    let upload = arrow_in::open(body, &headers, call.app.config.max_arrow_bytes).await?;
    let catalog = &call.app.catalog;
    let inserted = catalog.insert(&call.actor, &table, upload.rows, mode, branch.as_deref()).await;
    let (_, written) = inserted.map_err(|error| upload.fault.or(of_table(error)))?;
    Ok(responses::json(&InsertIntoTableResponse {
        num_inserted_rows: responses::rows(written.rows),
        version: responses::version(written.version),
        ..InsertIntoTableResponse::new()
    }))
}
