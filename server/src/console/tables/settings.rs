//! Changes to a table, each a form that posts.

use std::sync::Arc;

use axum::Form as Posted;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use lakeglass_api::catalog::Properties;
use lakeglass_api::{NamespacePath, Role, TableName, TableRef};
use lakeglass_app::links;
use lakeglass_app::pages::table::TableTab;
use lakeglass_app::pages::table::settings::{self, SettingsPage};
use lakeglass_app::parts::Form;

use super::{Named, below, head, tab};
use crate::console::visit::Visit;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

type Fields = Posted<Vec<(String, String)>>;

pub(super) fn routes() -> Vec<Route> {
    let edit = Who::Bucket(Role::Editor);
    vec![
        Route::page(below!("/settings"), Who::Bucket(Role::Viewer), show),
        Route::form(below!("/settings/rename"), edit, rename),
        Route::form(below!("/settings/protection"), Who::Bucket(Role::Admin), protect),
        Route::form(below!("/settings/properties"), edit, set_properties),
        Route::form(below!("/settings/deregister"), edit, deregister),
        Route::form(below!("/settings/drop"), edit, drop_table),
    ]
}

async fn show(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
) -> Result<Response, Problem> {
    draw(&app, &visit, &path.reference()?, StatusCode::OK, |form| form).await
}

/// The page, with its form changed by what was typed or refused.
async fn draw(
    app: &App,
    visit: &Visit,
    of: &TableRef,
    status: StatusCode,
    change: impl FnOnce(Form) -> Form,
) -> Result<Response, Problem> {
    let (head, _) = head(app, visit, of).await?;
    let tags = head.observation.iter().flat_map(|look| &look.description.references);
    let tags = tags.filter(|reference| reference.kind == "tag").map(|tag| tag.name.clone()).collect();
    let form = change(SettingsPage::start(&head));
    let data = SettingsPage { may_administer: visit.may_in(&of.bucket, Role::Admin), tags, form, head };
    Ok(tab(visit, &data.head, TableTab::Settings, status, || settings::page(&data)).await)
}

/// The page again, with what was typed and what is wrong with it. `field` is to blame unless the
/// problem names another of the form's.
async fn refused(
    app: &App,
    visit: &Visit,
    of: &TableRef,
    typed: &[(String, String)],
    field: &'static str,
    problem: &Problem,
) -> Result<Response, Problem> {
    let (field, message) = match problem.fields.first() {
        None => (field.to_owned(), problem.detail.clone()),
        Some(error) if error.field == "table" => ("name".to_owned(), error.message.clone()),
        Some(error) => (error.field.clone(), error.message.clone()),
    };
    draw(app, visit, of, StatusCode::BAD_REQUEST, |form| {
        form.typed(typed.iter().cloned()).error(field, message)
    })
    .await
}

/// What a person can mend by typing something else; the rest is an error page.
fn is_mendable(problem: &Problem) -> bool {
    matches!(problem.status, StatusCode::BAD_REQUEST | StatusCode::CONFLICT)
}

fn text<'a>(fields: &'a [(String, String)], name: &str) -> &'a str {
    fields.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.trim())
}

async fn rename(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
    Posted(fields): Fields,
) -> Result<Response, Problem> {
    let of = path.reference()?;
    let (name, namespace) = match names(&fields) {
        Ok(names) => names,
        Err((field, rule)) => {
            return refused(&app, &visit, &of, &fields, field, &Problem::invalid(rule)).await;
        }
    };
    let namespace = Some(namespace).filter(|namespace| *namespace != of.namespace);
    let renamed = app.catalog.rename_table(&visit.actor, &of, &name, namespace.as_ref()).await;
    match renamed.map_err(Problem::from) {
        Ok(table) => {
            let now = TableRef { bucket: table.bucket, namespace: table.namespace, table: table.name };
            Ok(visit.done(links::table(&now), &format!("The table is called {} now", now.table)).await)
        }
        Err(problem) if is_mendable(&problem) => refused(&app, &visit, &of, &fields, "name", &problem).await,
        Err(problem) if problem.status == StatusCode::NOT_FOUND => {
            // The namespace typed is not there; when it is the table, drawing the page says so.
            refused(&app, &visit, &of, &fields, "namespace", &problem).await
        }
        Err(problem) => Err(problem),
    }
}

