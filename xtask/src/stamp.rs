//! Skips work whose inputs did not change: a digest over files, kept beside the output.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use walkdir::WalkDir;

/// A digest over every file below the given paths, names included.
pub(crate) fn digest(paths: &[PathBuf]) -> Result<String> {
    let mut hasher = Sha256::new();
    for path in paths {
        for entry in WalkDir::new(path).sort_by_file_name() {
            let entry = entry.with_context(|| format!("{} cannot be read", path.display()))?;
            if entry.file_type().is_file() {
                let bytes = fs::read(entry.path())?;
                hasher.update(
                    entry.path().strip_prefix(path).unwrap_or(entry.path()).as_os_str().as_encoded_bytes(),
                );
                hasher.update([0]);
                hasher.update((bytes.len() as u64).to_le_bytes());
                hasher.update(&bytes);
            }
        }
    }
    Ok(hex::encode(hasher.finalize()))
}

/// Whether the stamp file holds this digest.
pub(crate) fn is_fresh(stamp: &Path, digest: &str) -> bool {
    fs::read_to_string(stamp).is_ok_and(|kept| kept == digest)
}

pub(crate) fn write(stamp: &Path, digest: &str) -> Result<()> {
    fs::write(stamp, digest).with_context(|| format!("{} cannot be written", stamp.display()))
}
