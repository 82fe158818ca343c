//! Catalogs of names that exist elsewhere: what an attached bucket is resolved by.

use std::collections::BTreeMap;
use std::fmt;

use async_trait::async_trait;
use lakeglass_api::catalog::Properties;

/// Why an attached catalog did not do what was asked. Messages are fit for people.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NamesError {
    /// It answered with an error of the Lance Namespace specification.
    #[error("{message}")]
    Refused {
        /// As the specification numbers them: 1 no such namespace, 4 no such table, 5 table exists, …
        code: u32,
        message: String,
    },
    /// It has no such operation.
    #[error("The attached catalog does not do this: {0}")]
    Unsupported(String),
    #[error("The attached catalog cannot be reached: {0}")]
    Unavailable(String),
    #[error("The attached catalog did not answer within {0} s")]
    TimedOut(u64),
    /// What it answered makes no sense.
    #[error("The attached catalog answered something that cannot be used: {0}")]
    Invalid(String),
    /// A fault of ours or of a library. The source is for the log.
    #[error("Something failed inside the server")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

pub type NamesResult<T> = Result<T, NamesError>;

impl NamesError {
    pub fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(source.into())
    }

    /// There is no such namespace or table there.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Refused { code: 1 | 4, .. })
    }

    /// It has the operation not, rather than refusing these values.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Self::Unsupported(_) | Self::Refused { code: 0, .. })
    }
}

/// Some of a list's names, in its catalog's order. Leaf names, any text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamePage {
    pub names: Vec<String>,
    /// Opens the next page; none: this was the last.
    pub next: Option<String>,
}

/// A table as its catalog describes it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Placed {
    /// URI of its folder; none: the catalog does not say.
    pub location: Option<String>,
    /// What reaches that place, in `object_store`'s spelling. Hold secrets.
    pub options: BTreeMap<String, String>,
    pub properties: Properties,
    /// Nothing is written yet; none: the catalog does not say.
    pub declared: Option<bool>,
}

impl fmt::Debug for Placed {
    /// Without the options, which hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Placed")
            .field("location", &self.location)
            .field("declared", &self.declared)
            .finish_non_exhaustive()
    }
}

/// What to do when the namespace to be made exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameMode {
    /// Refuse.
    Create,
    /// Leave it as it is.
    ExistOk,
    /// Replace it.
    Overwrite,
}

/// A catalog of namespaces and Lance tables that this server did not make.
///
/// Paths are parts below what is attached, as that catalog spells them: any text. The empty path is what
/// is attached itself. An implementation authorises nobody; it acts with the credentials that an admin
/// gave. What it cannot do is [`NamesError::Unsupported`].
#[async_trait]
pub trait Names: fmt::Debug + Send + Sync {
    /// Names of the namespaces directly below one. `after`: the `next` of the page before.
    async fn namespaces(&self, parent: &[String], after: Option<&str>) -> NamesResult<NamePage>;

    /// Names of the tables directly in a namespace, declared ones included.
    async fn tables(&self, parent: &[String], after: Option<&str>) -> NamesResult<NamePage>;

    /// The properties of a namespace that exists.
    async fn namespace(&self, path: &[String]) -> NamesResult<Properties>;

    /// Where a table is, and what reaches it.
    async fn table(&self, parent: &[String], name: &str) -> NamesResult<Placed>;

    /// Makes a namespace; gives the properties that were kept.
    async fn create_namespace(
        &self,
        _path: &[String],
        _properties: &Properties,
        _mode: NameMode,
    ) -> NamesResult<Properties> {
        unsupported("making namespaces")
    }

    /// Removes a namespace, with `cascade` all that is in it.
    async fn drop_namespace(&self, _path: &[String], _cascade: bool) -> NamesResult<()> {
        unsupported("dropping namespaces")
    }

    /// Reserves a name and a place; nothing is written at it.
    async fn declare(
        &self,
        _parent: &[String],
        _name: &str,
        _location: Option<&str>,
        _properties: &Properties,
    ) -> NamesResult<Placed> {
        unsupported("declaring tables")
    }

    /// Gives a name to a table that is written already.
    async fn register(
        &self,
        _parent: &[String],
        _name: &str,
        _location: &str,
        _overwrite: bool,
        _properties: &Properties,
    ) -> NamesResult<Placed> {
        unsupported("registering tables")
    }

    /// Takes a name away; the table's bytes stay.
    async fn deregister(&self, _parent: &[String], _name: &str) -> NamesResult<()> {
        unsupported("deregistering tables")
    }

    /// Removes a table with its bytes.
    async fn drop_table(&self, _parent: &[String], _name: &str) -> NamesResult<()> {
        unsupported("dropping tables")
    }

    /// Gives a table another name or namespace.
    async fn rename(
        &self,
        _parent: &[String],
        _name: &str,
        _new_parent: &[String],
        _new_name: &str,
    ) -> NamesResult<()> {
        unsupported("renaming tables")
    }
}

fn unsupported<T>(what: &str) -> NamesResult<T> {
    Err(NamesError::Unsupported(what.to_owned()))
}
