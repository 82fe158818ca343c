//! What becomes of jobs whose process, worker or kind is gone.

use super::*;

#[test]
fn a_job_survives_the_end_of_its_process_and_gives_up_when_tried_enough() {
    let folder = tempfile::tempdir().unwrap();
    let runtime =
        || tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let die_while_it_runs = |expected_attempts: usize| {
        let process = runtime();
        let id = process.block_on(async {
            let (app, jobs, kind) = open(folder.path()).await;
            let id = match jobs.start(&root(), "obey", "sales", json!({"does": "hang"})).await {
                Ok(job) => job.id,
                Err(Error::Unfinished { id }) => id,
                Err(error) => panic!("{error}"),
            };
            jobs.run(&app);
            running(&jobs, &kind, &id).await;
            let job = jobs.job(&root(), &id).await.unwrap();
            assert_eq!(job.attempts.len(), expected_attempts);
            id
        });
        process.shutdown_timeout(Duration::from_millis(1));
        id
    };
    let first = die_while_it_runs(1);
    let second = die_while_it_runs(2);
    assert_eq!(first, second, "the same job was taken up again");
    runtime().block_on(async {
        let (app, jobs, kind) = open(folder.path()).await;
        jobs.run(&app);
        let job = over(&jobs, &first).await;
        assert_eq!(job.state, JobState::Failed);
        assert!(job.cause.unwrap().contains("tried 2 times"));
        assert_eq!(kind.started.load(Ordering::SeqCst), 0);
    });
}

#[tokio::test]
async fn a_close_puts_a_run_back_without_using_up_an_attempt() {
    let folder = tempfile::tempdir().unwrap();
    for round in 1..=3 {
        let (app, jobs, kind) = open(folder.path()).await;
        jobs.run(&app);
        let id = match jobs.start(&root(), "obey", "sales", json!({"does": "wait"})).await {
            Ok(job) => job.id,
            Err(Error::Unfinished { id }) => id,
            Err(error) => panic!("{error}"),
        };
        running(&jobs, &kind, &id).await;
        jobs.close().await;
        let job = jobs.job(&root(), &id).await.unwrap();
        assert_eq!((job.state, job.attempts.len()), (JobState::Queued, round));
    }
}

#[tokio::test]
async fn a_lease_that_ran_out_is_taken_up_and_its_late_worker_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (app, jobs, kind) = open(folder.path()).await;
    let store = Store::new(app.db.clone());
    jobs.run(&app);
    // Both slots are taken, so that only the claim below can get the third job.
    let busy = [start(&jobs, "busy-1", "wait").await, start(&jobs, "busy-2", "wait").await];
    for job in &busy {
        until(&jobs, &job.id, |job| job.state == JobState::Running).await;
    }
    let job = start(&jobs, "sales", "finish").await;
    let (row, number) = store.claim("tests", &["obey"], "elsewhere", 1).await.unwrap().unwrap();
    assert_eq!((row.id.as_str(), number), (job.id.as_str(), 1));
    let attempt = row.attempt.unwrap();
    let expired = until(&jobs, &job.id, |job| job.state == JobState::Queued).await;
    assert_eq!(expired.attempts[0].worker, "elsewhere");
    assert!(expired.attempts[0].cause.is_some());
    jobs.cancel(&root(), &busy[0].id).await.unwrap();
    let job = over(&jobs, &job.id).await;
    assert_eq!((job.state, job.attempts.len()), (JobState::Succeeded, 2));
    store.end(&job.id, &attempt, &Ending::Failed { cause: "late".into() }).await.unwrap();
    assert!(!store.renew(&job.id, &attempt, i64::MAX).await.unwrap());
    assert_eq!(jobs.job(&root(), &job.id).await.unwrap().state, JobState::Succeeded);
    kind.go.notify_one();
}

#[tokio::test]
async fn a_kind_that_is_gone_fails_its_waiting_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let (app, jobs, _) = open(folder.path()).await;
    let job = start(&jobs, "sales", "finish").await;
    let without = Jobs::with_timing(&app.db, QUICK);
    without.run(&app);
    let job = over(&without, &job.id).await;
    assert_eq!(job.state, JobState::Failed);
    assert!(matches!(without.start(&root(), "obey", "x-1", Value::Null).await, Err(Error::NoSuchKind(_))));
}
