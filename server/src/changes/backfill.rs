//! The job that fills a computed column.

use std::sync::Arc;

use async_trait::async_trait;
use lakeglass_api::jobs::{ParameterSpec, ParameterType};
use serde_json::{Value, json};

use super::service::Backfill;
use crate::jobs::{JobFailure, JobKind, JobRun};
use crate::problem::Problem;
use crate::state::App;

pub(super) const NAME: &str = "backfill-column";
const COLUMN: &str = "column";
const PREDICATE: &str = "where";
const BRANCH: &str = "branch";

/// Evaluates a computed column's expression and writes the values, in one version.
#[derive(Debug)]
pub(super) struct FillColumn;

pub(super) fn parameters(wanted: &Backfill) -> Value {
    json!({ COLUMN: wanted.column, PREDICATE: wanted.predicate, BRANCH: wanted.branch })
}

#[async_trait]
impl JobKind for FillColumn {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Fill a computed column"
    }

    fn lane(&self) -> &'static str {
        "columns"
    }

    fn slots(&self) -> usize {
        1
    }

    fn parameters(&self) -> Vec<ParameterSpec> {
        let spec = |name: &str, title: &str, doc: &str, max_length, default: Option<&str>| ParameterSpec {
            name: name.to_owned(),
            title: title.to_owned(),
            doc: doc.to_owned(),
            value: ParameterType::Text { max_length, default: default.map(str::to_owned) },
        };
        vec![
            spec(COLUMN, "Column", "A column that was added with a computed expression.", 1024, None),
            spec(PREDICATE, "Where", "A SQL predicate; empty: rows without a value.", 16 * 1024, Some("")),
            spec(BRANCH, "Branch", "Empty: the main branch.", 256, Some("")),
        ]
    }

    fn max_attempts(&self) -> u32 {
        3
    }

    async fn run(&self, app: &Arc<App>, run: &JobRun) -> Result<(), JobFailure> {
        let table = run.table()?;
        let given = |name| Some(run.text(name).to_owned()).filter(|text| !text.is_empty());
        let wanted = Backfill {
            column: run.text(COLUMN).to_owned(),
            predicate: given(PREDICATE),
            branch: given(BRANCH),
        };
        let message = format!("Filling {}", wanted.column);
        run.progress(0, None, "rows", &message).await;
        let filled = app.changes.backfill(&run.actor, &table, wanted, run.cancelled()).await;
        let written = filled.map_err(Problem::from)?;
        run.progress(written.rows, Some(written.rows), "rows", message).await;
        run.log(format!("{} rows filled in version {}", written.rows, written.version)).await;
        Ok(())
    }
}
