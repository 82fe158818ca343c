//! The SQL of people, grants, sessions, tokens and the set-up link.

use lakeglass_api::people::{RoleGrant, SessionInfo, Token, User};
use lakeglass_api::{BucketName, Role, Scope};
use sqlx::{SqliteConnection, SqlitePool};

type Result<T> = std::result::Result<T, sqlx::Error>;

macro_rules! statements {
    ($($name:ident = $sql:expr;)*) => {
        $(const $name: &str = $sql;)*
        /// Every statement here, for the test that prepares them.
        #[cfg(test)]
        pub(super) const ALL: &[&str] = &[$($name),*];
    };
}

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

#[derive(Debug, sqlx::FromRow)]
pub(super) struct Credentials {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) password_hash: String,
    pub(super) disabled: bool,
}

#[derive(Debug, sqlx::FromRow)]
pub(super) struct SessionRow {
    pub(super) public_id: String,
    pub(super) user_id: i64,
    pub(super) name: String,
    pub(super) active_at_ms: i64,
    pub(super) expires_at_ms: i64,
}

#[derive(Debug, sqlx::FromRow)]
pub(super) struct TokenRow {
    pub(super) id: i64,
    pub(super) public_id: String,
    pub(super) name: String,
    pub(super) owner_id: Option<i64>,
    pub(super) used_at_ms: Option<i64>,
}

#[derive(Debug, sqlx::FromRow, serde::Deserialize)]
struct GrantRow {
    bucket: Option<String>,
    role: String,
}

impl GrantRow {
    /// None for a row of another version's words; it then grants nothing.
    fn grant(self) -> Option<(Scope, Role)> {
        let role = self.role.parse().ok()?;
        let scope = match self.bucket {
            None => Scope::Server,
            Some(name) => Scope::Bucket(name.parse().ok()?),
        };
        Some((scope, role))
    }
}

fn grants_from_json(text: &str) -> Vec<RoleGrant> {
    let rows: Vec<GrantRow> = serde_json::from_str(text).unwrap_or_default();
    let mut grants: Vec<_> =
        rows.into_iter().filter_map(GrantRow::grant).map(|(scope, role)| RoleGrant { scope, role }).collect();
    grants.sort_by(|a, b| a.scope.cmp(&b.scope));
    grants
}

#[derive(Debug, sqlx::FromRow)]
pub(super) struct UserRow {
    name: String,
    created_at_ms: i64,
    signed_in_at_ms: Option<i64>,
    disabled: bool,
    grants: String,
}

impl From<UserRow> for User {
    fn from(row: UserRow) -> Self {
        Self {
            name: row.name,
            grants: grants_from_json(&row.grants),
            disabled: row.disabled,
            created_at_ms: row.created_at_ms,
            signed_in_at_ms: row.signed_in_at_ms,
        }
    }
}

#[derive(Debug, sqlx::FromRow)]
pub(super) struct TokenInfoRow {
    pub(super) id: i64,
    pub(super) owner_id: Option<i64>,
    public_id: String,
    name: String,
    owner: Option<String>,
    created_at_ms: i64,
    expires_at_ms: i64,
    used_at_ms: Option<i64>,
    revoked: bool,
    grants: String,
}

impl From<TokenInfoRow> for Token {
    fn from(row: TokenInfoRow) -> Self {
        Self {
            id: row.public_id,
            name: row.name,
            grants: grants_from_json(&row.grants),
            owner: row.owner,
            created_at_ms: row.created_at_ms,
            expires_at_ms: row.expires_at_ms,
            used_at_ms: row.used_at_ms,
            revoked: row.revoked,
        }
    }
}

#[derive(Debug, sqlx::FromRow)]
pub(super) struct SessionInfoRow {
    public_id: String,
    created_at_ms: i64,
    active_at_ms: i64,
    expires_at_ms: i64,
    address: Option<String>,
    agent: String,
}

impl SessionInfoRow {
    pub(super) fn info(self, current: Option<&str>) -> SessionInfo {
        SessionInfo {
            current: current == Some(self.public_id.as_str()),
            id: self.public_id,
            created_at_ms: self.created_at_ms,
            active_at_ms: self.active_at_ms,
            expires_at_ms: self.expires_at_ms,
            address: self.address,
            agent: self.agent,
        }
    }
}

// Users

pub(super) async fn any_user(connection: impl sqlx::SqliteExecutor<'_>) -> Result<bool> {
    sqlx::query_scalar(ANY_USER).fetch_one(connection).await
}

pub(super) async fn credentials(pool: &SqlitePool, name: &str) -> Result<Option<Credentials>> {
    sqlx::query_as(CREDENTIALS).bind(name).fetch_optional(pool).await
}

pub(super) async fn credentials_by_id(pool: &SqlitePool, id: i64) -> Result<Option<Credentials>> {
    sqlx::query_as(CREDENTIALS_BY_ID).bind(id).fetch_optional(pool).await
}

