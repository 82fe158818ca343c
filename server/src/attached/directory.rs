//! Lance directory namespaces in a storage.
//!
//! Reading them needs an engine that knows Lance; until this server is given one, such a bucket cannot be
//! attached.

use std::sync::Arc;

use lakeglass_ports::{Names, TableLocation};

use super::error::{Error, Result};

/// The names in a folder or prefix.
pub(super) fn names(_root: TableLocation) -> Result<Arc<dyn Names>> {
    Err(Error::Unsupported("This server does not read directory namespaces yet".to_owned()))
}
