//! The job that loads the demo data.

use std::sync::Arc;

use async_trait::async_trait;
use lakeglass_api::catalog::Properties;
use lakeglass_api::jobs::ParameterSpec;
use lakeglass_api::{BucketName, FormatId, NamespacePath, Role, TableName, TableRef};
use object_store::ObjectStoreExt;

use super::steps::{Plan, Stage, Standing, Step};
use super::{BUCKET, FILES, digits, penguins};
use crate::auth::Actor;
use crate::catalog::{Error as Refusal, NamespaceMode, NewBucket};
use crate::jobs::{JobFailure, JobKind, JobRun};
use crate::problem::Problem;
use crate::state::App;

pub(super) const NAME: &str = "load-demo";
/// Where the file lies in its bucket.
const FILE: &str = "antarctica/penguins-raw.csv";

/// Makes the demo buckets and fills them.
#[derive(Debug)]
pub struct LoadDemo;

#[async_trait]
impl JobKind for LoadDemo {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Load demo data"
    }

    fn lane(&self) -> &'static str {
        "imports"
    }

    fn slots(&self) -> usize {
        1
    }

    fn parameters(&self) -> Vec<ParameterSpec> {
        Vec::new()
    }

    fn max_attempts(&self) -> u32 {
        3
    }

    fn needs(&self) -> Role {
        Role::Admin
    }

    fn startable(&self) -> bool {
        true
    }

    async fn run(&self, app: &Arc<App>, run: &JobRun) -> Result<(), JobFailure> {
        let total = Some(4);
        run.progress(0, total, "steps", "Making the buckets").await;
        bucket(app, &run.actor, BUCKET, "lance", "Real tables to look around in").await?;

        let failed = |error: std::io::Error| JobFailure::new("The demo data is damaged").caused_by(error);
        let plans = [
            ("Penguins of the Palmer Archipelago", penguin_plan().map_err(failed)?),
            ("Handwritten digits", digit_plan().map_err(failed)?),
        ];
        for (done, (title, plan)) in (1..).zip(plans) {
            going_on(run)?;
            run.progress(done, total, "steps", title).await;
            namespace(app, &run.actor, &plan.table).await?;
            let name = plan.table.to_string();
            let more = || !run.cancelled().is_cancelled();
            match plan.carry_out(app, &run.actor, &more).await? {
                Standing::Stage(_) => run.log(format!("{title}: {name} is filled")).await,
                Standing::Done => run.log(format!("{title}: {name} was there already")).await,
                Standing::Changed => {
                    run.log(format!("{title}: {name} was changed by somebody and stays as it is")).await;
                }
            }
        }
        going_on(run)?;
        run.progress(3, total, "steps", "A bucket of CSV files").await;
        files(app, run).await?;
        going_on(run)?;
        run.progress(4, total, "steps", "Done").await;
        Ok(())
    }
}

fn going_on(run: &JobRun) -> Result<(), JobFailure> {
    if run.cancelled().is_cancelled() { Err(JobFailure::new("Stopped")) } else { Ok(()) }
}

fn refused(error: Refusal) -> JobFailure {
    Problem::from(error).into()
}

/// Makes a bucket; one of that name that is there already is used. False when nothing here reads its
/// format.
async fn bucket(
    app: &Arc<App>,
    actor: &Actor,
    name: &str,
    format: &str,
    description: &str,
) -> Result<bool, JobFailure> {
    let new = NewBucket {
        name: named(name)?,
        format: Some(FormatId::new(format)),
        storage: None,
        description: description.to_owned(),
        properties: Properties::new(),
    };
    match app.catalog.create_bucket(actor, new).await {
        Ok(_) | Err(Refusal::BucketExists(_)) => Ok(true),
        Err(Refusal::UnservedFormat(_)) => Ok(false),
        Err(error) => Err(refused(error)),
    }
}