/// The new row; none when the name is taken.
pub(super) async fn add_user(
    connection: &mut SqliteConnection,
    name: &str,
    hash: &str,
    now_ms: i64,
) -> Result<Option<i64>> {
    sqlx::query_scalar(ADD_USER).bind(name).bind(hash).bind(now_ms).fetch_optional(connection).await
}

pub(super) async fn set_hash(pool: &SqlitePool, id: i64, hash: &str) -> Result<()> {
    sqlx::query(SET_HASH).bind(hash).bind(id).execute(pool).await.map(drop)
}

pub(super) async fn signed_in(pool: &SqlitePool, id: i64, now_ms: i64) -> Result<()> {
    sqlx::query(SIGNED_IN).bind(now_ms).bind(id).execute(pool).await.map(drop)
}

pub(super) async fn set_disabled(
    connection: &mut SqliteConnection,
    id: i64,
    at_ms: Option<i64>,
) -> Result<()> {
    sqlx::query(SET_DISABLED).bind(at_ms).bind(id).execute(connection).await.map(drop)
}

pub(super) async fn users(pool: &SqlitePool, after: &str, search: &str, limit: i64) -> Result<Vec<UserRow>> {
    sqlx::query_as(USERS).bind(after).bind(search).bind(limit).fetch_all(pool).await
}

pub(super) async fn user(pool: &SqlitePool, name: &str) -> Result<Option<UserRow>> {
    sqlx::query_as(USER).bind(name).fetch_optional(pool).await
}

pub(super) async fn count_users(pool: &SqlitePool, search: &str) -> Result<i64> {
    sqlx::query_scalar(COUNT_USERS).bind(search).fetch_one(pool).await
}

/// Admins of the server who can sign in, other than this one.
pub(super) async fn other_admins(connection: &mut SqliteConnection, id: i64) -> Result<i64> {
    sqlx::query_scalar(OTHER_ADMINS).bind(id).fetch_one(connection).await
}

// Grants

/// Whose grant.
#[derive(Debug, Clone, Copy)]
pub(super) enum Holder {
    User(i64),
    Token(i64),
}

pub(super) async fn grants(pool: &SqlitePool, holder: Holder) -> Result<Vec<(Scope, Role)>> {
    let (statement, id) = match holder {
        Holder::User(id) => (USER_GRANTS, id),
        Holder::Token(id) => (TOKEN_GRANTS, id),
    };
    let rows: Vec<GrantRow> = sqlx::query_as(statement).bind(id).fetch_all(pool).await?;
    Ok(rows.into_iter().filter_map(GrantRow::grant).collect())
}

pub(super) async fn add_grant(
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

pub(super) async fn delete_grant(connection: &mut SqliteConnection, user: i64, scope: &Scope) -> Result<()> {
    sqlx::query(DELETE_GRANT).bind(user).bind(bucket(scope)).execute(connection).await.map(drop)
}

pub(super) async fn forget_bucket(pool: &SqlitePool, name: &BucketName) -> Result<u64> {
    Ok(sqlx::query(FORGET_BUCKET).bind(name.as_str()).execute(pool).await?.rows_affected())
}

fn bucket(scope: &Scope) -> Option<&str> {
    match scope {
        Scope::Server => None,
        Scope::Bucket(name) => Some(name.as_str()),
    }
}

// Sessions

pub(super) async fn session(
    pool: &SqlitePool,
    hash: &[u8],
    now_ms: i64,
    idle_since_ms: i64,
) -> Result<Option<SessionRow>> {
    sqlx::query_as(SESSION).bind(hash).bind(now_ms).bind(idle_since_ms).fetch_optional(pool).await
}

/// A session to be stored.
#[derive(Debug)]
pub(super) struct NewSession<'a> {
    pub(super) hash: &'a [u8],
    pub(super) public_id: &'a str,
    pub(super) user: i64,
    pub(super) now_ms: i64,
    pub(super) expires_at_ms: i64,
    pub(super) address: Option<String>,
    pub(super) agent: &'a str,
}

pub(super) async fn add_session(pool: &SqlitePool, new: NewSession<'_>) -> Result<()> {
    let query = sqlx::query(ADD_SESSION).bind(new.hash).bind(new.public_id).bind(new.user).bind(new.now_ms);
    query.bind(new.expires_at_ms).bind(new.address).bind(new.agent).execute(pool).await.map(drop)
}

pub(super) async fn touch_session(pool: &SqlitePool, hash: &[u8], now_ms: i64) -> Result<()> {
    sqlx::query(TOUCH_SESSION).bind(hash).bind(now_ms).execute(pool).await.map(drop)
}

pub(super) async fn sessions(
    pool: &SqlitePool,
    user: i64,
    now_ms: i64,
    idle_since_ms: i64,
) -> Result<Vec<SessionInfoRow>> {
    sqlx::query_as(SESSIONS).bind(user).bind(now_ms).bind(idle_since_ms).fetch_all(pool).await
}

