//! The service: starting, listing, watching and cancelling jobs, with who may.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use futures::Stream;
use lakeglass_api::jobs::{Job, JobKindInfo, JobState, LogLine};
use lakeglass_api::{BucketName, ListQuery, Page, Role, Scope};
use serde_json::Value;
use tokio::sync::{Notify, broadcast};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::error::{Error, Result};
use super::kind::JobKind;
use super::parameters;
use super::store::{NewJob, Row, Store, Wanted};
use crate::auth::{Actor, Denied, Principal};
use crate::db::Db;

/// Which jobs to list.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    pub state: Option<JobState>,
    pub kind: Option<String>,
    pub object: Option<String>,
}

/// How long things may take. Tests use shorter ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing {
    /// A lease; it is renewed three times in that time.
    pub(super) lease: Duration,
    /// How often the queue is looked at without being woken.
    pub(super) look: Duration,
    /// How often progress is written at most.
    pub(super) write: Duration,
    /// How long a cancelled run may take to stop by itself.
    pub(super) grace: Duration,
    /// The pause before a second try; it doubles with each.
    pub(super) pause: Duration,
}

impl Timing {
    const SERVER: Self = Self {
        lease: Duration::from_secs(30),
        look: Duration::from_secs(5),
        write: Duration::from_millis(300),
        grace: Duration::from_secs(5),
        pause: Duration::from_secs(5),
    };
}

/// The queue and its workers.
#[derive(Debug, Clone)]
pub struct Jobs {
    pub(super) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) store: Store,
    pub(super) kinds: RwLock<BTreeMap<&'static str, Arc<dyn JobKind>>>,
    /// Runs of this process: the lane and the token of each.
    pub(super) running: Mutex<HashMap<String, (&'static str, CancellationToken)>>,
    pub(super) wake: Notify,
    /// Ids of jobs that changed.
    pub(super) changes: broadcast::Sender<String>,
    pub(super) timing: Timing,
    /// Names this process in attempts.
    pub(super) worker: String,
    pub(super) closing: CancellationToken,
    pub(super) tasks: TaskTracker,
}

impl Jobs {
    pub fn new(db: &Db) -> Self {
        Self::with_timing(db, Timing::SERVER)
    }

