//! Operations on tables that move no rows: declare, describe, list, register, rename, remove.

use std::collections::HashMap;

use axum::response::Response;
use lakeglass_api::catalog::TableState;
use lakeglass_api::{NamespacePath, Role, TableRef};
use lakeglass_ports::{Subject, VersionRef};
use lance_namespace_reqwest_client::models::{
    DeclareTableResponse, DeregisterTableResponse, DescribeTableResponse, DropTableResponse,
    ListTablesResponse, RegisterTableResponse, TableBasicStats,
};

use super::call::{Call, With};
use super::errors::{self, of_namespace, of_table};
use super::ids::{self, Place};
use super::modes::Create;
use super::requests::{Nothing, tables as bodies, version_ref};
use super::schema::Words;
use super::{paging, responses, schema};
use crate::Problem;
use crate::catalog::Resolved;

pub(super) async fn declare(With { call, body }: With<bodies::DeclareTable>) -> Result<Response, Problem> {
    let table = call.new_table()?;
    let location = body.location.as_deref().filter(|location| !location.is_empty());
    let properties = body.properties.unwrap_or_default();
    let declared = call.app.catalog.declare_table(&call.actor, &table, location, properties).await;
    let declared = declared.map_err(of_namespace)?;
    let vend = body.vend_credentials.or(call.parameters.flag("vend_credentials")?);
    let resolved = call.app.catalog.resolve(&call.actor, &table, Role::Viewer).await.map_err(of_table)?;
    Ok(responses::json(&DeclareTableResponse {
        location: Some(declared.location),
        storage_options: options_if_any(&call, &resolved, vend).await,
        properties: responses::properties(declared.properties),
        managed_versioning: Some(false),
        ..DeclareTableResponse::new()
    }))
}

/// What the caller's role is given to reach a table's bytes; none when it asked for none.
pub(super) async fn storage_options(
    call: &Call,
    resolved: &Resolved,
    vend: Option<bool>,
) -> Result<Option<HashMap<String, String>>, Problem> {
    if vend == Some(false) {
        return Ok(None);
    }
    let options = call.app.catalog.client_options(&call.actor, resolved).await.map_err(of_table)?;
    Ok(Some(options.into_iter().collect()))
}

/// The same where a failure must not fail the answer: a table that was just made is there.
pub(super) async fn options_if_any(
    call: &Call,
    resolved: &Resolved,
    vend: Option<bool>,
) -> Option<HashMap<String, String>> {
    storage_options(call, resolved, vend).await.unwrap_or_else(|problem| {
        let table = resolved.table.reference();
        tracing::warn!(%table, why = problem.detail, "a table was named without the keys to it");
        None
    })
}

pub(super) async fn describe(With { call, body }: With<bodies::DescribeTable>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let parameters = &call.parameters;
    let version = body.version.or(parameters.version()?);
    let tag = body.tag.as_deref().or(parameters.get("tag"));
    let branch = body.branch.as_deref().or(parameters.get("branch"));
    let at = version_ref(version, tag, branch)?;
    let detailed = flag(body.load_detailed_metadata, &call, "load_detailed_metadata")?;
    let with_uri = flag(body.with_table_uri, &call, "with_table_uri")?;
    let check_declared = flag(body.check_declared, &call, "check_declared")?;
    let vend = body.vend_credentials.or(parameters.flag("vend_credentials")?);

    let resolved = lance_table(&call, &table, Role::Viewer).await?;
    let declared = resolved.table.state == TableState::Declared;
    // Callers of the remote dialect read and write through this server and need no keys.
    let storage_options = if call.remote && vend != Some(true) {
        options_if_any(&call, &resolved, vend).await
    } else {
        storage_options(&call, &resolved, vend).await?
    };
    let mut answer = DescribeTableResponse {
        table: Some(table.table.as_str().to_owned()),
        namespace: Some(ids::namespace_parts(&table)),
        location: Some(resolved.table.location.clone()),
        table_uri: with_uri.then(|| resolved.table.location.clone()),
        storage_options,
        properties: responses::properties(resolved.table.properties.clone()),
        managed_versioning: Some(false),
        is_only_declared: (check_declared || detailed).then_some(declared),
        ..DescribeTableResponse::new()
    };
    if declared {
        refuse_state_of_nothing(&at)?;
    } else if detailed || call.remote || at != VersionRef::Latest {
        let engine = &call.app.engines.tables;
        let words = if call.remote { Words::Remote } else { Words::Specification };
        let (version, arrow, metadata) = engine.schema(&resolved.location, &at).await.map_err(of_table)?;
        answer.version = responses::version(version);
        answer.schema = Some(Box::new(schema::json(&arrow, words)));
        answer.metadata = Some(metadata.into_iter().collect());
    }
    if detailed && !declared {
        answer.stats = stats(&call, &resolved, at).await?.map(Box::new);
    }
    Ok(call.announced(responses::json(&answer)))
}

