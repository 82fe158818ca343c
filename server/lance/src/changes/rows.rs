//! Rows updated by SQL expressions and removed by a predicate.

use std::sync::Arc;

use lakeglass_ports::{Error, Result, TableLocation, Written};
use lance::dataset::UpdateBuilder;
use lance::dataset::write::delete::DeleteBuilder;

use super::{ATTEMPTS, made};
use crate::error::map;
use crate::open::{Lake, newest};
use crate::write::PATIENCE;

/// Sets columns to SQL expressions in the rows that a predicate keeps; none: in all.
pub(super) async fn update(
    lake: &Lake,
    location: &TableLocation,
    updates: &[(String, String)],
    predicate: Option<&str>,
    branch: Option<&str>,
) -> Result<Written> {
    if updates.is_empty() {
        return Err(Error::InvalidRequest("Say which column to set to which expression".to_owned()));
    }
    let _turn = lake.turn(location).await;
    let dataset = lake.open(location, &newest(branch), None).await?;
    let mut builder =
        UpdateBuilder::new(Arc::new(dataset)).conflict_retries(ATTEMPTS).retry_timeout(PATIENCE);
    if let Some(predicate) = predicate {
        builder = builder.update_where(predicate).map_err(map)?;
    }
    for (column, expression) in updates {
        builder = builder.set(column, expression).map_err(map)?;
    }
    let done = builder.build().map_err(map)?.execute().await.map_err(map)?;
    Ok(made(lake, location, &done.new_dataset, done.rows_updated).await)
}

/// Removes the rows that a SQL predicate keeps.
pub(super) async fn delete(
    lake: &Lake,
    location: &TableLocation,
    predicate: &str,
    branch: Option<&str>,
) -> Result<Written> {
    let _turn = lake.turn(location).await;
    let dataset = lake.open(location, &newest(branch), None).await?;
    let done = DeleteBuilder::new(Arc::new(dataset), predicate)
        .conflict_retries(ATTEMPTS)
        .retry_timeout(PATIENCE)
        .execute()
        .await
        .map_err(map)?;
    Ok(made(lake, location, &done.new_dataset, done.num_deleted_rows).await)
}
