//! Operations that change columns: add, alter, drop, and filling computed ones.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use lakeglass_ports::{ColumnChange, ColumnSource, NewColumn};
use lance_namespace_reqwest_client::models::{
    AlterTableAddColumnsResponse, AlterTableAlterColumnsResponse, AlterTableBackfillColumnsResponse,
    AlterTableDropColumnsResponse,
};

use super::call::With;
use super::errors::{of_table, required};
use super::requests::{branch_of, changes, text};
use super::{responses, types};
use crate::Problem;
use crate::changes::Backfill;

pub(super) async fn add(With { call, body }: With<changes::AddColumns>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let columns: Vec<NewColumn> =
        body.new_columns.unwrap_or_default().into_iter().map(new_column).collect::<Result<_, _>>()?;
    if columns.is_empty() {
        return Err(required("new_columns", "a list of columns, each with a name and an expression"));
    }
    let branch = branch_of(body.branch.as_deref());
    let version = call.app.changes.add_columns(&call.actor, &table, columns, branch).await;
    let version = responses::number(version.map_err(of_table)?);
    Ok(responses::json(&AlterTableAddColumnsResponse::new(version)))
}

fn new_column(sent: changes::NewColumn) -> Result<NewColumn, Problem> {
    refuse_virtual(sent.virtual_column.is_some())?;
    let name = text(sent.name).ok_or_else(|| required("new_columns", "a name for each column"))?;
    let source = match (text(sent.expression), text(sent.computed)) {
        (Some(expression), None) => ColumnSource::Expression(expression),
        (None, Some(computed)) => ColumnSource::Computed(computed),
        _ => return Err(required("new_columns", "either expression or computed for each column")),
    };
    Ok(NewColumn { name, source })
}

/// Functions that run in containers need machines that this server does not have.
fn refuse_virtual(sent: bool) -> Result<(), Problem> {
    if !sent {
        return Ok(());
    }
    let detail =
        "Columns of functions (virtual_column) are not carried out here; use computed, with a SQL expression";
    Err(Problem::new(StatusCode::NOT_ACCEPTABLE, "unsupported", detail).code(0))
}

pub(super) async fn alter(With { call, body }: With<changes::AlterColumns>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let sent = body.alterations.unwrap_or_default();
    let alterations: Vec<ColumnChange> = sent.into_iter().map(alteration).collect::<Result<_, _>>()?;
    if alterations.is_empty() {
        return Err(required("alterations", "a list of columns to rename, cast or make nullable"));
    }
    let branch = branch_of(body.branch.as_deref());
    let version = call.app.changes.alter_columns(&call.actor, &table, alterations, branch).await;
    let version = responses::number(version.map_err(of_table)?);
    Ok(responses::json(&AlterTableAlterColumnsResponse::new(version)))
}

fn alteration(sent: changes::Alteration) -> Result<ColumnChange, Problem> {
    refuse_virtual(sent.virtual_column.is_some())?;
    Ok(ColumnChange {
        path: text(sent.path).ok_or_else(|| required("alterations", "a path for each column"))?,
        rename: text(sent.rename),
        nullable: sent.nullable,
        data_type: sent.data_type.as_ref().map(types::data_type).transpose()?,
    })
}

pub(super) async fn drop(With { call, body }: With<changes::DropColumns>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let columns = body.columns.unwrap_or_default();
    if columns.is_empty() {
        return Err(required("columns", "a list of columns to drop"));
    }
    let branch = branch_of(body.branch.as_deref());
    let version = call.app.changes.drop_columns(&call.actor, &table, columns, branch).await;
    let version = responses::number(version.map_err(of_table)?);
    Ok(responses::json(&AlterTableDropColumnsResponse::new(version)))
}

/// 202 with the job that fills the column.
pub(super) async fn backfill(
    With { call, body }: With<changes::BackfillColumn>,
) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let column = text(body.column).ok_or_else(|| required("column", "a computed column to fill"))?;
    if body.read_version.is_some() {
        let detail = "A column is filled from the newest version; leave read_version out";
        return Err(Problem::new(StatusCode::NOT_ACCEPTABLE, "unsupported", detail).code(0));
    }
    let branch = branch_of(body.branch.as_deref());
    let wanted = Backfill { column, predicate: text(body.r#where), branch };
    let job = call.app.changes.start_backfill(&call.actor, &table, &wanted).await.map_err(of_table)?;
    let answer = AlterTableBackfillColumnsResponse::new(job.id);
    Ok((StatusCode::ACCEPTED, responses::json(&answer)).into_response())
}
