//! API tokens, and the set-up link.

use sqlx::{SqliteConnection, SqlitePool};

use super::Result;
use super::rows::{TokenInfoRow, TokenRow};

statements! {
    TOKEN = "SELECT t.id, t.public_id, t.name, t.owner_id, t.used_at_ms FROM tokens t
         LEFT JOIN users u ON u.id = t.owner_id
         WHERE t.hash = ?1 AND t.revoked_at_ms IS NULL AND t.expires_at_ms > ?2 AND u.disabled_at_ms IS NULL";
    ADD_TOKEN = "INSERT INTO tokens (public_id, name, hash, owner_id, created_at_ms, expires_at_ms)
         VALUES (?, ?, ?, ?, ?, ?) RETURNING id";
    TOUCH_TOKEN = "UPDATE tokens SET used_at_ms = ?2 WHERE id = ?1";
    REVOKE_TOKEN = "UPDATE tokens SET revoked_at_ms = ?2 WHERE id = ?1 AND revoked_at_ms IS NULL";
    TOKENS = "SELECT t.id, t.public_id, t.name, t.owner_id, u.name AS owner, t.created_at_ms, t.expires_at_ms,
           t.used_at_ms, t.revoked_at_ms IS NOT NULL AS revoked,
           (SELECT json_group_array(json_object('bucket', g.scope_bucket, 'role', g.role))
              FROM grants g WHERE g.token_id = t.id) AS grants
         FROM tokens t LEFT JOIN users u ON u.id = t.owner_id
         WHERE t.id < ?1 AND (?2 IS NULL OR t.owner_id = ?2) AND (?3 = '' OR instr(lower(t.name), lower(?3)) > 0)
         ORDER BY t.id DESC LIMIT ?4";
    TOKEN_BY_ID = "SELECT t.id, t.public_id, t.name, t.owner_id, u.name AS owner, t.created_at_ms, t.expires_at_ms,
           t.used_at_ms, t.revoked_at_ms IS NOT NULL AS revoked,
           (SELECT json_group_array(json_object('bucket', g.scope_bucket, 'role', g.role))
              FROM grants g WHERE g.token_id = t.id) AS grants
         FROM tokens t LEFT JOIN users u ON u.id = t.owner_id WHERE t.public_id = ?";
    TOKEN_OWNER = "SELECT owner_id FROM tokens WHERE id = ?";

    SETUP_LINK = "SELECT hash FROM setup_link WHERE expires_at_ms > ?";
    SET_SETUP_LINK = "INSERT INTO setup_link (id, hash, expires_at_ms) VALUES (1, ?1, ?2)
         ON CONFLICT (id) DO UPDATE SET hash = ?1, expires_at_ms = ?2";
    DELETE_SETUP_LINK = "DELETE FROM setup_link";
}

pub(in crate::auth) async fn token(pool: &SqlitePool, hash: &[u8], now_ms: i64) -> Result<Option<TokenRow>> {
    sqlx::query_as(TOKEN).bind(hash).bind(now_ms).fetch_optional(pool).await
}

/// A token to be stored.
#[derive(Debug)]
pub(in crate::auth) struct NewTokenRow<'a> {
    pub(in crate::auth) public_id: &'a str,
    pub(in crate::auth) name: &'a str,
    pub(in crate::auth) hash: &'a [u8],
    pub(in crate::auth) owner: Option<i64>,
    pub(in crate::auth) now_ms: i64,
    pub(in crate::auth) expires_at_ms: i64,
}

pub(in crate::auth) async fn add_token(
    connection: &mut SqliteConnection,
    new: NewTokenRow<'_>,
) -> Result<i64> {
    let query = sqlx::query_scalar(ADD_TOKEN).bind(new.public_id).bind(new.name).bind(new.hash);
    query.bind(new.owner).bind(new.now_ms).bind(new.expires_at_ms).fetch_one(connection).await
}

pub(in crate::auth) async fn touch_token(pool: &SqlitePool, id: i64, now_ms: i64) -> Result<()> {
    sqlx::query(TOUCH_TOKEN).bind(id).bind(now_ms).execute(pool).await.map(drop)
}

pub(in crate::auth) async fn revoke_token(pool: &SqlitePool, id: i64, now_ms: i64) -> Result<()> {
    sqlx::query(REVOKE_TOKEN).bind(id).bind(now_ms).execute(pool).await.map(drop)
}

/// Newest first, before a row id; those of one owner, or all.
pub(in crate::auth) async fn tokens(
    pool: &SqlitePool,
    before: i64,
    owner: Option<i64>,
    search: &str,
    limit: i64,
) -> Result<Vec<TokenInfoRow>> {
    sqlx::query_as(TOKENS).bind(before).bind(owner).bind(search).bind(limit).fetch_all(pool).await
}

pub(in crate::auth) async fn token_by_public_id(
    pool: &SqlitePool,
    public_id: &str,
) -> Result<Option<TokenInfoRow>> {
    sqlx::query_as(TOKEN_BY_ID).bind(public_id).fetch_optional(pool).await
}

/// The owner of a token; none: made on the host, or gone.
pub(in crate::auth) async fn token_owner(pool: &SqlitePool, id: i64) -> Result<Option<i64>> {
    Ok(sqlx::query_scalar(TOKEN_OWNER).bind(id).fetch_optional(pool).await?.flatten())
}

pub(in crate::auth) async fn setup_link(
    connection: impl sqlx::SqliteExecutor<'_>,
    now_ms: i64,
) -> Result<Option<Vec<u8>>> {
    sqlx::query_scalar(SETUP_LINK).bind(now_ms).fetch_optional(connection).await
}

pub(in crate::auth) async fn set_setup_link(
    pool: &SqlitePool,
    hash: &[u8],
    expires_at_ms: i64,
) -> Result<()> {
    sqlx::query(SET_SETUP_LINK).bind(hash).bind(expires_at_ms).execute(pool).await.map(drop)
}

pub(in crate::auth) async fn delete_setup_link(connection: &mut SqliteConnection) -> Result<()> {
    sqlx::query(DELETE_SETUP_LINK).execute(connection).await.map(drop)
}