/// A flag that the query or the body sets: clients write its default into the body they always send.
fn flag(body: Option<bool>, call: &Call, name: &'static str) -> Result<bool, Problem> {
    Ok(call.parameters.flag(name)? == Some(true) || body == Some(true))
}

/// A table of which nothing is written has no version, tag or branch.
fn refuse_state_of_nothing(at: &VersionRef) -> Result<(), Problem> {
    let (what, code) = match at {
        VersionRef::Latest => return Ok(()),
        VersionRef::Version(version) => (format!("version {version}"), 11),
        VersionRef::Tag(tag) => (format!("tag {tag}"), 8),
        VersionRef::Branch(branch, _) => (format!("branch {branch}"), 22),
    };
    let detail = format!("The table is declared and nothing was written to it, so there is no {what}");
    Err(Problem::not_found(detail).code(code))
}

/// Deleted rows and fragments, from the describer.
async fn stats(call: &Call, resolved: &Resolved, at: VersionRef) -> Result<Option<TableBasicStats>, Problem> {
    let describer = call.app.formats.describer(&resolved.table.format).await;
    let Some(describer) = describer else { return Ok(None) };
    let subject = Subject {
        location: resolved.location.clone(),
        format: resolved.table.format.clone(),
        version: at,
        options: resolved.options.clone(),
    };
    let totals = describer.describe(&subject).await.map_err(of_table)?.answer.totals;
    let count = |count: Option<lakeglass_api::description::Count>| {
        count.map_or(0, |count| i32::try_from(count.value).unwrap_or(i32::MAX))
    };
    Ok(Some(TableBasicStats::new(count(totals.deleted_rows), count(totals.files))))
}

/// A table that this surface may touch, in a form ready for the engine.
pub(super) async fn lance_table(call: &Call, table: &TableRef, need: Role) -> Result<Resolved, Problem> {
    call.app.catalog.resolve_lance(&call.actor, table, need).await.map_err(of_table)
}

pub(super) async fn exists(With { call, body }: With<bodies::TableExists>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let version = body.version.or(call.parameters.version()?);
    if let Some(version) = version {
        let resolved = lance_table(&call, &table, Role::Viewer).await?;
        let at = VersionRef::Version(version.to_string());
        if resolved.table.state == TableState::Declared {
            refuse_state_of_nothing(&at)?;
        }
        call.app.engines.tables.schema(&resolved.location, &at).await.map_err(of_table)?;
    } else {
        call.app.catalog.resolve(&call.actor, &table, Role::Viewer).await.map_err(of_table)?;
    }
    Ok(responses::exists())
}

pub(super) async fn list(call: Call) -> Result<Response, Problem> {
    let (bucket, path) = match call.existing_place()? {
        Place::Root => return Ok(responses::json(&ListTablesResponse::new(Vec::new()))),
        Place::Bucket(bucket) => (bucket, NamespacePath::root()),
        Place::Namespace(bucket, path) => (bucket, path),
    };
    let declared = call.parameters.flag("include_declared")?.unwrap_or(true);
    let mut walk = paging::Walk::new(&call.parameters)?;
    while let Some(query) = walk.query() {
        let page = call.app.catalog.tables(&call.actor, &bucket, &path, &query, declared).await;
        walk.take(page.map_err(of_namespace)?.map(|table| table.name.as_str().to_owned()));
    }
    let (tables, page_token) = walk.end();
    Ok(call.announced(responses::json(&ListTablesResponse { context: None, tables, page_token })))
}

