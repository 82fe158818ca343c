//! Committing versions that a client staged: its manifest is checked, then put in its place if nothing
//! is there. The put is what decides between writers; everything before it only refuses early.

use bytes::Bytes;
use lakeglass_ports::{Error, ManifestNaming, NewVersion, Result, TableLocation, VersionRecord};
use lance_table::format::Manifest;
use lance_table::io::commit::ManifestNamingScheme;
use lance_table::io::manifest::read_manifest;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStoreExt, PutMode, PutOptions};

use super::place::{Place, named, record};
use crate::confine;
use crate::error::store;
use crate::open::Lake;

/// The largest manifest that is taken, in bytes. One of a million files has about 200 MB.
const LARGEST: u64 = 256 << 20;
/// What a manifest's file ends with.
const MAGIC: &[u8] = b"LANC";
/// Position of the manifest in its file (8 bytes), version (4), magic (4).
const TRAILER: usize = 16;
/// The manifest begins with its length.
const LENGTH: usize = 4;

/// A staged manifest, read and checked.
struct Staged {
    bytes: Bytes,
    target: Path,
}

pub(crate) async fn check(lake: &Lake, location: &TableLocation, new: &NewVersion) -> Result<()> {
    let place = Place::of(lake, location, new.branch.as_deref()).await?;
    staged(location, &place, new).await.map(drop)
}

pub(crate) async fn create(lake: &Lake, location: &TableLocation, new: &NewVersion) -> Result<VersionRecord> {
    let place = Place::of(lake, location, new.branch.as_deref()).await?;
    let staged = staged(location, &place, new).await?;
    let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
    let put = place.store.inner.put_opts(&staged.target, staged.bytes.into(), options).await;
    put.map_err(store)?;
    let meta = place.store.inner.head(&staged.target).await.map_err(store)?;
    Ok(record(new.version, &meta))
}

pub(crate) async fn withdraw(
    lake: &Lake,
    location: &TableLocation,
    branch: Option<&str>,
    version: u64,
) -> Result<bool> {
    let place = Place::of(lake, location, branch).await?;
    let found = place.found().await?;
    match found.last() {
        Some(newest) if newest.version == version => {
            place.store.inner.delete(newest.path()).await.map_err(store)?;
            Ok(true)
        }
        Some(newest) if newest.version > version => Ok(false),
        _ => Ok(true),
    }
}

pub(crate) async fn clear(lake: &Lake, location: &TableLocation, new: &NewVersion) -> Result<()> {
    let place = Place::of(lake, location, new.branch.as_deref()).await?;
    let path = inside(location, &place, &new.manifest_path)?;
    // A manifest that stands in its place is no staged one, whoever names it.
    if path.filename().is_some_and(|name| ManifestNamingScheme::detect_scheme(name).is_some()) {
        return Ok(());
    }
    match place.store.inner.delete(&path).await {
        Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(store(error)),
    }
}

async fn staged(location: &TableLocation, place: &Place, new: &NewVersion) -> Result<Staged> {
    if lance_table::format::is_detached_version(new.version) {
        return Err(wrong("A version below 9223372036854775808 is needed; larger ones are detached"));
    }
    let found = place.found().await?;
    let newest = found.last();
    if found.binary_search_by_key(&new.version, |one| one.version).is_ok() {
        return Err(Error::Conflict);
    }
    let next = newest.map_or(1, |newest| newest.version + 1);
    if new.version != next {
        return Err(wrong(format!("The next version is {next}; versions follow one another")));
    }
    let asked = new.naming.map(|naming| match naming {
        ManifestNaming::V1 => ManifestNamingScheme::V1,
        ManifestNaming::V2 => ManifestNamingScheme::V2,
    });
    let naming = match (newest.map(|newest| newest.naming), asked) {
        (Some(own), Some(asked)) if own != asked => {
            return Err(wrong("The table's other manifests are named by the other scheme; use theirs"));
        }
        (own, asked) => own.or(asked).unwrap_or(ManifestNamingScheme::V2),
    };
    let path = inside(location, place, &new.manifest_path)?;
    let meta = place.store.inner.head(&path).await.map_err(|error| match error {
        object_store::Error::NotFound { .. } => wrong("There is no file at manifest_path"),
        other => store(other),
    })?;
    check_file(new, &meta)?;
    let bytes = place.store.inner.get(&path).await.map_err(store)?.bytes().await.map_err(store)?;
    check_trailer(&bytes)?;
    let manifest = read_manifest(&place.store, &path, Some(bytes.len() as u64))
        .await
        .map_err(|_| wrong("The file at manifest_path is not a manifest"))?;
    check_manifest(location, new, &manifest)?;
    Ok(Staged { bytes, target: naming.manifest_path(&place.branch, new.version) })
}

/// The staged file's path from the root of its store, if it lies below the table's folder.
fn inside(location: &TableLocation, place: &Place, given: &str) -> Result<Path> {
    let outside = || wrong("manifest_path must lie inside the table's own location");
    let given = match given.strip_prefix(&location.uri) {
        Some(rest) => format!("{}{rest}", place.table),
        None if given.contains("://") => return Err(outside()),
        None => given.trim_start_matches('/').to_owned(),
    };
    let path = Path::parse(&given).map_err(|_| outside())?;
    let rest = if path.prefix_matches(&place.table) {
        path.as_ref().strip_prefix(place.table.as_ref()).unwrap_or_default()
    } else if given.starts_with("_versions/") || given.starts_with("tree/") {
        path.as_ref()
    } else {
        return Err(outside());
    };
    let rest = rest.trim_start_matches('/');
    confine::check_below(location, rest)?;
    Path::parse(format!("{}/{rest}", place.table)).map_err(|_| outside())
}

fn check_file(new: &NewVersion, meta: &ObjectMeta) -> Result<()> {
    if meta.size > LARGEST {
        return Err(Error::Quota(format!("a manifest of {LARGEST} bytes")));
    }
    if new.manifest_size.is_some_and(|size| size != meta.size) {
        return Err(wrong("The file at manifest_path is not of the size that manifest_size says"));
    }
    let tags = (new.e_tag.as_deref(), meta.e_tag.as_deref());
    if let (Some(given), Some(own)) = tags
        && given.trim_matches('"') != own.trim_matches('"')
    {
        return Err(wrong("The file at manifest_path is not the one that e_tag says"));
    }
    Ok(())
}

/// What Lance's reader takes for granted.
fn check_trailer(bytes: &[u8]) -> Result<()> {
    let bad = || wrong("The file at manifest_path is not a manifest");
    let trailer = bytes.len().checked_sub(TRAILER).and_then(|at| bytes.get(at..)).ok_or_else(bad)?;
    let position = trailer.first_chunk::<8>().map(|bytes| i64::from_le_bytes(*bytes)).ok_or_else(bad)?;
    let fits = usize::try_from(position).is_ok_and(|position| position + LENGTH + TRAILER <= bytes.len());
    if fits && trailer.ends_with(MAGIC) { Ok(()) } else { Err(bad()) }
}

fn check_manifest(location: &TableLocation, new: &NewVersion, manifest: &Manifest) -> Result<()> {
    if manifest.version != new.version {
        return Err(wrong(format!(
            "The manifest at manifest_path is of version {}, not {}",
            manifest.version, new.version
        )));
    }
    if named(manifest.branch.as_deref()) != named(new.branch.as_deref()) {
        return Err(wrong("The manifest at manifest_path is of another branch"));
    }
    confine::check_manifest(location, manifest)
}

fn wrong(rule: impl Into<String>) -> Error {
    Error::InvalidRequest(rule.into())
}
