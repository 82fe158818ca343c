//! The queue over a real database: states, lanes, cancels, crashes, restarts, and who sees what.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use lakeglass_api::jobs::{Job, JobState, ParameterSpec, ParameterType};
use lakeglass_api::{ListQuery, Role, Scope};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::Error;
use super::kind::{JobFailure, JobKind};
use super::run::JobRun;
use super::service::{JobFilter, Jobs, Timing};
use super::store::{Ending, Store};
use crate::auth::{Actor, Principal};
use crate::state::App;
use crate::testing;

mod restarts;

const QUICK: Timing = Timing {
    lease: Duration::from_secs(20),
    look: Duration::from_millis(20),
    write: Duration::from_millis(5),
    grace: Duration::from_millis(100),
    pause: Duration::from_millis(1),
};

/// Does what its `does` parameter says.
#[derive(Debug, Default)]
struct Obedient {
    started: AtomicUsize,
    at_once: AtomicUsize,
    most_at_once: AtomicUsize,
    dropped: AtomicUsize,
    go: Notify,
}

struct Leaving<'a>(&'a Obedient);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.at_once.fetch_sub(1, Ordering::SeqCst);
        self.0.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl JobKind for Obedient {
    fn name(&self) -> &'static str {
        "obey"
    }

    fn title(&self) -> &'static str {
        "Obey"
    }

    fn lane(&self) -> &'static str {
        "tests"
    }

    fn slots(&self) -> usize {
        2
    }

    fn parameters(&self) -> Vec<ParameterSpec> {
        let choices = ["finish", "wait", "hang", "panic", "fail", "fail-once", "talk"].map(str::to_owned);
        vec![ParameterSpec {
            name: "does".into(),
            title: "Does".into(),
            doc: "What it does.".into(),
            value: ParameterType::Choice { choices: choices.into(), default: "finish".into() },
        }]
    }

    fn max_attempts(&self) -> u32 {
        2
    }

    fn startable(&self) -> bool {
        true
    }

    async fn run(&self, _app: &Arc<App>, run: &JobRun) -> Result<(), JobFailure> {
        self.started.fetch_add(1, Ordering::SeqCst);
        let now = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(now, Ordering::SeqCst);
        let _leaving = Leaving(self);
        match run.text("does") {
            "wait" => {
                tokio::select! {
                    () = self.go.notified() => Ok(()),
                    () = run.cancelled().cancelled_owned() => Err(JobFailure::new("Told to stop")),
                }
            }
            "hang" => {
                std::future::pending::<()>().await;
                Ok(())
            }
            "panic" => panic!("as told"),
            "fail" => Err(JobFailure::new("It never works")),
            "fail-once" if run.attempt == 1 => Err(JobFailure::again("Not this time")),
            "talk" => {
                for done in 0..=1_200_u64 {
                    run.progress(done, Some(1_200), "words", "talking").await;
                    run.log(format!("word {done}")).await;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

async fn open(folder: &Path) -> (Arc<App>, Jobs, Arc<Obedient>) {
    let app = testing::app(folder, Vec::new()).await;
    let jobs = Jobs::with_timing(&app.db, QUICK);
    let kind = Arc::new(Obedient::default());
    jobs.register(Arc::clone(&kind) as Arc<dyn JobKind>);
    (app, jobs, kind)
}

fn root() -> Actor {
    Actor::system("tests")
}

fn person(grants: Vec<(Scope, Role)>) -> Actor {
    Actor::new(Principal::User(7), "ada".into(), grants, None, "r-1".into())
}

async fn start(jobs: &Jobs, object: &str, does: &str) -> Job {
    jobs.start(&root(), "obey", object, json!({ "does": does })).await.unwrap()
}

/// Waits until the job is as wanted. A hang here is a failure: the runner has a limit.
async fn until(jobs: &Jobs, id: &str, wanted: impl Fn(&Job) -> bool) -> Job {
    loop {
        let job = jobs.job(&root(), id).await.unwrap();
        if wanted(&job) {
            return job;
        }
        assert!(!job.state.is_over(), "{job:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn over(jobs: &Jobs, id: &str) -> Job {
    until(jobs, id, |job| job.state.is_over()).await
}

async fn running(jobs: &Jobs, kind: &Obedient, id: &str) {
    until(jobs, id, |job| job.state == JobState::Running && kind.at_once.load(Ordering::SeqCst) > 0).await;
}

#[tokio::test]
async fn a_job_runs_talks_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (app, jobs, _) = open(folder.path()).await;
    jobs.run(&app);
    let job = start(&jobs, "sales", "talk").await;
    let seen: Vec<Job> = jobs.watch(&root(), &job.id).await.unwrap().collect().await;
    let last = seen.last().unwrap();
    assert_eq!(last.state, JobState::Succeeded);
    assert_eq!((last.progress.done, last.progress.total), (1_200, Some(1_200)));
    assert_eq!(last.progress.unit, "words");
    assert_eq!(last.parameters["does"], "talk");
    assert!(seen.len() < 1_200, "progress is throttled, not sent each time: {}", seen.len());
    assert_eq!(last.attempts.len(), 1);
    assert!(last.attempts[0].ended_at_ms.is_some());
    let log = jobs.log(&root(), &job.id).await.unwrap();
    assert_eq!(log.len(), 1_000);
    assert_eq!(log.last().unwrap().text, "word 1200");
}

#[tokio::test]
async fn one_unfinished_job_for_each_kind_and_object() {
    let folder = tempfile::tempdir().unwrap();
    let (app, jobs, kind) = open(folder.path()).await;
    let job = start(&jobs, "sales", "wait").await;
    for _ in 0..2 {
        match jobs.start(&root(), "obey", "sales", Value::Null).await {
            Err(Error::Unfinished { id }) => assert_eq!(id, job.id),
            other => panic!("{other:?}"),
        }
        jobs.run(&app);
        running(&jobs, &kind, &job.id).await;
    }
    start(&jobs, "other", "finish").await;
    kind.go.notify_one();
    over(&jobs, &job.id).await;
    start(&jobs, "sales", "finish").await;
}

#[tokio::test]
async fn a_lane_runs_as_many_as_it_has_slots_and_the_rest_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let (app, jobs, kind) = open(folder.path()).await;
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.push(start(&jobs, &format!("bucket-{n}"), "wait").await.id);
    }
    jobs.run(&app);
    until(&jobs, &ids[1], |job| job.state == JobState::Running).await;
    assert_eq!(jobs.job(&root(), &ids[0]).await.unwrap().state, JobState::Running);
    assert_eq!(jobs.job(&root(), &ids[2]).await.unwrap().state, JobState::Queued);
    for id in &ids {
        while !jobs.job(&root(), id).await.unwrap().state.is_over() {
            kind.go.notify_one();
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
    assert_eq!(kind.most_at_once.load(Ordering::SeqCst), 2);
    assert_eq!(kind.started.load(Ordering::SeqCst), 5);
}

#[tokio::test]
async fn a_cancel_is_heeded_or_the_run_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let (app, jobs, kind) = open(folder.path()).await;
    jobs.run(&app);
    for (does, dropped) in [("wait", 1), ("hang", 2)] {
        let job = start(&jobs, "sales", does).await;
        running(&jobs, &kind, &job.id).await;
        let asked = jobs.cancel(&person(vec![(Scope::Server, Role::Editor)]), &job.id).await.unwrap();
        assert!(asked.cancelling || asked.state == JobState::Cancelled);
        let job = over(&jobs, &job.id).await;
        assert_eq!(job.state, JobState::Cancelled);
        assert_eq!(job.cause.as_deref(), Some("Cancelled by ada"));
        assert_eq!(kind.dropped.load(Ordering::SeqCst), dropped, "{does}: the work itself has ended");
        assert!(matches!(jobs.cancel(&root(), &job.id).await, Err(Error::Over)));
    }
}

#[tokio::test]
async fn a_waiting_job_is_cancelled_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (_app, jobs, kind) = open(folder.path()).await;
    let job = start(&jobs, "sales", "finish").await;
    let job = jobs.cancel(&root(), &job.id).await.unwrap();
    assert_eq!(job.state, JobState::Cancelled);
    assert!(!job.cancelling);
    assert_eq!(kind.started.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_crash_in_the_run_is_tried_again_and_then_told() {
    let folder = tempfile::tempdir().unwrap();
    let (app, jobs, kind) = open(folder.path()).await;
    jobs.run(&app);
    let job = start(&jobs, "sales", "panic").await;
    let job = over(&jobs, &job.id).await;
    assert_eq!(job.state, JobState::Failed);
    assert_eq!(job.attempts.len(), 2);
    assert_ne!(job.attempts[0].id, job.attempts[1].id);
    assert!(job.attempts.iter().all(|attempt| attempt.cause.as_deref().unwrap().starts_with("It crashed")));
    assert_eq!(kind.started.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_failure_says_whether_to_try_again() {
    let folder = tempfile::tempdir().unwrap();
    let (app, jobs, _) = open(folder.path()).await;
    jobs.run(&app);
    let never = start(&jobs, "sales", "fail").await;
    let never = over(&jobs, &never.id).await;
    assert_eq!((never.state, never.attempts.len()), (JobState::Failed, 1));
    assert_eq!(never.cause.as_deref(), Some("It never works"));
    let once = start(&jobs, "sales", "fail-once").await;
    let once = over(&jobs, &once.id).await;
    assert_eq!((once.state, once.attempts.len()), (JobState::Succeeded, 2));
    assert_eq!(once.attempts[0].cause.as_deref(), Some("Not this time"));
    assert_eq!(once.cause, None);
}

/// A process that dies mid-run: its runtime goes without a word, and another opens the folder.
#[tokio::test]
async fn people_see_jobs_of_their_buckets_and_server_roles_see_all() {
    let folder = tempfile::tempdir().unwrap();
    let (_app, jobs, _) = open(folder.path()).await;
    let server = start(&jobs, "server", "finish").await;
    let sales = start(&jobs, "sales$eu$orders", "finish").await;
    let other = start(&jobs, "other", "finish").await;
    let page = async |actor: &Actor, filter: JobFilter, query: ListQuery| {
        let page = jobs.list(actor, filter, &query).await.unwrap();
        (page.items.into_iter().map(|job| job.id).collect::<Vec<_>>(), page.next, page.total)
    };
    let everyone = person(vec![(Scope::Server, Role::Viewer)]);
    let reader = person(vec![(Scope::Bucket("sales".parse().unwrap()), Role::Reader)]);
    let all = || (JobFilter::default(), ListQuery::default());
    let (filter, query) = all();
    let newest_first = vec![other.id.clone(), sales.id.clone(), server.id.clone()];
    assert_eq!(page(&everyone, filter, query).await, (newest_first.clone(), None, Some(3)));
    let (filter, query) = all();
    assert_eq!(page(&reader, filter, query).await, (vec![sales.id.clone()], None, Some(1)));
    for hidden in [&server, &other] {
        assert!(matches!(jobs.job(&reader, &hidden.id).await, Err(Error::NoSuchJob)));
        assert!(matches!(jobs.log(&reader, &hidden.id).await, Err(Error::NoSuchJob)));
        assert!(matches!(jobs.cancel(&reader, &hidden.id).await, Err(Error::NoSuchJob)));
        assert!(jobs.watch(&reader, &hidden.id).await.is_err());
    }
    assert!(matches!(jobs.cancel(&reader, &sales.id).await, Err(Error::Denied(_))));
    assert!(matches!(jobs.start(&reader, "obey", "sales", Value::Null).await, Err(Error::Denied(_))));

    let mut walked = Vec::new();
    let mut after = None;
    loop {
        let query = ListQuery { limit: Some(1), after, ..ListQuery::default() };
        let (ids, next, total) = page(&everyone, JobFilter::default(), query).await;
        assert_eq!(total, Some(3));
        walked.extend(ids);
        after = next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(walked, newest_first);

    jobs.cancel(&root(), &other.id).await.unwrap();
    let filter = JobFilter { state: Some(JobState::Cancelled), ..JobFilter::default() };
    assert_eq!(page(&everyone, filter, ListQuery::default()).await.0, vec![other.id]);
    let filter = JobFilter { object: Some("server".into()), ..JobFilter::default() };
    assert_eq!(page(&everyone, filter, ListQuery::default()).await.0, vec![server.id]);
    let query = ListQuery { search: Some("ORDERS".into()), ..ListQuery::default() };
    assert_eq!(page(&everyone, JobFilter::default(), query).await.0, vec![sales.id]);
}
