//! The tables of jobs, attempts and log lines. All SQL of the capability is here.

use lakeglass_api::BucketName;
use lakeglass_api::jobs::{Job, JobState, LogLine};

use crate::clock::now_ms;
use crate::db::Db;

mod attempts;
mod rows;

pub(super) use rows::Row;
use rows::{AttemptRow, attempt, job};

/// Lines of log kept for each job.
const LOG_LINES: i64 = 1000;
/// Characters kept of one line.
const LINE_LENGTH: usize = 2000;

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
}
