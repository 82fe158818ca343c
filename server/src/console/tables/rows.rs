//! The rows of a table: the grid, one row alone, and downloads.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use http::{HeaderValue, StatusCode, header};
use lakeglass_api::catalog::TableState;
use lakeglass_api::cells::Grid;
use lakeglass_api::conditions::typed_values;
use lakeglass_api::description::{Description, Version};
use lakeglass_api::{Role, TableRef};
use lakeglass_app::pages::table::rows::{self, At, Filter, Reading, RowDetail, RowsAsk, RowsPage};
use lakeglass_app::pages::table::{Head, TableTab};
use lakeglass_app::render_part;
use lakeglass_ports::{Condition, ConditionValue, Operator, VersionRef};

use super::{Named, below, head, tab};
use crate::console::visit::Visit;
use crate::previews::{Download, PreviewQuery};
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

/// Versions offered in the picker; older ones are reached from the Versions tab.
const PICKED: u32 = 20;

type Pairs = Vec<(String, String)>;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::page(below!("/rows"), Who::Bucket(Role::Viewer), show),
        Route::page(below!("/rows/download"), Who::Bucket(Role::Reader), download),
    ]
}

async fn show(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
    Query(pairs): Query<Pairs>,
) -> Result<Response, Problem> {
    let of = path.reference()?;
    let asked = parse(&pairs);
    let has = |name: &str| pairs.iter().any(|(key, value)| key == name && !value.is_empty());
    if has("part") {
        return row_alone(&app, &visit, &of, asked.map_err(Problem::invalid)?).await;
    }
    // A condition from the form moves into the address, so that every view of rows has one address.
    if has("column")
        && let Ok(ask) = &asked
    {
        return Ok(Redirect::to(&ask.href(&of)).into_response());
    }
    let (head, able) = head(&app, &visit, &of).await?;
    if !head.has_rows {
        return Err(Problem::not_found("Rows of this format cannot be shown here"));
    }
    let ask = asked.clone().unwrap_or_default();
    let (reading, status) = match asked {
        Err(cause) => (Reading::Refused(cause), StatusCode::BAD_REQUEST),
        Ok(_) if !visit.may_in(&of.bucket, Role::Reader) => (Reading::Denied, StatusCode::FORBIDDEN),
        Ok(_) if head.table.state == TableState::Declared => (Reading::NeverWritten, StatusCode::OK),
        Ok(ask) => read(&app, &visit, &of, &ask).await?,
    };
    let readable = matches!(reading, Reading::Rows(_) | Reading::Refused(_));
    let versions = if readable && able.history { newest(&app, &visit, &of).await } else { Vec::new() };
    let detail = match (&reading, ask.row) {
        (Reading::Rows(grid), Some(row)) => Some(one_row(&app, &visit, &of, &ask, row, grid).await?),
        _ => None,
    };
    let data = page(head, ask, reading, versions, detail, able.filter);
    Ok(tab(&visit, &data.head, TableTab::Rows, status, || rows::page(&data)).await)
}

fn parse(pairs: &Pairs) -> Result<RowsAsk, String> {
    RowsAsk::parse(pairs.iter().map(|(key, value)| (key.as_str(), value.as_str())))
}

/// Reads the page, or says which kind of nothing there is to show and with which status.
async fn read(
    app: &App,
    visit: &Visit,
    of: &TableRef,
    ask: &RowsAsk,
) -> Result<(Reading, StatusCode), Problem> {
    match app.previews.rows(&visit.actor, of, &query(ask)).await {
        Ok(grid) => Ok((Reading::Rows(Box::new(grid)), StatusCode::OK)),
        Err(error) => {
            let problem = Problem::from(error);
            let status = problem.status;
            match status {
                _ if problem.kind == "never-written" => Ok((Reading::NeverWritten, StatusCode::OK)),
                StatusCode::FORBIDDEN => Ok((Reading::Denied, status)),
                StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND | StatusCode::NOT_ACCEPTABLE => {
                    Ok((Reading::Refused(problem.detail), status))
                }
                StatusCode::INTERNAL_SERVER_ERROR => Err(problem),
                _ => Ok((Reading::Unreachable(problem.detail), status)),
            }
        }
    }
}

/// The versions to choose from. A page of rows does not fail for want of them.
async fn newest(app: &App, visit: &Visit, of: &TableRef) -> Vec<Version> {
    let page = app.observations.versions(&visit.actor, of, None, PICKED).await;
    page.map(|page| page.versions).unwrap_or_default()
}

/// One row with every column, at the version its page was read at.
async fn one_row(
    app: &App,
    visit: &Visit,
    of: &TableRef,
    ask: &RowsAsk,
    row: u64,
    grid: &Grid,
) -> Result<RowDetail, Problem> {
    let at = match (&ask.at, &grid.version) {
        (At::Latest, Some(version)) => At::Version(version.clone()),
        (at, _) => at.clone(),
    };
    detail(app, visit, of, &RowsAsk { at, ..ask.clone() }, row).await
}

async fn detail(
    app: &App,
    visit: &Visit,
    of: &TableRef,
    ask: &RowsAsk,
    row: u64,
) -> Result<RowDetail, Problem> {
    let ask = RowsAsk { columns: Vec::new(), offset: row, limit: 1, ..ask.clone() };
    let mut grid = app.previews.rows(&visit.actor, of, &query(&ask)).await?;
    let cells = if grid.rows.is_empty() { None } else { Some(grid.rows.swap_remove(0)) };
    Ok(RowDetail { offset: row, columns: grid.columns, cells })
}

