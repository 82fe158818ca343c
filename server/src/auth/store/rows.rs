//! Rows as they are read.

use lakeglass_api::people::{RoleGrant, SessionInfo, Token, User};
use lakeglass_api::{Role, Scope};

#[derive(Debug, sqlx::FromRow)]
pub(in crate::auth) struct Credentials {
    pub(in crate::auth) id: i64,
    pub(in crate::auth) name: String,
    pub(in crate::auth) password_hash: String,
    pub(in crate::auth) disabled: bool,
}

#[derive(Debug, sqlx::FromRow)]
pub(in crate::auth) struct SessionRow {
    pub(in crate::auth) public_id: String,
    pub(in crate::auth) user_id: i64,
    pub(in crate::auth) name: String,
    pub(in crate::auth) active_at_ms: i64,
    pub(in crate::auth) expires_at_ms: i64,
}

#[derive(Debug, sqlx::FromRow)]
pub(in crate::auth) struct TokenRow {
    pub(in crate::auth) id: i64,
    pub(in crate::auth) public_id: String,
    pub(in crate::auth) name: String,
    pub(in crate::auth) owner_id: Option<i64>,
    pub(in crate::auth) used_at_ms: Option<i64>,
}

#[derive(Debug, sqlx::FromRow, serde::Deserialize)]
pub(super) struct GrantRow {
    bucket: Option<String>,
    role: String,
}

impl GrantRow {
    /// None for a row of another version's words; it then grants nothing.
    pub(super) fn grant(self) -> Option<(Scope, Role)> {
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
pub(in crate::auth) struct UserRow {
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
pub(in crate::auth) struct TokenInfoRow {
    pub(in crate::auth) id: i64,
    pub(in crate::auth) owner_id: Option<i64>,
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
pub(in crate::auth) struct SessionInfoRow {
    public_id: String,
    created_at_ms: i64,
    active_at_ms: i64,
    expires_at_ms: i64,
    address: Option<String>,
    agent: String,
}

impl SessionInfoRow {
    pub(in crate::auth) fn info(self, current: Option<&str>) -> SessionInfo {
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
