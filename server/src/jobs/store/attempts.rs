//! Attempts: who may run a job, for how long, and how that ended.

use lakeglass_api::jobs::Progress;
use sqlx::{Sqlite, Transaction};

use super::{Ending, Row, Store};
use crate::clock::now_ms;

/// Jobs kept of each kind once they are over.
const KEPT: i64 = 200;

impl Store {
    /// Takes the oldest waiting job of a lane, with a new attempt that holds the lease.
    pub(in crate::jobs) async fn claim(
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
    pub(in crate::jobs) async fn renew(
        &self,
        id: &str,
        attempt: &str,
        lease_until_ms: i64,
    ) -> sqlx::Result<bool> {
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

    pub(in crate::jobs) async fn progress(
        &self,
        id: &str,
        attempt: &str,
        progress: &Progress,
    ) -> sqlx::Result<()> {
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
    pub(in crate::jobs) async fn cancel(&self, id: &str, by: &str) -> sqlx::Result<Option<bool>> {
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
    pub(in crate::jobs) async fn end(&self, id: &str, attempt: &str, ending: &Ending) -> sqlx::Result<()> {
        let mut tx = self.db.write.begin().await?;
        end_in(&mut tx, id, attempt, ending).await?;
        tx.commit().await
    }

    /// Ends every attempt whose lease ran out before `now`, except those that this process still
    /// runs: back into the queue, or failed when that was the last try. The ids.
    pub(in crate::jobs) async fn reclaim(
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
    pub(in crate::jobs) async fn fail_unknown(&self, kinds: &[&str]) -> sqlx::Result<()> {
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

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
