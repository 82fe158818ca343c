//! What the catalog asks of connections: making, changing and checking them, and opening what is behind.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::HeaderName;
use lakeglass_api::attached::{Connection, Health, RefusedName, UpstreamCall};
use lakeglass_api::catalog::Backing;
use lakeglass_api::{BucketName, Role};
use lakeglass_ports::{Grant, Names, NamesError, Placed, TableLocation};
use sqlx::SqliteConnection;

use super::error::{Error, Result};
use super::live::Live;
use super::settings::{NewConnection, Prepared, SecretChange, header_value};
use super::store::{self, Row};
use super::upstream::{Reached, Upstream};
use super::{Attached, directory};
use crate::clock;

/// Refused names that a connection shows.
const MOST_REFUSED: usize = 200;
/// Vended options that are no secret.
const OPEN_OPTIONS: [&str; 12] = [
    "allow_http",
    "aws_allow_http",
    "aws_endpoint",
    "aws_endpoint_url",
    "aws_region",
    "aws_virtual_hosted_style_request",
    "endpoint",
    "endpoint_url",
    "expires_at_millis",
    "region",
    "timeout",
    "virtual_hosted_style_request",
];

impl Attached {
    /// Checks what an admin wants, addresses and storage included. Asks nothing of the catalog yet.
    pub(crate) async fn prepare(&self, new: &NewConnection) -> Result<Prepared> {
        let mut prepared = Prepared::check(new)?;
        let storage = new.storage.as_deref().filter(|name| !name.is_empty());
        if let Some(name) = storage {
            prepared.storage_id = Some(self.inner.storages.find(name).await?.0);
        }
        match new.backing {
            Backing::Managed => return Err(Error::invalid("backing", "Attach an upstream or a directory")),
            Backing::Upstream => {
                let text = new.url.as_deref().map(str::trim).filter(|text| !text.is_empty());
                let text = text.ok_or_else(|| {
                    Error::invalid("url", "Say where its REST API is, such as http://127.0.0.1:9101")
                })?;
                let text = text.trim_end_matches('/');
                let text = text.strip_suffix("/v1").unwrap_or(text);
                prepared.url = Some(self.inner.storages.check_url("url", text).await?);
            }
            Backing::Directory => {
                if prepared.storage_id.is_none() {
                    return Err(Error::invalid("storage", "Name the storage that the directory is in"));
                }
                if prepared.prefix.is_none() {
                    return Err(Error::invalid("prefix", "Name the folder or prefix in the storage"));
                }
            }
        }
        Ok(prepared)
    }

    /// Keeps a connection in the transaction that makes its bucket.
    pub(crate) async fn insert(
        &self,
        connection: &mut SqliteConnection,
        bucket_id: i64,
        prepared: &Prepared,
    ) -> Result<()> {
        let kept = Kept::of(prepared);
        let at = clock::now_ms();
        store::insert(&mut *connection, bucket_id, &kept.set(prepared), at).await?;
        self.set_secret(connection, bucket_id, &prepared.secret, at).await
    }

    /// Changes a connection. The catalog is asked nothing.
    pub(crate) async fn update(
        &self,
        connection: &mut SqliteConnection,
        bucket_id: i64,
        prepared: &Prepared,
    ) -> Result<()> {
        let kept = Kept::of(prepared);
        store::update(&mut *connection, bucket_id, &kept.set(prepared)).await?;
        self.set_secret(connection, bucket_id, &prepared.secret, clock::now_ms()).await
    }

    async fn set_secret(
        &self,
        connection: &mut SqliteConnection,
        bucket_id: i64,
        change: &SecretChange,
        at: i64,
    ) -> Result<()> {
        let sealed = match change {
            SecretChange::Keep => return Ok(()),
            SecretChange::Remove => None,
            SecretChange::Set(value) => {
                let sealed = self.inner.secrets.seal(&seal_row(bucket_id), "secret", value.as_bytes());
                Some(sealed.map_err(|_| Error::Secret)?)
            }
        };
        Ok(store::set_secret(connection, bucket_id, sealed.as_deref(), at).await?)
    }

    /// Takes up a connection that was made or changed just now. What was learned about it stays.
    pub(crate) async fn adopt(&self, bucket_id: i64) -> Result<Arc<Live>> {
        let row = store::by_id(&self.inner.db.read, bucket_id).await?;
        let row = row.ok_or_else(|| NamesError::internal("a connection vanished"))?;
        let live = Arc::new(self.enliven(row)?);
        self.map().insert(live.bucket.clone(), Arc::clone(&live));
        Ok(live)
    }

    /// Lets go of a bucket's connection. Its rows go with the bucket's.
    pub(crate) fn release(&self, bucket: &BucketName) {
        self.map().remove(bucket);
    }

