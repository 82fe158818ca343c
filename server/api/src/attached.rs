//! Buckets over catalogs that exist elsewhere: connections, their health, and calls made through them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::BucketName;
use crate::catalog::Backing;

/// Whether an attached catalog answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// Nothing was asked of it yet since this server started.
    Unknown,
    /// Its last answer was one.
    Up,
    /// It failed lately, and is still asked.
    Failing,
    /// It failed too often: it is left alone for a while.
    Down,
}

/// How an attached catalog fares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Health {
    pub reach: Reach,
    /// Why, when it does not answer: a sentence for people.
    pub cause: Option<String>,
    /// Since when it has been as it is.
    pub since_ms: Option<i64>,
    /// When it last answered.
    pub answered_at_ms: Option<i64>,
    /// When the names in it were last listed; what is shown is as old.
    pub listed_at_ms: Option<i64>,
    pub breaker: Breaker,
}

/// What keeps a catalog that fails from being asked over and over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Breaker {
    pub state: BreakerState,
    /// Failures without a success between them.
    pub failures: u64,
    /// How often it opened since this server started.
    pub opened: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BreakerState {
    /// Calls pass.
    Closed,
    /// Calls are refused at once.
    Open,
    /// One call passes, to find out.
    HalfOpen,
}

/// What an attached bucket is connected to. The credentials are never shown: only since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Connection {
    pub bucket: BucketName,
    /// `upstream` or `directory`.
    pub backing: Backing,
    /// Upstream: where its REST API is (what is before `/v1/…`).
    pub url: Option<String>,
    /// Upstream: the namespace of theirs that is this bucket; empty: all of theirs.
    pub parent: Vec<String>,
    /// Upstream: what it joins parts of an identifier by.
    pub delimiter: String,
    /// Upstream: the header that carries the credentials.
    pub header: Option<String>,
    pub secret_set_at_ms: Option<i64>,
    /// The storage whose keys open the data; directory: where it is.
    pub storage: Option<String>,
    /// Directory: the folder or prefix inside the storage.
    pub prefix: Option<String>,
    /// Upstream: URIs below which vended locations are opened; none: all of the storage, if one is named.
    pub roots: Vec<String>,
    /// Upstream: endpoints that vended locations may be opened by.
    pub endpoints: Vec<String>,
    /// Clients above viewer may be given the keys that the upstream vends.
    pub vend: bool,
    /// Operations of the specification, and whether the other side has them; those not listed are not known.
    pub support: BTreeMap<String, bool>,
    /// When the connection was last checked as a whole.
    pub checked_at_ms: Option<i64>,
    pub created_at_ms: i64,
    pub health: Health,
    /// Names found there that cannot be opened here; at most 200.
    pub refused: Vec<RefusedName>,
}

/// A name in an attached catalog that does not fit this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RefusedName {
    /// Where it is, parts joined by `.`; empty: directly below the bucket.
    pub namespace: String,
    pub name: String,
    /// `table` or `namespace`.
    pub kind: String,
    /// The rule it breaks.
    pub reason: String,
}

/// One call made to an attached catalog. Never a body, header or query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct UpstreamCall {
    pub at_ms: i64,
    /// HTTP method.
    pub method: String,
    /// The operation of the specification, as its path without the id: `table/describe`.
    pub operation: String,
    /// What it was about, in their terms.
    pub object: String,
    /// HTTP status; none: there was no answer.
    pub status: Option<u16>,
    /// Why there was no answer.
    pub cause: Option<String>,
    /// Until its headers came, milliseconds.
    pub elapsed_ms: u64,
    /// Who asked; none: this server for itself.
    pub actor: Option<String>,
}
