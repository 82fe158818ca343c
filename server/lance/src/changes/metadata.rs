//! Metadata of the schema and of columns.

use std::collections::BTreeMap;

use lakeglass_ports::{Error, FieldMetadata, FieldMetadataChange, Result, TableLocation};

use super::change;
use crate::error::map;
use crate::open::Lake;

/// Replaces the schema's metadata; what was kept before and is not named goes.
pub(super) async fn replace_of_schema(
    lake: &Lake,
    location: &TableLocation,
    metadata: &BTreeMap<String, String>,
    branch: Option<&str>,
) -> Result<(u64, BTreeMap<String, String>)> {
    let (dataset, kept) = change(lake, location, branch, |mut dataset| async move {
        let entries = metadata.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let kept = dataset.update_schema_metadata(entries).replace().await?;
        Ok((dataset, kept))
    })
    .await?;
    Ok((dataset.version_id(), kept.into_iter().collect()))
}

/// Changes columns' metadata, all in one version.
pub(super) async fn update_of_fields(
    lake: &Lake,
    location: &TableLocation,
    changes: &[FieldMetadataChange],
    branch: Option<&str>,
) -> Result<(u64, FieldMetadata)> {
    if changes.is_empty() {
        return Err(Error::InvalidRequest("Say which column's metadata to change".to_owned()));
    }
    let (dataset, ()) = change(lake, location, branch, |mut dataset| async move {
        let mut update = dataset.update_field_metadata();
        for change in changes {
            let entries = change.entries.iter().map(|(key, value)| (key.as_str(), value.as_deref()));
            update = if change.replace {
                update.replace(change.path.as_str(), entries)?
            } else {
                update.update(change.path.as_str(), entries)?
            };
        }
        update.await?;
        Ok((dataset, ()))
    })
    .await?;
    let schema = dataset.schema();
    let mut kept = FieldMetadata::new();
    for change in changes {
        let field = schema.field(&change.path).ok_or_else(|| Error::NoSuchColumn(change.path.clone()))?;
        let path = schema.field_path(field.id).map_err(map)?;
        kept.insert(path, field.metadata.clone().into_iter().collect());
    }
    Ok((dataset.version_id(), kept))
}
