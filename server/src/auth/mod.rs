//! People, sessions and API tokens: who is asking, and what they may do.
//!
//! Passwords are argon2id hashes; session cookies, tokens and the set-up link are stored as SHA-256
//! of random values. Rights are read on every request, so a change of role works at once.

mod actor;
mod cookie;
mod credentials;
mod error;
mod grants;
mod passwords;
mod random;
mod rest;
mod sessions;
mod setup;
mod store;
mod throttle;
mod tokens;
mod users;

use std::sync::Arc;

pub use actor::{Actor, Denied, Principal};
pub use cookie::CookieRules;
pub(crate) use cookie::cookies;
pub use credentials::Authenticated;
pub(crate) use credentials::token;
pub use error::Error;
pub use sessions::{Caller, Session, SignedIn};
pub use tokens::{MAX_TOKEN_DAYS, NewTokenRequest};
pub use users::NewUser;

use crate::audit::Audit;
use crate::db::Db;
use crate::router::Route;

pub fn routes() -> Vec<Route> {
    rest::routes()
}

/// Users, grants, sessions, tokens and the set-up link. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Auth {
    db: Db,
    audit: Audit,
    cookies: CookieRules,
    hasher: passwords::Hasher,
    throttle: Arc<throttle::Throttle>,
}

impl Auth {
    pub fn new(db: Db, audit: Audit, cookies: CookieRules) -> Self {
        Self {
            db,
            audit,
            cookies,
            hasher: passwords::Hasher::default(),
            throttle: Arc::new(throttle::Throttle::default()),
        }
    }

    /// How the session cookie is named and marked on this server.
    pub fn cookies(&self) -> CookieRules {
        self.cookies
    }
}

#[cfg(test)]
mod tests;
