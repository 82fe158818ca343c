//! The data folder: made private, and held by one server at a time.

use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use anyhow::{Context, Result, bail};
use rustix::fs::{FlockOperation, flock};

/// Makes the folder, readable by its owner only, when it is not there.
pub(crate) fn make(data: &Path) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(data)
        .with_context(|| format!("the data folder {} cannot be made", data.display()))
}

/// A data folder of a server that ran before; commands do not make one by a mistyped path.
pub(crate) fn existing(data: &Path) -> Result<()> {
    if data.join("lakeglass.db").exists() {
        return Ok(());
    }
    bail!("{} holds no Lakeglass data. Name the server's folder with --data", data.display());
}

/// Held as long as the server runs; the system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Refuses when another server holds the folder.
pub(crate) fn lock(data: &Path) -> Result<Lock> {
    let path = data.join("lakeglass.lock");
    let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path)?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        bail!(
            "another server is running on {}. Stop it, or choose another folder with --data",
            data.display()
        );
    }
    Ok(Lock { _file: file })
}

/// Writes a file that only the owner can read, replacing one from before.
pub(crate) fn write_private(path: &Path, text: &str) -> Result<()> {
    use std::io::Write as _;
    // A file left from before might have other permissions.
    let _ = std::fs::remove_file(path);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    Ok(())
}
