//! Passwords: which are accepted, and their argon2id hashes.

use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;

use super::{Error, random};

/// Each hash takes this much memory, in KiB.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Hashes at a time: 19 MiB each.
const AT_ONCE: usize = 2;
const LONGEST_WAIT: Duration = Duration::from_secs(10);

const MIN_CHARACTERS: usize = 12;
const MAX_CHARACTERS: usize = 128;

/// Common passwords of 12 characters or more, one a line, lower case.
const COMMON: &str = include_str!("common-passwords.txt");

/// A valid hash of nothing anybody can type, so that an unknown user costs the same time.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGlzIGhlcmU$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Refuses passwords that are too short, too long, common, or the user's own name.
pub(super) fn check(password: &str, user: &str) -> Result<(), Error> {
    let refuse = |rule: &str| Err(Error::invalid("password", rule));
    let characters = password.chars().count();
    if characters < MIN_CHARACTERS {
        return refuse("Use at least 12 characters");
    }
    if characters > MAX_CHARACTERS {
        return refuse("Use at most 128 characters");
    }
    let lower = password.to_lowercase();
    if COMMON.lines().any(|common| common == lower) || repeats(&lower) || runs(&lower) {
        return refuse("This is among the passwords tried first. Use another one");
    }
    let user = user.to_lowercase();
    if user.chars().count() >= 3 && lower.replace(&user, "").chars().count() < 6 {
        return refuse("This is mostly the user's name. Use another one");
    }
    Ok(())
}

/// A unit of up to six characters, over and over: `abcabcabcabc`, `aaaaaaaaaaaa`.
fn repeats(password: &str) -> bool {
    let characters: Vec<char> = password.chars().collect();
    (1..=6).any(|unit| characters.iter().enumerate().all(|(at, c)| *c == characters[at % unit]))
}

/// Neighbours by code point all the way: `abcdefghijkl`, `987654321098`.
fn runs(password: &str) -> bool {
    let characters: Vec<u32> = password.chars().map(u32::from).collect();
    let step = |up: bool| {
        characters.windows(2).all(|pair| {
            let (from, to) = if up { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
            to == from + 1 || (from == u32::from('9') && to == u32::from('0'))
        })
    };
    step(true) || step(false)
}

/// Hashes and verifies on blocking threads, a bounded number at a time.
#[derive(Debug, Clone)]
pub(super) struct Hasher {
    turns: Arc<Semaphore>,
}

impl Default for Hasher {
    fn default() -> Self {
        Self { turns: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

/// What a verification found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Wrong,
    Right,
    /// Right, and hashed with other parameters than today's: hash it again.
    Outdated,
}

impl Hasher {
    pub(super) async fn hash(&self, password: &str) -> Result<String, Error> {
        let password = password.to_owned();
        self.blocking(move || {
            let salt = SaltString::encode_b64(&random::bytes::<16>()?).map_err(Error::Hash)?;
            let hash = argon2()?.hash_password(password.as_bytes(), &salt).map_err(Error::Hash)?;
            Ok(hash.to_string())
        })
        .await
    }

    /// Checks a password against a hash; none: no such user, which takes as long and is wrong.
    pub(super) async fn verify(&self, password: &str, hash: Option<String>) -> Result<Verdict, Error> {
        let password = password.to_owned();
        self.blocking(move || {
            let known = hash.is_some();
            let hash = hash.unwrap_or_else(|| NOBODY.to_owned());
            let parsed = PasswordHash::new(&hash).map_err(Error::Hash)?;
            let right = argon2()?.verify_password(password.as_bytes(), &parsed).is_ok();
            if !right || !known {
                return Ok(Verdict::Wrong);
            }
            let today = params()?;
            let current = parsed.algorithm == argon2::ARGON2ID_IDENT
                && Params::try_from(&parsed).is_ok_and(|params| {
                    (params.m_cost(), params.t_cost(), params.p_cost())
                        == (today.m_cost(), today.t_cost(), today.p_cost())
                });
            Ok(if current { Verdict::Right } else { Verdict::Outdated })
        })
        .await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let turn = tokio::time::timeout(LONGEST_WAIT, Arc::clone(&self.turns).acquire_owned())
            .await
            .map_err(|_| Error::Busy)?
            .map_err(|_| Error::Busy)?;
        tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work()
        })
        .await?
    }
}

fn params() -> Result<Params, Error> {
    Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(|error| Error::Hash(error.into()))
}

fn argon2() -> Result<Argon2<'static>, Error> {
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_long_common_and_patterned_passwords_are_refused() {
        for bad in [
            "elevenchars",
            &"x7".repeat(65),
            "passwordpassword",
            "aaaaaaaaaaaaaa",
            "abcabcabcabcabc",
            "abcdefghijklmnop",
            "123456789012",
            "qwertyuiop123",
            "ada-lovelace1",
        ] {
            assert!(check(bad, "ada-lovelace").is_err(), "{bad} was accepted");
        }
        for good in ["correct horse battery staple", "tr1cky-lemon-Fjord", "пароль-для-озера-7"]
        {
            assert!(check(good, "ada-lovelace").is_ok(), "{good} was refused");
        }
    }

    #[tokio::test]
    async fn hashes_verify_and_older_parameters_ask_for_a_new_hash() {
        let hasher = Hasher::default();
        let hash = hasher.hash("tr1cky-lemon-Fjord").await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_eq!(hasher.verify("tr1cky-lemon-Fjord", Some(hash.clone())).await.unwrap(), Verdict::Right);
        assert_eq!(hasher.verify("tr1cky-lemon-fjord", Some(hash)).await.unwrap(), Verdict::Wrong);
        assert_eq!(hasher.verify("tr1cky-lemon-Fjord", None).await.unwrap(), Verdict::Wrong);

        let weak = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(64, 1, 1, None).unwrap());
        let salt = SaltString::encode_b64(b"0123456789abcdef").unwrap();
        let old = weak.hash_password(b"tr1cky-lemon-Fjord", &salt).unwrap().to_string();
        assert_eq!(hasher.verify("tr1cky-lemon-Fjord", Some(old)).await.unwrap(), Verdict::Outdated);
    }
}