    pub(super) fn enliven(&self, row: Row) -> Result<Live> {
        let bucket: BucketName = row.bucket.parse().map_err(NamesError::internal)?;
        let before = self.find(&bucket).filter(|live| live.bucket_id == row.bucket_id);
        let (breaker, calls) =
            before.map(|live| (Arc::clone(&live.breaker), Arc::clone(&live.calls))).unwrap_or_default();
        breaker.reset();
        let upstream = row.url.as_ref().map(|url| {
            self.reach(&row, url).map(|(url, header)| {
                Arc::new(Upstream::new(Reached {
                    url,
                    parent: serde_json::from_str(&row.parent).unwrap_or_default(),
                    delimiter: row.delimiter.clone(),
                    header,
                    client: self.inner.client.clone(),
                    storages: self.inner.storages.clone(),
                    breaker: Arc::clone(&breaker),
                    calls: Arc::clone(&calls),
                    instance: self.inner.instance.clone(),
                }))
            })
        });
        Ok(Live::new(row, bucket, upstream, breaker, calls))
    }

    /// URL and credentials of an upstream; an error when they cannot be read.
    fn reach(&self, row: &Row, url: &str) -> Result<(url::Url, Option<(HeaderName, http::HeaderValue)>), ()> {
        let url = url::Url::parse(url).map_err(drop)?;
        let Some(sealed) = &row.secret else { return Ok((url, None)) };
        let plain = self.inner.secrets.open(&seal_row(row.bucket_id), "secret", sealed).map_err(drop)?;
        let value = header_value(std::str::from_utf8(&plain).map_err(drop)?).map_err(drop)?;
        let name = row.header.as_deref().unwrap_or("authorization");
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(drop)?;
        Ok((url, Some((name, value))))
    }

    /// The names behind a connection.
    pub(crate) async fn names(&self, live: &Live) -> Result<Arc<dyn Names>> {
        match live.backing {
            Backing::Directory => {
                let storage_id = live.row.storage_id.ok_or(Error::NoLocation)?;
                directory::names(self.inner.storages.locate_root(storage_id, &live.row.root).await?)
            }
            _ => Ok(Arc::clone(live.upstream()?) as Arc<dyn Names>),
        }
    }

    /// Asks for one page of names at the top. [`Error::Check`] says why the catalog cannot be used.
    pub(crate) async fn check(&self, live: &Live) -> Result<()> {
        live.breaker.reset();
        let names = self.names(live).await?;
        let outcome = match names.namespaces(&[], None).await {
            Err(error) if error.is_unsupported() => names.tables(&[], None).await,
            other => other,
        };
        let error = outcome.err();
        self.note(live, error.as_ref()).await?;
        store::set_checked(&self.inner.db.write, live.bucket_id, clock::now_ms()).await?;
        match error {
            None => Ok(()),
            Some(error) => Err(Error::Check(error.to_string())),
        }
    }

    /// Keeps that a catalog answered just now, or why it did not.
    pub(crate) async fn note(&self, live: &Live, error: Option<&NamesError>) -> Result<()> {
        let text = error.map(ToString::to_string);
        let answered = error.is_none().then(clock::now_ms);
        Ok(store::set_seen(&self.inner.db.write, live.bucket_id, answered, text.as_deref()).await?)
    }

    /// A table's place, as said a moment ago or asked for now.
    pub(crate) async fn placed(&self, live: &Live, parent: &[String], name: &str) -> Result<Arc<Placed>> {
        let table: Vec<String> = parent.iter().cloned().chain([name.to_owned()]).collect();
        if let Some(known) = live.recall(&table) {
            return Ok(known.placed);
        }
        let placed = Arc::new(self.names(live).await?.table(parent, name).await?);
        live.remember(table, Arc::clone(&placed), None);
        Ok(placed)
    }

    /// A table opened: with the storage named for the connection, else with what was vended for it.
    pub(crate) async fn locate(&self, live: &Live, parent: &[String], name: &str) -> Result<TableLocation> {
        let table: Vec<String> = parent.iter().cloned().chain([name.to_owned()]).collect();
        if let Some(location) = live.recall(&table).and_then(|known| known.location) {
            return Ok(location);
        }
        let placed = self.placed(live, parent, name).await?;
        let uri = placed.location.as_deref().ok_or(Error::NoLocation)?;
        let location = self.open_at(live, uri, &placed.options).await?;
        live.remember(table, placed, Some(location.clone()));
        Ok(location)
    }

    async fn open_at(
        &self,
        live: &Live,
        uri: &str,
        vended: &BTreeMap<String, String>,
    ) -> Result<TableLocation> {
        let granted = live.roots.is_empty() || live.roots.iter().any(|root| Grant::new(root).covers(uri));
        if let Some(storage_id) = live.row.storage_id
            && granted
            && let Some(found) = self.inner.storages.locate_uri(storage_id, uri).await?
        {
            return Ok(found);
        }
        let found = self.inner.storages.locate_vended(uri, vended, &live.roots, &live.endpoints).await?;
        found.ok_or_else(|| Error::NotGranted(uri.to_owned()))
    }

