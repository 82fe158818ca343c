//! Sessions of signed-in browsers: made at sign-in, idle 30 minutes, 8 hours at most, kept across a
//! restart, ended by their user, by a change of role or password, and with their user.

use std::fmt;
use std::net::IpAddr;

use http::HeaderValue;
use lakeglass_api::people::SessionInfo;
use serde_json::json;

use super::passwords::Verdict;
use super::store::{self, NewSession};
use super::{Actor, Auth, Error, Principal, random};
use crate::audit::Outcome;
use crate::clock::now_ms;

const LONGEST_MS: i64 = 8 * 60 * 60 * 1000;
const IDLE_MS: i64 = 30 * 60 * 1000;
/// Activity is written at most this often.
const TOUCH_MS: i64 = 60 * 1000;
/// Sessions of one user; the oldest make room.
const MOST_PER_USER: i64 = 50;
const MAX_AGENT: usize = 200;
const MAX_FLASH: usize = 2048;

/// A browser before it has signed in.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    pub address: Option<IpAddr>,
    /// Its `User-Agent`.
    pub agent: String,
    pub request_id: String,
}

impl Caller {
    fn actor(&self) -> Actor {
        Actor::anonymous(self.address, self.request_id.clone())
    }
}

/// The session a request came with.
#[derive(Clone, PartialEq, Eq)]
pub struct Session {
    pub(super) hash: [u8; 32],
    pub(super) user_id: i64,
    /// Public id, as in lists.
    pub id: String,
    pub expires_at_ms: i64,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A session just made.
pub struct SignedIn {
    pub session: Session,
    /// The name as it was first given.
    pub user: String,
    /// `Set-Cookie`.
    pub cookie: HeaderValue,
}

impl fmt::Debug for SignedIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedIn")
            .field("user", &self.user)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

pub(super) fn idle_since_ms(now_ms: i64) -> i64 {
    now_ms - IDLE_MS
}

impl Auth {
    /// Checks a name and password and makes a session.
    ///
    /// An unknown name, a wrong password and a disabled user give the same error in the same time.
    pub async fn sign_in(&self, name: &str, password: &str, caller: &Caller) -> Result<SignedIn, Error> {
        let name = name.trim();
        self.throttle.attempt(name, caller.address)?;
        let user = store::credentials(&self.db.read, name).await?;
        let hash = user.as_ref().map(|user| user.password_hash.clone());
        let verdict = self.hasher.verify(password, hash).await?;
        let Some(user) = user.filter(|user| verdict != Verdict::Wrong && !user.disabled) else {
            // A mistyped name may be a password, so it is not written down.
            let known = store::credentials(&self.db.read, name).await?;
            let object = known.as_ref().map_or("", |user| user.name.as_str());
            let detail = json!({ "known": known.is_some() });
            self.audit.record(&caller.actor(), "session.sign-in", object, Outcome::Refused, detail).await;
            return Err(Error::WrongCredentials);
        };
        self.throttle.succeeded(name, caller.address);
        if verdict == Verdict::Outdated {
            let hash = self.hasher.hash(password).await?;
            store::set_hash(&self.db.write, user.id, &hash).await?;
        }
        let signed_in = self.start_session(user.id, user.name, caller).await?;
        let actor = self.acting(&signed_in, caller);
        self.audit.record(&actor, "session.sign-in", &signed_in.user, Outcome::Done, json!({})).await;
        Ok(signed_in)
    }

    /// Someone who has just signed in, for the audit log.
    #[expect(clippy::unused_self, reason = "reads as the others do")]
    pub(super) fn acting(&self, signed_in: &SignedIn, caller: &Caller) -> Actor {
        let principal = Principal::User(signed_in.session.user_id);
        Actor::new(principal, signed_in.user.clone(), Vec::new(), caller.address, caller.request_id.clone())
    }

