//! The folder of received files.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures::{Stream, StreamExt};
use serde::{Deserialize, Serialize};
use tokio::fs;
use tokio::io::AsyncWriteExt;
use uuid::Uuid;

use super::error::{Error, Result};

/// How long a file waits.
const KEPT: Duration = Duration::from_hours(1);
/// Files that may wait at once, and their bytes as a multiple of the largest one.
const MOST_FILES: usize = 100;
const MOST_BYTES: u64 = 8;

/// What is kept beside a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct About {
    /// Who sent it.
    pub(super) owner: String,
    pub(super) bucket: String,
    pub(super) name: String,
}

#[derive(Debug, Clone)]
pub(super) struct Spool {
    folder: PathBuf,
    largest: u64,
}

impl Spool {
    pub(super) fn new(data: &Path, largest: u64) -> Self {
        Self { folder: data.join("spool"), largest }
    }

    /// Writes a file as it comes; one that breaks off or is too large leaves nothing.
    pub(super) async fn receive<E>(
        &self,
        about: &About,
        mut content: impl Stream<Item = Result<Bytes, E>> + Send + Unpin,
    ) -> Result<(String, u64)> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder).await?;
        let (files, held) = self.held().await?;
        if files >= MOST_FILES || held >= self.largest.saturating_mul(MOST_BYTES) {
            return Err(Error::Full);
        }
        let id = Uuid::new_v4().simple().to_string();
        let path = self.path(&id);
        let unfinished = Unfinished(Some(path.clone()));
        let mut file = private().open(&path).await?;
        let mut bytes = 0;
        while let Some(part) = content.next().await {
            let part = part.map_err(|_| Error::BrokenOff)?;
            bytes += part.len() as u64;
            if bytes > self.largest {
                return Err(Error::TooLarge(self.largest));
            }
            file.write_all(&part).await?;
        }
        if bytes == 0 {
            return Err(Error::Empty);
        }
        file.flush().await?;
        let mut beside = private().open(self.about_path(&id)).await?;
        beside.write_all(&serde_json::to_vec(about).map_err(io::Error::other)?).await?;
        beside.flush().await?;
        unfinished.keep();
        Ok((id, bytes))
    }

    /// A file by its id, if it is this owner's.
    pub(super) async fn find(&self, id: &str, owner: &str) -> Result<(PathBuf, About)> {
        // Ids are made here: anything else would be a path of somebody's choice.
        if id.len() != 32 || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Error::NoSuchFile);
        }
        let Ok(about) = fs::read(self.about_path(id)).await else { return Err(Error::NoSuchFile) };
        let about: About = serde_json::from_slice(&about).map_err(io::Error::other)?;
        let path = self.path(id);
        if about.owner != owner || !fs::try_exists(&path).await? {
            return Err(Error::NoSuchFile);
        }
        Ok((path, about))
    }

    pub(super) async fn remove(&self, id: &str) {
        for path in [self.about_path(id), self.path(id)] {
            if let Err(error) = fs::remove_file(&path).await
                && error.kind() != io::ErrorKind::NotFound
            {
                tracing::warn!(%error, "An imported file could not be removed yet");
            }
        }
    }

    /// Removes what is older than an hour.
    pub(super) async fn clean(&self) -> io::Result<()> {
        let mut entries = match fs::read_dir(&self.folder).await {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => other?,
        };
        while let Some(entry) = entries.next_entry().await? {
            let age = SystemTime::now().duration_since(entry.metadata().await?.modified()?);
            if age.is_ok_and(|age| age > KEPT) {
                fs::remove_file(entry.path()).await?;
            }
        }
        Ok(())
    }

    async fn held(&self) -> Result<(usize, u64)> {
        let mut entries = fs::read_dir(&self.folder).await?;
        let (mut files, mut bytes) = (0, 0);
        while let Some(entry) = entries.next_entry().await? {
            if entry.path().extension().is_none() {
                files += 1;
                bytes += entry.metadata().await.map_or(0, |found| found.len());
            }
        }
        Ok((files, bytes))
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(id)
    }

    fn about_path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }
}

/// Opens new files that only the server's user can read.
fn private() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options
}

/// Removes a file that was not received whole, however receiving ends.
struct Unfinished(Option<PathBuf>);

impl Unfinished {
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            // One small call: the cleaning after an hour covers a failure.
            let _ = std::fs::remove_file(path);
        }
    }
}
