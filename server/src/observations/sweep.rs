//! The sweep: looks at tables that nobody looked at for a while, within a budget, as a job.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::Value;
use tokio::task::JoinSet;

use super::{Error, Observations};
use crate::auth::Actor;
use crate::clock::now_ms;
use crate::jobs::{JobFailure, JobKind, JobRun, ParameterSpec, ParameterType};
use crate::problem::Problem;
use crate::state::App;

pub(super) const NAME: &str = "observe-sweep";
/// The first sweep comes this long after a start.
const FIRST: Duration = Duration::from_secs(30);
/// Tables looked at together.
const TOGETHER: usize = 2;
const BATCH: u32 = 50;
const DEFAULT_AGE_MINUTES: i64 = 60;

impl Observations {
    /// Starts a sweep every so many minutes (0: never), when there is something to look at. Until the app
    /// is gone.
    pub async fn keep_sweeping(app: Weak<App>, minutes: u32) {
        if minutes == 0 {
            return;
        }
        let mut pause = FIRST;
        loop {
            tokio::time::sleep(pause).await;
            pause = Duration::from_mins(u64::from(minutes));
            let Some(app) = app.upgrade() else { return };
            let before = now_ms() - DEFAULT_AGE_MINUTES * 60_000;
            match app.catalog.tables_to_observe(1, before).await {
                Ok(ids) if ids.is_empty() => continue,
                Ok(_) => {}
                Err(error) => tracing::error!(%error, "Tables to observe could not be listed"),
            }
            let actor = Actor::system("observations");
            match app.jobs.start(&actor, NAME, "server", Value::Null).await {
                Ok(_) | Err(crate::jobs::Error::Unfinished { .. }) => {}
                Err(error) => tracing::error!(%error, "The sweep of observations could not be started"),
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct ObserveSweep;

#[async_trait]
impl JobKind for ObserveSweep {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Observe tables"
    }

    fn lane(&self) -> &'static str {
        "observe"
    }

    fn slots(&self) -> usize {
        1
    }

    fn parameters(&self) -> Vec<ParameterSpec> {
        let integer = |name: &str, title: &str, doc: &str, min, max, default| ParameterSpec {
            name: name.to_owned(),
            title: title.to_owned(),
            doc: doc.to_owned(),
            value: ParameterType::Integer { min, max, default },
        };
        vec![
            integer("tables", "Tables", "It stops after looking at so many tables.", 1, 100_000, 1_000),
            integer("seconds", "Seconds", "It stops after so many seconds.", 1, 3_600, 300),
            integer("mebibytes", "Mebibytes", "It stops after reading so many MiB.", 1, 102_400, 1_024),
            integer(
                "older_than_minutes",
                "Age in minutes",
                "Only tables that nobody looked at for so many minutes; 0 for all.",
                0,
                525_600,
                DEFAULT_AGE_MINUTES,
            ),
        ]
    }

    fn max_attempts(&self) -> u32 {
        2
    }

    fn startable(&self) -> bool {
        true
    }

    async fn run(&self, app: &Arc<App>, run: &JobRun) -> Result<(), JobFailure> {
        Sweep::new(run).go(app, run).await
    }
}

struct Sweep {
    started: Instant,
    tables: u64,
    time: Duration,
    bytes: u64,
    before_ms: i64,
    seen: HashSet<i64>,
    begun: u64,
    looked: u64,
    skipped: u64,
    read: u64,
}

impl Sweep {
    fn new(run: &JobRun) -> Self {
        let number = |name| run.integer(name).unsigned_abs();
        Self {
            started: Instant::now(),
            tables: number("tables"),
            time: Duration::from_secs(number("seconds")),
            bytes: number("mebibytes") << 20,
            before_ms: now_ms() - run.integer("older_than_minutes") * 60_000,
            seen: HashSet::new(),
            begun: 0,
            looked: 0,
            skipped: 0,
            read: 0,
        }
    }

    async fn go(mut self, app: &Arc<App>, run: &JobRun) -> Result<(), JobFailure> {
        // Tasks, not futures polled here: a look that holds the database's writer must go on while
        // this loop waits to write its log.
        let mut looks: JoinSet<(i64, Result<u64, String>)> = JoinSet::new();
        let mut waiting: VecDeque<i64> = VecDeque::new();
        let mut over: Option<&'static str> = None;
        loop {
            while over.is_none() && looks.len() < TOGETHER {
                if waiting.is_empty() {
                    waiting = self.unseen(app).await?;
                }
                let Some(id) = waiting.pop_front() else {
                    over = Some("nothing is left");
                    break;
                };
                let app = Arc::clone(app);
                looks.spawn(async move { (id, one(&app, id).await) });
                self.begun += 1;
                if self.begun >= self.tables {
                    over = Some("that is as many tables as it may look at");
                }
            }
            let Some(looked) = looks.join_next().await else { break };
            self.looked += 1;
            match looked {
                Ok((_, Ok(read))) => self.read += read,
                Ok((id, Err(cause))) => {
                    self.skipped += 1;
                    run.log(format!("Skipped {}: {cause}", name_of(app, id).await)).await;
                }
                Err(error) => {
                    self.skipped += 1;
                    tracing::error!(%error, "A look at a table crashed");
                    run.log("Skipped a table: looking at it crashed").await;
                }
            }
            run.progress(self.looked, Some(self.tables), "tables", format!("{} skipped", self.skipped)).await;
            if run.cancelled().is_cancelled() {
                return Err(JobFailure::new("Stopped"));
            }
            over = over.or_else(|| self.spent());
        }
        run.progress(self.looked, Some(self.looked), "tables", format!("{} skipped", self.skipped)).await;
        run.log(format!(
            "Looked at {} tables, skipped {} of them, read {} bytes: {}",
            self.looked,
            self.skipped,
            self.read,
            over.unwrap_or("nothing is left")
        ))
        .await;
        Ok(())
    }

    /// The next tables that this sweep has not looked at.
    async fn unseen(&mut self, app: &Arc<App>) -> Result<VecDeque<i64>, JobFailure> {
        let ids = app.catalog.tables_to_observe(BATCH, self.before_ms).await.map_err(Problem::from)?;
        Ok(ids.into_iter().filter(|id| self.seen.insert(*id)).collect())
    }

    fn spent(&self) -> Option<&'static str> {
        if self.started.elapsed() >= self.time {
            Some("its time is over")
        } else if self.read >= self.bytes {
            Some("it read as many bytes as it may")
        } else {
            None
        }
    }
}

/// The bytes that looking at one table read, or why it was skipped. A cause inside the server is in
/// the server's log only.
async fn one(app: &Arc<App>, id: i64) -> Result<u64, String> {
    let observations = &app.observations.inner;
    let resolved = match app.catalog.by_id(id).await {
        Ok(resolved) => resolved,
        Err(error) => {
            if let Err(error) = app.catalog.record_failed_look(id, now_ms()).await {
                tracing::error!(entry = id, %error, "A failed look could not be noted");
            }
            return Err(error.to_string());
        }
    };
    match observations.look(&resolved).await {
        Ok(seen) => Ok(seen.cost.bytes),
        Err(error) => {
            if let Error::Describer(lakeglass_ports::Error::Internal(source)) = &error {
                tracing::warn!(entry = id, %source, "A table could not be described");
            }
            Err(error.to_string())
        }
    }
}

async fn name_of(app: &Arc<App>, id: i64) -> String {
    match app.catalog.by_id(id).await {
        Ok(resolved) => resolved.reference().to_string(),
        Err(_) => format!("the table with id {id}"),
    }
}
