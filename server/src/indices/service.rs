//! The service: starts the building of indices and waits a while, lists, drops.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use lakeglass_api::catalog::TableState;
use lakeglass_api::jobs::{Job, JobState};
use lakeglass_api::{ListQuery, Role, TableRef};
use lakeglass_ports::{IndexRecord, IndexRequest, VersionRef};
use tokio::time::Instant;

use super::build::{self, COLUMN, INDEX, REQUEST, TYPE};
use super::{Error, Result};
use crate::audit::{Audit, Outcome};
use crate::auth::Actor;
use crate::catalog::Catalog;
use crate::engines::Engines;
use crate::jobs::{JobFilter, Jobs};
use crate::problem::Problem;

/// How long who asked waits for an index before being told that it is being built.
const WAIT: Duration = Duration::from_secs(10);
/// Failed jobs whose problem is kept for who waits for them.
const REMEMBERED: usize = 64;

/// Indices of tables. Clones share everything.
#[derive(Debug, Clone)]
pub struct Indices {
    catalog: Catalog,
    engines: Engines,
    audit: Audit,
    jobs: Jobs,
    /// What the last failed jobs met: their records hold a sentence only, and clients decide by codes.
    failures: Arc<Mutex<VecDeque<(String, Problem)>>>,
}

/// An index that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// The job that builds it, or built it.
    pub job: String,
    pub index: String,
    pub done: bool,
}

/// An index that a job is building.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Building {
    pub job: String,
    pub name: String,
    pub column: String,
    /// The specification's word.
    pub kind: String,
}

impl Indices {
    pub fn new(catalog: Catalog, engines: Engines, audit: Audit, jobs: Jobs) -> Self {
        jobs.register(Arc::new(super::BuildIndex));
        Self { catalog, engines, audit, jobs, failures: Arc::default() }
    }

    /// Starts building an index, and waits for it for 10 s. What can be refused at once is. One index
    /// of a table is built at a time; another one waits for it within the same time.
    pub async fn create(&self, actor: &Actor, table: &TableRef, request: &IndexRequest) -> Result<Started> {
        let until = Instant::now() + WAIT;
        let resolved = self.catalog.resolve_written(actor, table, Role::Editor).await?;
        let job = loop {
            let plan = self.engines.tables.plan_index(&resolved.location, request).await?;
            let settled = IndexRequest {
                name: Some(plan.name.clone()),
                column: plan.column.clone(),
                kind: plan.kind.to_owned(),
                ..request.clone()
            };
            let parameters = serde_json::json!({
                INDEX: plan.name, COLUMN: plan.column, TYPE: plan.kind,
                REQUEST: serde_json::to_string(&settled).map_err(Error::Internal)?,
            });
            match self.jobs.start(actor, build::NAME, &table.to_string(), parameters).await {
                Ok(job) => break job,
                Err(crate::jobs::Error::Unfinished { id }) if Instant::now() < until => {
                    self.wait(actor, &id, until).await?;
                }
                Err(other) => return Err(other.into()),
            }
        };
        let index = job.parameters.get(INDEX).cloned().unwrap_or_default();
        let over = self.wait(actor, &job.id, until).await?;
        let done = match over.state {
            JobState::Queued | JobState::Running => false,
            JobState::Succeeded => true,
            JobState::Cancelled => return Err(Error::Cancelled),
            JobState::Failed => return Err(self.failure(&over)),
        };
        Ok(Started { job: job.id, index, done })
    }

    /// A job when it is over, or as it is at a time.
    async fn wait(&self, actor: &Actor, id: &str, until: Instant) -> Result<Job> {
        let mut changes = std::pin::pin!(self.jobs.watch(actor, id).await?);
        let over = async {
            while let Some(job) = changes.next().await {
                if job.state.is_over() {
                    return Some(job);
                }
            }
            None
        };
        match tokio::time::timeout_at(until, over).await {
            Ok(Some(job)) => Ok(job),
            _ => Ok(self.jobs.job(actor, id).await?),
        }
    }

