//! The transactions that made a table's versions, found among the newest ones.

use futures::{StreamExt, TryStreamExt};
use lakeglass_ports::{Error, Result, TableLocation, TransactionName, TransactionRecord, VersionRef};
use lance::Dataset;

use super::place::Place;
use crate::error::map;
use crate::open::Lake;

/// How many versions are looked through for a transaction's id, newest first.
const NEWEST: usize = 200;
/// Manifests read at once.
const PARALLEL: usize = 8;

pub(crate) async fn find(
    lake: &Lake,
    location: &TableLocation,
    name: &TransactionName,
) -> Result<TransactionRecord> {
    let dataset = lake.open(location, &VersionRef::Latest, None).await?;
    let found = Place::of(lake, location, None).await?.found().await?;
    match name {
        TransactionName::Version(version) => {
            let missing = || Error::NoSuchTransaction(format!("of version {version}"));
            if found.binary_search_by_key(version, |one| one.version).is_err() {
                return Err(missing());
            }
            read(&dataset, *version).await?.ok_or_else(missing)
        }
        TransactionName::Uuid(uuid) => {
            let newest: Vec<u64> = found.iter().rev().take(NEWEST).map(|one| one.version).collect();
            let transactions = futures::stream::iter(newest)
                .map(|version| read(&dataset, version))
                .buffered(PARALLEL)
                .try_filter_map(|found| async move { Ok(found) });
            let mut transactions = std::pin::pin!(transactions);
            while let Some(transaction) = transactions.try_next().await? {
                if transaction.uuid == *uuid {
                    return Ok(transaction);
                }
            }
            Err(Error::NoSuchTransaction(super::shown(uuid)))
        }
    }
}

/// The transaction of a version; none where it was not kept, or the version went meanwhile.
async fn read(dataset: &Dataset, version: u64) -> Result<Option<TransactionRecord>> {
    let read = match dataset.read_version_transaction(version).await.map_err(map) {
        Ok(read) => read,
        Err(Error::NotFound) => return Ok(None),
        Err(other) => return Err(other),
    };
    Ok(read.transaction.map(|transaction| TransactionRecord {
        operation: transaction.operation.name().to_owned(),
        uuid: transaction.uuid,
        version,
        read_version: transaction.read_version,
        committed_at_ms: read.timestamp.timestamp_millis(),
        properties: transaction
            .transaction_properties
            .iter()
            .flat_map(|map| map.iter())
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    }))
}
