//! Sign-in attempts, counted per account and per address: the delay grows, nobody is locked out for
//! good.
//!
//! An attempt counts before its password is checked, so that many at once do not slip through, and
//! is taken back when it succeeds. Kept in memory: a restart forgives.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Error;

/// Failures that cost nothing yet.
const FREE_PER_ACCOUNT: u32 = 3;
const FREE_PER_ADDRESS: u32 = 20;
const LONGEST_DELAY: Duration = Duration::from_secs(30);
/// Silence after which failures are forgotten.
const FORGET: Duration = Duration::from_mins(15);
const MAX_KEYS: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Account(String),
    Address(IpAddr),
}

#[derive(Debug, Clone, Copy)]
struct Count {
    failures: u32,
    last: Instant,
}

#[derive(Debug, Default)]
pub(super) struct Throttle {
    counts: Mutex<HashMap<Key, Count>>,
}

impl Throttle {
    /// Counts an attempt, or refuses it with the seconds to wait.
    pub(super) fn attempt(&self, account: &str, address: Option<IpAddr>) -> Result<(), Error> {
        self.attempt_at(account, address, Instant::now())
    }

    fn attempt_at(&self, account: &str, address: Option<IpAddr>, now: Instant) -> Result<(), Error> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MAX_KEYS {
            counts.retain(|_, count| now.duration_since(count.last) < FORGET);
            if counts.len() >= MAX_KEYS {
                return Err(Error::Throttled(LONGEST_DELAY.as_secs()));
            }
        }
        let keys = keys(account, address);
        let wait =
            keys.iter().filter_map(|key| counts.get(key).and_then(|count| wait(key, *count, now))).max();
        if let Some(wait) = wait {
            return Err(Error::Throttled(wait.as_secs() + u64::from(wait.subsec_nanos() > 0)));
        }
        for key in keys {
            let count = counts.entry(key).or_insert(Count { failures: 0, last: now });
            if now.duration_since(count.last) >= FORGET {
                count.failures = 0;
            }
            count.failures += 1;
            count.last = now;
        }
        Ok(())
    }

    /// Takes a successful attempt back: the account starts afresh, the address only loses this one.
    pub(super) fn succeeded(&self, account: &str, address: Option<IpAddr>) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for key in keys(account, address) {
            if matches!(key, Key::Account(_)) {
                counts.remove(&key);
            } else if let Some(count) = counts.get_mut(&key) {
                count.failures = count.failures.saturating_sub(1);
            }
        }
    }
}

fn keys(account: &str, address: Option<IpAddr>) -> Vec<Key> {
    let mut name = account.to_lowercase();
    name.truncate(name.char_indices().nth(64).map_or(name.len(), |(at, _)| at));
    let mut keys = vec![Key::Account(name)];
    keys.extend(address.map(|address| Key::Address(network(address))));
    keys
}

/// One household or host: an IPv4 address, or the /64 of an IPv6 one.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or_else(
            || {
                let mut segments = v6.segments();
                segments[4..].fill(0);
                IpAddr::from(segments)
            },
            IpAddr::V4,
        ),
    }
}

/// What is left of the delay after the last failure.
fn wait(key: &Key, count: Count, now: Instant) -> Option<Duration> {
    let free = match key {
        Key::Account(_) => FREE_PER_ACCOUNT,
        Key::Address(_) => FREE_PER_ADDRESS,
    };
    let over = count.failures.checked_sub(free)?;
    let delay = Duration::from_secs(1 << over.min(10)).min(LONGEST_DELAY);
    delay.checked_sub(now.duration_since(count.last)).filter(|left| !left.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));

    #[test]
    fn failures_on_one_account_cost_a_growing_bounded_delay() {
        let throttle = Throttle::default();
        let mut now = Instant::now();
        for _ in 0..FREE_PER_ACCOUNT {
            throttle.attempt_at("ada", HERE, now).unwrap();
        }
        let mut delays = Vec::new();
        for _ in 0..10 {
            let Err(Error::Throttled(seconds)) = throttle.attempt_at("ADA", HERE, now) else {
                panic!("an attempt went through");
            };
            delays.push(seconds);
            now += Duration::from_secs(seconds);
            throttle.attempt_at("ada", HERE, now).unwrap();
        }
        assert_eq!(delays[..4], [1, 2, 4, 8]);
        assert_eq!(*delays.last().unwrap(), LONGEST_DELAY.as_secs());
        assert!(throttle.attempt_at("bob", HERE, now).is_ok(), "another account is free");
    }

    #[test]
    fn a_success_clears_the_account_and_time_forgives() {
        let throttle = Throttle::default();
        let now = Instant::now();
        for _ in 0..FREE_PER_ACCOUNT {
            throttle.attempt_at("ada", HERE, now).unwrap();
        }
        throttle.succeeded("ada", HERE);
        for _ in 0..FREE_PER_ACCOUNT {
            throttle.attempt_at("ada", HERE, now).unwrap();
        }
        assert!(throttle.attempt_at("ada", HERE, now).is_err());
        throttle.attempt_at("ada", HERE, now + FORGET).unwrap();
        throttle.attempt_at("ada", HERE, now + FORGET).unwrap();
    }

    #[test]
    fn one_address_trying_many_accounts_is_slowed() {
        let throttle = Throttle::default();
        let now = Instant::now();
        for number in 0..FREE_PER_ADDRESS {
            throttle.attempt_at(&format!("user{number}"), HERE, now).unwrap();
        }
        assert!(throttle.attempt_at("another", HERE, now).is_err());
        assert!(throttle.attempt_at("another", "2001:db8::1".parse().ok(), now).is_ok());
    }
}