    pub(super) fn remember_failure(&self, job: &str, problem: &Problem) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.retain(|(id, _)| id != job);
        failures.push_back((job.to_owned(), problem.clone()));
        if failures.len() > REMEMBERED {
            failures.pop_front();
        }
    }

    fn failure(&self, job: &Job) -> Error {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let known = failures.iter().find(|(id, _)| *id == job.id).map(|(_, problem)| problem.clone());
        let told = || Error::Failed(job.cause.clone().unwrap_or_else(|| "see the job's log".to_owned()));
        known.map_or_else(told, Error::Build)
    }

    /// Indices at a version (none: the newest), by name.
    pub async fn list(
        &self,
        actor: &Actor,
        table: &TableRef,
        branch: Option<&str>,
        version: Option<u64>,
    ) -> Result<Vec<IndexRecord>> {
        let resolved = self.catalog.resolve_lance(actor, table, Role::Viewer).await?;
        let at = match (branch, version.map(|version| version.to_string())) {
            (Some(branch), version) => VersionRef::Branch(branch.to_owned(), version),
            (None, Some(version)) => VersionRef::Version(version),
            (None, None) => VersionRef::Latest,
        };
        match (resolved.table.state, at) {
            (TableState::Declared, VersionRef::Latest) => Ok(Vec::new()),
            (TableState::Declared, _) => Err(crate::catalog::Error::OnlyDeclared.into()),
            (_, at) => Ok(self.engines.tables.list_indices(&resolved.location, &at).await?),
        }
    }

    /// One index by its name.
    pub async fn index(
        &self,
        actor: &Actor,
        table: &TableRef,
        branch: Option<&str>,
        version: Option<u64>,
        name: &str,
    ) -> Result<IndexRecord> {
        let known = self.list(actor, table, branch, version).await?;
        let found = known.into_iter().find(|one| one.name == name);
        let missing = || lakeglass_ports::Error::NoSuchIndex(name.chars().take(200).collect());
        Ok(found.ok_or_else(missing)?)
    }

    /// Indices of the main branch that jobs are building now.
    pub async fn building(&self, actor: &Actor, table: &TableRef) -> Result<Vec<Building>> {
        let mut building = Vec::new();
        for state in [JobState::Running, JobState::Queued] {
            let filter = JobFilter {
                state: Some(state),
                kind: Some(build::NAME.to_owned()),
                object: Some(table.to_string()),
            };
            let jobs = self.jobs.list(actor, filter, &ListQuery::default()).await?;
            building.extend(jobs.items.into_iter().filter_map(of_main));
        }
        Ok(building)
    }

    pub async fn drop_index(
        &self,
        actor: &Actor,
        table: &TableRef,
        branch: Option<&str>,
        name: &str,
    ) -> Result<u64> {
        let (tables, index, named) =
            (self.engines.tables.clone(), name.to_owned(), branch.map(str::to_owned));
        let work = async move |location| tables.drop_index(&location, named.as_deref(), &index).await;
        let version = self.catalog.change(actor, table, Role::Editor, work).await?;
        let detail = serde_json::json!({ "index": name, "branch": branch, "version": version.to_string() });
        self.audit.record(actor, "index.drop", &table.to_string(), Outcome::Done, detail).await;
        Ok(version)
    }
}

/// What a job is building, unless it is on a branch.
fn of_main(job: Job) -> Option<Building> {
    let mut parameters = job.parameters;
    let request: IndexRequest = serde_json::from_str(parameters.get(REQUEST)?).ok()?;
    if request.branch.is_some() {
        return None;
    }
    Some(Building {
        job: job.id,
        name: parameters.remove(INDEX)?,
        column: parameters.remove(COLUMN)?,
        kind: parameters.remove(TYPE)?,
    })
}
