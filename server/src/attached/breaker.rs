//! What keeps a catalog that fails from being asked over and over: after some failures in a row nothing is
//! sent for a while, then one call finds out.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lakeglass_api::attached::{BreakerState, Reach};

use crate::clock;

/// Failures in a row that open it.
const TRIP: u64 = 5;
/// How long nothing is sent.
const REST: Duration = Duration::from_secs(10);

/// One connection's breaker.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    failures: u64,
    opened: u64,
    /// Open until then, half-open after it; none: closed.
    until: Option<Instant>,
    /// The one call that finds out is under way.
    probing: bool,
    since_ms: Option<i64>,
    answered_ms: Option<i64>,
    cause: Option<String>,
}

/// As it is at a moment.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) reach: Reach,
    pub(crate) breaker: lakeglass_api::attached::Breaker,
    pub(crate) since_ms: Option<i64>,
    pub(crate) answered_ms: Option<i64>,
    pub(crate) cause: Option<String>,
}

/// It is open: nothing may be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Open {
    pub(crate) cause: String,
}

/// Leave to make one call, whose outcome is to be told. Dropped untold it counts as none.
#[derive(Debug)]
pub(crate) struct Pass {
    breaker: Arc<Breaker>,
    probe: bool,
}

impl Breaker {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leave to make a call now.
    pub(crate) fn admit(self: &Arc<Self>) -> Result<Pass, Open> {
        let mut inner = self.inner();
        let probe = match inner.until {
            None => false,
            Some(until) if until <= Instant::now() && !inner.probing => {
                inner.probing = true;
                true
            }
            Some(_) => return Err(Open { cause: inner.cause.clone().unwrap_or_default() }),
        };
        drop(inner);
        Ok(Pass { breaker: Arc::clone(self), probe })
    }

    pub(crate) fn seen(&self) -> Seen {
        let inner = self.inner();
        let state = match inner.until {
            None => BreakerState::Closed,
            Some(until) if until > Instant::now() => BreakerState::Open,
            Some(_) => BreakerState::HalfOpen,
        };
        let reach = match (state, inner.failures, inner.answered_ms) {
            (BreakerState::Open | BreakerState::HalfOpen, ..) => Reach::Down,
            (BreakerState::Closed, 0, None) => Reach::Unknown,
            (BreakerState::Closed, 0, Some(_)) => Reach::Up,
            (BreakerState::Closed, ..) => Reach::Failing,
        };
        Seen {
            reach,
            breaker: lakeglass_api::attached::Breaker {
                state,
                failures: inner.failures,
                opened: inner.opened,
            },
            since_ms: inner.since_ms,
            answered_ms: inner.answered_ms,
            cause: inner.cause.clone(),
        }
    }

    fn succeeded(&self) {
        let now = clock::now_ms();
        let mut inner = self.inner();
        if inner.failures > 0 || inner.answered_ms.is_none() {
            inner.since_ms = Some(now);
        }
        inner.failures = 0;
        inner.until = None;
        inner.probing = false;
        inner.cause = None;
        inner.answered_ms = Some(now);
    }

    fn failed(&self, cause: String) {
        let mut inner = self.inner();
        if inner.failures == 0 {
            inner.since_ms = Some(clock::now_ms());
        }
        inner.failures += 1;
        inner.cause = Some(cause);
        inner.probing = false;
        if inner.failures >= TRIP {
            if inner.until.is_none() {
                inner.opened += 1;
            }
            inner.until = Some(Instant::now() + REST);
        }
    }

    /// Closes it, so that the next call is made. For a check that a person asked for.
    pub(crate) fn reset(&self) {
        let mut inner = self.inner();
        inner.until = None;
        inner.probing = false;
    }
}

impl Pass {
    pub(crate) fn succeeded(mut self) {
        self.probe = false;
        self.breaker.succeeded();
    }

    pub(crate) fn failed(mut self, cause: String) {
        self.probe = false;
        self.breaker.failed(cause);
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if self.probe {
            self.breaker.inner().probing = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(breaker: &Arc<Breaker>) {
        breaker.admit().unwrap().failed("no answer".to_owned());
    }

    #[test]
    fn it_opens_after_failures_in_a_row_and_says_why() {
        let breaker = Arc::new(Breaker::default());
        assert_eq!(breaker.seen().reach, Reach::Unknown);
        breaker.admit().unwrap().succeeded();
        for _ in 1..TRIP {
            fail(&breaker);
        }
        breaker.admit().unwrap().succeeded();
        assert_eq!((breaker.seen().reach, breaker.seen().breaker.failures), (Reach::Up, 0));
        for _ in 0..TRIP {
            assert_ne!(breaker.seen().breaker.state, BreakerState::Open);
            fail(&breaker);
        }
        assert_eq!((breaker.seen().reach, breaker.seen().breaker.opened), (Reach::Down, 1));
        assert_eq!(breaker.admit().unwrap_err(), Open { cause: "no answer".to_owned() });
    }

    #[test]
    fn one_call_finds_out_and_an_untold_one_frees_its_turn() {
        let breaker = Arc::new(Breaker::default());
        for _ in 0..TRIP {
            fail(&breaker);
        }
        breaker.inner().until = Some(Instant::now());
        assert_eq!(breaker.seen().breaker.state, BreakerState::HalfOpen);
        let probe = breaker.admit().unwrap();
        assert!(breaker.admit().is_err());
        drop(probe);
        fail(&breaker);
        assert_eq!((breaker.seen().breaker.state, breaker.seen().breaker.opened), (BreakerState::Open, 1));
        breaker.reset();
        breaker.admit().unwrap().succeeded();
        assert_eq!(breaker.seen().breaker.state, BreakerState::Closed);
    }
}
