//! The tables of jobs, attempts and log lines. All SQL of the capability is here.

use lakeglass_api::BucketName;
use lakeglass_api::jobs::{Attempt, Job, JobState, LogLine, Progress};
use sqlx::{FromRow, Sqlite, Transaction};

use crate::clock::now_ms;
use crate::db::Db;

/// Lines of log kept for each job.
const LOG_LINES: i64 = 1000;
/// Characters kept of one line.
const LINE_LENGTH: usize = 2000;
/// Jobs kept of each kind once they are over.
const KEPT: i64 = 200;

#[derive(Debug, Clone)]
pub(super) struct Store {
    db: Db,
}

/// A job to be written.
#[derive(Debug)]
pub(super) struct NewJob {
    pub(super) id: String,
    pub(super) kind: &'static str,
    pub(super) title: &'static str,
    pub(super) object: String,
    pub(super) bucket: Option<BucketName>,
    pub(super) lane: &'static str,
    pub(super) parameters: String,
    pub(super) principal: String,
    pub(super) owner: String,
    pub(super) role: &'static str,
    pub(super) address: Option<String>,
    pub(super) request_id: String,
    pub(super) max_attempts: u32,
}

/// A job as it is kept.
#[derive(Debug, FromRow)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) kind: String,
    title: String,
    pub(super) object: String,
    pub(super) bucket: Option<String>,
    pub(super) parameters: String,
    state: String,
    pub(super) principal: String,
    pub(super) owner: String,
    pub(super) role: String,
    pub(super) address: Option<String>,
    pub(super) request_id: String,
    progress_done: i64,
    progress_total: Option<i64>,
    progress_unit: String,
    progress_message: String,
    cancelled_by: Option<String>,
    cause: Option<String>,
    pub(super) tries: i64,
    pub(super) max_attempts: i64,
    pub(super) attempt: Option<String>,
    created_at_ms: i64,
    started_at_ms: Option<i64>,
    ended_at_ms: Option<i64>,
}

#[derive(Debug, FromRow)]
struct AttemptRow {
    id: String,
    job: String,
    number: i64,
    worker: String,
    started_at_ms: i64,
    ended_at_ms: Option<i64>,
    cause: Option<String>,
}

/// What to list.
#[derive(Debug, Default)]
pub(super) struct Wanted<'a> {
    pub(super) state: Option<JobState>,
    pub(super) kind: Option<&'a str>,
    pub(super) object: Option<&'a str>,
    pub(super) search: Option<&'a str>,
    /// None: every bucket's and the server's.
    pub(super) buckets: Option<Vec<BucketName>>,
    pub(super) after: Option<&'a str>,
    pub(super) limit: u32,
}

/// How an attempt ended.
#[derive(Debug)]
pub(super) enum Ending {
    Succeeded,
    Failed {
        cause: String,
    },
    Cancelled,
    /// Not the job's fault or worth another try: back into the queue, from that time on. `counts`
    /// says whether it used up one of the job's attempts.
    Again {
        cause: String,
        not_before_ms: i64,
        counts: bool,
    },
}

impl Store {
    pub(super) fn new(db: Db) -> Self {
        Self { db }
    }

