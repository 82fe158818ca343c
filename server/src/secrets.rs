//! Secrets at rest: storage keys and the like, sealed under a key that is not in the database.
//!
//! XChaCha20-Poly1305 with a random nonce; the row and column are associated data, so a sealed value
//! moved elsewhere does not open. The first bytes name the key, for rotation.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305, XNonce};
use sha2::{Digest as _, Sha256};

/// File of the key inside the data folder: 64 hexadecimal characters, mode 0600.
pub const KEY_FILE: &str = "secrets.key";
/// Holds the key instead of the file, in the same form.
pub const KEY_VARIABLE: &str = "LAKEGLASS_SECRETS_KEY";

const KEY_ID_BYTES: usize = 4;
const NONCE_BYTES: usize = 24;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("The secrets' key file cannot be read or made")]
    File(#[source] std::io::Error),
    #[error("The secrets' key is not 64 hexadecimal characters")]
    Key,
    #[error("The system's random generator failed")]
    Random(#[source] getrandom::Error),
    #[error("The secret was sealed under another key, or was changed")]
    Opening,
    #[error("The secret is too large to seal")]
    Sealing,
}

/// Seals and opens secrets. Cheap to clone.
#[derive(Clone)]
pub struct Secrets {
    cipher: Arc<XChaCha20Poly1305>,
    key_id: [u8; KEY_ID_BYTES],
    key: [u8; 32],
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").field("key_id", &hex::encode(self.key_id)).finish_non_exhaustive()
    }
}

impl Secrets {
    /// The key from the environment, else from the data folder's file, which is made when missing.
    pub fn load(data: &Path) -> Result<Self, Error> {
        if let Ok(text) = std::env::var(KEY_VARIABLE) {
            return Self::from_text(&text);
        }
        let path = data.join(KEY_FILE);
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(mut file) => {
                let mut key = [0; 32];
                getrandom::fill(&mut key).map_err(Error::Random)?;
                file.write_all(hex::encode(key).as_bytes()).map_err(Error::File)?;
                file.sync_all().map_err(Error::File)?;
                Ok(Self::from_key(key))
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                let mut text = String::new();
                std::fs::File::open(&path)
                    .and_then(|file| file.take(256).read_to_string(&mut text))
                    .map_err(Error::File)?;
                Self::from_text(&text)
            }
            Err(error) => Err(Error::File(error)),
        }
    }

    fn from_text(text: &str) -> Result<Self, Error> {
        let mut key = [0; 32];
        hex::decode_to_slice(text.trim(), &mut key).map_err(|_| Error::Key)?;
        Ok(Self::from_key(key))
    }

    fn from_key(key: [u8; 32]) -> Self {
        let digest = Sha256::digest(key);
        let mut key_id = [0; KEY_ID_BYTES];
        key_id.copy_from_slice(&digest[..KEY_ID_BYTES]);
        Self { cipher: Arc::new(XChaCha20Poly1305::new(&key.into())), key_id, key }
    }

    /// A key of its own for another purpose, which says nothing of this one.
    pub fn subkey(&self, purpose: &str) -> [u8; 32] {
        let mut hasher = Sha256::new();
        hasher.update(b"lakeglass subkey\0");
        hasher.update(purpose.as_bytes());
        hasher.update([0]);
        hasher.update(self.key);
        hasher.finalize().into()
    }

    /// Seals `plain` for one column of one row (`storages/3`, `secret_key`).
    pub fn seal(&self, row: &str, column: &str, plain: &[u8]) -> Result<Vec<u8>, Error> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(Error::Random)?;
        let aad = associated(row, column);
        let sealed = self
            .cipher
            .encrypt(XNonce::from_slice(&nonce), Payload { msg: plain, aad: &aad })
            .map_err(|_| Error::Sealing)?;
        Ok([&self.key_id[..], &nonce, &sealed].concat())
    }

    /// Opens what [`seal`](Self::seal) made for the same row and column.
    pub fn open(&self, row: &str, column: &str, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let (key_id, rest) = sealed.split_at_checked(KEY_ID_BYTES).ok_or(Error::Opening)?;
        let (nonce, body) = rest.split_at_checked(NONCE_BYTES).ok_or(Error::Opening)?;
        if key_id != self.key_id {
            return Err(Error::Opening);
        }
        let aad = associated(row, column);
        self.cipher
            .decrypt(XNonce::from_slice(nonce), Payload { msg: body, aad: &aad })
            .map_err(|_| Error::Opening)
    }
}

fn associated(row: &str, column: &str) -> Vec<u8> {
    let mut aad = Vec::with_capacity(row.len() + column.len() + 8);
    aad.extend_from_slice(&(row.len() as u64).to_le_bytes());
    aad.extend_from_slice(row.as_bytes());
    aad.extend_from_slice(column.as_bytes());
    aad
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_secret_opens_only_in_its_own_row_and_column() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::load(folder.path()).unwrap();
        let sealed = secrets.seal("storages/1", "secret_key", b"plain").unwrap();
        assert!(!sealed.windows(5).any(|window| window == b"plain"));
        assert_eq!(secrets.open("storages/1", "secret_key", &sealed).unwrap(), b"plain");
        assert!(secrets.open("storages/2", "secret_key", &sealed).is_err());
        assert!(secrets.open("storages/1", "access_key", &sealed).is_err());
        let again = Secrets::load(folder.path()).unwrap();
        assert_eq!(again.open("storages/1", "secret_key", &sealed).unwrap(), b"plain");
    }

    #[test]
    fn the_key_file_is_private_and_a_changed_secret_does_not_open() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::load(folder.path()).unwrap();
        let mode = std::fs::metadata(folder.path().join(KEY_FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let mut sealed = secrets.seal("a", "b", b"plain").unwrap();
        *sealed.last_mut().unwrap() ^= 1;
        assert!(secrets.open("a", "b", &sealed).is_err());
        assert!(secrets.open("a", "b", b"short").is_err());
        assert!(!format!("{secrets:?}").contains("cipher:"));
    }
}
