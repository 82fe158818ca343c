//! Which objects a call may see: those below one table's root, and nothing else.

use std::path::PathBuf;

use lakeglass_ports::TableLocation;
use object_store::path::Path;
use url::Url;

use crate::bindings::lakeglass::describer::types::StoreError;

/// The root of one call. For a single object the root is its folder, and only the object and its
/// siblings `NAME-*` and `NAME.*` are visible.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    pub(crate) location: TableLocation,
    /// The root inside the location's store.
    root: Path,
    /// The root as a URI, without a trailing `/`.
    uri: String,
    /// The single object's name.
    object: Option<String>,
    /// The root on this machine's disk, when that is where it is.
    pub(crate) folder: Option<PathBuf>,
}

impl Scope {
    /// A folder and everything below it.
    pub(crate) fn tree(location: &TableLocation) -> Self {
        Self {
            root: location.prefix.clone(),
            uri: location.uri.trim_end_matches('/').to_owned(),
            object: None,
            folder: local_folder(&location.uri),
            location: location.clone(),
        }
    }

    /// One object with its siblings; none when the location is the root of its store.
    pub(crate) fn single(location: &TableLocation) -> Option<Self> {
        let (folder, name) = match location.prefix.as_ref().rsplit_once('/') {
            Some((folder, name)) => (folder, name),
            None => ("", location.prefix.as_ref()),
        };
        if name.is_empty() {
            return None;
        }
        let (uri, _) = location.uri.trim_end_matches('/').rsplit_once('/')?;
        Some(Self {
            root: Path::parse(folder).ok()?,
            uri: uri.to_owned(),
            object: Some(name.to_owned()),
            folder: local_folder(uri),
            location: location.clone(),
        })
    }

    pub(crate) fn object(&self) -> Option<&str> {
        self.object.as_deref()
    }