pub(super) async fn end_session(pool: &SqlitePool, hash: &[u8]) -> Result<()> {
    sqlx::query(END_SESSION).bind(hash).execute(pool).await.map(drop)
}

/// False when the user has no such session.
pub(super) async fn end_own_session(pool: &SqlitePool, user: i64, public_id: &str) -> Result<bool> {
    let done = sqlx::query(END_OWN_SESSION).bind(user).bind(public_id).execute(pool).await?;
    Ok(done.rows_affected() > 0)
}

/// Ends a user's sessions, but the kept one.
pub(super) async fn end_sessions(
    connection: impl sqlx::SqliteExecutor<'_>,
    user: i64,
    keep: Option<&[u8]>,
) -> Result<()> {
    sqlx::query(END_SESSIONS).bind(user).bind(keep).execute(connection).await.map(drop)
}

pub(super) async fn sweep_sessions(pool: &SqlitePool, now_ms: i64, idle_since_ms: i64) -> Result<()> {
    sqlx::query(SWEEP_SESSIONS).bind(now_ms).bind(idle_since_ms).execute(pool).await.map(drop)
}

pub(super) async fn trim_sessions(pool: &SqlitePool, user: i64, keep: i64) -> Result<()> {
    sqlx::query(TRIM_SESSIONS).bind(user).bind(keep).execute(pool).await.map(drop)
}

pub(super) async fn set_flash(pool: &SqlitePool, hash: &[u8], text: Option<&str>) -> Result<()> {
    sqlx::query(SET_FLASH).bind(hash).bind(text).execute(pool).await.map(drop)
}

pub(super) async fn flash(pool: &SqlitePool, hash: &[u8]) -> Result<Option<String>> {
    sqlx::query_scalar(HAS_FLASH).bind(hash).fetch_optional(pool).await
}

// Tokens

pub(super) async fn token(pool: &SqlitePool, hash: &[u8], now_ms: i64) -> Result<Option<TokenRow>> {
    sqlx::query_as(TOKEN).bind(hash).bind(now_ms).fetch_optional(pool).await
}

/// A token to be stored.
#[derive(Debug)]
pub(super) struct NewTokenRow<'a> {
    pub(super) public_id: &'a str,
    pub(super) name: &'a str,
    pub(super) hash: &'a [u8],
    pub(super) owner: Option<i64>,
    pub(super) now_ms: i64,
    pub(super) expires_at_ms: i64,
}

pub(super) async fn add_token(connection: &mut SqliteConnection, new: NewTokenRow<'_>) -> Result<i64> {
    let query = sqlx::query_scalar(ADD_TOKEN).bind(new.public_id).bind(new.name).bind(new.hash);
    query.bind(new.owner).bind(new.now_ms).bind(new.expires_at_ms).fetch_one(connection).await
}

pub(super) async fn touch_token(pool: &SqlitePool, id: i64, now_ms: i64) -> Result<()> {
    sqlx::query(TOUCH_TOKEN).bind(id).bind(now_ms).execute(pool).await.map(drop)
}

pub(super) async fn revoke_token(pool: &SqlitePool, id: i64, now_ms: i64) -> Result<()> {
    sqlx::query(REVOKE_TOKEN).bind(id).bind(now_ms).execute(pool).await.map(drop)
}

/// Newest first, before a row id; those of one owner, or all.
pub(super) async fn tokens(
    pool: &SqlitePool,
    before: i64,
    owner: Option<i64>,
    search: &str,
    limit: i64,
) -> Result<Vec<TokenInfoRow>> {
    sqlx::query_as(TOKENS).bind(before).bind(owner).bind(search).bind(limit).fetch_all(pool).await
}

pub(super) async fn token_by_public_id(pool: &SqlitePool, public_id: &str) -> Result<Option<TokenInfoRow>> {
    sqlx::query_as(TOKEN_BY_ID).bind(public_id).fetch_optional(pool).await
}

/// The owner of a token; none: made on the host, or gone.
pub(super) async fn token_owner(pool: &SqlitePool, id: i64) -> Result<Option<i64>> {
    Ok(sqlx::query_scalar(TOKEN_OWNER).bind(id).fetch_optional(pool).await?.flatten())
}

// Set-up link

pub(super) async fn setup_link(
    connection: impl sqlx::SqliteExecutor<'_>,
    now_ms: i64,
) -> Result<Option<Vec<u8>>> {
    sqlx::query_scalar(SETUP_LINK).bind(now_ms).fetch_optional(connection).await
}

pub(super) async fn set_setup_link(pool: &SqlitePool, hash: &[u8], expires_at_ms: i64) -> Result<()> {
    sqlx::query(SET_SETUP_LINK).bind(hash).bind(expires_at_ms).execute(pool).await.map(drop)
}

pub(super) async fn delete_setup_link(connection: &mut SqliteConnection) -> Result<()> {
    sqlx::query(DELETE_SETUP_LINK).execute(connection).await.map(drop)
}
