//! Several changes at once, to tables and their versions: all of them, or none.
//!
//! Every change is authorised and checked before the first is made. The store has no transaction across
//! tables, so versions are put one after the other and taken back when a later one meets another
//! writer; what concerns the catalog's own rows is one database transaction.

mod commit;

use lakeglass_api::catalog::{Properties, Table};
use lakeglass_api::{FormatId, Role, TableRef};
use lakeglass_ports::{NewVersion, VersionRange, VersionRecord};

use super::error::{Error, Result};
use super::layout::{self, Reservation};
use super::store::{buckets::BucketRow, entries::EntryRow};
use super::{Catalog, to_the_end};
use crate::auth::Actor;
use crate::storage::relative;

/// Changes in one batch.
const MOST: usize = 100;

/// One change of a batch. A table is named once, or once a branch by changes of versions.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchOperation {
    Declare { table: TableRef, location: Option<String>, properties: Properties },
    CreateVersion { table: TableRef, new: NewVersion },
    DeleteVersions { table: TableRef, branch: Option<String>, ranges: Vec<VersionRange> },
    Deregister { table: TableRef },
}

/// What became of one, in the order of the changes.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchOutcome {
    Declared(Table),
    Created(VersionRecord),
    /// How many records of versions went.
    Deleted(u64),
    Deregistered(Table),
}

/// A change that the actor may make.
#[derive(Debug, Clone)]
enum Step {
    Declare { bucket: BucketRow, wanted: Reservation },
    Create { table: TableRef, row: EntryRow, new: NewVersion },
    Delete { table: TableRef, row: EntryRow, branch: Option<String>, ranges: Vec<VersionRange> },
    Deregister { table: TableRef, row: EntryRow },
}

impl BatchOperation {
    fn table(&self) -> &TableRef {
        match self {
            Self::Declare { table, .. }
            | Self::CreateVersion { table, .. }
            | Self::DeleteVersions { table, .. }
            | Self::Deregister { table } => table,
        }
    }

    /// The branch whose versions it changes; none: the table as a whole.
    fn branch(&self) -> Option<&str> {
        let branch = match self {
            Self::CreateVersion { new, .. } => &new.branch,
            Self::DeleteVersions { branch, .. } => branch,
            Self::Declare { .. } | Self::Deregister { .. } => return None,
        };
        Some(branch.as_deref().unwrap_or("main"))
    }

    fn action(&self) -> &'static str {
        match self {
            Self::Declare { .. } => "table.declare",
            Self::CreateVersion { .. } => "version.create",
            Self::DeleteVersions { .. } => "version.delete",
            Self::Deregister { .. } => "table.deregister",
        }
    }
}

impl Catalog {
    /// Makes every change, or none of them. Needs the editor role wherever one is. A version that exists
    /// by the time it is put is the engine's `Conflict`, and nothing of the batch stays.
    pub async fn commit_batch(
        &self,
        actor: &Actor,
        operations: Vec<BatchOperation>,
    ) -> Result<Vec<BatchOutcome>> {
        check(&operations)?;
        let mut steps = Vec::with_capacity(operations.len());
        for operation in &operations {
            steps.push(self.step(actor, operation).await?);
        }
        let this = self.clone();
        let outcomes = to_the_end(async move { this.commit_steps(steps).await }).await?;
        for (operation, outcome) in operations.iter().zip(&outcomes) {
            let detail = match outcome {
                BatchOutcome::Created(record) => serde_json::json!({
                    "branch": operation.branch(), "version": record.version.to_string(),
                    "batch": operations.len(),
                }),
                BatchOutcome::Deleted(deleted) => serde_json::json!({
                    "branch": operation.branch(), "deleted": deleted, "batch": operations.len(),
                }),
                BatchOutcome::Declared(_) | BatchOutcome::Deregistered(_) => {
                    serde_json::json!({ "batch": operations.len() })
                }
            };
            self.record(actor, operation.action(), &operation.table().to_string(), detail).await;
        }
        Ok(outcomes)
    }

    async fn step(&self, actor: &Actor, operation: &BatchOperation) -> Result<Step> {
        let table = operation.table().clone();
        Ok(match operation {
            BatchOperation::Declare { location, properties, .. } => {
                let bucket = self.bucket_row(actor, &table.bucket, Role::Editor).await?;
                Self::managed_only(&bucket, "change its tables one after the other")?;
                layout::check_properties(properties)?;
                layout::check_format(&bucket, &FormatId::lance())?;
                let location = match location {
                    Some(sent) => {
                        let root = self.storages.uri(bucket.storage_id, &bucket.root).await?;
                        Some(relative::below(&root, sent)?)
                    }
                    None => None,
                };
                let wanted = Reservation {
                    table,
                    format: FormatId::lance(),
                    state: "declared",
                    intent: "declare",
                    location,
                    properties: properties.clone(),
                };
                Step::Declare { bucket, wanted }
            }
            BatchOperation::CreateVersion { new, .. } => {
                let row = self.lance_row(actor, &table, Role::Editor).await?;
                Step::Create { row, table, new: new.clone() }
            }
            BatchOperation::DeleteVersions { branch, ranges, .. } => {
                let row = self.promoted(self.lance_row(actor, &table, Role::Admin).await?).await?;
                if row.state == "declared" {
                    return Err(Error::OnlyDeclared);
                }
                Step::Delete { row, table, branch: branch.clone(), ranges: ranges.clone() }
            }
            BatchOperation::Deregister { .. } => {
                let row = self.lance_row(actor, &table, Role::Editor).await?;
                if row.protected {
                    return Err(Error::Protected(table.to_string()));
                }
                Step::Deregister { row: self.promoted(row).await?, table }
            }
        })
    }

    async fn lance_row(&self, actor: &Actor, table: &TableRef, need: Role) -> Result<EntryRow> {
        let bucket = self.bucket_row(actor, &table.bucket, need).await?;
        Self::managed_only(&bucket, "change its tables one after the other")?;
        let row = self.entry_row(actor, table, need).await?;
        if row.format == "lance" { Ok(row) } else { Err(Error::OtherFormat(FormatId::new(row.format))) }
    }
}

fn check(operations: &[BatchOperation]) -> Result<()> {
    if operations.is_empty() || operations.len() > MOST {
        return Err(Error::invalid("operations", format!("Send 1 to {MOST} changes in one batch")));
    }
    for (at, one) in operations.iter().enumerate() {
        let clash = operations.iter().take(at).find(|other| {
            other.table() == one.table()
                && (one.branch().is_none() || other.branch().is_none() || other.branch() == one.branch())
        });
        if clash.is_some() {
            let rule = format!("The batch names {} twice. Send its changes one after the other", one.table());
            return Err(Error::invalid("operations", rule));
        }
    }
    Ok(())
}
