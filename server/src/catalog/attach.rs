//! Attaching catalogs that exist elsewhere as buckets, and letting go of them. Their data is never touched.

use lakeglass_api::attached::{Connection, UpstreamCall};
use lakeglass_api::catalog::{Backing, Bucket};
use lakeglass_api::{BucketName, FormatId, Role};

use super::error::{Error, Result};
use super::store::{self, buckets::BucketRow};
use super::{Catalog, CatalogEvent, NewBucket, layout};
use crate::attached::{self, Attached, NewConnection, Prepared, SecretChange};
use crate::auth::Actor;
use crate::clock;
use crate::storage;

/// Calls that are shown at most.
const MOST_CALLS: usize = 500;

impl Catalog {
    /// Attaches a catalog as a bucket, once it answers. Needs the admin role on the server: it decides by
    /// which addresses and keys this server reads.
    pub async fn attach_bucket(
        &self,
        actor: &Actor,
        new: NewBucket,
        connection: NewConnection,
    ) -> Result<Bucket> {
        actor.require_server(Role::Admin)?;
        layout::check_properties(&new.properties)?;
        layout::check_description(&new.description)?;
        if new.format.as_ref().is_some_and(|format| *format != FormatId::lance()) {
            return Err(Error::invalid("format", "An attached catalog holds Lance tables"));
        }
        let prepared = self.attached.prepare(&connection).await?;
        let row = BucketRow {
            id: 0,
            name: new.name.to_string(),
            format: Some(FormatId::lance().to_string()),
            backing: backing_word(prepared.backing).to_owned(),
            storage_id: self.storage_for(&prepared).await?,
            root: root_for(&new.name, &prepared),
            description: new.description,
            properties: store::to_text(&new.properties),
            protected: false,
            state: "active".to_owned(),
            created_at: clock::now_ms(),
        };
        let mut transaction = self.db.write.begin().await?;
        if store::buckets::name_taken(&mut transaction, &new.name).await? {
            return Err(Error::BucketExists(new.name));
        }
        if let Some(other) = store::buckets::overlapping(&mut transaction, row.storage_id, &row.root).await? {
            return Err(Error::Overlaps(format!("the bucket {other}")));
        }
        let id = store::buckets::insert(&mut transaction, &row).await?;
        self.attached.insert(&mut transaction, id, &prepared).await?;
        transaction.commit().await?;
        let live = self.attached.adopt(id).await?;
        if let Err(error) = self.attached.check(&live).await {
            self.let_go(&new.name, id).await?;
            return Err(error.into());
        }
        self.attached.probe(&live).await;
        let detail =
            serde_json::json!({ "backing": row.backing, "url": prepared.url.as_ref().map(url::Url::as_str) });
        self.record(actor, "bucket.attach", new.name.as_str(), detail).await;
        self.bucket(actor, &new.name).await
    }

    /// The storage row that an attached bucket refers to.
    async fn storage_for(&self, prepared: &Prepared) -> Result<i64> {
        match prepared.storage_id {
            Some(id) => Ok(id),
            None => Ok(self.storages.find(storage::DEFAULT).await?.0),
        }
    }

    /// The connection of an attached bucket. Needs the admin role in the bucket.
    pub async fn connection(&self, actor: &Actor, name: &BucketName) -> Result<Connection> {
        self.bucket_row(actor, name, Role::Admin).await?;
        Ok(self.attached.shown(self.attached.of(name)?.as_ref()).await?)
    }

