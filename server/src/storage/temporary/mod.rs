//! Temporary keys: a storage's role, assumed for the folder of one table and one kind of access.
//!
//! Sessions are kept until half their life is over, so that clients which ask again are answered at once,
//! and what they get is good for half an hour at least.

mod assume;
mod check;
mod policy;
mod signature;

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Error;
use super::s3::{self, Keys};

pub(super) use assume::Authority;
pub(super) use check::run as check;

/// How many sessions are kept at most. One is about 2 KiB.
const MOST: usize = 4096;

/// What a session may do in a table's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Access {
    Read,
    Write,
}

/// Temporary keys and their life.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) keys: Keys,
    asked_at_ms: i64,
    pub(super) expires_at_ms: i64,
}

impl Session {
    /// Whether less than half of its life is over.
    fn is_fresh(&self, now_ms: i64) -> bool {
        now_ms < self.asked_at_ms + (self.expires_at_ms - self.asked_at_ms) / 2
    }
}

/// A session for the objects below `prefix`, from the store; says why there is none.
pub(super) async fn session(
    authority: &Authority<'_>,
    prefix: &str,
    access: Access,
) -> Result<Session, Error> {
    let (bucket, _) = s3::split_root(&authority.address.root)?;
    let partition = policy::partition(authority.role);
    let document = policy::document(partition, bucket, prefix, access)
        .ok_or_else(|| Error::Role("the location of this table cannot stand in a policy".to_owned()))?;
    let name = match access {
        Access::Read => "lakeglass-reader",
        Access::Write => "lakeglass-editor",
    };
    authority.assume(name, &document).await.map_err(Error::Role)
}

/// What a session is for: a storage's row id, a folder in its bucket, and an access.
type Purpose = (i64, String, Access);
type Slot = Arc<tokio::sync::Mutex<Option<Session>>>;

/// Sessions in use.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<HashMap<Purpose, Slot>>);

impl Sessions {
    /// The kept session while it is fresh, else what `make` gives. Callers for one purpose wait for one
    /// answer; a failure is not kept.
    pub(super) async fn get<F: Future<Output = Result<Session, Error>>>(
        &self,
        purpose: Purpose,
        now_ms: i64,
        make: impl FnOnce() -> F,
    ) -> Result<Session, Error> {
        let slot = self.slot(purpose, now_ms);
        let mut kept = slot.lock().await;
        if let Some(session) = kept.as_ref().filter(|session| session.is_fresh(now_ms)) {
            return Ok(session.clone());
        }
        let session = make().await?;
        *kept = Some(session.clone());
        Ok(session)
    }

    /// Forgets those of one storage: its keys or its role changed.
    pub(super) fn forget(&self, storage_id: i64) {
        self.all().retain(|purpose, _| purpose.0 != storage_id);
    }

    fn slot(&self, purpose: Purpose, now_ms: i64) -> Slot {
        let mut all = self.all();
        if all.len() >= MOST && !all.contains_key(&purpose) {
            // One that is locked is being made.
            all.retain(|_, slot| {
                slot.try_lock().map_or(true, |kept| kept.as_ref().is_some_and(|one| one.is_fresh(now_ms)))
            });
            if all.len() >= MOST {
                all.clear();
            }
        }
        Arc::clone(all.entry(purpose).or_default())
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Purpose, Slot>> {
        // The map is whole between statements, so a panic elsewhere cannot have broken it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const HOUR: i64 = 3_600_000;

    fn made_at(at: i64) -> Session {
        let keys = Keys {
            access_key_id: format!("ASIA{at}"),
            secret_access_key: "very-secret".into(),
            session_token: Some("very-secret-too".into()),
        };
        Session { keys, asked_at_ms: at, expires_at_ms: at + HOUR }
    }

    fn purpose(storage: i64, folder: &str, access: Access) -> Purpose {
        (storage, folder.to_owned(), access)
    }

    #[tokio::test]
    async fn a_session_is_kept_for_half_its_life() {
        let (sessions, asked) = (Sessions::default(), Cell::new(0));
        let at = async |purpose: Purpose, now: i64| {
            let make = || {
                asked.set(asked.get() + 1);
                async move { Ok(made_at(now)) }
            };
            sessions.get(purpose, now, make).await.unwrap().keys.access_key_id
        };
        let table = || purpose(1, "ns/t", Access::Read);
        assert_eq!(at(table(), 0).await, "ASIA0");
        assert_eq!(at(table(), HOUR / 2 - 1).await, "ASIA0");
        assert_eq!(asked.get(), 1);
        assert_eq!(at(table(), HOUR / 2).await, format!("ASIA{}", HOUR / 2));
        assert_eq!(asked.get(), 2);
        // Another access, folder or storage is another session.
        for other in [
            purpose(1, "ns/t", Access::Write),
            purpose(1, "ns/u", Access::Read),
            purpose(2, "ns/t", Access::Read),
        ] {
            assert_eq!(at(other, HOUR / 2 + 1).await, format!("ASIA{}", HOUR / 2 + 1));
        }
        sessions.forget(1);
        assert_eq!(at(table(), HOUR / 2 + 2).await, format!("ASIA{}", HOUR / 2 + 2));
        assert_eq!(at(purpose(2, "ns/t", Access::Read), HOUR / 2 + 2).await, format!("ASIA{}", HOUR / 2 + 1));
    }

    #[tokio::test]
    async fn a_failure_is_told_and_asked_again() {
        let sessions = Sessions::default();
        let table = || purpose(1, "ns/t", Access::Read);
        let failed = sessions.get(table(), 0, async || Err(Error::Role("it is down".into()))).await;
        assert!(matches!(failed, Err(Error::Role(_))));
        assert!(sessions.get(table(), 0, async || Ok(made_at(0))).await.is_ok());
    }

    #[tokio::test]
    async fn no_more_are_kept_than_the_limit_and_debug_shows_none() {
        let sessions = Sessions::default();
        for n in 0..=MOST {
            let folder = purpose(1, &n.to_string(), Access::Read);
            sessions.get(folder, 0, async || Ok(made_at(0))).await.unwrap();
        }
        assert!(sessions.all().len() <= MOST);
        assert!(!format!("{sessions:?} {:?}", made_at(0)).contains("very-secret"));
    }
}