/// Every table that the caller may see, by full names in the caller's delimiter; in the remote dialect
/// those of the database it names.
pub(super) async fn list_all(call: Call) -> Result<Response, Problem> {
    if let Place::Namespace(..) = call.existing_place()? {
        return list(call).await;
    }
    let declared = call.parameters.flag("include_declared")?.unwrap_or(true);
    let bucket = call.id.parts().first();
    let mut walk = paging::Walk::new(&call.parameters)?;
    while let Some(query) = walk.query() {
        let page = call.app.catalog.all_tables(&call.actor, &query, declared).await;
        let mut page = page.map_err(of_namespace)?;
        page.items.retain(|table| bucket.is_none_or(|bucket| bucket == table.bucket.as_str()));
        walk.take(page.map(|table| call.id.join(&table)));
    }
    let (tables, page_token) = walk.end();
    Ok(call.announced(responses::json(&ListTablesResponse { context: None, tables, page_token })))
}

pub(super) async fn register(With { call, body }: With<bodies::RegisterTable>) -> Result<Response, Problem> {
    let table = call.new_table()?;
    let overwrite = Create::parse_register(body.mode.as_deref())? == Create::Overwrite;
    let location = body.location.as_deref().filter(|location| !location.is_empty());
    let location = location.ok_or_else(|| {
        Problem::invalid("Say where the table is, as location").field("location", "is required").code(13)
    })?;
    let properties = body.properties.unwrap_or_default();
    let catalog = &call.app.catalog;
    let registered = catalog.register_table(&call.actor, &table, location, overwrite, properties).await;
    let registered = registered.map_err(of_namespace)?;
    Ok(responses::json(&RegisterTableResponse {
        location: Some(registered.location),
        properties: responses::properties(registered.properties),
        ..RegisterTableResponse::new()
    }))
}

pub(super) async fn deregister(With { call, .. }: With<Nothing>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    lance_table(&call, &table, Role::Viewer).await?;
    let removed = call.app.catalog.deregister_table(&call.actor, &table).await.map_err(of_table)?;
    Ok(responses::json(&DeregisterTableResponse {
        id: Some(ids::table_parts(&table)),
        location: Some(removed.location),
        properties: responses::properties(removed.properties),
        ..DeregisterTableResponse::new()
    }))
}

/// The only operation that removes bytes; nothing of another format goes through here.
pub(super) async fn drop(With { call, .. }: With<Nothing>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    lance_table(&call, &table, Role::Viewer).await?;
    let removed = call.app.catalog.drop_table(&call.actor, &table).await.map_err(of_table)?;
    Ok(responses::json(&DropTableResponse {
        id: Some(ids::table_parts(&table)),
        location: Some(removed.location),
        properties: responses::properties(removed.properties),
        ..DropTableResponse::new()
    }))
}

pub(super) async fn rename(With { call, body }: With<bodies::RenameTable>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let name = body.new_table_name.as_deref().filter(|name| !name.is_empty()).ok_or_else(|| {
        Problem::invalid("Say the new name, as new_table_name")
            .field("new_table_name", "is required")
            .code(13)
    })?;
    let name = name.parse().map_err(|error| Problem::from(error).code(13))?;
    let target = body.new_namespace_id.as_deref().map(|parts| call.id.beside(parts));
    let path = match target.as_deref().map(ids::place).transpose().map_err(|_| errors::no_namespace())? {
        None => None,
        Some(Place::Namespace(bucket, path)) if bucket == table.bucket => Some(path),
        Some(Place::Namespace(_, _)) => {
            let detail = "A table moves within its bucket only; copy it to another one";
            return Err(Problem::new(http::StatusCode::NOT_ACCEPTABLE, "unsupported", detail).code(0));
        }
        Some(Place::Root | Place::Bucket(_)) => {
            return Err(
                Problem::invalid("Tables live in a namespace of a bucket, not directly in it").code(13)
            );
        }
    };
    lance_table(&call, &table, Role::Viewer).await?;
    let renamed = call.app.catalog.rename_table(&call.actor, &table, &name, path.as_ref()).await;
    renamed.map_err(of_table)?;
    Ok(responses::done())
}
