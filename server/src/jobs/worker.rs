//! The worker: takes jobs as lanes have slots, watches over each run, and records how it ended.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::kind::{JobFailure, JobKind};
use super::run::{JobRun, News};
use super::service::{Inner, Jobs, owner};
use super::store::{Ending, Row};
use crate::clock::now_ms;
use crate::state::App;

const STOPPED: &str = "The server stopped while this ran";
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

impl Jobs {
    /// Takes up what a stopped server left, then works until the app is gone or [`Jobs::close`].
    /// One process works on a data folder, so whatever is marked as running is nobody's.
    pub fn run(&self, app: &Arc<App>) {
        let (inner, app) = (Arc::clone(&self.inner), Arc::downgrade(app));
        tokio::spawn(async move { inner.work(app).await });
    }

    /// Stops taking jobs and puts running ones back into the queue, without using up an attempt.
    pub async fn close(&self) {
        self.inner.closing.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
    }
}

impl Inner {
    async fn work(self: Arc<Self>, app: Weak<App>) {
        let names: Vec<&str> =
            self.kinds.read().unwrap_or_else(PoisonError::into_inner).keys().copied().collect();
        self.note(self.store.fail_unknown(&names).await);
        self.reclaim(i64::MAX).await;
        while !self.closing.is_cancelled() {
            let Some(held) = app.upgrade() else { return };
            self.reclaim(now_ms()).await;
            let taken = self.fill(&held).await;
            self.note(taken);
            drop(held);
            tokio::select! {
                () = self.closing.cancelled() => {}
                () = self.wake.notified() => {}
                () = tokio::time::sleep(self.timing.look) => {}
            }
        }
    }

    /// Ends attempts whose lease ran out before `now`.
    async fn reclaim(&self, now: i64) {
        let ours: Vec<String> = self.running().keys().cloned().collect();
        match self.store.reclaim(now, &ours, STOPPED).await {
            Ok(ids) => ids.iter().for_each(|id| self.changed(id)),
            Err(error) => self.note(Err(error)),
        }
    }

