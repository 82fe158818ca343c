//! A folder on disk as a describer's store, for tests of an author's own.

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::store::Store;
use crate::{Level, ListOptions, ListPage, ObjectMeta, Range, ReadRequest, StoreError};

/// The host's clamp of one read, in bytes.
const CLAMP: u64 = 8 << 20;
const PAGE: u32 = 1000;

/// Answers as the host does, over a local folder. Written for tests: it follows symbolic links and
/// has no budgets.
#[derive(Debug)]
pub struct FolderStore {
    root: PathBuf,
}

impl FolderStore {
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    fn resolve(&self, path: &str) -> Result<PathBuf, StoreError> {
        let bad = path.split('/').any(|part| matches!(part, "" | "." | "..")) || path.contains(['\\', '\0']);
        if bad { Err(StoreError::BadPath) } else { Ok(self.root.join(path)) }
    }

    fn meta(path: &str, found: &fs::Metadata) -> ObjectMeta {
        let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        ObjectMeta {
            path: path.to_owned(),
            size: found.len(),
            etag: Some(format!("{}-{}", found.len(), modified.map_or(0, |time| time.as_nanos()))),
            modified_ms: modified.and_then(|time| i64::try_from(time.as_millis()).ok()),
        }
    }

    fn walk(&self, folder: &Path, found: &mut Vec<ObjectMeta>) -> Result<(), StoreError> {
        let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                self.walk(&path, found)?;
            } else if let (Ok(meta), Ok(relative)) = (entry.metadata(), path.strip_prefix(&self.root)) {
                found.push(Self::meta(&relative.to_string_lossy().replace('\\', "/"), &meta));
            }
        }
        Ok(())
    }
}

impl Store for FolderStore {
    fn list(&self, options: &ListOptions) -> Result<ListPage, StoreError> {
        let folder =
            if options.prefix.is_empty() { self.root.clone() } else { self.resolve(&options.prefix)? };
        let mut objects = Vec::new();
        self.walk(&folder, &mut objects)?;
        let mut prefixes = Vec::new();
        if options.delimited {
            let base = if options.prefix.is_empty() { 0 } else { options.prefix.len() + 1 };
            objects.retain(|object| match object.path[base..].split_once('/') {
                Some((folder, _)) => {
                    prefixes.push(format!("{}{folder}", &object.path[..base]));
                    false
                }
                None => true,
            });
            prefixes.sort();
            prefixes.dedup();
        }
        objects.sort_by(|a, b| a.path.cmp(&b.path));
        let after = options.page_token.as_deref().or(options.start_after.as_deref()).unwrap_or("");
        objects.retain(|object| object.path.as_str() > after);
        prefixes.retain(|prefix| prefix.as_str() > after);
        let limit = options.max_keys.clamp(1, PAGE) as usize;
        let next = (objects.len() > limit).then(|| objects[limit - 1].path.clone());
        objects.truncate(limit);
        Ok(ListPage { objects, prefixes, next })
    }

    fn head(&self, path: &str) -> Result<ObjectMeta, StoreError> {
        match fs::metadata(self.resolve(path)?) {
            Ok(found) if found.is_file() => Ok(Self::meta(path, &found)),
            _ => Err(StoreError::NotFound),
        }
    }

    fn read(&self, request: &ReadRequest) -> Result<(ObjectMeta, Vec<u8>), StoreError> {
        let meta = self.head(&request.path)?;
        if request.etag.is_some() && request.etag != meta.etag {
            return Err(StoreError::Changed);
        }
        let (offset, length) = match request.range {
            Range::Whole if meta.size > CLAMP => return Err(StoreError::BadRange),
            Range::Whole => (0, meta.size),
            Range::Span((offset, length)) => (offset, u64::from(length)),
            Range::Tail(length) => (meta.size.saturating_sub(u64::from(length)), u64::from(length)),
        };
        let unavailable = |error: std::io::Error| StoreError::Unavailable(error.to_string());
        let mut file = fs::File::open(self.resolve(&request.path)?).map_err(unavailable)?;
        file.seek(SeekFrom::Start(offset.min(meta.size))).map_err(unavailable)?;
        let mut bytes = Vec::new();
        file.take(length.min(CLAMP)).read_to_end(&mut bytes).map_err(unavailable)?;
        Ok((meta, bytes))
    }

    fn read_many(&self, requests: &[ReadRequest]) -> Vec<Result<(ObjectMeta, Vec<u8>), StoreError>> {
        requests.iter().map(|request| self.read(request)).collect()
    }

    fn relativize(&self, uri: &str) -> Option<String> {
        let root = format!("file://{}/", self.root.display());
        uri.strip_prefix(&root).map(str::to_owned)
    }

    fn log(&self, _level: Level, _message: &str) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_a_listing_partition_it_in_order() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.csv", "a.csv", "sub/c.csv", "sub/d.csv"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let store = FolderStore::new(folder.path());
        let mut options = ListOptions {
            prefix: String::new(),
            delimited: false,
            start_after: None,
            page_token: None,
            max_keys: 3,
        };
        let first = store.list(&options).unwrap();
        options.page_token = first.next;
        let second = store.list(&options).unwrap();
        let names: Vec<_> = first.objects.iter().chain(&second.objects).map(|o| o.path.as_str()).collect();
        assert_eq!(names, ["a.csv", "b.csv", "sub/c.csv", "sub/d.csv"]);
        assert_eq!(second.next, None);
        options = ListOptions { delimited: true, page_token: None, ..options };
        let level = store.list(&options).unwrap();
        assert_eq!((level.objects.len(), level.prefixes), (2, vec!["sub".to_owned()]));
    }

    #[test]
    fn paths_that_climb_are_refused() {
        let store = FolderStore::new("/nowhere");
        for path in ["../a", "/a", "a//b", "a/./b", ""] {
            assert_eq!(store.head(path).unwrap_err(), StoreError::BadPath, "{path:?}");
        }
    }
}
