//! What the catalog is asked for and what it answers, beside the shapes of `lakeglass_api::catalog`.

use lakeglass_api::catalog::{Properties, Table};
use lakeglass_api::description::Property;
use lakeglass_api::{BucketName, FormatId, TableRef};
use lakeglass_ports::TableLocation;

/// A bucket to be made.
#[derive(Debug, Clone)]
pub struct NewBucket {
    pub name: BucketName,
    /// The one format it will hold; none: unset, accepts any.
    pub format: Option<FormatId>,
    /// Name of a storage; none: the one made at first start.
    pub storage: Option<String>,
    pub description: String,
    pub properties: Properties,
}

/// What to change of a bucket; none leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct BucketChange {
    pub description: Option<String>,
    pub properties: Option<Properties>,
    pub protected: Option<bool>,
}

/// What to do when the namespace exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamespaceMode {
    /// Refuse.
    Create,
    /// Leave it as it is.
    ExistOk,
    /// Replace its properties, if it is empty.
    Overwrite,
}

/// What to do when the table exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableMode {
    /// Refuse.
    Create,
    /// Leave it as it is; the rows that came are not written.
    ExistOk,
    /// A new version of the same table, with the new rows and schema.
    Overwrite,
}

/// A table that the actor may use in the way asked for, ready for an engine or describer.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// Row id of the entry: stable across renames, for other capabilities' tables.
    pub id: i64,
    pub table: Table,
    pub location: TableLocation,
    /// Options of the format set for this table: its properties `option.KEY`.
    pub options: Vec<Property>,
    pub(crate) storage_id: i64,
}

impl Resolved {
    pub fn reference(&self) -> TableRef {
        TableRef {
            bucket: self.table.bucket.clone(),
            namespace: self.table.namespace.clone(),
            table: self.table.name.clone(),
        }
    }
}

/// What a cascading drop of a namespace removes.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
pub struct CascadeList {
    /// Namespaces inside it, and itself, parts joined by `.`.
    pub namespaces: Vec<String>,
    /// Tables, as `namespace.path/table`; at most 1,000 are listed.
    pub tables: Vec<String>,
    /// How many tables there are in all, those in Trash included.
    pub table_count: u64,
    /// Tables in Trash, as `namespace.path/table`; at most 1,000 are listed.
    pub trashed: Vec<String>,
    /// Protected tables, which make the drop fail.
    pub protected: Vec<String>,
}

/// What happened to a table's bytes or place. For observations and caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatalogEvent {
    /// A new version exists.
    Written { id: i64 },
    /// It left the lists: dropped, or put in Trash.
    Removed { id: i64 },
    /// It has another name or came back from Trash.
    Relocated { id: i64 },
}
