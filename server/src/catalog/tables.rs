//! Listing, describing and declaring tables, and what can be set on them.

use lakeglass_api::catalog::{Properties, Table, TableState};
use lakeglass_api::description::Property;
use lakeglass_api::{BucketName, FormatId, ListQuery, NamespacePath, Page, Role, TableRef};

use super::error::{Error, Result};
use super::layout::{self, Reservation};
use super::listing::{Key, Window};
use super::store::{self, entries::EntryRow};
use super::{Catalog, Resolved, crash, markers, to_table, to_the_end};
use crate::audit::Outcome;
use crate::auth::Actor;
use crate::clock;
use crate::storage::relative;

/// Properties that begin so are options of the format.
const OPTION_PREFIX: &str = "option.";

impl Catalog {
    /// Tables of one namespace.
    pub async fn tables(
        &self,
        actor: &Actor,
        bucket: &BucketName,
        namespace: &NamespacePath,
        query: &ListQuery,
        include_declared: bool,
    ) -> Result<Page<Table>> {
        let row = self.bucket_row(actor, bucket, Role::Viewer).await?;
        let window = Window::new(query, &store::entries::SORTS)?;
        self.refresh(&row, namespace).await?;
        let namespace = match self.namespace_row(&row, namespace).await {
            // Nothing that is attached is outside of namespaces there.
            Err(Error::NoSuchNamespace(_)) if row.is_attached() && namespace.is_root() => {
                return Ok(Page { items: Vec::new(), next: None, total: Some(0) });
            }
            other => other?,
        };
        self.promote_some(Some(namespace.id)).await?;
        let (rows, total) =
            store::entries::page(&self.db.read, &window, namespace.id, include_declared).await?;
        let root = if row.is_attached() {
            String::new()
        } else {
            self.storages.uri(row.storage_id, &row.root).await?
        };
        window.page(
            rows,
            Some(total),
            |row| key(&window, row),
            |mut row| {
                let location = if row.is_attached() {
                    row.remote.take().unwrap_or_default()
                } else {
                    relative::append(&root, &row.location)
                };
                to_table(row, location)
            },
        )
    }

    /// Tables of every bucket that the actor may see, in the order they were made.
    pub async fn all_tables(
        &self,
        actor: &Actor,
        query: &ListQuery,
        include_declared: bool,
    ) -> Result<Page<TableRef>> {
        let window = Window::new(query, &store::entries::ALL_SORTS)?;
        let visible = actor.visible_buckets();
        for live in self.attached.all() {
            let seen = visible.as_ref().is_none_or(|visible| visible.contains(&live.bucket));
            if let (true, Some(row)) = (seen, store::buckets::by_id(&self.db.read, live.bucket_id).await?) {
                self.refresh_all(&row).await?;
            }
        }
        self.promote_some(None).await?;
        let (rows, total) =
            store::entries::page_of_all(&self.db.read, &window, visible.as_deref(), include_declared).await?;
        window.page(
            rows,
            Some(total),
            |row| (Key::Number(row.id), row.id),
            |row| {
                Ok(TableRef {
                    bucket: row.bucket.parse().map_err(Error::internal)?,
                    namespace: NamespacePath::from_dotted(&row.namespace).map_err(Error::internal)?,
                    table: row.name.parse().map_err(Error::internal)?,
                })
            },
        )
    }

    /// One table. A declared one that was written directly meanwhile comes back as created.
    pub async fn table(&self, actor: &Actor, table: &TableRef) -> Result<Table> {
        Ok(self.known(actor, table).await?.1)
    }

    /// One table with its row id, as known; its bytes are not looked for. For what others keep about it.
    pub async fn known(&self, actor: &Actor, table: &TableRef) -> Result<(i64, Table)> {
        let row = self.entry_row(actor, table, Role::Viewer).await?;
        let row = self.promoted(row).await?;
        Ok((row.id, self.shown(row).await?))
    }

    /// A table for an engine or describer, if the actor holds the role that its use needs.
    pub async fn resolve(&self, actor: &Actor, table: &TableRef, need: Role) -> Result<Resolved> {
        let row = self.entry_row(actor, table, need).await?;
        let row = self.promoted(row).await?;
        self.resolved(row).await
    }

