//! The audit log: who did what to which object, from where, and how it ended.
//!
//! Append-only and hash-chained. Everything that changes something, every look at rows, sign-ins and
//! refused authorisations are recorded; looks are counted per person and table, once a minute.

mod chain;
mod coalesce;
mod read;
mod rest;
mod store;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lakeglass_api::people::PrincipalKind;

pub use lakeglass_api::people::{AuditRecord, Outcome};
pub use read::{Filter, MAX_DOWNLOAD};

use crate::auth::{Actor, Denied, Principal};
use crate::clock::now_ms;
use crate::db::Db;
use crate::problem::Problem;
use crate::router::Route;

pub fn routes() -> Vec<Route> {
    rest::routes()
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Denied(#[from] Denied),
    #[error("The audit log cannot be read or written")]
    Database(#[from] sqlx::Error),
    #[error("{0}")]
    Invalid(String),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error {
            Error::Denied(denied) => denied.into(),
            Error::Database(source) => Self::internal(source),
            Error::Invalid(detail) => Self::invalid(detail),
        }
    }
}

/// What a check of the chain found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Records read.
    pub records: u64,
    /// Hash of the last record, in hexadecimal; keep it elsewhere to prove later that none is gone.
    pub head: String,
    /// The first record that is not as it was written, and why; none: the chain holds.
    pub broken: Option<(i64, String)>,
}

/// Writes and reads the audit log. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Audit {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    db: Db,
    looks: coalesce::Looks,
    failing: AtomicBool,
}

impl Audit {
    pub fn new(db: Db) -> Self {
        Self {
            inner: Arc::new(Inner { db, looks: coalesce::Looks::default(), failing: AtomicBool::new(false) }),
        }
    }

    /// Records one action, `noun.verb`. Never fails the caller: a record that cannot be written is
    /// logged and `/readyz` says so until one succeeds.
    ///
    /// `rows.preview` is written at once the first time in a minute, then counted.
    pub async fn record(
        &self,
        actor: &Actor,
        action: &'static str,
        object: &str,
        outcome: Outcome,
        detail: serde_json::Value,
    ) {
        let entry = Entry::new(actor, action, object, outcome, &detail);
        if action == coalesce::ACTION && outcome == Outcome::Done && !self.inner.looks.is_first(&entry) {
            return;
        }
        self.append(entry).await;
    }

    /// Writes the counted looks whose minute is over; all of them when `everything`.
    pub async fn flush(&self, everything: bool) {
        for entry in self.inner.looks.take(now_ms(), everything) {
            self.append(entry).await;
        }
    }

    /// Writes counted looks as their minutes end. Runs until the task is dropped.
    pub async fn run(self) {
        let mut tick = tokio::time::interval(std::time::Duration::from_secs(5));
        loop {
            tick.tick().await;
            self.flush(false).await;
        }
    }

    /// True while records cannot be written.
    pub fn is_failing(&self) -> bool {
        self.inner.failing.load(Ordering::Relaxed)
    }

    /// Reads the whole chain, in order, and says where it breaks.
    pub async fn verify(&self) -> Result<Verified, Error> {
        Ok(chain::verify(&self.inner.db.read).await?)
    }

    async fn append(&self, entry: Entry) {
        let written = store::append(&self.inner.db.write, &entry).await;
        self.inner.failing.store(written.is_err(), Ordering::Relaxed);
        if let Err(error) = written {
            tracing::error!(
                audit.action = entry.action,
                request.id = entry.request_id,
                error = &error as &dyn std::error::Error,
                "An audit record could not be written"
            );
        }
    }
}

/// A record before it has a place in the chain.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) at_ms: i64,
    pub(crate) actor_kind: PrincipalKind,
    pub(crate) actor_id: i64,
    pub(crate) actor: String,
    pub(crate) address: Option<String>,
    pub(crate) action: &'static str,
    pub(crate) object: String,
    pub(crate) outcome: Outcome,
    pub(crate) detail: String,
    pub(crate) count: u32,
    pub(crate) request_id: String,
}

/// Longest object and detail kept, in bytes; the rest is cut.
const MAX_OBJECT: usize = 1024;
const MAX_DETAIL: usize = 8 * 1024;

impl Entry {
    fn new(
        actor: &Actor,
        action: &'static str,
        object: &str,
        outcome: Outcome,
        detail: &serde_json::Value,
    ) -> Self {
        let (actor_kind, actor_id) = match actor.principal {
            Principal::User(id) => (PrincipalKind::User, id),
            Principal::Token(id) => (PrincipalKind::Token, id),
            Principal::System(_) => (PrincipalKind::System, 0),
            Principal::Anonymous => (PrincipalKind::Anonymous, 0),
        };
        let mut detail = detail.to_string();
        if detail.len() > MAX_DETAIL {
            r#"{"cut":"the detail was too long to keep"}"#.clone_into(&mut detail);
        }
        Self {
            at_ms: now_ms(),
            actor_kind,
            actor_id,
            actor: actor.name.clone(),
            address: actor.address.map(|address| address.to_string()),
            action,
            object: cut(object, MAX_OBJECT).to_owned(),
            outcome,
            detail,
            count: 1,
            request_id: actor.request_id.clone(),
        }
    }
}

/// The beginning of a text, at most `max` bytes, never splitting a character.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let end = (0..=max).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
mod tests;
