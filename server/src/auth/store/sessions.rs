//! Sessions and the one line of text a session may owe its browser.

use sqlx::SqlitePool;

use super::Result;
use super::rows::{SessionInfoRow, SessionRow};

statements! {
    SESSION = "SELECT s.public_id, s.user_id, u.name, s.active_at_ms, s.expires_at_ms
         FROM sessions s JOIN users u ON u.id = s.user_id
         WHERE s.hash = ?1 AND u.disabled_at_ms IS NULL AND s.expires_at_ms > ?2 AND s.active_at_ms > ?3";
    ADD_SESSION = "INSERT INTO sessions (hash, public_id, user_id, created_at_ms, active_at_ms, expires_at_ms,
         address, agent) VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7)";
    TOUCH_SESSION = "UPDATE sessions SET active_at_ms = ?2 WHERE hash = ?1 AND active_at_ms < ?2";
    SESSIONS = "SELECT public_id, created_at_ms, active_at_ms, expires_at_ms, address, agent FROM sessions
         WHERE user_id = ?1 AND expires_at_ms > ?2 AND active_at_ms > ?3 ORDER BY created_at_ms DESC";
    END_SESSION = "DELETE FROM sessions WHERE hash = ?";
    END_OWN_SESSION = "DELETE FROM sessions WHERE user_id = ? AND public_id = ?";
    END_SESSIONS = "DELETE FROM sessions WHERE user_id = ?1 AND (?2 IS NULL OR hash <> ?2)";
    SWEEP_SESSIONS = "DELETE FROM sessions WHERE expires_at_ms <= ?1 OR active_at_ms <= ?2";
    // Keeps the newest few of a user.
    TRIM_SESSIONS = "DELETE FROM sessions WHERE user_id = ?1 AND hash NOT IN
         (SELECT hash FROM sessions WHERE user_id = ?1 ORDER BY created_at_ms DESC LIMIT ?2)";
    SET_FLASH = "UPDATE sessions SET flash = ?2 WHERE hash = ?1";
    HAS_FLASH = "SELECT flash FROM sessions WHERE hash = ?1 AND flash IS NOT NULL";
}

pub(in crate::auth) async fn session(
    pool: &SqlitePool,
    hash: &[u8],
    now_ms: i64,
    idle_since_ms: i64,
) -> Result<Option<SessionRow>> {
    sqlx::query_as(SESSION).bind(hash).bind(now_ms).bind(idle_since_ms).fetch_optional(pool).await
}

/// A session to be stored.
#[derive(Debug)]
pub(in crate::auth) struct NewSession<'a> {
    pub(in crate::auth) hash: &'a [u8],
    pub(in crate::auth) public_id: &'a str,
    pub(in crate::auth) user: i64,
    pub(in crate::auth) now_ms: i64,
    pub(in crate::auth) expires_at_ms: i64,
    pub(in crate::auth) address: Option<String>,
    pub(in crate::auth) agent: &'a str,
}

pub(in crate::auth) async fn add_session(pool: &SqlitePool, new: NewSession<'_>) -> Result<()> {
    let query = sqlx::query(ADD_SESSION).bind(new.hash).bind(new.public_id).bind(new.user).bind(new.now_ms);
    query.bind(new.expires_at_ms).bind(new.address).bind(new.agent).execute(pool).await.map(drop)
}

pub(in crate::auth) async fn touch_session(pool: &SqlitePool, hash: &[u8], now_ms: i64) -> Result<()> {
    sqlx::query(TOUCH_SESSION).bind(hash).bind(now_ms).execute(pool).await.map(drop)
}

pub(in crate::auth) async fn sessions(
    pool: &SqlitePool,
    user: i64,
    now_ms: i64,
    idle_since_ms: i64,
) -> Result<Vec<SessionInfoRow>> {
    sqlx::query_as(SESSIONS).bind(user).bind(now_ms).bind(idle_since_ms).fetch_all(pool).await
}

pub(in crate::auth) async fn end_session(pool: &SqlitePool, hash: &[u8]) -> Result<()> {
    sqlx::query(END_SESSION).bind(hash).execute(pool).await.map(drop)
}

/// False when the user has no such session.
pub(in crate::auth) async fn end_own_session(pool: &SqlitePool, user: i64, public_id: &str) -> Result<bool> {
    let done = sqlx::query(END_OWN_SESSION).bind(user).bind(public_id).execute(pool).await?;
    Ok(done.rows_affected() > 0)
}

/// Ends a user's sessions, but the kept one.
pub(in crate::auth) async fn end_sessions(
    connection: impl sqlx::SqliteExecutor<'_>,
    user: i64,
    keep: Option<&[u8]>,
) -> Result<()> {
    sqlx::query(END_SESSIONS).bind(user).bind(keep).execute(connection).await.map(drop)
}

pub(in crate::auth) async fn sweep_sessions(
    pool: &SqlitePool,
    now_ms: i64,
    idle_since_ms: i64,
) -> Result<()> {
    sqlx::query(SWEEP_SESSIONS).bind(now_ms).bind(idle_since_ms).execute(pool).await.map(drop)
}

pub(in crate::auth) async fn trim_sessions(pool: &SqlitePool, user: i64, keep: i64) -> Result<()> {
    sqlx::query(TRIM_SESSIONS).bind(user).bind(keep).execute(pool).await.map(drop)
}

pub(in crate::auth) async fn set_flash(pool: &SqlitePool, hash: &[u8], text: Option<&str>) -> Result<()> {
    sqlx::query(SET_FLASH).bind(hash).bind(text).execute(pool).await.map(drop)
}

pub(in crate::auth) async fn flash(pool: &SqlitePool, hash: &[u8]) -> Result<Option<String>> {
    sqlx::query_scalar(HAS_FLASH).bind(hash).fetch_optional(pool).await
}
