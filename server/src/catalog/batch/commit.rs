//! Carrying a batch out: gates, checks, puts, one transaction, markers.

use lakeglass_ports::{TableLocation, VersionRecord};
use sqlx::SqliteConnection;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard};

use super::{BatchOutcome, Step};
use crate::catalog::error::{Error, Result};
use crate::catalog::layout::{self, Reservation};
use crate::catalog::store::{self, buckets::BucketRow, entries::NewEntry};
use crate::catalog::{Catalog, CatalogEvent, crash, register};
use crate::clock;
use crate::storage::relative;

/// Folders tried for one new table before giving up.
const ATTEMPTS: usize = 4;

/// What keeps others away while a batch is carried out.
#[derive(Debug, Default)]
struct Held {
    changes: Vec<OwnedRwLockWriteGuard<()>>,
    alone: Vec<OwnedRwLockWriteGuard<()>>,
    together: Vec<OwnedRwLockReadGuard<()>>,
}

/// A version that was put, to be taken back when a later change fails.
struct Put<'a> {
    step: &'a Step,
    location: TableLocation,
    record: VersionRecord,
}

impl Catalog {
    pub(super) async fn commit_steps(&self, steps: Vec<Step>) -> Result<Vec<BatchOutcome>> {
        let held = self.hold(&steps).await;
        let mut locations = Vec::with_capacity(steps.len());
        for step in &steps {
            locations.push(self.checked_location(step).await?);
        }
        let mut puts = Vec::new();
        let outcome = match self.put_all(&steps, &locations, &mut puts).await {
            Ok(()) => {
                crash::point("batch.put").await;
                self.record_steps(&steps).await
            }
            Err(error) => Err(error),
        };
        let (declared, changes) = match outcome {
            Ok(recorded) => recorded,
            Err(error) => {
                self.take_back(puts).await;
                return Err(error);
            }
        };
        crash::point("batch.recorded").await;
        let outcomes = self.settle_steps(&steps, &locations, &puts, &declared).await;
        drop((held, changes));
        outcomes
    }