    /// Writes a queued job; the id of the unfinished one when there is one of that kind and object.
    pub(super) async fn insert(&self, job: &NewJob) -> sqlx::Result<Result<(), String>> {
        let mut tx = self.db.write.begin().await?;
        let unfinished: Option<String> = sqlx::query_scalar(
            "SELECT id FROM jobs WHERE kind = ?1 AND object = ?2 AND state IN ('queued', 'running')",
        )
        .bind(job.kind)
        .bind(&job.object)
        .fetch_optional(&mut *tx)
        .await?;
        if let Some(id) = unfinished {
            return Ok(Err(id));
        }
        sqlx::query(
            "INSERT INTO jobs (id, kind, title, object, bucket, lane, parameters, state, principal, owner, role,
                               address, request_id, max_attempts, not_before_ms, created_at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'queued', ?8, ?9, ?10, ?11, ?12, ?13, 0, ?14)",
        )
        .bind(&job.id)
        .bind(job.kind)
        .bind(job.title)
        .bind(&job.object)
        .bind(job.bucket.as_ref().map(BucketName::as_str))
        .bind(job.lane)
        .bind(&job.parameters)
        .bind(&job.principal)
        .bind(&job.owner)
        .bind(job.role)
        .bind(&job.address)
        .bind(&job.request_id)
        .bind(i64::from(job.max_attempts))
        .bind(now_ms())
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(Ok(()))
    }

    pub(super) async fn row(&self, id: &str) -> sqlx::Result<Option<Row>> {
        sqlx::query_as("SELECT * FROM jobs WHERE id = ?1").bind(id).fetch_optional(&self.db.read).await
    }

    /// Rows newest first, one more than the limit when there are more; and how many match in all.
    pub(super) async fn list(&self, wanted: &Wanted<'_>) -> sqlx::Result<(Vec<Row>, u64)> {
        const MATCHES: &str = "FROM jobs WHERE (?1 IS NULL OR state = ?1) AND (?2 IS NULL OR kind = ?2)
             AND (?3 IS NULL OR object = ?3)
             AND (?4 IS NULL OR bucket IN (SELECT value FROM json_each(?4)))
             AND (?5 IS NULL OR instr(lower(object), ?5) > 0 OR instr(lower(title), ?5) > 0)";
        let buckets = wanted.buckets.as_ref().map(|names| {
            serde_json::Value::from(names.iter().map(BucketName::as_str).collect::<Vec<_>>()).to_string()
        });
        let search = wanted.search.filter(|text| !text.is_empty()).map(str::to_lowercase);
        let state = wanted.state.map(JobState::as_str);
        // Both statements are made of constants only.
        let page = format!("SELECT * {MATCHES} AND (?6 IS NULL OR id < ?6) ORDER BY id DESC LIMIT ?7");
        let rows = sqlx::query_as(sqlx::AssertSqlSafe(page))
            .bind(state)
            .bind(wanted.kind)
            .bind(wanted.object)
            .bind(&buckets)
            .bind(&search)
            .bind(wanted.after)
            .bind(i64::from(wanted.limit) + 1)
            .fetch_all(&self.db.read)
            .await?;
        let total: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT count(*) {MATCHES}")))
            .bind(state)
            .bind(wanted.kind)
            .bind(wanted.object)
            .bind(&buckets)
            .bind(&search)
            .fetch_one(&self.db.read)
            .await?;
        Ok((rows, total.unsigned_abs()))
    }

    /// The rows as people see them, with their attempts.
    pub(super) async fn jobs(&self, rows: Vec<Row>) -> sqlx::Result<Vec<Job>> {
        let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        let mut attempts: Vec<AttemptRow> = sqlx::query_as(
            "SELECT * FROM job_attempts WHERE job IN (SELECT value FROM json_each(?1)) ORDER BY job, number",
        )
        .bind(serde_json::Value::from(ids).to_string())
        .fetch_all(&self.db.read)
        .await?;
        let jobs = rows.into_iter().map(|row| {
            let own = attempts.extract_if(.., |attempt| attempt.job == row.id).map(attempt).collect();
            job(row, own)
        });
        Ok(jobs.collect())
    }

    pub(super) async fn log_lines(&self, id: &str) -> sqlx::Result<Vec<LogLine>> {
        let lines: Vec<(i64, String)> =
            sqlx::query_as("SELECT at_ms, text FROM job_log WHERE job = ?1 ORDER BY line")
                .bind(id)
                .fetch_all(&self.db.read)
                .await?;
        Ok(lines.into_iter().map(|(at_ms, text)| LogLine { at_ms, text }).collect())
    }

    pub(super) async fn log(&self, id: &str, text: &str) -> sqlx::Result<()> {
        let text: String = text.chars().take(LINE_LENGTH).collect();
        let mut tx = self.db.write.begin().await?;
        let line: i64 = sqlx::query_scalar(
            "INSERT INTO job_log (job, line, at_ms, text)
             VALUES (?1, 1 + (SELECT coalesce(max(line), 0) FROM job_log WHERE job = ?1), ?2, ?3) RETURNING line",
        )
        .bind(id)
        .bind(now_ms())
        .bind(text)
        .fetch_one(&mut *tx)
        .await?;
        sqlx::query("DELETE FROM job_log WHERE job = ?1 AND line <= ?2")
            .bind(id)
            .bind(line - LOG_LINES)
            .execute(&mut *tx)
            .await?;
        tx.commit().await
    }

    /// Takes the oldest waiting job of a lane, with a new attempt that holds the lease.
    pub(super) async fn claim(
        &self,
        lane: &str,
        kinds: &[&str],
        worker: &str,
        lease_until_ms: i64,
    ) -> sqlx::Result<Option<(Row, u32)>> {
        let now = now_ms();
        let attempt = uuid::Uuid::now_v7().to_string();
        let mut tx = self.db.write.begin().await?;
        let row: Option<Row> = sqlx::query_as(
            "UPDATE jobs SET state = 'running', worker = ?1, attempt = ?2, lease_until_ms = ?3, tries = tries + 1,
                             started_at_ms = coalesce(started_at_ms, ?4)
             WHERE id = (SELECT id FROM jobs WHERE state = 'queued' AND lane = ?5 AND not_before_ms <= ?4
                         AND kind IN (SELECT value FROM json_each(?6)) ORDER BY id LIMIT 1)
             RETURNING *",
        )
        .bind(worker)
        .bind(&attempt)
        .bind(lease_until_ms)
        .bind(now)
        .bind(lane)
        .bind(serde_json::Value::from(kinds).to_string())
        .fetch_optional(&mut *tx)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let number: i64 = sqlx::query_scalar(
            "INSERT INTO job_attempts (id, job, number, worker, started_at_ms)
             VALUES (?1, ?2, 1 + (SELECT count(*) FROM job_attempts WHERE job = ?2), ?3, ?4) RETURNING number",
        )
        .bind(&attempt)
        .bind(&row.id)
        .bind(worker)
        .bind(now)
        .fetch_one(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(Some((row, u32::try_from(number).unwrap_or(u32::MAX))))
    }

    /// Whether the attempt still holds the job; its lease then runs until that time.
    pub(super) async fn renew(&self, id: &str, attempt: &str, lease_until_ms: i64) -> sqlx::Result<bool> {
        let done = sqlx::query(
            "UPDATE jobs SET lease_until_ms = ?3 WHERE id = ?1 AND attempt = ?2 AND state = 'running'",
        )
        .bind(id)
        .bind(attempt)
        .bind(lease_until_ms)
        .execute(&self.db.write)
        .await?;
        Ok(done.rows_affected() == 1)
    }

    pub(super) async fn progress(&self, id: &str, attempt: &str, progress: &Progress) -> sqlx::Result<()> {
        sqlx::query(
            "UPDATE jobs SET progress_done = ?3, progress_total = ?4, progress_unit = ?5, progress_message = ?6
             WHERE id = ?1 AND attempt = ?2",
        )
        .bind(id)
        .bind(attempt)
        .bind(signed(progress.done))
        .bind(progress.total.map(signed))
        .bind(&progress.unit)
        .bind(&progress.message)
        .execute(&self.db.write)
        .await?;
        Ok(())
    }

    /// Notes who asked for a cancel. A queued job ends by it; true when the job was running.
    pub(super) async fn cancel(&self, id: &str, by: &str) -> sqlx::Result<Option<bool>> {
        let state: Option<String> = sqlx::query_scalar(
            "UPDATE jobs SET cancelled_by = coalesce(cancelled_by, ?2),
                 cause = CASE state WHEN 'queued' THEN 'Cancelled by ' || ?2 ELSE cause END,
                 ended_at_ms = CASE state WHEN 'queued' THEN ?3 ELSE ended_at_ms END,
                 state = CASE state WHEN 'queued' THEN 'cancelled' ELSE state END
             WHERE id = ?1 AND state IN ('queued', 'running') RETURNING state",
        )
        .bind(id)
        .bind(by)
        .bind(now_ms())
        .fetch_optional(&self.db.write)
        .await?;
        Ok(state.map(|state| state == "running"))
    }

    /// Ends an attempt, if it still holds the job. Drops what is beyond the history kept.
    pub(super) async fn end(&self, id: &str, attempt: &str, ending: &Ending) -> sqlx::Result<()> {
        let mut tx = self.db.write.begin().await?;
        end_in(&mut tx, id, attempt, ending).await?;
        tx.commit().await
    }

    /// Ends every attempt whose lease ran out before `now`, except those that this process still
    /// runs: back into the queue, or failed when that was the last try. The ids.
    pub(super) async fn reclaim(
        &self,
        now: i64,
        except: &[String],
        cause: &str,
    ) -> sqlx::Result<Vec<String>> {
        let mut tx = self.db.write.begin().await?;
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT * FROM jobs WHERE state = 'running' AND lease_until_ms < ?1
             AND id NOT IN (SELECT value FROM json_each(?2))",
        )
        .bind(now)
        .bind(serde_json::Value::from(except).to_string())
        .fetch_all(&mut *tx)
        .await?;
        for row in &rows {
            let ending = if row.cancelled_by.is_some() {
                Ending::Cancelled
            } else if row.tries >= row.max_attempts {
                Ending::Failed { cause: format!("{cause}. It was tried {} times", row.tries) }
            } else {
                Ending::Again { cause: cause.to_owned(), not_before_ms: 0, counts: true }
            };
            end_in(&mut tx, &row.id, row.attempt.as_deref().unwrap_or_default(), &ending).await?;
        }
        tx.commit().await?;
        Ok(rows.into_iter().map(|row| row.id).collect())
    }

    /// Fails waiting jobs of kinds that this version does not know.
    pub(super) async fn fail_unknown(&self, kinds: &[&str]) -> sqlx::Result<()> {
        sqlx::query(
            "UPDATE jobs SET state = 'failed', ended_at_ms = ?2,
                 cause = 'This version of Lakeglass has no such kind of job'
             WHERE state = 'queued' AND kind NOT IN (SELECT value FROM json_each(?1))",
        )
        .bind(serde_json::Value::from(kinds).to_string())
        .bind(now_ms())
        .execute(&self.db.write)
        .await?;
        Ok(())
    }
}

