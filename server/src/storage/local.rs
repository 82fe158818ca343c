//! Local folders as storages: which may be used, and confinement below them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use object_store::local::LocalFileSystem;
use url::Url;

use super::Error;
use super::backend::{Backend, Place};

/// Makes the folder when it is missing and opens it, if it lies under one of the configured roots.
pub(super) async fn open(root: &Path, allowed: &[PathBuf]) -> Result<(PathBuf, Backend), Error> {
    let (root, allowed) = (root.to_owned(), allowed.to_vec());
    blocking(move || {
        let folder = confined(&root, &allowed)?;
        let store = LocalFileSystem::new_with_prefix(&folder).map_err(Error::Store)?;
        let backend = Backend {
            uri: uri(&folder)?,
            store: Arc::new(store),
            base: String::new(),
            place: Place::Local(folder.clone()),
            options: std::collections::BTreeMap::default(),
        };
        Ok((folder, backend))
    })
    .await
}

/// The URI of a folder, without a trailing slash.
pub(super) fn uri(folder: &Path) -> Result<String, Error> {
    let uri = Url::from_file_path(folder)
        .map_err(|()| Error::Location("The folder must be an absolute path".to_owned()))?;
    Ok(uri.as_str().trim_end_matches('/').to_owned())
}

/// The canonical form of `root`, made when missing, under one of the allowed roots.
fn confined(root: &Path, allowed: &[PathBuf]) -> Result<PathBuf, Error> {
    if !root.is_absolute() || root.components().any(|part| matches!(part, std::path::Component::ParentDir)) {
        return Err(Error::Location("A local storage needs an absolute path without ..".to_owned()));
    }
    let allowed: Vec<PathBuf> = allowed.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let inside = |path: &Path| allowed.iter().any(|root| path.starts_with(root));
    let outside = || {
        Error::Location(
            "This folder is not under a folder that storages may use. Start the server with a storage \
             root that covers it"
                .to_owned(),
        )
    };
    // Before making anything: the deepest part that exists must be inside already.
    let existing = root.ancestors().find(|path| path.exists()).ok_or_else(outside)?;
    if !inside(&existing.canonicalize().map_err(Error::Folder)?) {
        return Err(outside());
    }
    std::fs::create_dir_all(root).map_err(Error::Folder)?;
    let folder = root.canonicalize().map_err(Error::Folder)?;
    if inside(&folder) { Ok(folder) } else { Err(outside()) }
}

/// Refuses a location any part of which is a symbolic link: it could lead anywhere.
pub(super) async fn refuse_links(root: &Path, relative: &str) -> Result<(), Error> {
    let (root, relative) = (root.to_owned(), relative.to_owned());
    blocking(move || {
        let mut path = root;
        for part in relative.split('/').filter(|part| !part.is_empty()) {
            path.push(part);
            match std::fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_symlink() => {
                    return Err(Error::Location("A location may not lead through a link".to_owned()));
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(Error::Folder(error)),
            }
        }
        Ok(())
    })
    .await
}

/// Whether nothing is at a path, or only an empty folder.
pub(super) async fn is_free(path: PathBuf) -> Result<bool, Error> {
    blocking(move || match std::fs::read_dir(&path) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(false),
        Err(error) => Err(Error::Folder(error)),
    })
    .await
}

/// Removes a folder with everything in it, or one file. Links are removed, never followed.
pub(super) async fn remove(path: PathBuf) -> Result<(), Error> {
    blocking(move || {
        let removed = match std::fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_dir() => std::fs::remove_dir_all(&path),
            Ok(_) => std::fs::remove_file(&path),
            Err(error) => Err(error),
        };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::Folder(error)),
            _ => Ok(()),
        }
    })
    .await
}

/// Removes a folder if it is empty, and then the ones above it that become empty, up to `keep`.
pub(super) async fn prune(keep: PathBuf, mut path: PathBuf) -> Result<(), Error> {
    blocking(move || {
        while path != keep && path.starts_with(&keep) && std::fs::remove_dir(&path).is_ok() {
            path.pop();
        }
        Ok(())
    })
    .await
}

/// Bytes free on the file system of a folder; none when it cannot be asked.
pub(super) async fn free_bytes(path: PathBuf) -> Option<u64> {
    blocking(move || Ok(rustix::fs::statvfs(&path).ok().map(|stat| stat.f_bavail * stat.f_frsize)))
        .await
        .ok()
        .flatten()
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(join) => Err(Error::Folder(io::Error::other(join))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn folders_outside_the_roots_and_links_out_of_them_are_refused() {
        let data = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let roots = [data.path().to_owned()];

        assert!(open(&data.path().join("lake"), &roots).await.is_ok());
        assert!(open(&elsewhere.path().join("lake"), &roots).await.is_err());
        assert!(!elsewhere.path().join("lake").exists());
        assert!(open(Path::new("relative/lake"), &roots).await.is_err());
        assert!(open(&data.path().join("../lake"), &roots).await.is_err());

        std::os::unix::fs::symlink(elsewhere.path(), data.path().join("link")).unwrap();
        assert!(open(&data.path().join("link"), &roots).await.is_err());
        assert!(open(&data.path().join("link/lake"), &roots).await.is_err());
        assert!(refuse_links(data.path(), "link/t").await.is_err());
        assert!(refuse_links(data.path(), "lake/t").await.is_ok());
    }

    #[tokio::test]
    async fn removing_a_folder_leaves_what_its_links_point_at() {
        let data = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        std::fs::write(elsewhere.path().join("keep"), "x").unwrap();
        let table = data.path().join("t");
        std::fs::create_dir(&table).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), table.join("link")).unwrap();
        remove(table.clone()).await.unwrap();
        assert!(!table.exists());
        assert!(elsewhere.path().join("keep").exists());
        remove(table).await.unwrap();
    }
}