    pub(super) fn with_timing(db: &Db, timing: Timing) -> Self {
        let inner = Inner {
            store: Store::new(db.clone()),
            kinds: RwLock::default(),
            running: Mutex::default(),
            wake: Notify::new(),
            changes: broadcast::channel(256).0,
            timing,
            worker: format!("{}-{}", std::process::id(), &uuid::Uuid::new_v4().simple().to_string()[..8]),
            closing: CancellationToken::new(),
            tasks: TaskTracker::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Makes a kind known. Before [`Jobs::run`].
    pub fn register(&self, kind: Arc<dyn JobKind>) {
        self.inner.kinds.write().unwrap_or_else(PoisonError::into_inner).insert(kind.name(), kind);
    }

    /// The kinds this server runs, by name.
    pub fn kinds(&self) -> Vec<JobKindInfo> {
        let kinds = self.inner.kinds.read().unwrap_or_else(PoisonError::into_inner);
        let info = kinds.values().map(|kind| JobKindInfo {
            name: kind.name().to_owned(),
            title: kind.title().to_owned(),
            lane: kind.lane().to_owned(),
            startable: kind.startable(),
            parameters: kind.parameters(),
        });
        info.collect()
    }

    /// Queues a job; the worker takes it up at once when its lane has a slot. Needs the kind's role on
    /// the object's bucket, or on the server.
    pub async fn start(&self, actor: &Actor, kind: &str, object: &str, parameters: Value) -> Result<Job> {
        let kind = self.inner.kind(kind).ok_or_else(|| Error::NoSuchKind(kind.to_owned()))?;
        let bucket = kind.bucket_of(object)?;
        require(actor, bucket.as_ref(), kind.needs())?;
        let parameters = parameters::settle(&kind.parameters(), &parameters)?;
        let role = role_on(actor, bucket.as_ref()).unwrap_or(Role::Viewer);
        let job = NewJob {
            id: uuid::Uuid::now_v7().to_string(),
            kind: kind.name(),
            title: kind.title(),
            object: object.to_owned(),
            bucket,
            lane: kind.lane(),
            parameters: parameters.to_string(),
            principal: principal_text(&actor.principal),
            owner: actor.name.clone(),
            role: role.as_str(),
            address: actor.address.map(|address| address.to_string()),
            request_id: actor.request_id.clone(),
            max_attempts: kind.max_attempts().max(1),
        };
        self.inner.store.insert(&job).await?.map_err(|id| Error::Unfinished { id })?;
        self.inner.changed(&job.id);
        self.inner.wake.notify_one();
        self.read(&job.id).await
    }

    /// As [`Jobs::start`], for people: only kinds that may be started by themselves.
    pub async fn start_by_hand(
        &self,
        actor: &Actor,
        kind: &str,
        object: &str,
        parameters: Value,
    ) -> Result<Job> {
        let known = self.inner.kind(kind).ok_or_else(|| Error::NoSuchKind(kind.to_owned()))?;
        if !known.startable() {
            return Err(Error::NotForPeople(kind.to_owned()));
        }
        self.start(actor, kind, object, parameters).await
    }

    /// Jobs that the actor may see, newest first.
    pub async fn list(&self, actor: &Actor, filter: JobFilter, query: &ListQuery) -> Result<Page<Job>> {
        if let Some(sort) = query.sort.as_deref().filter(|sort| !sort.is_empty() && *sort != "created") {
            return Err(Error::Sort(sort.to_owned()));
        }
        let limit = query.limit.unwrap_or(50).clamp(1, 500);
        let wanted = Wanted {
            state: filter.state,
            kind: filter.kind.as_deref(),
            object: filter.object.as_deref(),
            search: query.search.as_deref(),
            buckets: actor.visible_buckets(),
            after: query.after.as_deref(),
            limit,
        };
        let (mut rows, total) = self.inner.store.list(&wanted).await?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = if more { rows.last().map(|row| row.id.clone()) } else { None };
        Ok(Page { items: self.inner.store.jobs(rows).await?, next, total: Some(total) })
    }

    pub async fn job(&self, actor: &Actor, id: &str) -> Result<Job> {
        self.seen(actor, id).await?;
        self.read(id).await
    }

    /// The last lines of its log, oldest first.
    pub async fn log(&self, actor: &Actor, id: &str) -> Result<Vec<LogLine>> {
        self.seen(actor, id).await?;
        Ok(self.inner.store.log_lines(id).await?)
    }

    /// Asks for a stop: a waiting job is cancelled at once, a running one within the grace time.
    pub async fn cancel(&self, actor: &Actor, id: &str) -> Result<Job> {
        let row = self.seen(actor, id).await?;
        let needs = self.inner.kind(&row.kind).map_or(Role::Editor, |kind| kind.needs());
        require(actor, bucket_of(&row).as_ref(), needs)?;
        if self.inner.store.cancel(id, &actor.name).await?.ok_or(Error::Over)?
            && let Some((_, token)) = self.inner.running().get(id)
        {
            token.cancel();
        }
        self.inner.changed(id);
        self.read(id).await
    }

    /// The job now and after each change, until it is over. Never more often than progress is written.
    pub async fn watch(&self, actor: &Actor, id: &str) -> Result<impl Stream<Item = Job> + Send + 'static> {
        let changes = self.inner.changes.subscribe();
        let first = self.job(actor, id).await?;
        let state = (self.clone(), changes, Some(first), id.to_owned(), false);
        Ok(futures::stream::unfold(state, |(jobs, mut changes, first, id, over)| async move {
            if over {
                return None;
            }
            let job = match first {
                Some(job) => job,
                None => jobs.next_change(&mut changes, &id).await?,
            };
            let over = job.state.is_over();
            Some((job, (jobs, changes, None, id, over)))
        }))
    }

    async fn next_change(&self, changes: &mut broadcast::Receiver<String>, id: &str) -> Option<Job> {
        loop {
            tokio::select! {
                () = self.inner.closing.cancelled() => return None,
                change = changes.recv() => match change {
                    Ok(changed) if changed == id => break,
                    Ok(_) => {}
                    Err(broadcast::error::RecvError::Lagged(_)) => break,
                    Err(broadcast::error::RecvError::Closed) => return None,
                },
            }
        }
        self.read(id).await.ok()
    }

    async fn read(&self, id: &str) -> Result<Job> {
        let row = self.inner.store.row(id).await?.ok_or(Error::NoSuchJob)?;
        self.inner.store.jobs(vec![row]).await?.pop().ok_or(Error::NoSuchJob)
    }

    /// The row, when the actor may know of it.
    async fn seen(&self, actor: &Actor, id: &str) -> Result<Row> {
        let row = self.inner.store.row(id).await?.ok_or(Error::NoSuchJob)?;
        let bucket = bucket_of(&row);
        if role_on(actor, bucket.as_ref()).is_some() { Ok(row) } else { Err(Error::NoSuchJob) }
    }
}

impl Inner {
    pub(super) fn kind(&self, name: &str) -> Option<Arc<dyn JobKind>> {
        self.kinds.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(super) fn running(&self) -> MutexGuard<'_, HashMap<String, (&'static str, CancellationToken)>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells watchers. Nobody watching is no fault.
    pub(super) fn changed(&self, id: &str) {
        let _nobody = self.changes.send(id.to_owned());
    }
}

/// The role on the bucket, or on the server for work on the server.
fn role_on(actor: &Actor, bucket: Option<&BucketName>) -> Option<Role> {
    bucket.map_or_else(|| actor.server_role(), |bucket| actor.role_in(bucket))
}

fn require(actor: &Actor, bucket: Option<&BucketName>, role: Role) -> Result<(), Denied> {
    match bucket {
        Some(bucket) => actor.require(bucket, role),
        None => actor.require_server(role),
    }
}

fn bucket_of(row: &Row) -> Option<BucketName> {
    row.bucket.as_deref().and_then(|name| name.parse().ok())
}

fn principal_text(principal: &Principal) -> String {
    match principal {
        Principal::User(id) => format!("user:{id}"),
        Principal::Token(id) => format!("token:{id}"),
        Principal::System(_) => "system".to_owned(),
        // Holds no role, so it never gets as far as a job.
        Principal::Anonymous => "anonymous".to_owned(),
    }
}

/// The owner as it was when it asked, with its role on the object and no other.
pub(super) fn owner(row: &Row, kind: &'static str) -> Actor {
    let number = |prefix: &str| row.principal.strip_prefix(prefix).and_then(|id| id.parse().ok());
    let principal = if let Some(id) = number("user:") {
        Principal::User(id)
    } else if let Some(id) = number("token:") {
        Principal::Token(id)
    } else if row.principal == "system" {
        return Actor::system(kind);
    } else {
        return Actor::anonymous(None, row.request_id.clone());
    };
    let scope = bucket_of(row).map_or(Scope::Server, Scope::Bucket);
    let grants = row.role.parse().map(|role| vec![(scope, role)]).unwrap_or_default();
    let address = row.address.as_deref().and_then(|text| text.parse().ok());
    Actor::new(principal, row.owner.clone(), grants, address, row.request_id.clone())
}