async fn namespace(app: &Arc<App>, actor: &Actor, table: &TableRef) -> Result<(), JobFailure> {
    let mode = NamespaceMode::ExistOk;
    app.catalog
        .create_namespace(actor, &table.bucket, &table.namespace, Properties::new(), mode)
        .await
        .map_err(refused)?;
    Ok(())
}

/// A bucket with one file as its authors published it, for the plugin to describe.
async fn files(app: &Arc<App>, run: &JobRun) -> Result<(), JobFailure> {
    let description = "Files as they were published, read by a plugin";
    if !bucket(app, &run.actor, FILES, "csv", description).await? {
        run.log("No plugin here reads CSV, so there is no bucket of CSV files").await;
        return Ok(());
    }
    let name = named(FILES)?;
    let (_, root) = app.catalog.root_of(&run.actor, &name, Role::Editor).await.map_err(refused)?;
    let path = object_store::path::Path::parse(format!("{}/{FILE}", root.prefix))
        .map_err(|error| JobFailure::new("The demo file has no place").caused_by(error))?;
    let stored = |error: object_store::Error| {
        JobFailure::again("The storage did not take the demo file").caused_by(error)
    };
    match root.store.head(&path).await {
        Ok(_) => {}
        Err(object_store::Error::NotFound { .. }) => {
            let bytes = penguins::raw_file()
                .map_err(|error| JobFailure::new("The demo data is damaged").caused_by(error))?;
            root.store.put(&path, bytes.into()).await.map_err(stored)?;
        }
        Err(error) => return Err(stored(error)),
    }
    app.formats.scan(&run.actor, &name).await.map_err(|error| JobFailure::from(Problem::from(error)))?;
    run.log(format!("{FILES}/{FILE} is there")).await;
    Ok(())
}

fn named(name: &str) -> Result<BucketName, JobFailure> {
    name.parse::<BucketName>().map_err(|error| JobFailure::from(Problem::from(error)))
}

fn table(namespace: &str, name: &str) -> std::io::Result<TableRef> {
    let fault = std::io::Error::other;
    Ok(TableRef {
        bucket: BUCKET.parse::<BucketName>().map_err(fault)?,
        namespace: NamespacePath::new([namespace]).map_err(fault)?,
        table: name.parse::<TableName>().map_err(fault)?,
    })
}

/// Three seasons: the last is appended after the index, and what was never weighed is deleted.
pub(super) fn penguin_plan() -> std::io::Result<Plan> {
    Ok(Plan {
        table: table("wildlife", "penguins")?,
        stages: vec![
            Stage { at: None, steps: vec![Step::Append(penguins::season(2007)?)] },
            Stage { at: Some(110), steps: vec![Step::Append(penguins::season(2008)?)] },
            Stage {
                at: Some(224),
                steps: vec![
                    Step::Tag("two-seasons"),
                    Step::Index { column: "species", kind: "BITMAP", distance: None },
                    Step::Append(penguins::season(2009)?),
                ],
            },
            Stage { at: Some(344), steps: vec![Step::Delete("body_mass_g IS NULL")] },
        ],
        end: 342,
    })
}

/// In three parts: indices cover the first two, some rows of which are deleted before the third comes.
pub(super) fn digit_plan() -> std::io::Result<Plan> {
    let all = digits::all()?;
    Ok(Plan {
        table: table("vision", "digits")?,
        stages: vec![
            Stage { at: None, steps: vec![Step::Append(all.slice(0, 1000))] },
            Stage {
                at: Some(1000),
                steps: vec![Step::Tag("first-thousand"), Step::Append(all.slice(1000, 500))],
            },
            Stage {
                at: Some(1500),
                steps: vec![
                    Step::Index { column: "label", kind: "BTREE", distance: None },
                    Step::Index { column: "vector", kind: "IVF_PQ", distance: Some("l2") },
                    Step::Delete("id >= 1490 AND id < 1500"),
                ],
            },
            Stage { at: Some(1490), steps: vec![Step::Append(all.slice(1500, 297))] },
        ],
        end: 1787,
    })
}
