//! Finds tables in a bucket and gives them names.
//!
//! Objects are listed as a stream and matched against the formats' claims by path alone; what matches
//! is shown to the describer, which decides. Memory is bounded by the number of candidates, reads by
//! what a describer may read to detect.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use lakeglass_api::catalog::Properties;
use lakeglass_api::formats::{ScanReport, Skipped};
use lakeglass_api::jobs::Job;
use lakeglass_api::{BucketName, FormatId, NamespacePath, Role, TableRef};
use lakeglass_ports::{Candidate, Detection, FormatInfo, TableLocation};

use super::claims::sign_of;
use super::error::{Error, Result};
use super::{Formats, naming, scan_job};
use crate::auth::Actor;
use crate::catalog::NamespaceMode;
use crate::jobs::JobRun;
use crate::storage::relative;

/// A bucket with at most so many objects and candidates is scanned within the request.
const AT_ONCE_OBJECTS: u64 = 2_000;
const AT_ONCE_CANDIDATES: usize = 100;
/// Candidates that one scan holds.
const MAX_CANDIDATES: usize = 50_000;
/// Objects of a folder that a describer is shown.
const SHOWN_OBJECTS: usize = 1_000;
/// Entries of each list in a report.
const LISTED: usize = 200;
const DETECT_TIME: Duration = Duration::from_secs(15);

/// What a request for a scan led to.
#[derive(Debug)]
pub enum Scanned {
    /// The bucket is small: this is what was found.
    Report(ScanReport),
    /// It is large: this job scans it, and its log says what it skipped.
    Job(Box<Job>),
}

/// A folder or object that may be a table.
#[derive(Debug)]
struct Sighting {
    single: bool,
    size: u64,
}

/// What listing a bucket brought.
#[derive(Debug, Default)]
struct Sightings {
    by_path: BTreeMap<String, Sighting>,
    objects: u64,
    complete: bool,
}

impl Formats {
    /// Finds tables of the bucket's format below its root and registers them: at once in a small
    /// bucket, else by a job. Needs the editor role in the bucket.
    pub async fn scan(&self, actor: &Actor, bucket: &BucketName) -> Result<Scanned> {
        let (format, root) = self.catalog.root_of(actor, bucket, Role::Editor).await?;
        let wanted = self.wanted(format.as_ref()).await?;
        let seen = look(&root, &wanted, AT_ONCE_OBJECTS, None).await?;
        if seen.complete && seen.by_path.len() <= AT_ONCE_CANDIDATES {
            return Ok(Scanned::Report(self.register(actor, bucket, &root, &wanted, seen, None).await?));
        }
        let nothing = serde_json::Value::Null;
        let job = self.jobs.start(actor, scan_job::NAME, bucket.as_str(), nothing).await?;
        Ok(Scanned::Job(Box::new(job)))
    }

    /// The same as a job, over at most `max_objects`.
    pub(super) async fn scan_all(&self, run: &JobRun, bucket: &BucketName) -> Result<ScanReport> {
        let (format, root) = self.catalog.root_of(&run.actor, bucket, Role::Editor).await?;
        let wanted = self.wanted(format.as_ref()).await?;
        let most = run.integer(scan_job::MAX_OBJECTS).unsigned_abs();
        let seen = look(&root, &wanted, most, Some(run)).await?;
        self.register(&run.actor, bucket, &root, &wanted, seen, Some(run)).await
    }

    /// The formats to look for: the bucket's, or all that are served when it has none.
    async fn wanted(&self, format: Option<&FormatId>) -> Result<Vec<FormatInfo>> {
        match format {
            None => Ok(self.served().await),
            Some(format) => {
                let info = self.info(format).await.ok_or_else(|| Error::Unserved(format.clone()))?;
                Ok(vec![info])
            }
        }
    }