    /// Changes a connection. Needs the admin role on the server. Credentials do not follow to another
    /// address by themselves.
    pub async fn change_connection(
        &self,
        actor: &Actor,
        name: &BucketName,
        mut connection: NewConnection,
    ) -> Result<Connection> {
        actor.require_server(Role::Admin)?;
        let row = self.bucket_row(actor, name, Role::Admin).await?;
        let live = self.attached.of(name)?;
        let before = self.attached.shown(&live).await?;
        connection.backing = before.backing;
        if before.backing == Backing::Directory {
            // Other names would be another bucket.
            connection.prefix = before.prefix;
            connection.storage = before.storage;
        }
        let prepared = self.attached.prepare(&connection).await?;
        let origin = |text: &str| url::Url::parse(text).ok().map(|url| url.origin());
        let moved = before.url.as_deref().and_then(origin) != prepared.url.as_ref().map(url::Url::origin);
        if moved && before.secret_set_at_ms.is_some() && prepared.secret == SecretChange::Keep {
            return Err(Error::invalid(
                "secret",
                "Give the credentials again: they are kept for one address only",
            ));
        }
        let storage_id = self.storage_for(&prepared).await?;
        let mut transaction = self.db.write.begin().await?;
        store::buckets::set_storage(&mut transaction, row.id, storage_id).await?;
        self.attached.update(&mut transaction, row.id, &prepared).await?;
        transaction.commit().await?;
        let live = self.attached.adopt(row.id).await?;
        self.stale(&row);
        let detail = serde_json::json!({
            "url": prepared.url.as_ref().map(url::Url::as_str), "secret": prepared.secret != SecretChange::Keep,
            "storage": connection.storage, "vend": prepared.vend,
        });
        self.record(actor, "bucket.connection", name.as_str(), detail).await;
        Ok(self.attached.shown(&live).await?)
    }

    /// Asks an attached catalog now whether it answers, and what it has. Needs the admin role in the bucket.
    pub async fn check_connection(&self, actor: &Actor, name: &BucketName) -> Result<Connection> {
        let row = self.bucket_row(actor, name, Role::Admin).await?;
        let live = self.attached.of(name)?;
        match self.attached.check(&live).await {
            Ok(()) => self.attached.probe(&live).await,
            // The answer says so, with the cause.
            Err(attached::Error::Check(_)) => {}
            Err(error) => return Err(error.into()),
        }
        live.forget(None);
        self.stale(&row);
        Ok(self.attached.shown(&live).await?)
    }

    /// The newest calls made to an attached catalog. Needs the admin role in the bucket.
    pub async fn calls(&self, actor: &Actor, name: &BucketName, limit: usize) -> Result<Vec<UpstreamCall>> {
        self.bucket_row(actor, name, Role::Admin).await?;
        Ok(Attached::calls(self.attached.of(name)?.as_ref(), limit.clamp(1, MOST_CALLS)))
    }

    /// Lets go of an attached bucket: our rows go, what is there stays as it is.
    pub(super) async fn detach(&self, actor: &Actor, row: &BucketRow) -> Result<()> {
        let name: BucketName = row.name.parse().map_err(Error::internal)?;
        self.let_go(&name, row.id).await?;
        self.record(actor, "bucket.detach", name.as_str(), serde_json::json!({})).await;
        Ok(())
    }

    async fn let_go(&self, name: &BucketName, id: i64) -> Result<()> {
        // Before the name is free: the next bucket of this name must not inherit grants.
        self.auth.forget_bucket(name).await.map_err(Error::internal)?;
        let mut transaction = self.db.write.begin().await?;
        let gone = store::mirror::remove_bucket(&mut transaction, id).await?;
        transaction.commit().await?;
        self.attached.release(name);
        for id in gone {
            self.announce(CatalogEvent::Removed { id });
        }
        Ok(())
    }
}

fn backing_word(backing: Backing) -> &'static str {
    match backing {
        Backing::Managed => "managed",
        Backing::Directory => "directory",
        Backing::Upstream => "upstream",
    }
}

/// A directory's own place; for an upstream one that nothing else can have and nothing is written at.
fn root_for(name: &BucketName, prepared: &Prepared) -> String {
    match &prepared.prefix {
        Some(prefix) if prepared.backing == Backing::Directory => prefix.clone(),
        _ => format!(".attached/{name}"),
    }
}
