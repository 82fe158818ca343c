//! Marker files beside a table's data, so that a client with no catalog sees its state too.

use lakeglass_ports::TableLocation;
use object_store::{ObjectStoreExt, PutPayload};

use super::error::Result;
use crate::storage;

/// The location is taken, nothing is written yet.
pub(super) const RESERVED: &str = ".lance-reserved";
/// The table was taken out of the catalog, its data kept.
pub(super) const DEREGISTERED: &str = ".lance-deregistered";

/// Writes an empty marker; one that is there already is fine.
pub(super) async fn write(location: &TableLocation, marker: &str) -> Result<()> {
    let path = location.prefix.clone().join(marker);
    location.store.put(&path, PutPayload::new()).await.map_err(storage::Error::Store)?;
    Ok(())
}

/// Removes a marker; none there is fine.
pub(super) async fn remove(location: &TableLocation, marker: &str) -> Result<()> {
    let path = location.prefix.clone().join(marker);
    match location.store.delete(&path).await {
        Err(error) if !matches!(error, object_store::Error::NotFound { .. }) => {
            Err(storage::Error::Store(error).into())
        }
        _ => Ok(()),
    }
}
