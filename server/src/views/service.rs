//! The service: makes views, and starts their filling.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use futures::StreamExt;
use lakeglass_api::catalog::Properties;
use lakeglass_api::{Role, TableRef};
use lakeglass_ports::BatchStream;

use super::refresh::{self, VERSION, VIEW};
use super::{Definition, Error, Result};
use crate::auth::Actor;
use crate::catalog::{Catalog, TableMode};
use crate::engines::Engines;
use crate::jobs::Jobs;

/// The property that holds a view's definition, and makes a table one.
pub(super) const DEFINITION: &str = "view.query";
const KIND: &str = "view.kind";

/// Materialized views. Clones share everything.
#[derive(Debug, Clone)]
pub struct Views {
    catalog: Catalog,
    engines: Engines,
    jobs: Jobs,
}

/// What creating a view made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewView {
    pub version: u64,
    /// The job that fills it, when one was asked for.
    pub job: Option<String>,
}

impl Views {
    pub fn new(catalog: Catalog, engines: Engines, jobs: Jobs) -> Self {
        jobs.register(Arc::new(super::RefreshView));
        Self { catalog, engines, jobs }
    }

    /// Makes an empty view of a query over a table that the actor may read, and starts filling it if
    /// `fill`. `expected`: the schema that the client takes the query's to be; checked when given.
    pub async fn create(
        &self,
        actor: &Actor,
        view: &TableRef,
        definition: &Definition,
        expected: Option<&Schema>,
        fill: bool,
    ) -> Result<NewView> {
        let schema = self.rows(actor, view, definition, None).await?.schema;
        if let Some(expected) = expected {
            check_schema(expected, &schema)?;
        }
        let text = serde_json::to_string(definition).map_err(|error| Error::Definition(error.to_string()))?;
        let properties =
            Properties::from([(DEFINITION.to_owned(), text), (KIND.to_owned(), "query".to_owned())]);
        let none = BatchStream { schema, batches: futures::stream::empty().boxed() };
        let made = self.catalog.create_table(actor, view, none, TableMode::Create, properties).await?;
        let job = if fill { Some(self.refresh(actor, view, None).await?) } else { None };
        Ok(NewView { version: made.1.version, job })
    }

    /// Starts filling a view again, from a version of its source (none: as its definition says). Gives
    /// the job.
    pub async fn refresh(&self, actor: &Actor, view: &TableRef, version: Option<u64>) -> Result<String> {
        let definition = self.definition(actor, view).await?;
        // What can be refused at once is: a source that is gone, a version that is not there.
        self.rows(actor, view, &definition, version).await?;
        let parameters = serde_json::json!({
            VIEW: view.to_string(), VERSION: version.map(|version| version.to_string()).unwrap_or_default(),
        });
        Ok(self.jobs.start(actor, refresh::NAME, &view.to_string(), parameters).await?.id)
    }

    /// The definition of a view that the actor may change.
    pub(super) async fn definition(&self, actor: &Actor, view: &TableRef) -> Result<Definition> {
        let resolved = self.catalog.resolve_lance(actor, view, Role::Editor).await?;
        let text = resolved.table.properties.get(DEFINITION);
        Definition::parse(text.ok_or_else(|| Error::NotAView(view.clone()))?)
    }

    /// What a view's query gives now, read as it is consumed.
    pub(super) async fn rows(
        &self,
        actor: &Actor,
        view: &TableRef,
        definition: &Definition,
        version: Option<u64>,
    ) -> Result<BatchStream> {
        let source = definition.source(&view.bucket)?;
        if source == *view {
            return Err(Error::Definition("A view cannot be of itself".to_owned()));
        }
        let resolved = self.catalog.resolve_written(actor, &source, Role::Reader).await?;
        Ok(self.engines.tables.query(&resolved.location, definition.query(version)).await?)
    }
}

/// Names and types must be the same; whether a column may be null is the query's to say.
fn check_schema(expected: &Schema, given: &SchemaRef) -> Result<()> {
    let columns = |schema: &Schema| -> Vec<String> {
        let fields = schema.fields().iter();
        fields.map(|field| format!("{} {}", field.name(), lakeglass_ports::type_words(field))).collect()
    };
    let (expected, given) = (columns(expected), columns(given));
    if expected == given {
        return Ok(());
    }
    let differing = given.iter().zip(&expected).find(|(given, expected)| given != expected);
    Err(Error::Schema(match differing {
        Some((given, expected)) => format!("it gives {given}, and {expected} was expected"),
        None => format!("it gives {} columns, and {} were expected", given.len(), expected.len()),
    }))
}
