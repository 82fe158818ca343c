//! The mirror of attached buckets: their names as last seen, kept as rows of ours.
//!
//! Every list and look-up of an attached bucket passes here first, so that pages, observations and REST
//! need not know whose names they show. While the other side is silent the rows stay as they were.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lakeglass_api::attached::RefusedName;
use lakeglass_api::{NamespacePath, TableName};
use lakeglass_ports::{Names, NamesError};
use sqlx::SqliteConnection;

use super::error::{Error, Result};
use super::mirrored::insert;
use super::store::{self, buckets::BucketRow};
use super::{Catalog, CatalogEvent, display};
use crate::attached;
use crate::clock;

/// The namespace that holds the tables which the other side keeps in no namespace: here tables live in one.
pub(crate) const ROOT: &str = "_root";
/// A listing is as it was for this long.
const FRESH: Duration = Duration::from_secs(2);
/// Names that are carried of one list; what follows is not shown.
const MOST: usize = 10_000;
/// How long one listing may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// New tables that are looked at at once; the sweep finds more.
const LOOKED_AT: usize = 20;
/// Refused names that are kept of one list.
const MOST_REFUSED: usize = 200;
/// Namespaces that a listing of everything walks.
const MOST_NAMESPACES: usize = 200;

/// When lists were last brought up to date.
#[derive(Debug, Default)]
pub(super) struct Fresh(Mutex<HashMap<(i64, String), Instant>>);

impl Fresh {
    fn map(&self) -> std::sync::MutexGuard<'_, HashMap<(i64, String), Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has(&self, bucket: i64, path: &str, within: Duration) -> bool {
        self.map().get(&(bucket, path.to_owned())).is_some_and(|at| at.elapsed() < within)
    }

    fn note(&self, bucket: i64, path: &str) {
        let mut map = self.map();
        if map.len() > MOST {
            map.retain(|_, at| at.elapsed() < FRESH);
        }
        map.insert((bucket, path.to_owned()), Instant::now());
    }

    fn forget(&self, bucket: i64) {
        self.map().retain(|(id, _), _| *id != bucket);
    }
}

/// What a list held.
#[derive(Debug, Default)]
struct Found {
    namespaces: BTreeSet<String>,
    tables: BTreeSet<String>,
    /// Everything was listed, so what is missing is gone.
    whole: bool,
}

/// Parts of a path as the other side has them.
pub(super) fn theirs(path: &NamespacePath) -> &[String] {
    match path.parts() {
        [only] if only == ROOT => &[],
        parts => parts,
    }
}

/// The location of an attached table's row: unique, and no place of ours.
pub(super) fn place(namespace: &str, name: &str) -> String {
    format!("{namespace}/{name}")
}

impl Catalog {
    /// The connection of an attached bucket.
    pub(super) fn live(&self, bucket: &BucketRow) -> Result<std::sync::Arc<attached::Live>> {
        Ok(self.attached.of(&bucket.name.parse().map_err(Error::internal)?)?)
    }

    /// The names behind an attached bucket.
    pub(super) async fn names(&self, bucket: &BucketRow) -> Result<std::sync::Arc<dyn Names>> {
        Ok(self.attached.names(self.live(bucket)?.as_ref()).await?)
    }

