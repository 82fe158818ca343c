//! Reads stay inside what was granted: the table's own place, and every place it refers to.
//!
//! A manifest may name other roots for its files (base paths), and a blob column may name any URI.
//! Base paths are checked after the manifest is read and before anything else is. Blob contents are
//! never read here; descriptors that point outside are reported with the rows.

use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::Field;
use lakeglass_api::description::{Note, Severity};
use lakeglass_ports::{Error, Result, TableLocation, is_blob};
use lance::Dataset;
use lance_table::format::Manifest;

/// Refuses a location that no grant covers, or that leaves its grant through a symbolic link.
pub(crate) fn check_location(location: &TableLocation) -> Result<()> {
    check_uri(location, &location.uri)
}

/// Refuses a dataset whose manifest names a root that no grant covers.
pub(crate) fn check_dataset(location: &TableLocation, dataset: &Dataset) -> Result<()> {
    check_manifest(location, dataset.manifest())
}

/// Refuses a manifest that names a root that no grant covers.
pub(crate) fn check_manifest(location: &TableLocation, manifest: &Manifest) -> Result<()> {
    manifest.base_paths.values().try_for_each(|base| check_uri(location, &base.path))
}

/// Refuses a path below a table's folder that leaves the grants, through a symbolic link as well.
pub(crate) fn check_below(location: &TableLocation, path: &str) -> Result<()> {
    check_uri(location, &format!("{}/{path}", location.uri))
}

/// Refuses a URI, or an absolute local path, that no grant covers.
fn check_uri(location: &TableLocation, uri: &str) -> Result<()> {
    let outside = || Error::OutsideGrant(shown(uri));
    let as_uri = if uri.contains("://") { uri.to_owned() } else { format!("file://{uri}") };
    if as_uri.contains('\0') || !location.may_read(&as_uri) {
        return Err(outside());
    }
    let Some(path) = local_path(&as_uri) else { return Ok(()) };
    // A folder that does not exist yet cannot lead anywhere; its nearest existing parent can.
    let Some(real) = path.ancestors().find_map(|place| place.canonicalize().ok()) else {
        return Err(outside());
    };
    let granted = location.grants.iter().any(|grant| {
        let Some(root) = local_path(grant.as_str()) else { return false };
        let Some(real_root) = root.ancestors().find_map(|place| place.canonicalize().ok()) else {
            return false;
        };
        // The grant's folder itself may be missing too: then both end at the same parent.
        real.starts_with(&real_root)
    });
    if granted { Ok(()) } else { Err(outside()) }
}

fn local_path(uri: &str) -> Option<PathBuf> {
    if !uri.starts_with("file://") {
        return None;
    }
    url::Url::parse(uri).ok().and_then(|url| url.to_file_path().ok())
}

/// Only the scheme and host of a place outside: a message is no way to learn the rest.
fn shown(uri: &str) -> String {
    match url::Url::parse(uri) {
        Ok(url) if url.scheme() != "file" => match url.host_str() {
            Some(host) => format!("{}://{host}/…", url.scheme()),
            None => format!("{}:…", url.scheme()),
        },
        _ => "another folder of the server".to_owned(),
    }
}

/// Refuses rows whose blobs are named by a URI that no grant covers: a reference would let a later reader
/// reach past the grants.
pub(crate) fn check_incoming(location: &TableLocation, batch: &RecordBatch) -> Result<()> {
    let schema = batch.schema();
    schema
        .fields()
        .iter()
        .zip(batch.columns())
        .try_for_each(|(field, column)| incoming(location, field, column))
}

fn incoming(location: &TableLocation, field: &Field, column: &dyn Array) -> Result<()> {
    let Some(parts) = column.as_struct_opt() else { return Ok(()) };
    if !is_blob(field) {
        return parts
            .fields()
            .iter()
            .zip(parts.columns())
            .try_for_each(|(field, column)| incoming(location, field, column));
    }
    let uris = parts.column_by_name("uri").and_then(|uris| uris.as_string_opt::<i32>());
    let named = uris.into_iter().flatten().flatten();
    // A relative URI stands below a base path, which was checked.
    named
        .filter(|uri| uri.contains("://") || uri.starts_with('/'))
        .try_for_each(|uri| check_uri(location, uri))
}

/// A note when descriptors in these rows point outside the grants. Their bytes are not read.
pub(crate) fn external_blobs(location: &TableLocation, batches: &[RecordBatch]) -> Option<Note> {
    let mut outside = 0_u64;
    for batch in batches {
        let schema = batch.schema();
        for (field, column) in schema.fields().iter().zip(batch.columns()) {
            let described = column
                .as_struct_opt()
                .filter(|parts| is_blob(field) || parts.column_by_name("blob_uri").is_some());
            let Some(uris) = described.and_then(|parts| parts.column_by_name("blob_uri")) else { continue };
            let Some(uris) = uris.as_string_opt::<i32>() else { continue };
            for row in 0..uris.len() {
                let uri = if uris.is_null(row) { "" } else { uris.value(row) };
                // A relative URI stands below a base path, which was checked.
                if uri.contains("://") && check_uri(location, uri).is_err() {
                    outside += 1;
                }
            }
        }
    }
    (outside > 0).then(|| Note {
        severity: Severity::Warning,
        code: "outside-grant".to_owned(),
        message: format!(
            "{outside} blobs in these rows lie outside what this server may read; only their descriptors are shown"
        ),
    })
}
