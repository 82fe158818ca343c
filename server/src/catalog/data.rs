//! Creating tables with rows and inserting rows, through the table engine.

use lakeglass_api::catalog::{Properties, Table};
use lakeglass_api::{FormatId, Role, TableRef};
use lakeglass_ports::{BatchStream, CreateMode, InsertMode, TableLocation, Written};

use super::error::{Error, Result};
use super::layout::{self, Reservation, Reserved};
use super::store::{self, buckets::BucketRow, entries::EntryRow};
use super::{Catalog, CatalogEvent, TableMode, crash, to_the_end};
use crate::auth::Actor;
use crate::clock;
use crate::storage::relative;

impl Catalog {
    /// Makes a table of the rows; an empty stream makes an empty table. A declared table gets its first
    /// version. Runs to its end when the caller goes away; rows that then stop coming undo it.
    pub async fn create_table(
        &self,
        actor: &Actor,
        table: &TableRef,
        rows: BatchStream,
        mode: TableMode,
        properties: Properties,
    ) -> Result<(Table, Written)> {
        let bucket = self.bucket_row(actor, &table.bucket, Role::Editor).await?;
        layout::check_properties(&properties)?;
        layout::check_format(&bucket, &FormatId::lance())?;
        let (this, wanted) = (self.clone(), table.clone());
        let written =
            to_the_end(async move { this.create_now(&bucket, &wanted, rows, mode, properties).await })
                .await?;
        let detail = serde_json::json!({ "version": written.version.to_string(), "rows": written.rows });
        self.record(actor, "table.create", &table.to_string(), detail).await;
        Ok((self.table(actor, table).await?, written))
    }

    async fn create_now(
        &self,
        bucket: &BucketRow,
        table: &TableRef,
        rows: BatchStream,
        mode: TableMode,
        properties: Properties,
    ) -> Result<Written> {
        if bucket.is_attached() {
            return self.create_there(bucket, table, rows, mode, properties).await;
        }
        let dotted = table.namespace.dotted();
        let found = store::entries::find(&self.db.read, bucket.id, &dotted, table.table.as_str()).await?;
        if let Some(entry) = found {
            return self.create_over(table, &entry, rows, mode, properties).await;
        }
        let wanted = Reservation {
            table: table.clone(),
            format: FormatId::lance(),
            state: "creating",
            intent: "create",
            location: None,
            properties,
        };
        let reserved = self.reserve(bucket, &wanted).await?;
        crash::point("create.reserved").await;
        self.fill(table, reserved, rows).await
    }

    /// A table of an attached bucket: declared there, then written here.
    async fn create_there(
        &self,
        bucket: &BucketRow,
        table: &TableRef,
        rows: BatchStream,
        mode: TableMode,
        properties: Properties,
    ) -> Result<Written> {
        let (entry, made) = match self.mirrored(bucket, table).await {
            Ok(entry) => (self.promoted(entry).await?, false),
            Err(Error::NoSuchTable(_)) => {
                let placed = self.reserve_there(bucket, table, None, &properties).await?;
                (self.adopt(bucket, table, &placed).await?, true)
            }
            Err(error) => return Err(error),
        };
        let written = self.create_over(table, &entry, rows, mode, Properties::new()).await;
        if written.is_err() && made {
            // The name goes again; bytes that some other writer may have put there stay.
            if let Err(undo) = self.remove_there(entry, table, false).await {
                tracing::warn!(%table, error = %undo, "a failed create could not be undone in the attached catalog");
            }
        }
        written
    }