    /// Whether a path below the root exists for the guest.
    pub(crate) fn shows(&self, path: &str) -> bool {
        match &self.object {
            None => true,
            Some(name) => path
                .strip_prefix(name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.'])),
        }
    }

    /// The path in the store of an object that the guest names.
    pub(crate) fn resolve(&self, path: &str) -> Result<Path, StoreError> {
        check(path)?;
        if !self.shows(path) {
            return Err(StoreError::NotFound);
        }
        self.join(path)
    }

    /// The path in the store of a folder that the guest lists; `""` is the root.
    pub(crate) fn resolve_folder(&self, path: &str) -> Result<Path, StoreError> {
        if path.is_empty() {
            return Ok(self.root.clone());
        }
        check(path)?;
        self.join(path)
    }

    /// What the guest calls an object of the store; none when it is not below the root or not shown.
    pub(crate) fn relative(&self, location: &Path) -> Option<String> {
        let path = match self.root.as_ref() {
            "" => location.as_ref(),
            root => location.as_ref().strip_prefix(root)?.strip_prefix('/')?,
        };
        (!path.is_empty() && self.shows(path)).then(|| path.to_owned())
    }

    /// Maps an absolute URI to a path under the root; none when it lies outside.
    pub(crate) fn relativize(&self, uri: &str) -> Option<String> {
        let uri = canonical(uri);
        let path = uri.strip_prefix(&self.uri)?.strip_prefix('/')?;
        if !self.location.may_read(&uri) || self.resolve(path).is_err() {
            return None;
        }
        Some(path.to_owned())
    }

    fn join(&self, path: &str) -> Result<Path, StoreError> {
        let joined = match self.root.as_ref() {
            "" => Path::parse(path),
            root => Path::parse(format!("{root}/{path}")),
        };
        joined.map_err(|_| StoreError::BadPath)
    }

    /// On a local disk, whether the path leads where it says: no symbolic link on the way, so that a
    /// link inside a bucket shows nothing outside it.
    pub(crate) async fn leads_there(&self, path: &str) -> Result<(), StoreError> {
        let Some(folder) = self.folder.clone() else { return Ok(()) };
        let path = path.to_owned();
        let look = move || {
            let root = folder.canonicalize()?;
            let wanted = root.join(&path);
            Ok::<_, std::io::Error>(wanted.canonicalize()? == wanted)
        };
        match tokio::task::spawn_blocking(look).await {
            Ok(Ok(true)) => Ok(()),
            Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => Err(StoreError::NotFound),
            Ok(Ok(false) | Err(_)) => Err(StoreError::Denied),
            Err(_) => Err(StoreError::Unavailable("the disk could not be asked".to_owned())),
        }
    }
}

/// Refuses every path that is not plainly relative.
fn check(path: &str) -> Result<(), StoreError> {
    let bad = path.len() > 1024
        || path.contains(['\\', '\0'])
        || path.split('/').any(|part| matches!(part, "" | "." | ".."))
        || path.starts_with('@');
    if bad { Err(StoreError::BadPath) } else { Ok(()) }
}

fn local_folder(uri: &str) -> Option<PathBuf> {
    let url = Url::parse(uri).ok()?;
    if url.scheme() == "file" { url.to_file_path().ok() } else { None }
}

/// The spellings of one place that metadata uses, as one.
fn canonical(uri: &str) -> String {
    for (alias, scheme) in [("s3a://", "s3://"), ("s3n://", "s3://")] {
        if let Some(rest) = uri.strip_prefix(alias) {
            return format!("{scheme}{rest}");
        }
    }
    match uri.strip_prefix("file:/") {
        Some(rest) if !rest.starts_with("//") => format!("file:///{}", rest.trim_start_matches('/')),
        _ => uri.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lakeglass_ports::Grant;
    use object_store::memory::InMemory;

    use super::*;

    fn location(path: &str) -> TableLocation {
        TableLocation {
            uri: format!("s3://lake/{path}"),
            options: std::collections::BTreeMap::default(),
            store: Arc::new(InMemory::new()),
            prefix: Path::parse(path).unwrap(),
            grants: Arc::from([Grant::new("s3://lake/shop")]),
        }
    }

    #[test]
    fn paths_that_lead_elsewhere_are_refused() {
        let scope = Scope::tree(&location("shop/t"));
        for path in ["../u/a", "/a", "a/../../b", "a//b", "./a", "a\\b", "a\0b", "@other/a", ""] {
            assert!(matches!(scope.resolve(path), Err(StoreError::BadPath)), "{path:?}");
        }
        assert_eq!(scope.resolve("a/b").unwrap().as_ref(), "shop/t/a/b");
        // Encoded dots are dots to nobody: they name an object called so.
        assert_eq!(scope.resolve("%2e%2e/u").unwrap().as_ref(), "shop/t/%2e%2e/u");
    }

    #[test]
    fn a_single_object_shows_itself_and_its_siblings() {
        let scope = Scope::single(&location("shop/sales.csv")).unwrap();
        assert_eq!(scope.object(), Some("sales.csv"));
        for shown in ["sales.csv", "sales.csv-meta", "sales.csv.idx"] {
            assert!(scope.resolve(shown).is_ok(), "{shown}");
        }
        for hidden in ["people.csv", "sales.cs", "sales.csvx", "sub/sales.csv"] {
            assert!(matches!(scope.resolve(hidden), Err(StoreError::NotFound)), "{hidden}");
        }
    }

    #[test]
    fn uris_map_below_the_root_only() {
        let scope = Scope::tree(&location("shop/t"));
        assert_eq!(scope.relativize("s3://lake/shop/t/a.parquet").as_deref(), Some("a.parquet"));
        assert_eq!(scope.relativize("s3a://lake/shop/t/d/a").as_deref(), Some("d/a"));
        for outside in
            ["s3://lake/shop/t2/a", "s3://lake/shop/t/../u/a", "s3://other/shop/t/a", "s3://lake/shop/t", "a"]
        {
            assert_eq!(scope.relativize(outside), None, "{outside}");
        }
    }
}
