//! Columns added, altered and dropped.

use std::sync::Arc;

use lakeglass_ports::{ColumnChange, ColumnSource, Error, NewColumn, Result, TableLocation};
use lance::dataset::{ColumnAlteration, NewColumnTransform};

use super::{change, computed};
use crate::open::{Lake, newest};

fn nothing(what: &str) -> Error {
    Error::InvalidRequest(format!("Say which columns to {what}"))
}

/// Adds columns: all evaluated over the rows that are there, or all computed.
pub(super) async fn add(
    lake: &Lake,
    location: &TableLocation,
    columns: &[NewColumn],
    branch: Option<&str>,
) -> Result<u64> {
    let mut evaluated = Vec::new();
    let mut declared = Vec::new();
    for column in columns {
        if column.name.is_empty() {
            return Err(Error::InvalidRequest("A new column has no name".to_owned()));
        }
        match &column.source {
            ColumnSource::Expression(expression) => evaluated.push((column.name.clone(), expression.clone())),
            ColumnSource::Computed(expression) => declared.push((column.name.as_str(), expression.as_str())),
        }
    }
    match (evaluated.is_empty(), declared.is_empty()) {
        (true, true) => Err(nothing("add")),
        (false, false) => Err(Error::InvalidRequest(
            "Columns that are evaluated and columns that are computed are added one kind at a time"
                .to_owned(),
        )),
        (false, true) => {
            let (dataset, ()) = change(lake, location, branch, |mut dataset| {
                let transform = NewColumnTransform::SqlExpressions(evaluated.clone());
                async move {
                    dataset.add_columns(transform, None, None).await?;
                    Ok((dataset, ()))
                }
            })
            .await?;
            Ok(dataset.version_id())
        }
        (true, false) => {
            let before = lake.open(location, &newest(branch), None).await?;
            let schema = computed::schema(&before, &declared)?;
            let (dataset, ()) = change(lake, location, branch, |mut dataset| {
                let transform = NewColumnTransform::AllNulls(Arc::clone(&schema));
                async move {
                    dataset.add_columns(transform, None, None).await?;
                    Ok((dataset, ()))
                }
            })
            .await?;
            Ok(dataset.version_id())
        }
    }
}

pub(super) async fn alter(
    lake: &Lake,
    location: &TableLocation,
    changes: &[ColumnChange],
    branch: Option<&str>,
) -> Result<u64> {
    let idle = |one: &ColumnChange| one.rename.is_none() && one.nullable.is_none() && one.data_type.is_none();
    if changes.is_empty() {
        return Err(nothing("alter"));
    }
    if let Some(idle) = changes.iter().find(|one| idle(one)) {
        return Err(Error::InvalidRequest(format!(
            "Say what to alter of column {}: its name, type or nullability",
            idle.path
        )));
    }
    let alterations: Vec<ColumnAlteration> = changes
        .iter()
        .map(|change| ColumnAlteration {
            path: change.path.clone(),
            rename: change.rename.clone(),
            nullable: change.nullable,
            data_type: change.data_type.clone(),
        })
        .collect();
    let alterations = &alterations;
    let (dataset, ()) = change(lake, location, branch, |mut dataset| async move {
        dataset.alter_columns(alterations).await?;
        Ok((dataset, ()))
    })
    .await?;
    Ok(dataset.version_id())
}

pub(super) async fn remove(
    lake: &Lake,
    location: &TableLocation,
    paths: &[String],
    branch: Option<&str>,
) -> Result<u64> {
    if paths.is_empty() {
        return Err(nothing("drop"));
    }
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let paths = &paths;
    let (dataset, ()) = change(lake, location, branch, |mut dataset| async move {
        dataset.drop_columns(paths).await?;
        Ok((dataset, ()))
    })
    .await?;
    Ok(dataset.version_id())
}
