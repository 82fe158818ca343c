//! Create table: an empty table from described columns.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use futures::StreamExt as _;
use lakeglass_api::catalog::Properties;
use lakeglass_api::{BucketName, NamespacePath, Role, TableName, TableRef};
use lakeglass_app::pages::namespace::create_table::{ColumnRow, CreateTable, FileImport, MAX_COLUMNS, page};
use lakeglass_app::parts::Form;
use lakeglass_app::{Section, links};
use lakeglass_ports::BatchStream;

use super::columns;
use super::fields::{Fields, mendable, refused};
use super::namespaces::{creatable, crumbs};
use super::visit::{Visit, named, path_named};
use crate::catalog::TableMode;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    let editor = Who::Bucket(Role::Editor);
    vec![
        Route::page("/buckets/{bucket}/ns/{namespace}/new-table", editor, show),
        Route::form("/buckets/{bucket}/ns/{namespace}/new-table", editor, create),
    ]
}

const TITLE: &str = "Create table";

/// Where a table is to be made: both names checked, and the bucket's format one that can be made here.
pub(super) struct Place {
    pub(super) bucket: BucketName,
    pub(super) namespace: NamespacePath,
}

impl Place {
    pub(super) fn parse(bucket: &str, namespace: &str) -> Result<Self, Problem> {
        Ok(Self { bucket: named(bucket)?, namespace: path_named(namespace)? })
    }

    async fn data(
        &self,
        app: &App,
        visit: &Visit,
        form: Form,
        columns: Vec<ColumnRow>,
    ) -> Result<CreateTable, Problem> {
        visit.actor.require(&self.bucket, Role::Editor)?;
        let bucket = app.catalog.bucket(&visit.actor, &self.bucket).await?;
        let namespace = app.catalog.namespace(&visit.actor, &self.bucket, &self.namespace).await?;
        creatable(app, bucket.format.as_ref()).map_err(|reason| Problem::conflict("format", reason))?;
        let action = format!("{}/file", links::new_table(&self.bucket, &self.namespace));
        let import = FileImport { action, max_bytes: app.config.max_arrow_bytes };
        Ok(CreateTable { bucket, namespace, form, columns, import, import_form: Form::default() })
    }

    /// The page again, when its file was refused.
    pub(super) async fn import_again(
        &self,
        app: &App,
        visit: &Visit,
        import_form: Form,
    ) -> Result<Response, Problem> {
        let data = self.data(app, visit, Form::default(), first_columns()).await?;
        let data = CreateTable { import_form, ..data };
        let crumbs = crumbs(&self.bucket, &self.namespace, Some(TITLE));
        Ok(visit.refused(Section::Buckets, crumbs, TITLE, || page(data)).await)
    }

    async fn again(
        &self,
        app: &App,
        visit: &Visit,
        form: Form,
        columns: Vec<ColumnRow>,
    ) -> Result<Response, Problem> {
        let wrong = form.has_errors();
        let data = self.data(app, visit, form, columns).await?;
        let crumbs = crumbs(&self.bucket, &self.namespace, Some(TITLE));
        Ok(if wrong {
            visit.refused(Section::Buckets, crumbs, TITLE, || page(data)).await
        } else {
            visit.page(Section::Buckets, crumbs, TITLE, || page(data)).await
        })
    }
}

async fn show(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path((bucket, namespace)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let place = Place::parse(&bucket, &namespace)?;
    place.again(&app, &visit, Form::default(), first_columns()).await
}

/// What the form starts with: an identifier and a text.
fn first_columns() -> Vec<ColumnRow> {
    let id = ColumnRow { kind: "int64".to_owned(), ..ColumnRow::default() };
    vec![id, ColumnRow::default()]
}

async fn create(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path((bucket, namespace)): Path<(String, String)>,
    fields: Fields,
) -> Result<Response, Problem> {
    let place = Place::parse(&bucket, &namespace)?;
    let mut rows = columns::rows(&fields);
    let action = fields.text("action");
    if action == "add" {
        if rows.len() < MAX_COLUMNS {
            rows.push(ColumnRow::default());
        }
        return place.again(&app, &visit, fields.form(), rows).await;
    }
    if let Some(index) = action.strip_prefix("remove-").and_then(|index| index.parse::<usize>().ok()) {
        if index < rows.len() {
            rows.remove(index);
        }
        return place.again(&app, &visit, fields.form(), rows).await;
    }
    make(&app, &visit, &place, &fields, rows).await
}

async fn make(
    app: &App,
    visit: &Visit,
    place: &Place,
    fields: &Fields,
    rows: Vec<ColumnRow>,
) -> Result<Response, Problem> {
    let mut form = fields.form();
    let name = fields.text("name").parse::<TableName>().map_err(|error| error.to_string());
    if let Err(rule) = &name {
        form = form.error("name", rule.clone());
    }
    if rows.is_empty() {
        form = form.error("columns", "Add at least one column");
    }
    let (name, schema) = match (name, columns::schema(rows.clone())) {
        (Ok(name), Ok(schema)) if !form.has_errors() => (name, schema),
        (_, Ok(_)) => return place.again(app, visit, form, rows).await,
        (_, Err(rows)) => {
            for (index, row) in rows.iter().enumerate() {
                if let Some(fault) = &row.fault {
                    form = form.error(format!("c{index}-name"), format!("Column {}: {fault}", index + 1));
                }
            }
            return place.again(app, visit, form, rows).await;
        }
    };
    let table = TableRef { bucket: place.bucket.clone(), namespace: place.namespace.clone(), table: name };
    let stream = BatchStream { schema: Arc::new(schema), batches: futures::stream::empty().boxed() };
    let made =
        app.catalog.create_table(&visit.actor, &table, stream, TableMode::Create, Properties::new()).await;
    match mendable(made)? {
        Ok(_) => {
            let text = format!("The table {} was created, with no rows yet", table.table);
            Ok(visit.done(links::table(&table), &text).await)
        }
        Err(problem) => {
            let form = refused(form, &problem, &[("name", "name"), ("table", "name")]);
            place.again(app, visit, form, rows).await
        }
    }
}
