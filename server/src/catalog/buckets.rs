//! Making, listing and changing buckets.

use lakeglass_api::catalog::{Backing, Bucket};
use lakeglass_api::{BucketName, FormatId, ListQuery, Page, Role};
use lakeglass_ports::TableLocation;

use super::error::{Error, Result};
use super::listing::{Key, Window};
use super::store::{
    self,
    buckets::{BucketRow, SummedBucket},
};
use super::{BucketChange, Catalog, NewBucket, layout};
use crate::attached::Attached;
use crate::auth::Actor;
use crate::clock;
use crate::storage::{self, relative};

impl Catalog {
    /// Makes a bucket in a storage. Needs the editor role on the server.
    pub async fn create_bucket(&self, actor: &Actor, new: NewBucket) -> Result<Bucket> {
        actor.require_server(Role::Editor)?;
        layout::check_properties(&new.properties)?;
        layout::check_description(&new.description)?;
        if let Some(format) = &new.format
            && !self.serves(format).await
        {
            return Err(Error::UnservedFormat(format.clone()));
        }
        let wanted = new.storage.as_deref().unwrap_or(storage::DEFAULT);
        let (storage_id, commits_are_safe) = self.storages.find(wanted).await?;
        let may_hold_lance = new.format.as_ref().is_none_or(|format| *format == FormatId::lance());
        if may_hold_lance && !commits_are_safe {
            return Err(Error::invalid(
                "storage",
                format!(
                    "The storage {wanted} does not refuse a second conditional put, so commits of Lance \
                     tables would be lost. Pick another storage"
                ),
            ));
        }
        let mut row = BucketRow {
            id: 0,
            name: new.name.to_string(),
            format: new.format.as_ref().map(ToString::to_string),
            backing: "managed".to_owned(),
            storage_id,
            root: self.free_root(storage_id, &new.name).await?,
            description: new.description,
            properties: store::to_text(&new.properties),
            protected: false,
            state: "active".to_owned(),
            created_at: clock::now_ms(),
        };
        self.storages.make_root(storage_id, &row.root).await?;
        let mut transaction = self.db.write.begin().await?;
        if store::buckets::name_taken(&mut transaction, &new.name).await? {
            return Err(Error::BucketExists(new.name));
        }
        if let Some(other) = store::buckets::overlapping(&mut transaction, storage_id, &row.root).await? {
            return Err(Error::Overlaps(format!("the bucket {other}")));
        }
        row.id = store::buckets::insert(&mut transaction, &row).await?;
        transaction.commit().await?;
        self.record(actor, "bucket.create", new.name.as_str(), serde_json::json!({ "format": row.format }))
            .await;
        self.bucket(actor, &new.name).await
    }

    /// `<name>`, or `<name>-<8 hex>` where something else's bytes are.
    async fn free_root(&self, storage_id: i64, name: &BucketName) -> Result<String> {
        if self.storages.is_free(storage_id, name.as_str()).await? {
            return Ok(name.to_string());
        }
        // A bucket of this name is the likelier reason, and deserves its own answer.
        if store::buckets::find(&self.db.read, name).await?.is_some() {
            return Err(Error::BucketExists(name.clone()));
        }
        layout::with_suffix(name.as_str())
    }

    /// The buckets that the actor may see.
    pub async fn buckets(&self, actor: &Actor, query: &ListQuery) -> Result<Page<Bucket>> {
        let window = Window::new(query, &store::buckets::SORTS)?;
        let visible = actor.visible_buckets();
        let (rows, total) = store::buckets::page(&self.db.read, &window, visible.as_deref()).await?;
        let page = window.page(rows, Some(total), |row| key(&window, row), Ok)?;
        let mut items = Vec::with_capacity(page.items.len());
        for row in page.items {
            items.push(self.shown_bucket(row).await?);
        }
        Ok(Page { items, next: page.next, total: page.total })
    }

    /// A bucket's format, if it has one, and its whole root: for finding tables in it.
    pub(crate) async fn root_of(
        &self,
        actor: &Actor,
        name: &BucketName,
        need: Role,
    ) -> Result<(Option<FormatId>, TableLocation)> {
        let row = self.bucket_row(actor, name, need).await?;
        Self::managed_only(&row, "there is nothing to scan for")?;
        let root = self.storages.locate_root(row.storage_id, &row.root).await?;
        Ok((row.format.map(FormatId::new), root))
    }

    pub async fn bucket(&self, actor: &Actor, name: &BucketName) -> Result<Bucket> {
        actor.require(name, Role::Viewer)?;
        let found = store::buckets::summed(&self.db.read, name).await?;
        self.shown_bucket(found.ok_or_else(|| Error::NoSuchBucket(name.clone()))?).await
    }

    /// Changes description, properties or protection. Needs the admin role in the bucket.
    pub async fn update_bucket(
        &self,
        actor: &Actor,
        name: &BucketName,
        change: BucketChange,
    ) -> Result<Bucket> {
        let row = self.bucket_row(actor, name, Role::Admin).await?;
        if let Some(properties) = &change.properties {
            layout::check_properties(properties)?;
        }
        if let Some(description) = &change.description {
            layout::check_description(description)?;
        }
        let properties = change.properties.as_ref().map(store::to_text);
        let mut connection = self.db.write.acquire().await?;
        store::buckets::update(
            &mut connection,
            row.id,
            change.description.as_deref(),
            properties.as_deref(),
            change.protected,
        )
        .await?;
        drop(connection);
        let detail = serde_json::json!({
            "description": change.description.is_some(),
            "properties": change.properties,
            "protected": change.protected,
        });
        self.record(actor, "bucket.update", name.as_str(), detail).await;
        self.bucket(actor, name).await
    }

    async fn shown_bucket(&self, row: SummedBucket) -> Result<Bucket> {
        let SummedBucket { bucket, storage, tables, unobserved, row_sum, byte_sum } = row;
        let name: BucketName = bucket.name.parse().map_err(Error::internal)?;
        let live = self.attached.find(&name);
        let (root, health) = match &live {
            Some(live) => (Attached::address(live), Some(self.attached.health(live).await?)),
            None => (self.storages.uri(bucket.storage_id, &relative::join(&bucket.root, "")).await?, None),
        };
        Ok(Bucket {
            name,
            format: bucket.format.map(FormatId::new),
            backing: match bucket.backing.as_str() {
                "directory" => Backing::Directory,
                "upstream" => Backing::Upstream,
                _ => Backing::Managed,
            },
            storage,
            root,
            description: bucket.description,
            properties: store::to_properties(&bucket.properties),
            protected: bucket.protected,
            created_at_ms: bucket.created_at,
            tables: store::count(tables),
            rows: u64::try_from(row_sum).ok(),
            bytes: u64::try_from(byte_sum).ok(),
            unobserved: store::count(unobserved),
            health,
        })
    }
}

fn key(window: &Window, row: &SummedBucket) -> (Key, i64) {
    let key = match window.column.name {
        "tables" => Key::Number(row.tables),
        "rows" => Key::Number(row.row_sum),
        "bytes" => Key::Number(row.byte_sum),
        "created" => Key::Number(row.bucket.created_at),
        _ => Key::Text(row.bucket.name.clone()),
    };
    (key, row.bucket.id)
}
