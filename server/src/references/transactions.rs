//! Transactions by the ids that this server gives out: those that Lance committed, by their id or the
//! version they made, and jobs that will commit one.

use std::collections::BTreeMap;

use lakeglass_api::TableRef;
use lakeglass_api::jobs::{Job, JobState};
use lakeglass_ports::{Error as EngineError, TransactionName, TransactionRecord};

use super::{Error, References, Result};
use crate::auth::Actor;

/// A transaction as the specification shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// The specification's word.
    pub status: &'static str,
    pub properties: BTreeMap<String, String>,
}

/// What may be done to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Alteration {
    /// Stops what has not ended.
    Cancel,
    /// Anything else that the specification knows.
    Other,
}

impl References {
    pub async fn transaction(&self, actor: &Actor, table: &TableRef, name: &str) -> Result<Transaction> {
        let location = self.written(actor, table).await?;
        if let Some(job) = self.job_of(actor, table, name).await? {
            return Ok(of_job(&job));
        }
        let missing = || EngineError::NoSuchTransaction(name.chars().take(80).collect());
        let location = location.ok_or_else(missing)?;
        let wanted = match name.parse() {
            Ok(version) => TransactionName::Version(version),
            Err(_) => TransactionName::Uuid(name.to_owned()),
        };
        Ok(committed(self.engine().transaction(&location, &wanted).await?))
    }

    /// Carries out every alteration, or none. What is committed stays as it is; a job can be cancelled.
    pub async fn alter_transaction(
        &self,
        actor: &Actor,
        table: &TableRef,
        name: &str,
        alterations: &[Alteration],
    ) -> Result<Transaction> {
        if alterations.is_empty() {
            return Err(Error::Invalid("Say what to alter, as actions"));
        }
        let now = self.transaction(actor, table, name).await?;
        if alterations.iter().any(|one| *one != Alteration::Cancel) {
            return Err(Error::State(
                "Only the status of a transaction that has not ended can be set, and only to Canceled",
            ));
        }
        match self.job_of(actor, table, name).await? {
            Some(job) if !job.state.is_over() => Ok(of_job(&self.jobs.cancel(actor, &job.id).await?)),
            Some(job) if job.state == JobState::Cancelled => Ok(now),
            _ => Err(Error::State("The transaction has ended, so nothing of it can be altered")),
        }
    }

    /// The job of that id, if it works on this table.
    async fn job_of(&self, actor: &Actor, table: &TableRef, id: &str) -> Result<Option<Job>> {
        match self.jobs.job(actor, id).await {
            Ok(job) => Ok((job.object == table.to_string()).then_some(job)),
            Err(crate::jobs::Error::NoSuchJob) => Ok(None),
            Err(other) => Err(other.into()),
        }
    }
}

fn of_job(job: &Job) -> Transaction {
    let status = match job.state {
        JobState::Queued => "Queued",
        JobState::Running => "Running",
        JobState::Succeeded => "Succeeded",
        JobState::Failed => "Failed",
        JobState::Cancelled => "Canceled",
    };
    let mut properties = BTreeMap::from([
        ("job".to_owned(), job.id.clone()),
        ("kind".to_owned(), job.kind.clone()),
        ("message".to_owned(), job.progress.message.clone()),
        ("done".to_owned(), job.progress.done.to_string()),
    ]);
    properties.extend(job.progress.total.map(|total| ("total".to_owned(), total.to_string())));
    properties.extend(job.cause.clone().map(|cause| ("cause".to_owned(), cause)));
    Transaction { status, properties }
}

fn committed(record: TransactionRecord) -> Transaction {
    let mut properties = record.properties;
    properties.extend([
        ("uuid".to_owned(), record.uuid),
        ("operation".to_owned(), record.operation),
        ("version".to_owned(), record.version.to_string()),
        ("read_version".to_owned(), record.read_version.to_string()),
        ("timestamp_millis".to_owned(), record.committed_at_ms.to_string()),
    ]);
    Transaction { status: "Succeeded", properties }
}