    async fn register(
        &self,
        actor: &Actor,
        bucket: &BucketName,
        root: &TableLocation,
        wanted: &[FormatInfo],
        seen: Sightings,
        run: Option<&JobRun>,
    ) -> Result<ScanReport> {
        let mut report =
            ScanReport { objects: seen.objects, complete: seen.complete, ..ScanReport::default() };
        let total = seen.by_path.len() as u64;
        let mut names: HashMap<TableRef, String> = HashMap::new();
        for (done, (path, sighting)) in seen.by_path.into_iter().enumerate() {
            if let Some(run) = run {
                stopped(run)?;
                run.progress(done as u64, Some(total), "candidates", "Registering").await;
            }
            let outcome = match naming::table_at(bucket, &path) {
                Err(reason) => Outcome::Skipped(reason),
                Ok(table) => {
                    if let Some(first) = names.get(&table) {
                        Outcome::Skipped(format!("{first} has the same name in the catalog"))
                    } else {
                        names.insert(table.clone(), path.clone());
                        self.consider(actor, &table, root, &path, &sighting, wanted).await?
                    }
                }
            };
            match outcome {
                Outcome::Registered(name) => {
                    report.registered_count += 1;
                    if report.registered.len() < LISTED {
                        report.registered.push(name);
                    }
                }
                Outcome::Known => report.known_count += 1,
                Outcome::Skipped(reason) => {
                    if let Some(run) = run {
                        run.log(format!("Skipped {path:?}: {reason}")).await;
                    }
                    report.skipped_count += 1;
                    if report.skipped.len() < LISTED {
                        report.skipped.push(Skipped { path, reason });
                    }
                }
            }
        }
        if let Some(run) = run {
            run.progress(total, Some(total), "candidates", "Done").await;
        }
        Ok(report)
    }

    /// One candidate: known, registered, or passed over with a reason.
    async fn consider(
        &self,
        actor: &Actor,
        table: &TableRef,
        root: &TableLocation,
        path: &str,
        sighting: &Sighting,
        wanted: &[FormatInfo],
    ) -> Result<Outcome> {
        use crate::catalog::Error as Refusal;
        let location = below(root, path);
        let Some(location) = location else {
            return Ok(Outcome::Skipped("Its path cannot be used as a location".to_owned()));
        };
        match self.catalog.table(actor, table).await {
            Ok(held) if held.location == location.uri => return Ok(Outcome::Known),
            Ok(_) => return Ok(Outcome::Skipped("Another table has its name in the catalog".to_owned())),
            Err(Refusal::NoSuchTable(_) | Refusal::NoSuchNamespace(_)) => {}
            Err(error) => return Err(error.into()),
        }
        let format = match self.detect(location, sighting, wanted).await? {
            Ok(detection) => detection.format,
            Err(reason) => return Ok(Outcome::Skipped(reason)),
        };
        for depth in 1..=table.namespace.parts().len() {
            let parts = table.namespace.parts()[..depth].iter().cloned();
            let Ok(namespace) = NamespacePath::new(parts) else { continue };
            let mode = NamespaceMode::ExistOk;
            self.catalog.create_namespace(actor, &table.bucket, &namespace, Properties::new(), mode).await?;
        }
        match self.catalog.register_found(actor, table, path, &format).await {
            Ok(_) => Ok(Outcome::Registered(format!("{}/{}", table.namespace, table.table))),
            Err(
                refusal @ (Refusal::Overlaps(_)
                | Refusal::TableExists { .. }
                | Refusal::NamespaceExists { .. }
                | Refusal::State(_)
                | Refusal::Busy(_)
                | Refusal::Invalid { .. }
                | Refusal::WrongFormat { .. }
                | Refusal::Storage(_)),
            ) => Ok(Outcome::Skipped(refusal.to_string())),
            Err(error) => Err(error.into()),
        }
    }

    /// The surest answer of the wanted formats' describers, or why there is none.
    async fn detect(
        &self,
        location: TableLocation,
        sighting: &Sighting,
        wanted: &[FormatInfo],
    ) -> Result<Result<Detection, String>> {
        let (objects, folders) = if sighting.single {
            let name = location.prefix.filename().unwrap_or_default().to_owned();
            (vec![(name, sighting.size)], Vec::new())
        } else {
            first_level(&location).await?
        };
        let candidate = Candidate { location, objects, folders };
        let mut best: Option<Detection> = None;
        let mut trouble = None;
        let mut asked = BTreeSet::new();
        for info in wanted {
            let Some(describer) = self.describer(&info.id).await else { continue };
            if !asked.insert(describer.observer()) {
                continue;
            }
            match tokio::time::timeout(DETECT_TIME, describer.detect(&candidate)).await {
                Ok(Ok(answers)) => {
                    let fitting =
                        answers.into_iter().filter(|one| wanted.iter().any(|info| info.id == one.format));
                    best = best.into_iter().chain(fitting).max_by_key(|one| one.confidence);
                }
                Ok(Err(error)) => trouble = Some(error.to_string()),
                Err(_) => trouble = Some("It took too long to look at".to_owned()),
            }
        }
        Ok(best.filter(|best| best.confidence > 0).ok_or_else(|| {
            trouble.unwrap_or_else(|| {
                let titles: Vec<String> = wanted.iter().map(|info| self.title(&info.id)).collect();
                format!("It is not a table of {}", titles.join(" or "))
            })
        }))
    }
}