    /// As [`Catalog::resolve`], and [`Error::OtherFormat`] for what is not a Lance table.
    pub async fn resolve_lance(&self, actor: &Actor, table: &TableRef, need: Role) -> Result<Resolved> {
        let resolved = self.resolve(actor, table, need).await?;
        if resolved.table.format == FormatId::lance() {
            Ok(resolved)
        } else {
            Err(Error::OtherFormat(resolved.table.format))
        }
    }

    /// A Lance table that has a version: its rows can be read.
    pub async fn resolve_written(&self, actor: &Actor, table: &TableRef, need: Role) -> Result<Resolved> {
        let resolved = self.resolve_lance(actor, table, need).await?;
        if resolved.table.state == TableState::Declared {
            return Err(Error::OnlyDeclared);
        }
        Ok(resolved)
    }

    /// By row id, for work of the server itself. Not for tables in Trash or on their way out.
    pub async fn by_id(&self, id: i64) -> Result<Resolved> {
        let row = store::entries::by_id(&self.db.read, id).await?;
        let row = row.filter(|row| row.state == "created" || row.state == "declared");
        let mut row = row.ok_or_else(|| Error::State(format!("The table {id} is gone")))?;
        if row.is_attached() {
            row = self.promoted(row).await?;
        }
        self.resolved(row).await
    }

    pub(super) async fn resolved(&self, mut row: EntryRow) -> Result<Resolved> {
        let location = self.location_of(&row).await?;
        if row.is_attached() {
            row.remote = Some(location.uri.clone());
        }
        let (id, storage_id) = (row.id, row.storage_id);
        let table = self.shown(row).await?;
        let options = table.properties.iter().filter_map(|(key, value)| {
            let key = key.strip_prefix(OPTION_PREFIX)?.to_owned();
            Some(Property { key, value: value.clone() })
        });
        let options = options.collect();
        Ok(Resolved { id, table, location, options, storage_id })
    }

    /// What a client of this actor's role needs to reach the table's bytes, besides the location.
    pub async fn client_options(
        &self,
        actor: &Actor,
        resolved: &Resolved,
    ) -> Result<std::collections::BTreeMap<String, String>> {
        let Some(role) = actor.role_in(&resolved.table.bucket) else { return Ok(Properties::new()) };
        if self.attached.find(&resolved.table.bucket).is_some() {
            return self.vended(actor, &resolved.reference()).await;
        }
        Ok(self.storages.options_for_client(resolved.storage_id, role, &resolved.location).await?)
    }

    /// Reserves a name and a place for a table that a client will write itself. `location`: below the
    /// bucket's root; none: by layout.
    pub async fn declare_table(
        &self,
        actor: &Actor,
        table: &TableRef,
        location: Option<&str>,
        properties: Properties,
    ) -> Result<Table> {
        let bucket = self.bucket_row(actor, &table.bucket, Role::Editor).await?;
        layout::check_properties(&properties)?;
        layout::check_format(&bucket, &FormatId::lance())?;
        if bucket.is_attached() {
            return self.declare_there(actor, &bucket, table, location, &properties).await;
        }
        let location = match location {
            Some(sent) => {
                Some(relative::below(&self.storages.uri(bucket.storage_id, &bucket.root).await?, sent)?)
            }
            None => None,
        };
        let wanted = Reservation {
            table: table.clone(),
            format: FormatId::lance(),
            state: "declared",
            intent: "declare",
            location,
            properties,
        };
        let this = self.clone();
        let row = to_the_end(async move {
            let reserved = this.reserve(&bucket, &wanted).await?;
            crash::point("declare.reserved").await;
            let row = store::entries::by_id(&this.db.read, reserved.entry).await?;
            let row = row.ok_or_else(|| Error::NoSuchTable(wanted.table.clone()))?;
            let marked = async {
                let location = this.location_of(&row).await?;
                markers::write(&location, markers::RESERVED).await
            };
            if let Err(error) = marked.await {
                // Nothing but the marker could be there, if its write was answered late.
                if let Ok(location) = this.location_of(&row).await {
                    drop(markers::remove(&location, markers::RESERVED).await);
                }
                let mut transaction = this.db.write.begin().await?;
                store::entries::delete(&mut transaction, reserved.entry).await?;
                transaction.commit().await?;
                return Err(error);
            }
            crash::point("declare.marked").await;
            let mut connection = this.db.write.acquire().await?;
            store::intents::close_of(&mut connection, reserved.entry).await?;
            Ok(row)
        })
        .await?;
        self.record(actor, "table.declare", &table.to_string(), serde_json::json!({})).await;
        self.shown(row).await
    }

