//! What an author implements.

use crate::store::Store;
use crate::{
    Batch, Count, Description, Detection, Error, HistoryPage, ListPage, Note, Page, PluginInfo,
    PreviewRequest, Property, Severity, Subject, Totals,
};

/// Answers questions about tables of one or more formats. Every call stands alone: the host makes a
/// fresh instance for it, so nothing kept in a static survives.
pub trait Describer {
    /// Who this is and which formats it reads. Answered without any store.
    fn info() -> PluginInfo;

    /// Whether the candidate is a table of one of the formats; empty when it is none.
    fn detect(store: &dyn Store, listing: &ListPage) -> Result<Vec<Detection>, Error>;

    fn describe(store: &dyn Store, subject: &Subject) -> Result<Description, Error>;

    /// Snapshots, newest first. By default none: the format has no history.
    fn history(_store: &dyn Store, _subject: &Subject, _page: &Page) -> Result<HistoryPage, Error> {
        Ok(HistoryPage { snapshots: Vec::new(), next: None })
    }

    /// Rows of a listing that `describe` named in `facets`. By default there is none.
    fn facet_rows(_store: &dyn Store, _subject: &Subject, id: &str, _page: &Page) -> Result<Batch, Error> {
        Err(Error::InvalidRequest(format!("There is no listing {id}")))
    }

    /// Some rows in a deterministic order, with the schema that `describe` gives.
    fn preview(store: &dyn Store, subject: &Subject, request: &PreviewRequest) -> Result<Batch, Error>;
}

impl Description {
    /// A description that says nothing yet but the format.
    pub fn new(format: impl Into<String>) -> Self {
        Self {
            format: format.into(),
            format_version: None,
            table_id: None,
            name: None,
            snapshot: None,
            schema: crate::Schema { id: None, fields: Vec::new() },
            partition_spec: Vec::new(),
            sort_order: Vec::new(),
            refs: Vec::new(),
            totals: Totals { rows: None, deleted_rows: None, files: None, delete_files: None, bytes: None },
            facets: Vec::new(),
            features: Vec::new(),
            properties: Vec::new(),
            notes: Vec::new(),
        }
    }
}

impl Count {
    /// Read from something that cannot be off.
    pub fn exact(value: u64) -> Self {
        Self { value, exact: true }
    }

    /// An estimate.
    pub fn about(value: u64) -> Self {
        Self { value, exact: false }
    }
}

impl Note {
    pub fn info(code: &str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Info, code: code.to_owned(), message: message.into(), path: None }
    }

    pub fn warning(code: &str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::info(code, message) }
    }
}

impl Property {
    pub fn new(key: &str, value: impl Into<String>) -> Self {
        Self { key: key.to_owned(), value: value.into() }
    }
}

impl Subject {
    /// A person's choice for an option of the format; none when not set or empty.
    pub fn option(&self, key: &str) -> Option<&str> {
        let found = self.options.iter().find(|option| option.key == key)?;
        (!found.value.is_empty()).then_some(found.value.as_str())
    }

    /// The object that a single-object format is asked about.
    pub fn single_object(&self) -> Result<&str, Error> {
        self.object.as_deref().ok_or_else(|| {
            Error::InvalidRequest(format!("A {} table is one object, not a folder", self.format))
        })
    }
}
