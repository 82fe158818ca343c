//! Random values that prove something, and the hashes they are stored as.

use sha2::{Digest as _, Sha256};

use super::Error;

/// A session cookie, a token or a set-up code: 256 bits, as hexadecimal text.
pub(super) fn secret() -> Result<String, Error> {
    Ok(hex::encode(bytes::<32>()?))
}

/// A public id: 64 bits, as hexadecimal text.
pub(super) fn public_id() -> Result<String, Error> {
    Ok(hex::encode(bytes::<8>()?))
}

pub(super) fn bytes<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(Error::Random)?;
    Ok(bytes)
}

/// What is stored of a secret. The secrets are random, so a fast hash is enough.
pub(super) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}
