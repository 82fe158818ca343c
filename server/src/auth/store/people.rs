//! People and what they and their tokens may do.

use lakeglass_api::{BucketName, Role, Scope};
use sqlx::{SqliteConnection, SqlitePool};

use super::Result;
use super::rows::{Credentials, GrantRow, UserRow};

statements! {
    ANY_USER = "SELECT EXISTS (SELECT 1 FROM users)";
    CREDENTIALS = "SELECT id, name, password_hash, disabled_at_ms IS NOT NULL AS disabled FROM users WHERE name = ?";
    CREDENTIALS_BY_ID = "SELECT id, name, password_hash, disabled_at_ms IS NOT NULL AS disabled FROM users WHERE id = ?";
    ADD_USER = "INSERT INTO users (name, password_hash, created_at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING id";
    SET_HASH = "UPDATE users SET password_hash = ? WHERE id = ?";
    SIGNED_IN = "UPDATE users SET signed_in_at_ms = ? WHERE id = ?";
    SET_DISABLED = "UPDATE users SET disabled_at_ms = ? WHERE id = ?";
    // Names sort without case, as they compare.
    USERS = "SELECT id, name, created_at_ms, signed_in_at_ms, disabled_at_ms IS NOT NULL AS disabled,
           (SELECT json_group_array(json_object('bucket', g.scope_bucket, 'role', g.role))
              FROM grants g WHERE g.user_id = users.id) AS grants
         FROM users WHERE name > ?1 AND (?2 = '' OR instr(lower(name), lower(?2)) > 0)
         ORDER BY name LIMIT ?3";
    USER = "SELECT id, name, created_at_ms, signed_in_at_ms, disabled_at_ms IS NOT NULL AS disabled,
           (SELECT json_group_array(json_object('bucket', g.scope_bucket, 'role', g.role))
              FROM grants g WHERE g.user_id = users.id) AS grants
         FROM users WHERE name = ?";
    COUNT_USERS = "SELECT count(*) FROM users WHERE ?1 = '' OR instr(lower(name), lower(?1)) > 0";
    OTHER_ADMINS = "SELECT count(*) FROM users u JOIN grants g ON g.user_id = u.id
         WHERE u.id <> ? AND u.disabled_at_ms IS NULL AND g.scope_bucket IS NULL AND g.role = 'admin'";
    USER_GRANTS = "SELECT scope_bucket AS bucket, role FROM grants WHERE user_id = ?";
    TOKEN_GRANTS = "SELECT scope_bucket AS bucket, role FROM grants WHERE token_id = ?";
    ADD_GRANT = "INSERT INTO grants (user_id, token_id, scope_bucket, role) VALUES (?, ?, ?, ?)";
    DELETE_GRANT = "DELETE FROM grants WHERE user_id = ?1 AND scope_bucket IS ?2";
    FORGET_BUCKET = "DELETE FROM grants WHERE scope_bucket = ?";
}

pub(in crate::auth) async fn any_user(connection: impl sqlx::SqliteExecutor<'_>) -> Result<bool> {
    sqlx::query_scalar(ANY_USER).fetch_one(connection).await
}

pub(in crate::auth) async fn credentials(pool: &SqlitePool, name: &str) -> Result<Option<Credentials>> {
    sqlx::query_as(CREDENTIALS).bind(name).fetch_optional(pool).await
}

pub(in crate::auth) async fn credentials_by_id(pool: &SqlitePool, id: i64) -> Result<Option<Credentials>> {
    sqlx::query_as(CREDENTIALS_BY_ID).bind(id).fetch_optional(pool).await
}

/// The new row; none when the name is taken.
pub(in crate::auth) async fn add_user(
    connection: &mut SqliteConnection,
    name: &str,
    hash: &str,
    now_ms: i64,
) -> Result<Option<i64>> {
    sqlx::query_scalar(ADD_USER).bind(name).bind(hash).bind(now_ms).fetch_optional(connection).await
}

pub(in crate::auth) async fn set_hash(pool: &SqlitePool, id: i64, hash: &str) -> Result<()> {
    sqlx::query(SET_HASH).bind(hash).bind(id).execute(pool).await.map(drop)
}

pub(in crate::auth) async fn signed_in(pool: &SqlitePool, id: i64, now_ms: i64) -> Result<()> {
    sqlx::query(SIGNED_IN).bind(now_ms).bind(id).execute(pool).await.map(drop)
}

pub(in crate::auth) async fn set_disabled(
    connection: &mut SqliteConnection,
    id: i64,
    at_ms: Option<i64>,
) -> Result<()> {
    sqlx::query(SET_DISABLED).bind(at_ms).bind(id).execute(connection).await.map(drop)
}

pub(in crate::auth) async fn users(
    pool: &SqlitePool,
    after: &str,
    search: &str,
    limit: i64,
) -> Result<Vec<UserRow>> {
    sqlx::query_as(USERS).bind(after).bind(search).bind(limit).fetch_all(pool).await
}

pub(in crate::auth) async fn user(pool: &SqlitePool, name: &str) -> Result<Option<UserRow>> {
    sqlx::query_as(USER).bind(name).fetch_optional(pool).await
}

pub(in crate::auth) async fn count_users(pool: &SqlitePool, search: &str) -> Result<i64> {
    sqlx::query_scalar(COUNT_USERS).bind(search).fetch_one(pool).await
}

/// Admins of the server who can sign in, other than this one.
pub(in crate::auth) async fn other_admins(connection: &mut SqliteConnection, id: i64) -> Result<i64> {
    sqlx::query_scalar(OTHER_ADMINS).bind(id).fetch_one(connection).await
}

/// Whose grant.
#[derive(Debug, Clone, Copy)]
pub(in crate::auth) enum Holder {
    User(i64),
    Token(i64),
}

pub(in crate::auth) async fn grants(pool: &SqlitePool, holder: Holder) -> Result<Vec<(Scope, Role)>> {
    let (statement, id) = match holder {
        Holder::User(id) => (USER_GRANTS, id),
        Holder::Token(id) => (TOKEN_GRANTS, id),
    };
    let rows: Vec<GrantRow> = sqlx::query_as(statement).bind(id).fetch_all(pool).await?;
    Ok(rows.into_iter().filter_map(GrantRow::grant).collect())
}

pub(in crate::auth) async fn add_grant(
    connection: &mut SqliteConnection,
    holder: Holder,
    scope: &Scope,
    role: Role,
) -> Result<()> {
    let (user, token) = match holder {
        Holder::User(id) => (Some(id), None),
        Holder::Token(id) => (None, Some(id)),
    };
    let query = sqlx::query(ADD_GRANT).bind(user).bind(token).bind(bucket(scope)).bind(role.as_str());
    query.execute(connection).await.map(drop)
}

pub(in crate::auth) async fn delete_grant(
    connection: &mut SqliteConnection,
    user: i64,
    scope: &Scope,
) -> Result<()> {
    sqlx::query(DELETE_GRANT).bind(user).bind(bucket(scope)).execute(connection).await.map(drop)
}

pub(in crate::auth) async fn forget_bucket(pool: &SqlitePool, name: &BucketName) -> Result<u64> {
    Ok(sqlx::query(FORGET_BUCKET).bind(name.as_str()).execute(pool).await?.rows_affected())
}

fn bucket(scope: &Scope) -> Option<&str> {
    match scope {
        Scope::Server => None,
        Scope::Bucket(name) => Some(name.as_str()),
    }
}