    /// Replaces a table's properties.
    pub async fn set_table_properties(
        &self,
        actor: &Actor,
        table: &TableRef,
        properties: Properties,
    ) -> Result<Table> {
        let row = self.entry_row(actor, table, Role::Editor).await?;
        if row.is_attached() {
            let text = "The properties of this table are another catalog's. Set them there".to_owned();
            return Err(crate::attached::Error::Unsupported(text).into());
        }
        layout::check_properties(&properties)?;
        let mut connection = self.db.write.acquire().await?;
        let text = store::to_text(&properties);
        store::entries::set_properties(&mut connection, row.id, &text, clock::now_ms()).await?;
        drop(connection);
        self.record(
            actor,
            "table.update",
            &table.to_string(),
            serde_json::json!({ "properties": properties }),
        )
        .await;
        self.table(actor, table).await
    }

    /// Puts protection on a table or takes it off. Needs the admin role in the bucket.
    pub async fn protect_table(&self, actor: &Actor, table: &TableRef, protected: bool) -> Result<Table> {
        let row = self.entry_row(actor, table, Role::Admin).await?;
        let mut connection = self.db.write.acquire().await?;
        store::entries::set_protected(&mut connection, row.id, protected).await?;
        drop(connection);
        self.record(
            actor,
            "table.protect",
            &table.to_string(),
            serde_json::json!({ "protected": protected }),
        )
        .await;
        self.table(actor, table).await
    }

    /// Keeps what an observation found, so that lists can sort and sum by it.
    pub async fn record_totals(
        &self,
        id: i64,
        rows: Option<u64>,
        bytes: Option<u64>,
        at_ms: i64,
    ) -> Result<()> {
        let number = |value: Option<u64>| value.map(|value| i64::try_from(value).unwrap_or(i64::MAX));
        let mut connection = self.db.write.acquire().await?;
        store::looks::record_totals(&mut connection, id, number(rows), number(bytes), at_ms).await?;
        Ok(())
    }

    /// Notes that an observation failed, so that a sweep goes on to other tables first.
    pub async fn record_failed_look(&self, id: i64, at_ms: i64) -> Result<()> {
        let mut connection = self.db.write.acquire().await?;
        store::looks::record_failed_look(&mut connection, id, at_ms).await?;
        Ok(())
    }

    /// Created tables that nobody looked at since a time, longest ago first.
    pub async fn tables_to_observe(&self, limit: u32, older_than_ms: i64) -> Result<Vec<i64>> {
        Ok(store::looks::to_observe(&self.db.read, limit, older_than_ms).await?)
    }

    /// Writes to the audit log what an actor did.
    pub(super) async fn record(
        &self,
        actor: &Actor,
        action: &'static str,
        object: &str,
        detail: serde_json::Value,
    ) {
        self.audit.record(actor, action, object, Outcome::Done, detail).await;
    }
}

fn key(window: &Window, row: &EntryRow) -> (Key, i64) {
    let key = match window.column.name {
        "rows" => Key::Number(row.row_count.unwrap_or(-1)),
        "bytes" => Key::Number(row.byte_count.unwrap_or(-1)),
        "created" => Key::Number(row.created_at),
        "updated" => Key::Number(row.updated_at),
        "observed" => Key::Number(row.observed_at.unwrap_or(-1)),
        _ => Key::Text(row.name.clone()),
    };
    (key, row.id)
}