    /// Brings what is directly below a path of an attached bucket up to date. When the other side does not
    /// answer, what was seen last stays; where nothing was seen yet, that is an error. Nothing to do for
    /// managed buckets.
    pub(super) async fn refresh(&self, bucket: &BucketRow, path: &NamespacePath) -> Result<()> {
        if !bucket.is_attached() {
            return Ok(());
        }
        let dotted = theirs(path).join(".");
        if self.fresh.has(bucket.id, &dotted, FRESH) {
            return Ok(());
        }
        // One listing of a bucket at a time: those that waited find it done.
        let _turn = self.mirrors.alone(bucket.id).await;
        if self.fresh.has(bucket.id, &dotted, FRESH) {
            return Ok(());
        }
        let live = self.live(bucket)?;
        let listed = async { list(self.attached.names(&live).await?.as_ref(), theirs(path)).await };
        let listed = tokio::time::timeout(PATIENCE, listed).await;
        let listed = listed.unwrap_or(Err(NamesError::TimedOut(PATIENCE.as_secs()).into()));
        let error = match listed {
            Ok(found) => {
                self.fresh.note(bucket.id, &dotted);
                self.attached.note(&live, None).await?;
                return self.keep(bucket, theirs(path), &found).await;
            }
            Err(error) => error,
        };
        if let attached::Error::Names(cause) = &error {
            if cause.is_missing() && !dotted.is_empty() {
                let mut transaction = self.db.write.begin().await?;
                let gone = store::mirror::remove_namespace(&mut transaction, bucket.id, &dotted).await?;
                transaction.commit().await?;
                self.announce_removed(&gone);
                return Err(Error::NoSuchNamespace(display(&bucket.name, &dotted)));
            }
            self.attached.note(&live, Some(cause)).await?;
        }
        match store::mirror::listed_at(&self.db.read, bucket.id, &dotted).await? {
            Some(_) => {
                self.fresh.note(bucket.id, &dotted);
                Ok(())
            }
            // Not noted: whoever asks next must not be told that there is nothing.
            None => Err(error.into()),
        }
    }

    /// Brings a whole attached bucket up to date, within bounds, for lists over everything.
    pub(super) async fn refresh_all(&self, bucket: &BucketRow) -> Result<()> {
        let (mut next, began) = (vec![NamespacePath::root()], Instant::now());
        for _ in 0..MOST_NAMESPACES {
            if began.elapsed() > PATIENCE {
                break;
            }
            let Some(path) = next.pop() else { break };
            match self.refresh(bucket, &path).await {
                Ok(()) => {}
                // Gone, or silent: what is known stays listed.
                Err(Error::NoSuchNamespace(_) | Error::Attached(_)) => continue,
                Err(error) => return Err(error),
            }
            let children = store::mirror::children(&self.db.read, bucket.id, &path.dotted()).await?;
            next.extend(
                children.iter().filter(|leaf| *leaf != ROOT).filter_map(|leaf| path.child(leaf).ok()),
            );
        }
        Ok(())
    }

    /// Lists made from now on ask again. For after a change of names.
    pub(super) fn stale(&self, bucket: &BucketRow) {
        self.fresh.forget(bucket.id);
    }

    fn announce_removed(&self, ids: &[i64]) {
        for id in ids {
            self.announce(CatalogEvent::Removed { id: *id });
        }
    }

