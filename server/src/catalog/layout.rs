//! Where a new table's bytes go, and the bounds of what people attach to things.

use lakeglass_api::catalog::Properties;
use lakeglass_api::{FormatId, TableRef};
use sqlx::SqliteConnection;
use tokio::sync::OwnedRwLockWriteGuard;

use super::error::{Error, Result};
use super::store::{self, buckets::BucketRow, entries::NewEntry};
use super::{Catalog, display};
use crate::clock;
use crate::storage::relative;

/// Folders tried for one new table before giving up.
const ATTEMPTS: usize = 4;

/// An entry just made, with an intent open. Mending leaves it alone while this lives.
#[derive(Debug)]
pub(super) struct Reserved {
    pub(super) entry: i64,
    _change: OwnedRwLockWriteGuard<()>,
}

/// What to make an entry of.
#[derive(Debug, Clone)]
pub(super) struct Reservation {
    pub(super) table: TableRef,
    pub(super) format: FormatId,
    pub(super) state: &'static str,
    /// Kind of the intent that is opened with it.
    pub(super) intent: &'static str,
    /// Relative to the bucket's root; none: by layout.
    pub(super) location: Option<String>,
    pub(super) properties: Properties,
}

impl Catalog {
    /// Takes a name and a place in one transaction. One of many callers wins; the others see
    /// [`Error::TableExists`] and have touched nothing.
    pub(super) async fn reserve(&self, bucket: &BucketRow, wanted: &Reservation) -> Result<Reserved> {
        let plain = format!("{}/{}", wanted.table.namespace.dotted(), wanted.table.table);
        for attempt in 0..ATTEMPTS {
            let location = match &wanted.location {
                Some(location) => location.clone(),
                None if attempt == 0 => plain.clone(),
                None => with_suffix(&plain)?,
            };
            let place = relative::join(&bucket.root, &location);
            let free = wanted.location.is_some() || self.storages.is_free(bucket.storage_id, &place).await?;
            let mut transaction = self.db.write.begin().await?;
            let namespace_id = free_name(&mut transaction, bucket, &wanted.table).await?;
            if !free {
                continue;
            }
            let neighbours = store::places::overlapping(&mut transaction, bucket.id, &location, None).await?;
            if let Some(neighbour) = neighbours.first() {
                if wanted.location.is_some() {
                    return Err(Error::Overlaps(neighbour.name.clone()));
                }
                continue;
            }
            let at = clock::now_ms();
            let entry = NewEntry {
                bucket_id: bucket.id,
                namespace_id,
                name: wanted.table.table.as_str(),
                format: wanted.format.as_str(),
                state: wanted.state,
                location: &location,
                properties: &store::to_text(&wanted.properties),
                at,
            };
            let entry = store::entries::insert(&mut transaction, &entry).await?;
            store::intents::open(&mut transaction, wanted.intent, bucket.id, Some(entry), at).await?;
            // Nobody else knows of the entry before the commit, so its gate is free.
            let change = self.changes.alone(entry).await;
            transaction.commit().await?;
            return Ok(Reserved { entry, _change: change });
        }
        Err(Error::Overlaps(format!("another table, or files that are in {plain} already")))
    }
}

/// The id of the table's namespace, if the name is free there. One identifier space: a table may not
/// have the name of a child namespace either.
pub(super) async fn free_name(
    connection: &mut SqliteConnection,
    bucket: &BucketRow,
    table: &TableRef,
) -> Result<i64> {
    if store::buckets::find(&mut *connection, &table.bucket).await?.is_none_or(|now| now.id != bucket.id) {
        return Err(Error::NoSuchBucket(table.bucket.clone()));
    }
    let dotted = table.namespace.dotted();
    let found = store::namespaces::find(&mut *connection, bucket.id, &dotted).await?;
    let namespace = found.ok_or_else(|| Error::NoSuchNamespace(display(&bucket.name, &dotted)))?;
    let name = table.table.as_str();
    if store::entries::find(&mut *connection, bucket.id, &dotted, name).await?.is_some() {
        return Err(Error::TableExists { what: "A table", name: table.to_string() });
    }
    if let Ok(child) = table.namespace.child(name)
        && store::namespaces::find(&mut *connection, bucket.id, &child.dotted()).await?.is_some()
    {
        return Err(Error::TableExists { what: "A namespace", name: table.to_string() });
    }
    Ok(namespace.id)
}

/// A name with `-` and 8 random hex digits.
pub(super) fn with_suffix(name: &str) -> Result<String> {
    let mut bytes = [0_u8; 4];
    getrandom::fill(&mut bytes).map_err(|error| Error::internal(error.to_string()))?;
    Ok(format!("{name}-{}", hex::encode(bytes)))
}

/// At most 100 properties, keys up to 256 bytes, values up to 4,096.
pub(super) fn check_properties(properties: &Properties) -> Result<()> {
    let fits = properties.len() <= 100
        && properties.iter().all(|(key, value)| {
            !key.is_empty() && key.len() <= 256 && value.len() <= 4096 && !key.chars().any(char::is_control)
        });
    if fits {
        return Ok(());
    }
    Err(Error::invalid(
        "properties",
        "Use at most 100 properties, with keys of 1 to 256 bytes and values of at most 4,096 bytes",
    ))
}

pub(super) fn check_description(text: &str) -> Result<()> {
    if text.len() <= 2000 {
        return Ok(());
    }
    Err(Error::invalid("description", "Use at most 2,000 bytes"))
}

/// The format that a new entry of a bucket has, when `asked` is wanted.
pub(super) fn check_format(bucket: &BucketRow, asked: &FormatId) -> Result<()> {
    match &bucket.format {
        Some(holds) if holds != asked.as_str() => Err(Error::WrongFormat {
            bucket: bucket.name.parse().map_err(Error::internal)?,
            holds: FormatId::new(holds.clone()),
            asked: asked.clone(),
        }),
        _ => Ok(()),
    }
}