async fn end_in(
    tx: &mut Transaction<'_, Sqlite>,
    id: &str,
    attempt: &str,
    ending: &Ending,
) -> sqlx::Result<()> {
    let now = now_ms();
    let by: Option<Option<String>> = sqlx::query_scalar(
        "SELECT cancelled_by FROM jobs WHERE id = ?1 AND attempt = ?2 AND state = 'running'",
    )
    .bind(id)
    .bind(attempt)
    .fetch_optional(&mut **tx)
    .await?;
    let Some(by) = by else { return Ok(()) };
    let (state, cause, not_before_ms, refund) = match ending {
        Ending::Succeeded => ("succeeded", None, 0, 0),
        Ending::Failed { cause } => ("failed", Some(cause.clone()), 0, 0),
        Ending::Cancelled => {
            ("cancelled", Some(by.map_or("Cancelled".into(), |by| format!("Cancelled by {by}"))), 0, 0)
        }
        Ending::Again { cause, not_before_ms, counts } => {
            ("queued", Some(cause.clone()), *not_before_ms, i64::from(!counts))
        }
    };
    sqlx::query(
        "UPDATE jobs SET state = ?3, cause = ?4, not_before_ms = ?5, tries = tries - ?6,
             worker = NULL, attempt = NULL, lease_until_ms = NULL,
             ended_at_ms = CASE ?3 WHEN 'queued' THEN NULL ELSE ?7 END
         WHERE id = ?1 AND attempt = ?2",
    )
    .bind(id)
    .bind(attempt)
    .bind(state)
    .bind(&cause)
    .bind(not_before_ms)
    .bind(refund)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    sqlx::query("UPDATE job_attempts SET ended_at_ms = ?2, cause = ?3 WHERE id = ?1")
        .bind(attempt)
        .bind(now)
        .bind(&cause)
        .execute(&mut **tx)
        .await?;
    sqlx::query(
        "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs
             WHERE kind = (SELECT kind FROM jobs WHERE id = ?1) AND state NOT IN ('queued', 'running')
             ORDER BY id DESC LIMIT -1 OFFSET ?2)",
    )
    .bind(id)
    .bind(KEPT)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