    /// Writes the first version of an entry that was reserved just now, or takes the entry back.
    async fn fill(&self, table: &TableRef, reserved: Reserved, rows: BatchStream) -> Result<Written> {
        let row = store::entries::by_id(&self.db.read, reserved.entry).await?;
        let row = row.ok_or_else(|| Error::NoSuchTable(table.clone()))?;
        let outcome = async {
            let location = self.location_of(&row).await?;
            Ok::<_, Error>(self.engines.tables.create(&location, rows, CreateMode::Create).await?)
        };
        match outcome.await {
            Ok(written) => {
                crash::point("create.written").await;
                self.finish_create(row.id).await?;
                Ok(written)
            }
            Err(error) => {
                if let Err(undo) = self.undo_create(&row).await {
                    // The intent stays open, and the next start mends it.
                    tracing::warn!(entry = row.id, error = %undo, "a failed create could not be undone yet");
                }
                Err(error)
            }
        }
    }

    /// A version is there: the entry is created.
    pub(super) async fn finish_create(&self, id: i64) -> Result<()> {
        let mut transaction = self.db.write.begin().await?;
        store::entries::set_state(&mut transaction, id, "creating", "created", clock::now_ms()).await?;
        store::intents::close_of(&mut transaction, id).await?;
        transaction.commit().await?;
        self.announce(CatalogEvent::Written { id });
        Ok(())
    }

