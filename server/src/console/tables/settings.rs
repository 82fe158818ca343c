//! Changes to a table, each a form that posts.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use lakeglass_api::{NamespacePath, Role, TableName, TableRef};
use lakeglass_app::links;
use lakeglass_app::pages::table::TableTab;
use lakeglass_app::pages::table::settings::{self, SettingsPage};
use lakeglass_app::parts::Form;

use super::{Named, below, head, tab};
use crate::console::fields::{Fields, mendable, properties, refused};
use crate::console::visit::Visit;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

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

/// The page again, with what was typed and what is wrong with it. `field` is to blame unless the problem
/// names another of the form's.
async fn again(
    app: &App,
    visit: &Visit,
    of: &TableRef,
    fields: &Fields,
    field: &'static str,
    problem: Problem,
) -> Result<Response, Problem> {
    let problem = if problem.fields.is_empty() {
        let rule = problem.detail.clone();
        problem.field(field, rule)
    } else {
        problem
    };
    let names = [
        ("table", "name"),
        ("name", "name"),
        ("namespace", "namespace"),
        ("properties", "properties"),
        ("confirm", "confirm"),
    ];
    draw(app, visit, of, StatusCode::BAD_REQUEST, |form| {
        refused(form.typed(fields.pairs()), &problem, &names)
    })
    .await
}

async fn rename(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
    fields: Fields,
) -> Result<Response, Problem> {
    let of = path.reference()?;
    let (name, namespace) = match names(&fields) {
        Ok(names) => names,
        Err(problem) => return again(&app, &visit, &of, &fields, "name", problem).await,
    };
    let namespace = Some(namespace).filter(|namespace| *namespace != of.namespace);
    match mendable(app.catalog.rename_table(&visit.actor, &of, &name, namespace.as_ref()).await)? {
        Ok(table) => {
            let text = format!("The table is called {} now", table.name);
            Ok(visit.done(links::table(&table.reference()), &text).await)
        }
        Err(problem) => {
            // The namespace typed is not there; when it is the table, drawing the page says so.
            let gone = problem.status == StatusCode::NOT_FOUND;
            again(&app, &visit, &of, &fields, if gone { "namespace" } else { "name" }, problem).await
        }
    }
}

/// The name and namespace typed, or which of them is wrong.
fn names(fields: &Fields) -> Result<(TableName, NamespacePath), Problem> {
    let wrong = |field: &str, rule: String| Problem::invalid(rule.clone()).field(field, rule);
    let name = fields.text("name").parse::<TableName>();
    let name = name.map_err(|error| wrong("name", error.to_string()))?;
    let namespace = NamespacePath::from_dotted(fields.text("namespace"));
    let namespace = namespace.map_err(|error| wrong("namespace", error.to_string()))?;
    if namespace.is_root() {
        return Err(wrong("namespace", "A table lives in a namespace. Name one".to_owned()));
    }
    Ok((name, namespace))
}

async fn protect(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
    fields: Fields,
) -> Result<Response, Problem> {
    let of = path.reference()?;
    let on = match fields.text("protected") {
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
    fields: Fields,
) -> Result<Response, Problem> {
    let of = path.reference()?;
    let saved = match properties(fields.raw("properties")) {
        Ok(properties) => mendable(app.catalog.set_table_properties(&visit.actor, &of, properties).await)?,
        Err(rule) => Err(Problem::invalid(rule)),
    };
    match saved {
        Ok(_) => Ok(visit.done(links::table_tab(&of, "settings"), "The properties were saved").await),
        Err(problem) => again(&app, &visit, &of, &fields, "properties", problem).await,
    }
}

async fn deregister(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
) -> Result<Response, Problem> {
    let of = path.reference()?;
    match mendable(app.catalog.deregister_table(&visit.actor, &of).await)? {
        Ok(_) => {
            let says = format!("The table {} is in Trash. Its data was kept", of.table);
            Ok(visit.done(links::namespace(&of.bucket, &of.namespace), &says).await)
        }
        Err(problem) if problem.status == StatusCode::NOT_FOUND => Err(problem),
        Err(problem) => Ok(visit.failed(links::table_tab(&of, "settings"), &problem.detail).await),
    }
}

async fn drop_table(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(path): Path<Named>,
    fields: Fields,
) -> Result<Response, Problem> {
    let of = path.reference()?;
    if fields.text("confirm") != of.table.as_str() {
        let problem = Problem::invalid(format!("Type {} to drop the table", of.table));
        return again(&app, &visit, &of, &fields, "confirm", problem).await;
    }
    match mendable(app.catalog.drop_table(&visit.actor, &of).await)? {
        Ok(_) => {
            let says = format!("The table {} and its data are gone", of.table);
            Ok(visit.done(links::namespace(&of.bucket, &of.namespace), &says).await)
        }
        Err(problem) => again(&app, &visit, &of, &fields, "confirm", problem).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_name_needs_a_namespace() {
        let typed = |name: &str, namespace: &str| Fields::typed([("name", name), ("namespace", namespace)]);
        assert!(names(&typed("t", "a.b")).is_ok());
        assert_eq!(names(&typed("a/b", "a")).unwrap_err().fields[0].field, "name");
        assert_eq!(names(&typed("t", "")).unwrap_err().fields[0].field, "namespace");
        assert_eq!(names(&typed("t", "a..b")).unwrap_err().fields[0].field, "namespace");
    }
}
