//! How fast and how many at a time: one allowance a principal, or an address without one.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::auth::Principal;
use crate::problem::Problem;

/// A burst may be this many seconds' worth.
const BURST_SECONDS: f64 = 4.0;
/// Allowances idle this long are dropped when room is needed.
const IDLE: Duration = Duration::from_mins(1);
const MAX_KEYS: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    User(i64),
    Token(i64),
    Address(Option<IpAddr>),
}

impl Key {
    pub(super) fn of(principal: Option<&Principal>, address: Option<IpAddr>) -> Self {
        match principal {
            Some(Principal::User(id)) => Self::User(*id),
            Some(Principal::Token(id)) => Self::Token(*id),
            _ => Self::Address(address),
        }
    }
}

#[derive(Debug)]
struct Allowance {
    tokens: f64,
    at: Instant,
    turns: Arc<Semaphore>,
}

#[derive(Debug)]
pub(super) struct Rates {
    per_second: f64,
    at_once: usize,
    allowances: Mutex<HashMap<Key, Allowance>>,
}

impl Rates {
    pub(super) fn new(per_second: u32, at_once: usize) -> Self {
        Self {
            per_second: f64::from(per_second.max(1)),
            at_once: at_once.max(1),
            allowances: Mutex::default(),
        }
    }

    /// Takes one request from an allowance; the permit is held until its answer is sent.
    pub(super) fn admit(&self, key: Key) -> Result<OwnedSemaphorePermit, Problem> {
        self.admit_at(key, Instant::now())
    }

    fn admit_at(&self, key: Key, now: Instant) -> Result<OwnedSemaphorePermit, Problem> {
        let burst = self.per_second * BURST_SECONDS;
        let mut allowances = self.allowances.lock().unwrap_or_else(PoisonError::into_inner);
        if allowances.len() >= MAX_KEYS {
            let at_once = self.at_once;
            allowances.retain(|_, allowance| {
                now.duration_since(allowance.at) < IDLE || allowance.turns.available_permits() < at_once
            });
            if allowances.len() >= MAX_KEYS && !allowances.contains_key(&key) {
                return Err(throttled("The server is busy. Try again in a minute", 60));
            }
        }
        let allowance = allowances.entry(key).or_insert_with(|| Allowance {
            tokens: burst,
            at: now,
            turns: Arc::new(Semaphore::new(self.at_once)),
        });
        let refill = now.duration_since(allowance.at).as_secs_f64() * self.per_second;
        allowance.tokens = (allowance.tokens + refill).min(burst);
        allowance.at = now;
        if allowance.tokens < 1.0 {
            return Err(throttled("Too many requests. Slow down", 1));
        }
        let Ok(turn) = Arc::clone(&allowance.turns).try_acquire_owned() else {
            return Err(throttled("Too many requests at a time. Wait for some to end", 1));
        };
        allowance.tokens -= 1.0;
        Ok(turn)
    }
}

fn throttled(detail: &str, seconds: u64) -> Problem {
    Problem::new(http::StatusCode::TOO_MANY_REQUESTS, "throttled", detail).retry_after(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_bounded_and_refills_with_time() {
        let rates = Rates::new(2, 100);
        let now = Instant::now();
        let asks = |now| (0..20).filter(|_| rates.admit_at(Key::User(1), now).is_ok()).count();
        assert_eq!(asks(now), 8);
        assert_eq!(asks(now + Duration::from_secs(1)), 2);
        assert!(rates.admit_at(Key::User(2), now).is_ok(), "another principal has its own");
    }

    #[test]
    fn requests_at_a_time_are_bounded_until_they_end() {
        let rates = Rates::new(100, 2);
        let now = Instant::now();
        let first = rates.admit_at(Key::Token(1), now).unwrap();
        let _second = rates.admit_at(Key::Token(1), now).unwrap();
        let refused = rates.admit_at(Key::Token(1), now).unwrap_err();
        assert_eq!((refused.status.as_u16(), refused.retry_after), (429, Some(1)));
        drop(first);
        assert!(rates.admit_at(Key::Token(1), now).is_ok());
    }
}
