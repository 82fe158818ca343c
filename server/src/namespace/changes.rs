//! Operations that change rows: merge, update and delete.

use std::time::Duration;

use axum::response::Response;
use http::HeaderMap;
use lakeglass_api::Role;
use lakeglass_ports::{Merge, WhenMatched, WhenNotMatchedBySource};
use lance_namespace_reqwest_client::models::{
    DeleteFromTableResponse, MergeInsertIntoTableResponse, UpdateTableResponse,
};
use serde_json::json;

use super::call::{Call, Parameters, With};
use super::data::WithRows;
use super::errors::{of_table, required};
use super::requests::{branch_of, changes, text};
use super::{arrow_in, responses, tables};
use crate::Problem;

pub(super) async fn merge(WithRows { call, headers, body }: WithRows) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let mut merge = merging(&call.parameters)?;
    merge.timeout = merge.timeout.or_else(|| allowed_time(&headers));
    let branch = branch_of(call.parameters.get("branch"));
    // Who may not, or names what is not there, learns so before the rows are read.
    tables::lance_table(&call, &table, Role::Editor).await?;

    let upload = arrow_in::open(body, &headers, call.app.config.max_arrow_bytes).await?;
    let merged = call.app.changes.merge(&call.actor, &table, upload.rows, merge, branch).await;
    let merged = merged.map_err(|error| upload.fault.or(of_table(error)))?;
    let answer = MergeInsertIntoTableResponse {
        num_updated_rows: responses::rows(merged.updated),
        num_inserted_rows: responses::rows(merged.inserted),
        num_deleted_rows: responses::rows(merged.deleted),
        version: responses::version(merged.version),
        ..MergeInsertIntoTableResponse::new()
    };
    answered(&call, &answer, json!({ "num_attempts": merged.attempts }))
}

/// How long clients of the remote dialect wait, in milliseconds.
fn allowed_time(headers: &HeaderMap) -> Option<Duration> {
    let sent = headers.get("x-request-timeout-ms")?.to_str().ok()?;
    sent.parse().ok().map(Duration::from_millis)
}

/// The remote dialect reads some numbers by other names.
fn answered<T: serde::Serialize>(
    call: &Call,
    answer: &T,
    more: serde_json::Value,
) -> Result<Response, Problem> {
    if !call.remote {
        return Ok(responses::json(answer));
    }
    let mut answer = serde_json::to_value(answer).map_err(Problem::internal)?;
    if let (Some(answer), serde_json::Value::Object(more)) = (answer.as_object_mut(), more) {
        answer.extend(more);
    }
    Ok(responses::json(&answer))
}

/// A filter implies its clause, unless the clause is said not to apply.
fn merging(parameters: &Parameters) -> Result<Merge, Problem> {
    let on: Vec<String> = parameters.all("on").map(str::to_owned).collect();
    if on.is_empty() {
        return Err(required("on", "the columns that rows are matched on, one parameter each"));
    }
    let clause = |name: &'static str, filter: Option<&str>| {
        Ok::<_, Problem>(parameters.flag(name)?.unwrap_or(filter.is_some()))
    };
    let filter = parameters.get("when_matched_update_all_filt");
    let when_matched = match (clause("when_matched_update_all", filter)?, filter) {
        (false, _) => WhenMatched::Keep,
        (true, None) => WhenMatched::Update,
        (true, Some(filter)) => WhenMatched::UpdateIf(filter.to_owned()),
    };
    let filter = parameters.get("when_not_matched_by_source_delete_filt");
    let by_source = match (clause("when_not_matched_by_source_delete", filter)?, filter) {
        (false, _) => WhenNotMatchedBySource::Keep,
        (true, None) => WhenNotMatchedBySource::Delete,
        (true, Some(filter)) => WhenNotMatchedBySource::DeleteIf(filter.to_owned()),
    };
    let timeout = parameters.get("timeout").map(|text| {
        changes::duration(text).ok_or_else(|| {
            Problem::invalid("timeout is a time such as 30s, 5m or 500ms")
                .field("timeout", "such as 30s")
                .code(13)
        })
    });
    Ok(Merge {
        on,
        when_matched,
        insert_not_matched: parameters.flag("when_not_matched_insert_all")?.unwrap_or(false),
        when_not_matched_by_source: by_source,
        timeout: timeout.transpose()?,
        use_index: parameters.flag("use_index")?.unwrap_or(true),
    })
}

pub(super) async fn update(With { call, body }: With<changes::Update>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let updates = body.updates.filter(|updates| !updates.is_empty());
    let updates = updates.ok_or_else(|| required("updates", "pairs of a column and a SQL expression"))?;
    let branch = branch_of(body.branch.as_deref());
    let written = call.app.changes.update(&call.actor, &table, updates, text(body.predicate), branch).await;
    let written = written.map_err(of_table)?;
    let rows = responses::number(written.rows);
    let answer = UpdateTableResponse::new(rows, responses::number(written.version));
    answered(&call, &answer, json!({ "rows_updated": rows }))
}

pub(super) async fn delete(With { call, body }: With<changes::Delete>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let predicate = text(body.predicate).ok_or_else(|| {
        required("predicate", "a SQL predicate of the rows to remove; \"true\" removes all")
    })?;
    let branch = branch_of(body.branch.as_deref());
    let written = call.app.changes.delete(&call.actor, &table, predicate, branch).await.map_err(of_table)?;
    let answer = DeleteFromTableResponse {
        version: responses::version(written.version),
        ..DeleteFromTableResponse::new()
    };
    answered(&call, &answer, json!({ "num_deleted_rows": written.rows }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merge(query: &str) -> Result<Merge, Problem> {
        merging(&Parameters::parse(query))
    }

    #[test]
    fn keys_are_repeated_and_every_clause_is_read() {
        let read = merge(
            "on=a&on=b&when_matched_update_all=true&when_matched_update_all_filt=source.x%20%3E%20target.x\
             &when_not_matched_insert_all=TRUE&when_not_matched_by_source_delete=1&timeout=30s&use_index=false",
        );
        let read = read.unwrap();
        assert_eq!(read.on, ["a", "b"]);
        assert_eq!(read.when_matched, WhenMatched::UpdateIf("source.x > target.x".to_owned()));
        assert_eq!(read.when_not_matched_by_source, WhenNotMatchedBySource::Delete);
        assert_eq!((read.insert_not_matched, read.use_index), (true, false));
        assert_eq!(read.timeout, Some(Duration::from_secs(30)));
    }

    #[test]
    fn nothing_happens_that_was_not_asked_for_and_a_filter_implies_its_clause() {
        let read = merge("on=a").unwrap();
        assert_eq!(read.when_matched, WhenMatched::Keep);
        assert_eq!(read.when_not_matched_by_source, WhenNotMatchedBySource::Keep);
        assert!(!read.insert_not_matched && read.use_index && read.timeout.is_none());
        let read = merge("on=a&when_not_matched_by_source_delete_filt=x%3D1").unwrap();
        assert_eq!(read.when_not_matched_by_source, WhenNotMatchedBySource::DeleteIf("x=1".to_owned()));
        let read = merge("on=a&when_matched_update_all=false&when_matched_update_all_filt=x").unwrap();
        assert_eq!(read.when_matched, WhenMatched::Keep);
        for bad in ["", "on=", "on=a&timeout=soon", "on=a&use_index=maybe"] {
            assert_eq!(merge(bad).unwrap_err().namespace_code, Some(13), "{bad}");
        }
    }
}