    pub(super) async fn start_session(
        &self,
        user: i64,
        name: String,
        caller: &Caller,
    ) -> Result<SignedIn, Error> {
        let now_ms = now_ms();
        let secret = random::secret()?;
        let hash = random::digest(&secret);
        let public_id = random::public_id()?;
        let agent: String = caller.agent.chars().take(MAX_AGENT).collect();
        let new = NewSession {
            hash: &hash,
            public_id: &public_id,
            user,
            now_ms,
            expires_at_ms: now_ms + LONGEST_MS,
            address: caller.address.map(|address| address.to_string()),
            agent: &agent,
        };
        store::sweep_sessions(&self.db.write, now_ms, idle_since_ms(now_ms)).await?;
        store::add_session(&self.db.write, new).await?;
        store::trim_sessions(&self.db.write, user, MOST_PER_USER).await?;
        store::signed_in(&self.db.write, user, now_ms).await?;
        let session = Session { hash, user_id: user, id: public_id, expires_at_ms: now_ms + LONGEST_MS };
        Ok(SignedIn { session, user: name, cookie: self.cookies.set(&secret) })
    }

    /// Ends the session a request came with; gives the `Set-Cookie` that removes its cookie.
    pub async fn sign_out(&self, actor: &Actor, session: &Session) -> Result<HeaderValue, Error> {
        store::end_session(&self.db.write, &session.hash).await?;
        self.audit.record(actor, "session.sign-out", &actor.name, Outcome::Done, json!({})).await;
        Ok(self.cookies.clear())
    }

    /// The actor's own sessions, newest first.
    pub async fn sessions(
        &self,
        actor: &Actor,
        current: Option<&Session>,
    ) -> Result<Vec<SessionInfo>, Error> {
        let now_ms = now_ms();
        let user = own(actor)?;
        let rows = store::sessions(&self.db.read, user, now_ms, idle_since_ms(now_ms)).await?;
        let current = current.map(|session| session.id.as_str());
        Ok(rows.into_iter().map(|row| row.info(current)).collect())
    }

    /// Ends one of the actor's own sessions, by its public id.
    pub async fn end_session(&self, actor: &Actor, id: &str) -> Result<(), Error> {
        if !store::end_own_session(&self.db.write, own(actor)?, id).await? {
            return Err(Error::NoSuchSession);
        }
        self.audit.record(actor, "session.end", id, Outcome::Done, json!({})).await;
        Ok(())
    }

    /// Ends the actor's sessions, but the one that asks.
    pub async fn end_other_sessions(&self, actor: &Actor, current: &Session) -> Result<(), Error> {
        store::end_sessions(&self.db.write, own(actor)?, Some(&current.hash)).await?;
        self.audit.record(actor, "session.end-others", &actor.name, Outcome::Done, json!({})).await;
        Ok(())
    }

    /// Keeps a short text for the next page of this session. It replaces one not yet shown.
    pub async fn flash_set(&self, session: &Session, text: &str) -> Result<(), Error> {
        let text = crate::audit::cut(text, MAX_FLASH);
        Ok(store::set_flash(&self.db.write, &session.hash, Some(text)).await?)
    }

    /// The kept text, once.
    pub async fn flash_take(&self, session: &Session) -> Result<Option<String>, Error> {
        let text = store::flash(&self.db.read, &session.hash).await?;
        if text.is_some() {
            store::set_flash(&self.db.write, &session.hash, None).await?;
        }
        Ok(text)
    }

    /// Notes that a session was used, at most once a minute, without making the request wait.
    pub(super) fn touch(&self, session: &Session, active_at_ms: i64) {
        let now_ms = now_ms();
        if now_ms - active_at_ms < TOUCH_MS {
            return;
        }
        let (pool, hash) = (self.db.write.clone(), session.hash);
        tokio::spawn(async move {
            if let Err(error) = store::touch_session(&pool, &hash, now_ms).await {
                tracing::warn!(error = &error as &dyn std::error::Error, "A session could not be touched");
            }
        });
    }
}

/// Only people have sessions.
fn own(actor: &Actor) -> Result<i64, Error> {
    match actor.principal {
        Principal::User(id) => Ok(id),
        _ => Err(Error::NoSuchSession),
    }
}