    /// Starts as many waiting jobs as there are free slots.
    async fn fill(self: &Arc<Self>, app: &Arc<App>) -> sqlx::Result<()> {
        let mut lanes: BTreeMap<&'static str, (usize, Vec<&'static str>)> = BTreeMap::new();
        for kind in self.kinds.read().unwrap_or_else(PoisonError::into_inner).values() {
            let (slots, names) = lanes.entry(kind.lane()).or_default();
            *slots = (*slots).max(kind.slots().max(1));
            names.push(kind.name());
        }
        for (lane, (slots, names)) in lanes {
            loop {
                let busy = self.running().values().filter(|(used, _)| *used == lane).count();
                if busy >= slots || self.closing.is_cancelled() {
                    break;
                }
                let Some((row, number)) = self.store.claim(lane, &names, &self.worker, self.lease()).await?
                else {
                    break;
                };
                let Some(kind) = self.kind(&row.kind) else { break };
                let token = CancellationToken::new();
                self.running().insert(row.id.clone(), (lane, token.clone()));
                self.changed(&row.id);
                let (inner, app) = (Arc::clone(self), Arc::clone(app));
                self.tasks.spawn(async move { inner.supervise(app, kind, row, number, token).await });
            }
        }
        Ok(())
    }

    fn lease(&self) -> i64 {
        now_ms() + millis(self.timing.lease)
    }

    /// Runs one attempt to its end and records it.
    async fn supervise(
        self: Arc<Self>,
        app: Arc<App>,
        kind: Arc<dyn JobKind>,
        row: Row,
        number: u32,
        asked: CancellationToken,
    ) {
        let news = Arc::new(News::default());
        let attempt = row.attempt.clone().unwrap_or_default();
        let run = JobRun {
            id: row.id.clone(),
            attempt: number,
            object: row.object.clone(),
            parameters: serde_json::from_str(&row.parameters).unwrap_or_default(),
            actor: owner(&row, kind.name()),
            token: CancellationToken::new(),
            store: self.store.clone(),
            news: Arc::clone(&news),
        };
        let stop = run.token.clone();
        let task = tokio::spawn({
            let (kind, app) = (Arc::clone(&kind), Arc::clone(&app));
            async move { kind.run(&app, &run).await }
        });
        drop(app);
        let result = self.watch_over(task, &row.id, &attempt, &news, &asked, &stop).await;
        self.write(&row.id, &attempt, &news).await;
        let ending = self.ending(&row, result, asked.is_cancelled());
        if let Err(error) = self.store.end(&row.id, &attempt, &ending).await {
            // The lease runs out, and the job is taken up again then.
            tracing::error!(job.id = %row.id, %error, "The end of a job could not be recorded");
        }
        self.running().remove(&row.id);
        self.changed(&row.id);
        self.wake.notify_one();
    }

    /// Waits for a run while writing its progress, renewing its lease and carrying out a stop.
    async fn watch_over(
        &self,
        mut task: JoinHandle<Result<(), JobFailure>>,
        id: &str,
        attempt: &str,
        news: &News,
        asked: &CancellationToken,
        stop: &CancellationToken,
    ) -> Outcome {
        let mut write = interval(self.timing.write);
        let mut renew = interval(self.timing.lease / 3);
        write.set_missed_tick_behavior(MissedTickBehavior::Delay);
        renew.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut deadline: Option<Instant> = None;
        loop {
            tokio::select! {
                ended = &mut task => {
                    return match ended {
                        Ok(result) => Outcome::Ended(result),
                        Err(error) => Outcome::Crashed(error.is_panic()),
                    };
                }
                () = either(asked, &self.closing), if deadline.is_none() => {
                    stop.cancel();
                    deadline = Some(Instant::now() + self.timing.grace);
                }
                () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                    task.abort();
                    // A run that blocks its thread cannot be stopped; its slot is not held up by it.
                    let _stopped = timeout(self.timing.grace, &mut task).await;
                    return Outcome::Dropped;
                }
                _ = write.tick() => self.write(id, attempt, news).await,
                _ = renew.tick() => match self.store.renew(id, attempt, self.lease()).await {
                    Ok(true) => {}
                    Ok(false) => {
                        task.abort();
                        return Outcome::Dropped;
                    }
                    Err(error) => self.note(Err(error)),
                },
            }
        }
    }

    async fn write(&self, id: &str, attempt: &str, news: &News) {
        let (progress, logged) = news.take();
        if let Some(progress) = &progress {
            self.note(self.store.progress(id, attempt, progress).await);
        }
        if progress.is_some() || logged {
            self.changed(id);
        }
    }

    fn ending(&self, row: &Row, outcome: Outcome, asked: bool) -> Ending {
        if asked {
            return Ending::Cancelled;
        }
        let stopping = self.closing.is_cancelled();
        let (cause, again) = match outcome {
            Outcome::Ended(Ok(())) => return Ending::Succeeded,
            Outcome::Ended(Err(_)) | Outcome::Dropped if stopping => {
                return Ending::Again { cause: STOPPED.to_owned(), not_before_ms: 0, counts: false };
            }
            Outcome::Ended(Err(failure)) => {
                if let Some(source) = &failure.source {
                    tracing::warn!(job.id = %row.id, job.kind = %row.kind, %source, "A job failed: {}", failure.cause);
                }
                (failure.cause, failure.again)
            }
            Outcome::Crashed(true) => ("It crashed. The server's log has the details".to_owned(), true),
            Outcome::Crashed(false) | Outcome::Dropped => (STOPPED.to_owned(), true),
        };
        if again && row.tries < row.max_attempts {
            let doublings = u32::try_from(row.tries - 1).unwrap_or(0).min(16);
            let pause = (self.timing.pause * 2_u32.pow(doublings)).min(LONGEST_PAUSE);
            Ending::Again { cause, not_before_ms: now_ms() + millis(pause), counts: true }
        } else {
            Ending::Failed { cause }
        }
    }

    #[expect(clippy::unused_self, reason = "reads as what the worker does with a failed statement")]
    fn note(&self, result: sqlx::Result<()>) {
        if let Err(error) = result {
            tracing::error!(%error, "The jobs' tables could not be read or written");
        }
    }
}

/// How a run left its task.
enum Outcome {
    Ended(Result<(), JobFailure>),
    /// It panicked (`true`), or the runtime is shutting down.
    Crashed(bool),
    /// It was dropped where it stood.
    Dropped,
}

async fn either(one: &CancellationToken, other: &CancellationToken) {
    tokio::select! {
        () = one.cancelled() => {}
        () = other.cancelled() => {}
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