    /// Takes back an entry whose create did not write a version, with what it left in its folder, which
    /// was empty before. If a version is there after all, the entry stays, and counts as created.
    pub(super) async fn undo_create(&self, row: &EntryRow) -> Result<()> {
        let location = self.location_of(row).await?;
        if self.engines.tables.latest_version(&location).await?.is_some() {
            return self.finish_create(row.id).await;
        }
        let place = relative::join(&row.root, &row.location);
        self.storages.remove_bytes(row.storage_id, &row.root, &place).await?;
        self.engines.tables.forget(&location).await;
        let mut transaction = self.db.write.begin().await?;
        store::entries::delete(&mut transaction, row.id).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Create over a name that an entry holds: its first version if it is declared, else by mode.
    async fn create_over(
        &self,
        table: &TableRef,
        entry: &EntryRow,
        rows: BatchStream,
        mode: TableMode,
        properties: Properties,
    ) -> Result<Written> {
        let exists = || Error::TableExists { what: "A table", name: table.to_string() };
        if entry.state == "creating" {
            return Err(if mode == TableMode::Create { exists() } else { Error::Busy(table.to_string()) });
        }
        if entry.format != "lance" || (entry.state == "created" && mode == TableMode::Create) {
            return Err(exists());
        }
        // Only a first write must be alone; a new version of a table passes with other writes.
        let (_alone, _together) = match entry.state.as_str() {
            "declared" => (Some(self.writes.alone(entry.id).await), None),
            _ => (None, Some(self.writes.shared(entry.id).await)),
        };
        let (entry, location) = self.still_there(table, entry.id).await?;
        let latest = self.engines.tables.latest_version(&location).await?;
        let written = match (latest, mode) {
            (None, _) => self.engines.tables.create(&location, rows, CreateMode::Create).await?,
            (Some(_), TableMode::Create) => return Err(exists()),
            (Some(version), TableMode::ExistOk) => return Ok(Written { version, rows: 0 }),
            (Some(_), TableMode::Overwrite) => {
                self.engines.tables.create(&location, rows, CreateMode::Overwrite).await?
            }
        };
        self.wrote(&entry).await?;
        if !properties.is_empty() {
            let mut connection = self.db.write.acquire().await?;
            let text = store::to_text(&properties);
            store::entries::set_properties(&mut connection, entry.id, &text, clock::now_ms()).await?;
        }
        Ok(written)
    }

    /// Adds or replaces rows, on a branch or on main. A declared table gets its first version.
    pub async fn insert(
        &self,
        actor: &Actor,
        table: &TableRef,
        rows: BatchStream,
        mode: InsertMode,
        branch: Option<&str>,
    ) -> Result<(Table, Written)> {
        let mut entry = self.entry_row(actor, table, Role::Editor).await?;
        if entry.is_attached() {
            entry = self.promoted(entry).await?;
        }
        if entry.format != "lance" {
            return Err(Error::OtherFormat(FormatId::new(entry.format)));
        }
        let (this, wanted, branch) = (self.clone(), table.clone(), branch.map(str::to_owned));
        let written =
            to_the_end(async move { this.insert_now(&wanted, &entry, rows, mode, branch.as_deref()).await })
                .await?;
        let detail = serde_json::json!({ "version": written.version.to_string(), "rows": written.rows });
        self.record(actor, "rows.insert", &table.to_string(), detail).await;
        Ok((self.table(actor, table).await?, written))
    }

    async fn insert_now(
        &self,
        table: &TableRef,
        entry: &EntryRow,
        rows: BatchStream,
        mode: InsertMode,
        branch: Option<&str>,
    ) -> Result<Written> {
        let tables = &self.engines.tables;
        if entry.state == "declared" {
            // One first write at a time; those that waited append to it.
            let _alone = self.writes.alone(entry.id).await;
            let (entry, location) = self.still_there(table, entry.id).await?;
            if tables.latest_version(&location).await?.is_none() {
                if let Some(branch) = branch {
                    return Err(lakeglass_ports::Error::NoSuchBranch(branch.to_owned()).into());
                }
                let written = tables.create(&location, rows, CreateMode::Create).await?;
                self.wrote(&entry).await?;
                return Ok(written);
            }
            let written = tables.insert(&location, rows, mode, branch).await?;
            self.wrote(&entry).await?;
            return Ok(written);
        }
        let _together = self.writes.shared(entry.id).await;
        let (entry, location) = self.still_there(table, entry.id).await?;
        let written = tables.insert(&location, rows, mode, branch).await?;
        self.wrote(&entry).await?;
        Ok(written)
    }

    /// Lets another capability make a new version of a written Lance table: beside other writes, never
    /// beside its removal, and to its end even when the caller goes away. The write is announced.
    pub async fn change<T, W>(
        &self,
        actor: &Actor,
        table: &TableRef,
        need: Role,
        work: impl FnOnce(TableLocation) -> W + Send + 'static,
    ) -> Result<T>
    where
        T: Send + 'static,
        W: Future<Output = lakeglass_ports::Result<T>> + Send + 'static,
    {
        let id = self.resolve_written(actor, table, need).await?.id;
        let (this, wanted) = (self.clone(), table.clone());
        to_the_end(async move {
            let _together = this.writes.shared(id).await;
            let (entry, location) = this.still_there(&wanted, id).await?;
            let done = work(location).await?;
            this.wrote(&entry).await?;
            Ok(done)
        })
        .await
    }

    /// The entry after its gate was passed: it may have been dropped while waiting.
    pub(super) async fn still_there(&self, table: &TableRef, id: i64) -> Result<(EntryRow, TableLocation)> {
        let row = store::entries::by_id(&self.db.read, id).await?;
        let row = row.filter(|row| row.state == "declared" || row.state == "created");
        let row = row.ok_or_else(|| Error::NoSuchTable(table.clone()))?;
        let location = self.location_of(&row).await?;
        Ok((row, location))
    }

    /// After a write: the entry is created, its marker gone, listeners told.
    pub(super) async fn wrote(&self, row: &EntryRow) -> Result<()> {
        let mut connection = self.db.write.acquire().await?;
        store::entries::touch(&mut connection, row.id, clock::now_ms()).await?;
        drop(connection);
        if row.state == "declared" {
            self.unmark(row).await;
        }
        self.announce(CatalogEvent::Written { id: row.id });
        Ok(())
    }

    /// For other capabilities that wrote a version through the engine themselves: a new version exists.
    pub async fn note_written(&self, id: i64) -> Result<()> {
        let row = store::entries::by_id(&self.db.read, id).await?;
        match row {
            Some(row) => self.wrote(&row).await,
            None => Ok(()),
        }
    }
}