    /// Passes every gate, in one order for all batches, as a drop passes them: changes before writes.
    async fn hold(&self, steps: &[Step]) -> Held {
        let mut held = Held::default();
        let mut ids: Vec<(i64, bool, bool)> = Vec::new();
        for step in steps {
            match step {
                Step::Declare { .. } => {}
                Step::Create { row, .. } => ids.push((row.id, false, row.state == "declared")),
                Step::Delete { row, .. } => ids.push((row.id, false, false)),
                Step::Deregister { row, .. } => ids.push((row.id, true, false)),
            }
        }
        // Of one table's changes, one that must be alone comes first, and stands for the others.
        ids.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.2.cmp(&a.2)));
        ids.dedup_by_key(|(id, ..)| *id);
        for (id, ..) in ids.iter().filter(|(_, change, _)| *change) {
            held.changes.push(self.changes.alone(*id).await);
        }
        for (id, _, alone) in ids.iter().filter(|(_, change, _)| !*change) {
            if *alone {
                held.alone.push(self.writes.alone(*id).await);
            } else {
                held.together.push(self.writes.shared(*id).await);
            }
        }
        held
    }

    /// Where a change's table lies, now that its gate was passed; and whether a version could be put.
    async fn checked_location(&self, step: &Step) -> Result<Option<TableLocation>> {
        let (table, row) = match step {
            Step::Declare { .. } => return Ok(None),
            Step::Create { table, row, .. }
            | Step::Delete { table, row, .. }
            | Step::Deregister { table, row } => (table, row),
        };
        let (_, location) = self.still_there(table, row.id).await?;
        if let Step::Create { new, .. } = step {
            self.engines.tables.check_version(&location, new).await?;
        }
        Ok(Some(location))
    }

    async fn put_all<'a>(
        &self,
        steps: &'a [Step],
        locations: &[Option<TableLocation>],
        puts: &mut Vec<Put<'a>>,
    ) -> Result<()> {
        for (step, location) in steps.iter().zip(locations) {
            if let (Step::Create { new, .. }, Some(location)) = (step, location) {
                let record = self.engines.tables.create_version(location, new).await?;
                puts.push(Put { step, location: location.clone(), record });
            }
        }
        Ok(())
    }

    async fn take_back(&self, puts: Vec<Put<'_>>) {
        for put in puts.into_iter().rev() {
            let Step::Create { table, new, .. } = put.step else { continue };
            let (branch, version) = (new.branch.as_deref(), put.record.version);
            match self.engines.tables.withdraw_version(&put.location, branch, version).await {
                Ok(true) => {}
                Ok(false) => {
                    tracing::warn!(%table, version, "a version of a failed batch stays: another follows it");
                }
                Err(error) => {
                    tracing::warn!(%table, version, %error, "a version of a failed batch could not be taken back");
                }
            }
        }
    }

    /// The one transaction. Gives the new entries, by step, and what keeps mending away from them.
    async fn record_steps(
        &self,
        steps: &[Step],
    ) -> Result<(Vec<Option<i64>>, Vec<OwnedRwLockWriteGuard<()>>)> {
        let mut free = Vec::with_capacity(steps.len());
        for step in steps {
            free.push(match step {
                Step::Declare { bucket, wanted } => self.candidates(bucket, wanted).await?,
                _ => Vec::new(),
            });
        }
        let at = clock::now_ms();
        let (mut declared, mut changes) = (Vec::with_capacity(steps.len()), Vec::new());
        let mut transaction = self.db.write.begin().await?;
        for (step, candidates) in steps.iter().zip(&free) {
            let mut made = None;
            match step {
                Step::Declare { bucket, wanted } => {
                    let entry = declare(&mut transaction, bucket, wanted, candidates, at).await?;
                    changes.push(self.changes.alone(entry).await);
                    made = Some(entry);
                }
                Step::Create { row, .. } => store::entries::touch(&mut transaction, row.id, at).await?,
                Step::Delete { .. } => {}
                Step::Deregister { table, row } => {
                    register::open(&mut transaction, "trash", row.bucket_id, row.id, table).await?;
                    if !store::trash::put(&mut transaction, row.id, at).await? {
                        return Err(Error::NoSuchTable(table.clone()));
                    }
                }
            }
            declared.push(made);
        }
        transaction.commit().await?;
        Ok((declared, changes))
    }

    /// Folders for a new table, the one by layout first when nothing is there.
    async fn candidates(&self, bucket: &BucketRow, wanted: &Reservation) -> Result<Vec<String>> {
        if let Some(location) = &wanted.location {
            return Ok(vec![location.clone()]);
        }
        let plain = format!("{}/{}", wanted.table.namespace.dotted(), wanted.table.table);
        let mut candidates = Vec::with_capacity(ATTEMPTS);
        for attempt in 0..ATTEMPTS {
            let one = if attempt == 0 { plain.clone() } else { layout::with_suffix(&plain)? };
            if self.storages.is_free(bucket.storage_id, &relative::join(&bucket.root, &one)).await? {
                candidates.push(one);
            }
        }
        Ok(candidates)
    }

    /// What follows the commit and is mended at the next start when it does not happen.
    async fn settle_steps(
        &self,
        steps: &[Step],
        locations: &[Option<TableLocation>],
        puts: &[Put<'_>],
        declared: &[Option<i64>],
    ) -> Result<Vec<BatchOutcome>> {
        let mut puts = puts.iter();
        let mut outcomes = Vec::with_capacity(steps.len());
        for ((step, location), made) in steps.iter().zip(locations).zip(declared) {
            outcomes.push(match (step, location, made) {
                (Step::Declare { .. }, _, Some(entry)) => {
                    self.settled(*entry).await;
                    BatchOutcome::Declared(self.shown_by_id(*entry).await?)
                }
                (Step::Create { row, new, .. }, Some(location), _) => {
                    if let Err(error) = self.engines.tables.clear_staged(location, new).await {
                        tracing::debug!(%error, "a staged manifest stays behind");
                    }
                    if row.state == "declared" {
                        self.unmark(row).await;
                    }
                    self.announce(CatalogEvent::Written { id: row.id });
                    let put = puts.next().ok_or_else(|| Error::internal("a version was not put"))?;
                    BatchOutcome::Created(put.record.clone())
                }
                (Step::Delete { branch, ranges, row, .. }, Some(location), _) => {
                    let deleted = self.engines.tables.delete_versions(location, branch.as_deref(), ranges);
                    let deleted = deleted.await?;
                    self.announce(CatalogEvent::Written { id: row.id });
                    BatchOutcome::Deleted(deleted)
                }
                (Step::Deregister { row, .. }, ..) => {
                    self.announce(CatalogEvent::Removed { id: row.id });
                    self.settled(row.id).await;
                    BatchOutcome::Deregistered(self.shown_by_id(row.id).await?)
                }
                (Step::Declare { .. } | Step::Create { .. } | Step::Delete { .. }, ..) => {
                    return Err(Error::internal("a change of a batch lost its table"));
                }
            });
        }
        Ok(outcomes)
    }

    /// Writes an entry's markers; an open intent has them written later.
    async fn settled(&self, id: i64) {
        if let Err(error) = self.settle(id).await {
            tracing::warn!(entry = id, %error, "markers of a batch could not be written yet");
        }
    }

    async fn shown_by_id(&self, id: i64) -> Result<lakeglass_api::catalog::Table> {
        let row = store::entries::by_id(&self.db.read, id).await?;
        self.shown(row.ok_or_else(|| Error::internal("an entry vanished after a batch"))?).await
    }
}

async fn declare(
    connection: &mut SqliteConnection,
    bucket: &BucketRow,
    wanted: &Reservation,
    candidates: &[String],
    at: i64,
) -> Result<i64> {
    let namespace_id = layout::free_name(connection, bucket, &wanted.table).await?;
    let mut neighbour = None;
    for location in candidates {
        let found = store::places::overlapping(connection, bucket.id, location, None).await?;
        if let Some(found) = found.first() {
            neighbour = Some(found.name.clone());
            continue;
        }
        let new = NewEntry {
            bucket_id: bucket.id,
            namespace_id,
            name: wanted.table.table.as_str(),
            format: wanted.format.as_str(),
            state: wanted.state,
            location,
            properties: &store::to_text(&wanted.properties),
            at,
        };
        let entry = store::entries::insert(connection, &new).await?;
        store::intents::open(connection, wanted.intent, bucket.id, Some(entry), at).await?;
        return Ok(entry);
    }
    Err(Error::Overlaps(neighbour.unwrap_or_else(|| "files that are there already".to_owned())))
}