fn attempt(row: AttemptRow) -> Attempt {
    Attempt {
        number: u32::try_from(row.number).unwrap_or(u32::MAX),
        id: row.id,
        worker: row.worker,
        started_at_ms: row.started_at_ms,
        ended_at_ms: row.ended_at_ms,
        cause: row.cause,
    }
}

fn job(row: Row, attempts: Vec<Attempt>) -> Job {
    let parameters: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&row.parameters).unwrap_or_default();
    let text = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    let state =
        JobState::ALL.into_iter().find(|state| state.as_str() == row.state).unwrap_or(JobState::Failed);
    Job {
        id: row.id,
        kind: row.kind,
        title: row.title,
        object: row.object,
        state,
        progress: Progress {
            done: row.progress_done.unsigned_abs(),
            total: row.progress_total.map(i64::unsigned_abs),
            unit: row.progress_unit,
            message: row.progress_message,
        },
        parameters: parameters.into_iter().map(|(key, value)| (key, text(value))).collect(),
        owner: row.owner,
        created_at_ms: row.created_at_ms,
        started_at_ms: row.started_at_ms,
        ended_at_ms: row.ended_at_ms,
        cause: row.cause,
        attempts,
        cancelling: row.cancelled_by.is_some() && !state.is_over(),
    }
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