/// The name and namespace typed, or the field that is wrong and its rule.
fn names(fields: &[(String, String)]) -> Result<(TableName, NamespacePath), (&'static str, String)> {
    let name = text(fields, "name").parse::<TableName>().map_err(|error| ("name", error.to_string()))?;
    let namespace = NamespacePath::from_dotted(text(fields, "namespace"))
        .map_err(|error| ("namespace", error.to_string()))?;
    if namespace.is_root() {
        return Err(("namespace", "A table lives in a namespace. Name one".to_owned()));
    }
    Ok((name, namespace))
}

async fn protect(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
    Posted(fields): Fields,
) -> Result<Response, Problem> {
    let of = path.reference()?;
    let on = match text(&fields, "protected") {
        "on" => true,
        "off" => false,
        _ => return Err(Problem::invalid("Protection is on or off")),
    };
    app.catalog.protect_table(&visit.actor, &of, on).await?;
    let says = if on { "The table is protected" } else { "The table is no longer protected" };
    Ok(visit.done(links::table_tab(&of, "settings"), says).await)
}

async fn set_properties(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
    Posted(fields): Fields,
) -> Result<Response, Problem> {
    let of = path.reference()?;
    let typed = fields.iter().find(|(key, _)| key == "properties").map_or("", |(_, value)| value);
    let saved = match properties(typed) {
        Ok(properties) => {
            app.catalog.set_table_properties(&visit.actor, &of, properties).await.map_err(Problem::from)
        }
        Err(rule) => Err(Problem::invalid(rule)),
    };
    match saved {
        Ok(_) => Ok(visit.done(links::table_tab(&of, "settings"), "The properties were saved").await),
        Err(problem) if is_mendable(&problem) => {
            refused(&app, &visit, &of, &fields, "properties", &problem).await
        }
        Err(problem) => Err(problem),
    }
}

/// `key=value` lines; empty ones are skipped.
fn properties(text: &str) -> Result<Properties, String> {
    let mut out = Properties::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let Some((key, value)) = line.split_once('=') else {
            return Err(format!("This line has no equals sign: {line}"));
        };
        let key = key.trim();
        if key.is_empty() {
            return Err(format!("This line has no key before the equals sign: {line}"));
        }
        if out.insert(key.to_owned(), value.trim().to_owned()).is_some() {
            return Err(format!("The key {key} is there twice"));
        }
    }
    Ok(out)
}

async fn deregister(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
) -> Result<Response, Problem> {
    let of = path.reference()?;
    match app.catalog.deregister_table(&visit.actor, &of).await.map_err(Problem::from) {
        Ok(_) => {
            let says = format!("The table {} is in Trash. Its data was kept", of.table);
            Ok(visit.done(links::namespace(&of.bucket, &of.namespace), &says).await)
        }
        Err(problem) if is_mendable(&problem) => {
            Ok(visit.failed(links::table_tab(&of, "settings"), &problem.detail).await)
        }
        Err(problem) => Err(problem),
    }
}

async fn drop_table(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
    Posted(fields): Fields,
) -> Result<Response, Problem> {
    let of = path.reference()?;
    if text(&fields, "confirm") != of.table.as_str() {
        let problem = Problem::invalid(format!("Type {} to drop the table", of.table));
        return refused(&app, &visit, &of, &fields, "confirm", &problem).await;
    }
    match app.catalog.drop_table(&visit.actor, &of).await.map_err(Problem::from) {
        Ok(_) => {
            let says = format!("The table {} and its data are gone", of.table);
            Ok(visit.done(links::namespace(&of.bucket, &of.namespace), &says).await)
        }
        Err(problem) if is_mendable(&problem) => {
            refused(&app, &visit, &of, &fields, "confirm", &problem).await
        }
        Err(problem) => Err(problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_lines_and_values_keep_their_equals_signs() {
        let read = properties("a = 1\n\nb=x=y\n").unwrap();
        assert_eq!(read.get("a").map(String::as_str), Some("1"));
        assert_eq!(read.get("b").map(String::as_str), Some("x=y"));
        assert!(properties("novalue").unwrap_err().contains("novalue"));
        assert!(properties("=x").is_err());
        assert!(properties("a=1\na=2").unwrap_err().contains("twice"));
    }

    #[test]
    fn a_new_name_needs_a_namespace() {
        let typed = |name: &str, namespace: &str| {
            vec![("name".to_owned(), name.to_owned()), ("namespace".to_owned(), namespace.to_owned())]
        };
        assert!(names(&typed("t", "a.b")).is_ok());
        assert_eq!(names(&typed("a/b", "a")).unwrap_err().0, "name");
        assert_eq!(names(&typed("t", "")).unwrap_err().0, "namespace");
        assert_eq!(names(&typed("t", "a..b")).unwrap_err().0, "namespace");
    }
}
