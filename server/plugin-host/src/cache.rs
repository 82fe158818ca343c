//! Compiled code kept between starts.
//!
//! Compiled code runs with the server's rights, so a file is used only when its MAC shows that this
//! server wrote it, for this engine and these exact bytes of wasm. Anything else is compiled again.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

const TAG: usize = 32;

#[derive(Clone)]
pub(crate) struct Cache {
    folder: PathBuf,
    key: [u8; 32],
}

impl Cache {
    /// Makes the folder, or takes the rights of others away from it.
    pub(crate) fn open(folder: &Path, key: [u8; 32]) -> std::io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        Ok(Self { folder: folder.to_owned(), key })
    }

    pub(crate) fn get(&self, engine: &Engine, wasm: &[u8]) -> Option<Component> {
        let name = name(engine, wasm);
        let stored = fs::read(self.folder.join(&name)).ok()?;
        let (tag, code) = stored.split_at_checked(TAG)?;
        self.mac(&name, code).verify_slice(tag).ok()?;
        #[expect(
            unsafe_code,
            reason = "the MAC shows that `put` wrote these bytes from `Component::serialize`"
        )]
        // SAFETY: the bytes are a component that this server's engine serialized, unchanged.
        unsafe { Component::deserialize(engine, code) }.ok()
    }

    /// Keeps the code for later; failing costs only a compilation.
    pub(crate) fn put(&self, engine: &Engine, wasm: &[u8], component: &Component) -> std::io::Result<()> {
        let name = name(engine, wasm);
        let code = component.serialize().map_err(std::io::Error::other)?;
        let tag = self.mac(&name, &code).finalize().into_bytes();
        let fresh = self.folder.join(format!("{name}.{}.new", std::process::id()));
        let mut file =
            fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
        file.write_all(&tag)?;
        file.write_all(&code)?;
        fs::rename(fresh, self.folder.join(name))
    }

    fn mac(&self, name: &str, code: &[u8]) -> Hmac<Sha256> {
        #[expect(clippy::unwrap_used, reason = "an HMAC takes a key of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).unwrap();
        mac.update(name.as_bytes());
        mac.update(&[0]);
        mac.update(code);
        mac
    }
}

/// The wasm's digest and the engine's: another version or setting of the engine has another name.
fn name(engine: &Engine, wasm: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    format!("{}-{:016x}", hex::encode(Sha256::digest(wasm)), hasher.finish())
}
