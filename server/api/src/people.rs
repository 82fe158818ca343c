//! People, their grants, API tokens, sessions and the audit log, as REST and pages show them.

use serde::{Deserialize, Serialize};

use crate::{Role, Scope};

/// A role held in a scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RoleGrant {
    pub scope: Scope,
    pub role: Role,
}

/// A person who may sign in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct User {
    pub name: String,
    /// The server's grant first, then buckets by name.
    pub grants: Vec<RoleGrant>,
    /// May not sign in; their sessions and tokens do not work.
    pub disabled: bool,
    pub created_at_ms: i64,
    /// The last sign-in; none: never.
    pub signed_in_at_ms: Option<i64>,
}

impl User {
    /// The role on the server as a whole.
    pub fn server_role(&self) -> Option<Role> {
        self.grants.iter().find(|grant| grant.scope == Scope::Server).map(|grant| grant.role)
    }
}

/// An API token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Token {
    /// Public id, as it appears in logs.
    pub id: String,
    pub name: String,
    pub grants: Vec<RoleGrant>,
    /// Whose rights bound it; none: made on the host.
    pub owner: Option<String>,
    pub created_at_ms: i64,
    pub expires_at_ms: i64,
    /// To the minute; none: never used.
    pub used_at_ms: Option<i64>,
    pub revoked: bool,
}

/// A token just made. The secret cannot be read again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct NewToken {
    pub token: Token,
    /// `lg_…`, for `Authorization: Bearer` or `x-api-key`.
    pub secret: String,
}

/// One signed-in browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct SessionInfo {
    /// Public id; not the cookie's value.
    pub id: String,
    pub created_at_ms: i64,
    /// Last activity, to the minute.
    pub active_at_ms: i64,
    pub expires_at_ms: i64,
    pub address: Option<String>,
    /// The browser's own description of itself, cut to 200 characters; any text.
    pub agent: String,
    /// The one that asks.
    pub current: bool,
}

/// Who is asking, and with which rights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Me {
    pub kind: PrincipalKind,
    pub name: String,
    pub grants: Vec<RoleGrant>,
}

/// What kind of principal acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum PrincipalKind {
    User,
    Token,
    /// The server itself, or someone on its host.
    System,
    /// Nobody signed in.
    Anonymous,
}

/// How an audited action ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Done,
    /// Not allowed.
    Refused,
    Failed,
}

impl Outcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}

impl PrincipalKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Token => "token",
            Self::System => "system",
            Self::Anonymous => "anonymous",
        }
    }
}

/// One line of the audit log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct AuditRecord {
    /// Position in the log, from 1.
    pub id: String,
    pub at_ms: i64,
    pub actor_kind: PrincipalKind,
    /// Name of the user, token or part of the server.
    pub actor: String,
    pub address: Option<String>,
    /// `noun.verb`, for example `bucket.create`.
    pub action: String,
    /// What it was done to; empty: the server.
    pub object: String,
    pub outcome: Outcome,
    pub detail: serde_json::Value,
    /// How many times, where repetitions are counted instead of listed.
    pub count: u32,
    pub request_id: String,
    /// SHA-256 over this record and the hash before it, in hexadecimal.
    pub hash: String,
}