enum Outcome {
    Registered(String),
    Known,
    Skipped(String),
}

/// Lists at most `most` objects and keeps what they are signs of.
async fn look(
    root: &TableLocation,
    wanted: &[FormatInfo],
    most: u64,
    run: Option<&JobRun>,
) -> Result<Sightings> {
    let mut seen = Sightings { complete: true, ..Sightings::default() };
    let mut objects = root.store.list(Some(&root.prefix));
    while let Some(object) = objects.next().await {
        let object = match object {
            Ok(object) => object,
            // A bucket into which nothing was put has no folder yet.
            Err(object_store::Error::NotFound { .. }) => continue,
            Err(error) => return Err(Error::Listing(error)),
        };
        if seen.objects >= most || seen.by_path.len() >= MAX_CANDIDATES {
            seen.complete = false;
            break;
        }
        seen.objects += 1;
        if let Some(run) = run.filter(|_| seen.objects.is_multiple_of(500)) {
            stopped(run)?;
            run.progress(seen.objects, None, "objects", "Listing").await;
        }
        let whole = object.location.as_ref();
        let path = whole.strip_prefix(root.prefix.as_ref()).unwrap_or(whole).trim_start_matches('/');
        for info in wanted {
            let Some(sign) = sign_of(info, path) else { continue };
            if sign.single && path.split('/').any(|part| part.starts_with(['.', '_'])) {
                continue;
            }
            seen.by_path
                .entry(sign.path.to_owned())
                .or_insert(Sighting { single: sign.single, size: object.size });
        }
    }
    // What lies inside a table's folder belongs to that table. In order of path a folder stands
    // before what it holds, though not always right before it.
    let trees: Vec<String> =
        seen.by_path.iter().filter(|(_, found)| !found.single).map(|(path, _)| path.clone()).collect();
    seen.by_path.retain(|path, _| {
        !ancestors(path).any(|folder| trees.binary_search_by(|tree| tree.as_str().cmp(folder)).is_ok())
    });
    Ok(seen)
}

/// The folders above a path, the root (`""`) included.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let inner = path.match_indices('/').map(|(at, _)| &path[..at]);
    std::iter::once("").filter(move |_| !path.is_empty()).chain(inner)
}

/// The first objects and folders directly inside a folder.
async fn first_level(location: &TableLocation) -> Result<(Vec<(String, u64)>, Vec<String>)> {
    let mut objects = Vec::new();
    let mut folders = BTreeSet::new();
    let mut listing = location.store.list(Some(&location.prefix)).take(SHOWN_OBJECTS);
    while let Some(object) = listing.try_next().await.map_err(Error::Listing)? {
        let whole = object.location.as_ref();
        let Some(path) = whole.strip_prefix(location.prefix.as_ref()) else { continue };
        match path.trim_start_matches('/').split_once('/') {
            Some((folder, _)) => {
                folders.insert(folder.to_owned());
            }
            None => objects.push((path.trim_start_matches('/').to_owned(), object.size)),
        }
    }
    Ok((objects, folders.into_iter().collect()))
}

/// A place below the bucket's root, with the bucket's grants; none for a path that no table may have.
fn below(root: &TableLocation, path: &str) -> Option<TableLocation> {
    relative::check(path).ok()?;
    let prefix = relative::join(root.prefix.as_ref(), path);
    Some(TableLocation {
        uri: relative::append(&root.uri, path),
        options: root.options.clone(),
        store: Arc::clone(&root.store),
        prefix: object_store::path::Path::parse(prefix).ok()?,
        grants: Arc::clone(&root.grants),
    })
}

fn stopped(run: &JobRun) -> Result<()> {
    if run.cancelled().is_cancelled() { Err(Error::Stopped) } else { Ok(()) }
}