/// The details of one row without the frame, for the drawer.
async fn row_alone(app: &App, visit: &Visit, of: &TableRef, ask: RowsAsk) -> Result<Response, Problem> {
    let row = ask.row.ok_or_else(|| Problem::invalid("Name the row"))?;
    let detail = detail(app, visit, of, &ask, row).await?;
    Ok(Html(render_part(|| rows::detail_part(&detail))).into_response())
}

fn page(
    head: Head,
    mut ask: RowsAsk,
    reading: Reading,
    versions: Vec<Version>,
    detail: Option<RowDetail>,
    can_filter: bool,
) -> RowsPage {
    let what = head.observation.as_ref().map(|look| &look.description);
    let mut columns: Vec<String> = match (what, &reading) {
        (Some(what), _) => what
            .schema
            .iter()
            .filter(|field| field.parent.is_none())
            .map(|field| field.name.clone())
            .collect(),
        (None, Reading::Rows(grid)) => grid.columns.iter().map(|column| column.name.clone()).collect(),
        _ => Vec::new(),
    };
    // Rows are newer than the observation may be: what was read is there, whatever was observed.
    if let Reading::Rows(grid) = &reading {
        for column in &grid.columns {
            if !columns.contains(&column.name) {
                columns.push(column.name.clone());
            }
        }
    }
    if columns.len() == ask.columns.len() {
        ask.columns = Vec::new();
    }
    let filterable = what
        .map(leaves)
        .filter(|leaves| !leaves.is_empty())
        .unwrap_or_else(|| columns.iter().map(|column| vec![column.clone()]).collect());
    let references = what.map(|what| what.references.clone()).unwrap_or_default();
    RowsPage { head, ask, reading, columns, filterable, can_filter, versions, references, detail }
}

/// Paths that a condition can name: top-level columns, and fields reached through structs alone.
fn leaves(what: &Description) -> Vec<Vec<String>> {
    let mut paths: Vec<Option<Vec<String>>> = Vec::with_capacity(what.schema.len());
    let mut leaves = Vec::new();
    for field in &what.schema {
        let parent = field.parent.and_then(|at| usize::try_from(at).ok());
        let path = match parent {
            None => Some(vec![field.name.clone()]),
            Some(at) => {
                let through =
                    what.schema.get(at).is_some_and(|parent| parent.type_name.starts_with("struct"));
                paths.get(at).cloned().flatten().filter(|_| through).map(|mut path| {
                    path.push(field.name.clone());
                    path
                })
            }
        };
        if let Some(path) = &path
            && !field.type_name.starts_with("struct")
        {
            leaves.push(path.clone());
        }
        paths.push(path);
    }
    leaves
}

fn query(ask: &RowsAsk) -> PreviewQuery {
    PreviewQuery {
        columns: (!ask.columns.is_empty()).then(|| ask.columns.clone()),
        filter: ask.filters.iter().map(condition).collect(),
        offset: ask.offset,
        limit: ask.limit,
        at: match &ask.at {
            At::Latest => VersionRef::Latest,
            At::Version(version) => VersionRef::Version(version.clone()),
            At::Tag(tag) => VersionRef::Tag(tag.clone()),
            At::Branch(branch, version) => VersionRef::Branch(branch.clone(), version.clone()),
        },
    }
}

fn condition(filter: &Filter) -> Condition {
    let value = match filter.op {
        Operator::IsNull | Operator::IsNotNull => ConditionValue::None,
        Operator::In => ConditionValue::Many(typed_values(&filter.value)),
        _ => ConditionValue::One(filter.value.clone()),
    };
    Condition { column: filter.column.clone(), operator: filter.op, value }
}

/// The rows of a page as a file.
async fn download(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
    Query(pairs): Query<Pairs>,
) -> Result<Response, Problem> {
    let of = path.reference()?;
    let ask = parse(&pairs).map_err(Problem::invalid)?;
    let format = pairs.iter().find(|(key, _)| key == "format").map(|(_, value)| value.as_str());
    let format = match format {
        Some("csv") => Download::Csv,
        Some("json-lines") => Download::JsonLines,
        Some("arrow") => Download::Arrow,
        _ => return Err(Problem::invalid("Choose csv, json-lines or arrow as the format")),
    };
    let (kind, name, bytes) = app.previews.download(&visit.actor, &of, &query(&ask), format).await?;
    let plain: String =
        name.chars().filter(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '/' | ';')).collect();
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    let kind = HeaderValue::try_from(kind).map_err(Problem::internal)?;
    headers.insert(header::CONTENT_TYPE, kind);
    let disposition = HeaderValue::try_from(format!("attachment; filename=\"{plain}\""));
    headers.insert(header::CONTENT_DISPOSITION, disposition.map_err(Problem::internal)?);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use lakeglass_api::FormatId;
    use lakeglass_api::description::{Field, Totals};

    use super::*;

    #[test]
    fn conditions_reach_through_structs_but_not_into_lists() {
        let field = |parent, name: &str, type_name: &str| Field {
            parent,
            name: name.into(),
            id: None,
            type_name: type_name.into(),
            nullable: true,
            doc: None,
            properties: Vec::new(),
        };
        let what = Description {
            format: FormatId::lance(),
            format_version: None,
            version: None,
            version_timestamp_ms: None,
            schema: vec![
                field(None, "id", "int64"),
                field(None, "s", "struct"),
                field(Some(1), "x", "utf8"),
                field(None, "l", "list<struct>"),
                field(Some(3), "item", "struct"),
                field(Some(4), "y", "utf8"),
                field(Some(99), "lost", "utf8"),
            ],
            totals: Totals::default(),
            references: Vec::new(),
            indices: Vec::new(),
            features: Vec::new(),
            properties: Vec::new(),
            notes: Vec::new(),
        };
        let leaves: Vec<String> = leaves(&what).into_iter().map(|path| path.join(".")).collect();
        assert_eq!(leaves, ["id", "s.x", "l"]);
    }
}
