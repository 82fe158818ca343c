//! Making, listing and describing namespaces.

use lakeglass_api::catalog::{Namespace, Properties};
use lakeglass_api::{BucketName, ListQuery, NamespacePath, Page, Role};

use super::error::{Error, Result};
use super::listing::{Key, Window};
use super::store::{self, namespaces::NamespaceRow};
use super::{Catalog, NamespaceMode, display, layout};
use crate::auth::Actor;
use crate::clock;

impl Catalog {
    /// Makes a namespace whose parent exists. True beside it: it was made just now.
    pub async fn create_namespace(
        &self,
        actor: &Actor,
        bucket: &BucketName,
        path: &NamespacePath,
        properties: Properties,
        mode: NamespaceMode,
    ) -> Result<(Namespace, bool)> {
        let row = self.bucket_row(actor, bucket, Role::Editor).await?;
        let (Some(parent), Some(leaf)) = (path.parent(), path.leaf()) else {
            return Err(Error::invalid("namespace", "A namespace has at least one part"));
        };
        layout::check_properties(&properties)?;
        if row.is_attached() {
            return self.create_their_namespace(actor, &row, path, &properties, mode).await;
        }
        let (dotted, parent) = (path.dotted(), parent.dotted());
        let text = store::to_text(&properties);

        let mut transaction = self.db.write.begin().await?;
        // The bucket and parent may have gone since they were looked up; now they stay.
        if store::buckets::find(&mut *transaction, bucket).await?.is_none() {
            return Err(Error::NoSuchBucket(bucket.clone()));
        }
        if !parent.is_empty() && store::namespaces::find(&mut *transaction, row.id, &parent).await?.is_none()
        {
            return Err(Error::NoSuchNamespace(display(&row.name, &parent)));
        }
        let found = store::namespaces::find(&mut *transaction, row.id, &dotted).await?;
        let made = found.is_none();
        match (found, mode) {
            (None, _) => {
                let taken = !parent.is_empty()
                    && store::entries::find(&mut *transaction, row.id, &parent, leaf).await?.is_some();
                if taken {
                    let name = display(&row.name, &dotted);
                    return Err(Error::NamespaceExists { what: "A table", name });
                }
                store::namespaces::insert(&mut transaction, row.id, &dotted, &text, clock::now_ms()).await?;
            }
            (Some(_), NamespaceMode::Create) => {
                let name = display(&row.name, &dotted);
                return Err(Error::NamespaceExists { what: "A namespace", name });
            }
            (Some(_), NamespaceMode::ExistOk) => {}
            (Some(found), NamespaceMode::Overwrite) => {
                let held = store::namespaces::contents(&mut *transaction, row.id, found.id, &dotted).await?;
                let (namespaces, tables, trashed) = held;
                if held != (0, 0, 0) {
                    let namespace = display(&row.name, &dotted);
                    return Err(Error::NamespaceNotEmpty { namespace, namespaces, tables, trashed });
                }
                store::namespaces::set_properties(&mut transaction, found.id, &text).await?;
            }
        }
        transaction.commit().await?;
        if made || mode == NamespaceMode::Overwrite {
            let action = if made { "namespace.create" } else { "namespace.update" };
            self.record(actor, action, &display(&row.name, &dotted), serde_json::json!({})).await;
        }
        Ok((self.namespace(actor, bucket, path).await?, made))
    }

    /// Namespaces directly below `parent`; the root path is the bucket itself.
    pub async fn namespaces(
        &self,
        actor: &Actor,
        bucket: &BucketName,
        parent: &NamespacePath,
        query: &ListQuery,
    ) -> Result<Page<Namespace>> {
        let row = self.bucket_row(actor, bucket, Role::Viewer).await?;
        let window = Window::new(query, &store::namespaces::SORTS)?;
        self.refresh(&row, parent).await?;
        if !parent.is_root() {
            self.namespace_row(&row, parent).await?;
        }
        let (rows, total) = store::namespaces::page(&self.db.read, &window, row.id, &parent.dotted()).await?;
        window.page(rows, Some(total), |row| key(&window, row), |row| shown(bucket, &row))
    }

    pub async fn namespace(
        &self,
        actor: &Actor,
        bucket: &BucketName,
        path: &NamespacePath,
    ) -> Result<Namespace> {
        let row = self.bucket_row(actor, bucket, Role::Viewer).await?;
        shown(bucket, &self.namespace_row(&row, path).await?)
    }

    /// Replaces a namespace's properties.
    pub async fn set_namespace_properties(
        &self,
        actor: &Actor,
        bucket: &BucketName,
        path: &NamespacePath,
        properties: Properties,
    ) -> Result<Namespace> {
        let row = self.bucket_row(actor, bucket, Role::Editor).await?;
        Self::managed_only(&row, "set properties there")?;
        layout::check_properties(&properties)?;
        let found = self.namespace_row(&row, path).await?;
        let mut connection = self.db.write.acquire().await?;
        store::namespaces::set_properties(&mut connection, found.id, &store::to_text(&properties)).await?;
        drop(connection);
        let object = display(&row.name, &path.dotted());
        self.record(actor, "namespace.update", &object, serde_json::json!({})).await;
        self.namespace(actor, bucket, path).await
    }
}

fn key(window: &Window, row: &NamespaceRow) -> (Key, i64) {
    let key = match window.column.name {
        "created" => Key::Number(row.created_at),
        "tables" => Key::Number(row.tables),
        _ => Key::Text(row.leaf.clone()),
    };
    (key, row.id)
}

pub(super) fn shown(bucket: &BucketName, row: &NamespaceRow) -> Result<Namespace> {
    Ok(Namespace {
        bucket: bucket.clone(),
        path: NamespacePath::from_dotted(&row.path).map_err(Error::internal)?,
        properties: store::to_properties(&row.properties),
        created_at_ms: row.created_at,
        tables: store::count(row.tables),
        namespaces: store::count(row.namespaces),
    })
}
