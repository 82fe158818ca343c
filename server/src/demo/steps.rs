//! How a demo table comes to be: steps that each start from a known number of rows.

use std::sync::Arc;

use arrow_array::RecordBatch;
use futures::StreamExt;
use lakeglass_api::catalog::Properties;
use lakeglass_api::{Role, TableRef};
use lakeglass_ports::{BatchStream, Error as EngineError, IndexRequest, InsertMode, VersionRef};

use crate::auth::Actor;
use crate::catalog::{self, TableMode};
use crate::problem::Problem;
use crate::state::App;

/// One step. Those that change rows move the table on to the next number of rows; the others may be
/// repeated.
pub(super) enum Step {
    Append(RecordBatch),
    Delete(&'static str),
    Tag(&'static str),
    Index { column: &'static str, kind: &'static str, distance: Option<&'static str> },
}

/// What is done at a number of rows.
pub(super) struct Stage {
    /// Live rows when the stage begins; none: the table is not there yet.
    pub(super) at: Option<u64>,
    pub(super) steps: Vec<Step>,
}

/// Where a table stands.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// A stage begins here.
    Stage(usize),
    Done,
    /// It has another number of rows than any stage leaves: somebody changed it.
    Changed,
}

/// One demo table.
pub(super) struct Plan {
    pub(super) table: TableRef,
    pub(super) stages: Vec<Stage>,
    /// Live rows when all is done.
    pub(super) end: u64,
}

impl Plan {
    /// Does what is missing, and says how it stood before. `more` is asked before every stage and ends
    /// the work when it says no.
    pub(super) async fn carry_out(
        self,
        app: &Arc<App>,
        actor: &Actor,
        more: &(dyn Fn() -> bool + Send + Sync),
    ) -> Result<Standing, Problem> {
        let standing = self.standing(app, actor).await?;
        let Standing::Stage(first) = standing else { return Ok(standing) };
        for stage in self.stages.into_iter().skip(first) {
            if !more() {
                break;
            }
            for step in stage.steps {
                step.carry_out(app, actor, &self.table).await?;
            }
        }
        Ok(standing)
    }

    async fn standing(&self, app: &Arc<App>, actor: &Actor) -> Result<Standing, Problem> {
        let rows = match app.catalog.resolve(actor, &self.table, Role::Editor).await {
            Ok(found) => {
                Some(app.engines.tables.count_rows(&found.location, &VersionRef::Latest, None).await?)
            }
            Err(catalog::Error::NoSuchTable(_)) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(match self.stages.iter().position(|stage| stage.at == rows) {
            Some(stage) => Standing::Stage(stage),
            None if rows == Some(self.end) => Standing::Done,
            None => Standing::Changed,
        })
    }
}

impl Step {
    async fn carry_out(self, app: &Arc<App>, actor: &Actor, table: &TableRef) -> Result<(), Problem> {
        let rows = match self {
            Self::Append(rows) => {
                let missing =
                    matches!(app.catalog.table(actor, table).await, Err(catalog::Error::NoSuchTable(_)));
                let rows =
                    BatchStream { schema: rows.schema(), batches: futures::stream::iter([Ok(rows)]).boxed() };
                if missing {
                    app.catalog
                        .create_table(actor, table, rows, TableMode::Create, Properties::new())
                        .await?;
                } else {
                    app.catalog.insert(actor, table, rows, InsertMode::Append, None).await?;
                }
                return Ok(());
            }
            other => other,
        };
        let found = app.catalog.resolve(actor, table, Role::Editor).await?;
        let (tables, location) = (&app.engines.tables, &found.location);
        match rows {
            Self::Append(_) => {}
            Self::Delete(predicate) => {
                tables.delete(location, predicate, None).await?;
            }
            Self::Tag(name) => {
                if let Some(version) = tables.latest_version(location).await? {
                    match tables.create_tag(location, name, None, version).await {
                        // Made by a run before this one.
                        Ok(()) | Err(EngineError::TagExists(_)) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
            }
            Self::Index { column, kind, distance } => {
                let request = IndexRequest {
                    name: Some(format!("{column}_idx")),
                    distance_type: distance.map(str::to_owned),
                    replace: true,
                    ..IndexRequest::new(column, kind)
                };
                tables.create_index(location, &request, None).await?;
            }
        }
        app.catalog.note_written(found.id).await?;
        Ok(())
    }
}