    /// Makes the rows below a path say what was found there.
    async fn keep(&self, bucket: &BucketRow, path: &[String], found: &Found) -> Result<()> {
        let Ok(parent) = NamespacePath::new(path.iter().cloned()) else { return Ok(()) };
        let dotted = parent.dotted();
        let (mut refused, mut made, mut gone) = (Vec::new(), Vec::new(), Vec::new());
        let mut transaction = self.db.write.begin().await?;
        if store::buckets::by_id(&mut *transaction, bucket.id).await?.is_none_or(|now| now.state != "active")
        {
            return Ok(());
        }
        let held: BTreeSet<String> =
            store::mirror::children(&mut *transaction, bucket.id, &dotted).await?.into_iter().collect();
        if !parent.is_root() {
            ensure_namespace(&mut transaction, bucket.id, &dotted).await?;
        }
        for leaf in found.namespaces.difference(&held) {
            match parent.child(leaf) {
                Ok(_) if leaf == ROOT => {
                    let reason = format!("This name stands here for tables in no namespace: {ROOT}");
                    refused.push(refusal(leaf, "namespace", &reason));
                }
                Ok(child) => {
                    ensure_namespace(&mut transaction, bucket.id, &child.dotted()).await?;
                }
                Err(error) => refused.push(refusal(leaf, "namespace", &error.to_string())),
            }
        }
        if found.whole {
            for leaf in held.difference(&found.namespaces).filter(|leaf| *leaf != ROOT) {
                let path = if dotted.is_empty() { leaf.clone() } else { format!("{dotted}.{leaf}") };
                gone.extend(store::mirror::remove_namespace(&mut transaction, bucket.id, &path).await?);
            }
        }
        let home = if parent.is_root() { ROOT.to_owned() } else { dotted.clone() };
        if parent.is_root() && found.tables.is_empty() {
            if found.whole {
                gone.extend(store::mirror::remove_namespace(&mut transaction, bucket.id, ROOT).await?);
            }
        } else {
            let namespace_id = ensure_namespace(&mut transaction, bucket.id, &home).await?;
            let mut rows: HashMap<String, i64> = store::mirror::tables(&mut transaction, namespace_id)
                .await?
                .into_iter()
                .map(|(id, name)| (name, id))
                .collect();
            for name in &found.tables {
                if rows.remove(name).is_some() {
                    continue;
                }
                match name.parse::<TableName>() {
                    Ok(_) => {
                        let id = insert(&mut transaction, bucket.id, namespace_id, &home, name, None).await?;
                        made.push(id);
                    }
                    Err(error) => refused.push(refusal(name, "table", &error.to_string())),
                }
            }
            if found.whole {
                for id in rows.into_values() {
                    store::entries::delete(&mut transaction, id).await?;
                    gone.push(id);
                }
            }
        }
        refused.truncate(MOST_REFUSED);
        let refused = serde_json::to_string(&refused).unwrap_or_else(|_| "[]".to_owned());
        store::mirror::set_listed(&mut transaction, bucket.id, &dotted, &refused, clock::now_ms()).await?;
        transaction.commit().await?;
        self.announce_removed(&gone);
        if made.len() <= LOOKED_AT {
            for id in made {
                self.announce(CatalogEvent::Written { id });
            }
        }
        Ok(())
    }
}

fn refusal(name: &str, kind: &str, reason: &str) -> RefusedName {
    RefusedName {
        namespace: String::new(),
        name: name.chars().take(200).collect(),
        kind: kind.to_owned(),
        reason: reason.to_owned(),
    }
}

/// Every name below a path, within bounds.
async fn list(names: &dyn Names, path: &[String]) -> Result<Found, attached::Error> {
    let mut found = Found { whole: true, ..Found::default() };
    let mut after: Option<String> = None;
    loop {
        let page = match names.namespaces(path, after.as_deref()).await {
            // Some have tables only.
            Err(error) if error.is_unsupported() => break,
            other => other?,
        };
        found.namespaces.extend(page.names);
        after = page.next;
        if after.is_none() {
            break;
        }
        if found.namespaces.len() >= MOST {
            found.whole = false;
            break;
        }
    }
    after = None;
    loop {
        let page = match names.tables(path, after.as_deref()).await {
            // Some have no tables outside of namespaces, and say so as an error.
            Err(NamesError::Refused { .. } | NamesError::Unsupported(_)) if path.is_empty() => break,
            Err(error) if error.is_unsupported() => break,
            other => other?,
        };
        found.tables.extend(page.names);
        after = page.next;
        if after.is_none() {
            break;
        }
        if found.tables.len() >= MOST {
            found.whole = false;
            break;
        }
    }
    Ok(found)
}

/// The id of a namespace's row, made with those above it when missing.
pub(super) async fn ensure_namespace(
    connection: &mut SqliteConnection,
    bucket_id: i64,
    dotted: &str,
) -> Result<i64> {
    if let Some(found) = store::namespaces::find(&mut *connection, bucket_id, dotted).await? {
        return Ok(found.id);
    }
    let at = clock::now_ms();
    for (end, _) in dotted.match_indices('.') {
        let above = &dotted[..end];
        if store::namespaces::find(&mut *connection, bucket_id, above).await?.is_none() {
            store::namespaces::insert(&mut *connection, bucket_id, above, "{}", at).await?;
        }
    }
    Ok(store::namespaces::insert(connection, bucket_id, dotted, "{}", at).await?)
}
