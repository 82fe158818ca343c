//! `/api/v1/buckets`, what is in them, and `/api/v1/tables`. Handlers parse; the catalog decides.

mod attached;
mod buckets;
mod namespaces;
mod tables;
mod trash;

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use lakeglass_api::{ListQuery, NamespacePath, TableRef};
use serde::{Deserialize, Serialize};

use crate::problem::Problem;
use crate::router::Route;

pub(super) fn routes() -> Vec<Route> {
    [buckets::routes(), attached::routes(), namespaces::routes(), tables::routes(), trash::routes()].concat()
}

/// Search, sort and paging of a list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    /// Part of the name, any case.
    search: Option<String>,
    /// A column of the list; the answer to a wrong one names them.
    sort: Option<String>,
    /// Largest or last first.
    #[serde(default)]
    descending: bool,
    /// The `next` of the page before.
    after: Option<String>,
    /// 1 to 500, 50 by default.
    limit: Option<u32>,
}

impl From<Asked> for ListQuery {
    fn from(asked: Asked) -> Self {
        let Asked { search, sort, descending, after, limit } = asked;
        Self { search, sort, descending, after, limit }
    }
}

/// Whether lists of tables hold declared ones.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct WithDeclared {
    /// Also tables with nothing written yet. True by default.
    include_declared: Option<bool>,
}

impl WithDeclared {
    fn wanted(&self) -> bool {
        self.include_declared.unwrap_or(true)
    }
}

/// A namespace from its dotted form in a path; never the bucket itself.
fn namespace(dotted: &str) -> Result<NamespacePath, Problem> {
    let path = NamespacePath::from_dotted(dotted)?;
    if path.is_root() {
        return Err(Problem::invalid("Name a namespace").field("namespace", "At least one part"));
    }
    Ok(path)
}

/// A table from the three parts of its path.
fn table((bucket, dotted, name): (String, String, String)) -> Result<TableRef, Problem> {
    Ok(TableRef { bucket: bucket.parse()?, namespace: namespace(&dotted)?, table: name.parse()? })
}

/// 201 with the path of what was made. Paths here hold nothing that needs encoding: names allow none.
fn made<T: Serialize>(location: &str, body: T) -> Response {
    let mut response = (StatusCode::CREATED, Json(body)).into_response();
    if let Ok(location) = HeaderValue::from_str(location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}
