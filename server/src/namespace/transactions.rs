//! Operations on transactions. A transaction's id is its table's id and one part more: the id or the
//! version of what was committed, or the id of the job that works on it.

use axum::response::Response;
use lakeglass_api::TableRef;
use lance_namespace_reqwest_client::models::{AlterTransactionResponse, DescribeTransactionResponse};
use serde::Deserialize;

use super::call::{Call, With};
use super::errors::of_table;
use super::requests::Nothing;
use super::responses;
use crate::Problem;
use crate::references::{self, Alteration};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Alter {
    actions: Option<Vec<Action>>,
}

/// One of the specification's three actions.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Action {
    #[serde(rename = "setStatusAction", alias = "set_status_action")]
    set_status: Option<SetStatus>,
    #[serde(rename = "setPropertyAction", alias = "set_property_action")]
    set_property: Option<serde_json::Value>,
    #[serde(rename = "unsetPropertyAction", alias = "unset_property_action")]
    unset_property: Option<serde_json::Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SetStatus {
    status: Option<String>,
}

pub(super) async fn describe(With { call, .. }: With<Nothing>) -> Result<Response, Problem> {
    let (table, name) = named(&call)?;
    let found = call.app.references.transaction(&call.actor, &table, &name).await.map_err(of_transaction)?;
    Ok(responses::json(&DescribeTransactionResponse {
        context: None,
        status: found.status.to_owned(),
        properties: responses::properties(found.properties),
    }))
}

pub(super) async fn alter(With { call, body }: With<Alter>) -> Result<Response, Problem> {
    let (table, name) = named(&call)?;
    let actions = body.actions.unwrap_or_default();
    let actions = actions.iter().map(alteration).collect::<Result<Vec<_>, _>>()?;
    let altered = call.app.references.alter_transaction(&call.actor, &table, &name, &actions).await;
    let altered = altered.map_err(of_transaction)?;
    Ok(responses::json(&AlterTransactionResponse {
        context: None,
        status: altered.status.to_owned(),
        properties: responses::properties(altered.properties),
    }))
}

fn alteration(action: &Action) -> Result<Alteration, Problem> {
    let given = [action.set_status.is_some(), action.set_property.is_some(), action.unset_property.is_some()];
    if given.iter().filter(|given| **given).count() != 1 {
        return Err(Problem::invalid(
            "Each action is one of setStatusAction, setPropertyAction and unsetPropertyAction",
        )
        .code(13));
    }
    let Some(set) = &action.set_status else { return Ok(Alteration::Other) };
    match set.status.as_deref().map(str::to_ascii_lowercase).as_deref() {
        Some("canceled" | "cancelled") => Ok(Alteration::Cancel),
        Some("queued" | "running" | "succeeded" | "failed") => Ok(Alteration::Other),
        _ => Err(Problem::invalid("A status is Queued, Running, Succeeded, Failed or Canceled").code(13)),
    }
}

/// A transaction of a table that is missing is missing itself: the specification has no other code here.
fn of_transaction(error: references::Error) -> Problem {
    let problem = of_table(error);
    match problem.namespace_code {
        Some(1 | 4) => missing(),
        _ => problem,
    }
}

fn missing() -> Problem {
    Problem::not_found("There is no such transaction").code(10)
}

/// The table and the name of a transaction of it.
fn named(call: &Call) -> Result<(TableRef, String), Problem> {
    let (name, table) = call.id.parts().split_last().ok_or_else(missing)?;
    let table = super::ids::table(table).map_err(|_| missing())?;
    Ok((table, name.clone()))
}
