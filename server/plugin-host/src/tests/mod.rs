//! The host with real guests: the CSV component over real files, and guests that mean harm.

mod csv;
mod guest;
mod hostile;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lakeglass_api::FormatId;
use lakeglass_ports::{Grant, Subject, TableLocation, VersionRef};
use object_store::local::LocalFileSystem;

use crate::{Host, HostConfig, Limits};

/// A host that keeps nothing, with limits that a test reaches quickly.
fn host(change: impl FnOnce(&mut HostConfig)) -> Arc<Host> {
    let mut config = HostConfig {
        cache: None,
        key: [7; 32],
        limits: Limits {
            info: Duration::from_secs(5),
            describe: Duration::from_secs(20),
            preview: Duration::from_secs(20),
            ..Limits::default()
        },
        calls: 4,
        queue: Duration::from_mins(1),
    };
    change(&mut config);
    Host::new(config).unwrap()
}

/// An object or folder below `folder`, as the catalog would hand it over.
fn on_disk(folder: &Path, path: &str) -> TableLocation {
    TableLocation {
        uri: format!("file://{}/{path}", folder.display()),
        options: std::collections::BTreeMap::new(),
        store: Arc::new(LocalFileSystem::new_with_prefix(folder).unwrap()),
        prefix: object_store::path::Path::parse(path).unwrap(),
        grants: Arc::from([Grant::new(&format!("file://{}", folder.display()))]),
    }
}

fn subject(location: TableLocation, format: &str) -> Subject {
    Subject { location, format: FormatId::new(format), version: VersionRef::Latest, options: Vec::new() }
}