    /// What a client of this role may be given of vended options: nothing below reader, and the keys only
    /// where an admin marked them as vendable.
    pub(crate) fn for_client(
        live: &Live,
        role: Role,
        vended: &BTreeMap<String, String>,
    ) -> BTreeMap<String, String> {
        if role < Role::Reader {
            return BTreeMap::new();
        }
        let open = |key: &str| live.row.vend || OPEN_OPTIONS.contains(&key.to_ascii_lowercase().as_str());
        vended.iter().filter(|(key, _)| open(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    /// Keeps whether the other side has an operation.
    pub(crate) async fn learn(&self, live: &Live, operation: &str, has: bool) {
        if !live.learn(operation, has) {
            return;
        }
        let text = serde_json::to_string(&live.support()).unwrap_or_else(|_| "{}".to_owned());
        if let Err(error) = store::set_support(&self.inner.db.write, live.bucket_id, &text).await {
            tracing::warn!(bucket = %live.bucket, %error, "what an upstream has could not be kept");
        }
    }

    pub(crate) async fn health(&self, live: &Live) -> Result<Health> {
        let seen = live.breaker.seen();
        let row = store::by_id(&self.inner.db.read, live.bucket_id).await?;
        let (answered, error) = row.map(|row| (row.answered_at, row.error)).unwrap_or_default();
        let secret = matches!(live.upstream, Some(Err(()))).then(|| Error::Secret.to_string());
        Ok(Health {
            reach: seen.reach,
            cause: secret.or(seen.cause).or(error),
            since_ms: seen.since_ms,
            answered_at_ms: seen.answered_ms.max(answered),
            listed_at_ms: store::listed_at(&self.inner.db.read, live.bucket_id).await?,
            breaker: seen.breaker,
        })
    }

    /// Where the catalog is, for people.
    pub(crate) fn address(live: &Live) -> String {
        live.row.url.clone().unwrap_or_else(|| live.row.root.clone())
    }

    /// The newest calls, at most `limit`.
    pub(crate) fn calls(live: &Live, limit: usize) -> Vec<UpstreamCall> {
        live.calls.newest(limit)
    }

    /// The settings, without the credentials.
    pub(crate) async fn shown(&self, live: &Live) -> Result<Connection> {
        let row = store::by_id(&self.inner.db.read, live.bucket_id).await?;
        let row = row.ok_or_else(|| Error::NotAttached(live.bucket.clone()))?;
        let mut refused = Vec::new();
        for (path, text) in store::refused(&self.inner.db.read, live.bucket_id).await? {
            let names: Vec<RefusedName> = serde_json::from_str(&text).unwrap_or_default();
            refused.extend(names.into_iter().map(|name| RefusedName { namespace: path.clone(), ..name }));
        }
        refused.truncate(MOST_REFUSED);
        let directory = live.backing == Backing::Directory;
        Ok(Connection {
            bucket: live.bucket.clone(),
            backing: live.backing,
            url: row.url,
            parent: serde_json::from_str(&row.parent).unwrap_or_default(),
            delimiter: row.delimiter,
            header: row.secret_set_at.and(row.header),
            secret_set_at_ms: row.secret_set_at,
            storage: row.storage,
            prefix: directory.then_some(row.root),
            roots: live.roots.clone(),
            endpoints: live.endpoints.clone(),
            vend: row.vend,
            support: live.support(),
            checked_at_ms: row.checked_at,
            created_at_ms: row.created_at,
            health: self.health(live).await?,
            refused,
        })
    }
}

fn seal_row(bucket_id: i64) -> String {
    format!("connections/{bucket_id}")
}

/// Lists as they are stored.
struct Kept {
    url: Option<String>,
    parent: String,
    roots: String,
    endpoints: String,
}

impl Kept {
    fn of(prepared: &Prepared) -> Self {
        let list = |list: &[String]| serde_json::to_string(list).unwrap_or_else(|_| "[]".to_owned());
        Self {
            url: prepared.url.as_ref().map(|url| url.as_str().trim_end_matches('/').to_owned()),
            parent: list(&prepared.parent),
            roots: list(&prepared.roots),
            endpoints: list(&prepared.endpoints),
        }
    }

    fn set<'a>(&'a self, prepared: &'a Prepared) -> store::Set<'a> {
        store::Set {
            url: self.url.as_deref(),
            parent: &self.parent,
            delimiter: &prepared.delimiter,
            header: prepared.header.as_ref().map(HeaderName::as_str),
            storage_id: prepared.storage_id,
            roots: &self.roots,
            endpoints: &self.endpoints,
            vend: prepared.vend,
        }
    }
}
