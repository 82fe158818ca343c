//! One namespace: its tables, namespaces inside, and dropping it.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use lakeglass_api::{BucketName, FormatId, ListQuery, NamespacePath, Role};
use lakeglass_app::pages::namespace::{self, NamespacePage, drop};
use lakeglass_app::parts::{Form, format_title};
use lakeglass_app::{Crumb, Section, links};

use super::bucket::make_namespace;
use super::fields::{Fields, mendable, refused};
use super::listing::Asked;
use super::visit::{Visit, named, path_named};
use crate::catalog::CascadeList;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

pub(super) fn routes() -> Vec<Route> {
    let (viewer, editor) = (Who::Bucket(Role::Viewer), Who::Bucket(Role::Editor));
    vec![
        Route::page("/buckets/{bucket}/ns/{namespace}", viewer, show),
        Route::form("/buckets/{bucket}/ns/{namespace}/namespaces", editor, create_inside),
        Route::page("/buckets/{bucket}/ns/{namespace}/drop", editor, ask_drop),
        Route::form("/buckets/{bucket}/ns/{namespace}/drop", editor, drop_it),
    ]
}

/// Bucket, the namespaces on the way, and where we are.
pub(super) fn crumbs(bucket: &BucketName, path: &NamespacePath, here: Option<&str>) -> Vec<Crumb> {
    let mut crumbs =
        vec![Crumb::link("Buckets", "/buckets"), Crumb::link(bucket.as_str(), links::bucket(bucket))];
    let mut on_the_way = Vec::new();
    let mut at = Some(path.clone());
    while let Some(path) = at.filter(|path| !path.is_root()) {
        at = path.parent();
        on_the_way.push(path);
    }
    for (depth, step) in on_the_way.iter().enumerate().rev() {
        let leaf = step.leaf().unwrap_or_default();
        let last = depth == 0 && here.is_none();
        crumbs.push(if last { Crumb::here(leaf) } else { Crumb::link(leaf, links::namespace(bucket, step)) });
    }
    crumbs.extend(here.map(Crumb::here));
    crumbs
}

/// Whether a bucket's tables can be made by the console; else why not.
pub(super) fn creatable(app: &App, format: Option<&FormatId>) -> Result<(), String> {
    let Some(format) = format else { return Ok(()) };
    let cards = app.formats.cards();
    let title = format_title(format);
    match cards.iter().find(|card| card.id == *format) {
        Some(card) if card.can_create_tables => Ok(()),
        Some(_) => Err(format!(
            "Clients write {title} files into the folder of the bucket; Find tables on its page lists them here."
        )),
        None => Err(format!("Nothing on this server reads {title} any more, so nothing can be made here.")),
    }
}

async fn namespace_page(
    app: &App,
    visit: &Visit,
    bucket: &BucketName,
    path: &NamespacePath,
    asked: &Asked,
    form: Form,
) -> Result<NamespacePage, Problem> {
    let namespace = app.catalog.namespace(&visit.actor, bucket, path).await?;
    let around = app.catalog.bucket(&visit.actor, bucket).await?;
    let tables = app.catalog.tables(&visit.actor, bucket, path, &asked.query(), true).await?;
    let first = ListQuery { limit: Some(100), ..ListQuery::default() };
    let children = app.catalog.namespaces(&visit.actor, bucket, path, &first).await?;
    let list = asked.listing(links::namespace(bucket, path), &tables);
    Ok(NamespacePage {
        create: creatable(app, around.format.as_ref()),
        health: around.health,
        namespace,
        tables: tables.items,
        list,
        more_children: children.next.is_some(),
        children: children.items,
        may_edit: visit.may_in(bucket, Role::Editor),
        now_ms: visit.now_ms,
        form,
    })
}

async fn show(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path((bucket, dotted)): Path<(String, String)>,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let (bucket, path) = (named(&bucket)?, path_named(&dotted)?);
    let data = namespace_page(&app, &visit, &bucket, &path, &asked, Form::default()).await?;
    let title = format!("{path} in {bucket}");
    Ok(visit.page(Section::Buckets, crumbs(&bucket, &path, None), &title, || namespace::page(data)).await)
}

async fn create_inside(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path((bucket, dotted)): Path<(String, String)>,
    fields: Fields,
) -> Result<Response, Problem> {
    let (bucket, path) = (named(&bucket)?, path_named(&dotted)?);
    let typed = fields.text("namespace");
    let wanted = if typed.is_empty() { String::new() } else { format!("{path}.{typed}") };
    match mendable(make_namespace(&app, &visit, &bucket, &wanted).await)? {
        Ok(made) => {
            let text = format!("The namespace {made} was created");
            Ok(visit.done(links::namespace(&bucket, &made), &text).await)
        }
        Err(problem) => {
            let form = refused(fields.form(), &problem, &[("namespace", "namespace"), ("name", "namespace")]);
            let data = namespace_page(&app, &visit, &bucket, &path, &Asked::default(), form).await?;
            let title = format!("{path} in {bucket}");
            let crumbs = crumbs(&bucket, &path, None);
            Ok(visit.refused(Section::Buckets, crumbs, &title, || namespace::page(data)).await)
        }
    }
}

async fn drop_page(
    app: &App,
    visit: &Visit,
    bucket: &BucketName,
    path: &NamespacePath,
    form: Form,
) -> Result<drop::DropNamespace, Problem> {
    let namespace = app.catalog.namespace(&visit.actor, bucket, path).await?;
    let list = app.catalog.cascade_list(&visit.actor, bucket, path).await?;
    Ok(drop::DropNamespace {
        contents: contents(list, &path.dotted()),
        may_cascade: visit.may_in(bucket, Role::Admin),
        namespace,
        form,
    })
}

fn contents(list: CascadeList, itself: &str) -> drop::Contents {
    let shown = u64::try_from(list.tables.len() + list.trashed.len()).unwrap_or(u64::MAX);
    drop::Contents {
        namespaces: list.namespaces.into_iter().filter(|name| name != itself).collect(),
        more: list.table_count > shown,
        tables: list.tables,
        trashed: list.trashed,
        protected: list.protected,
    }
}

fn drop_title(path: &NamespacePath) -> String {
    format!("Drop namespace {path}")
}

async fn ask_drop(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path((bucket, dotted)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let (bucket, path) = (named(&bucket)?, path_named(&dotted)?);
    let data = drop_page(&app, &visit, &bucket, &path, Form::default()).await?;
    let crumbs = crumbs(&bucket, &path, Some("Drop"));
    Ok(visit.page(Section::Buckets, crumbs, &drop_title(&path), || drop::page(data)).await)
}

async fn drop_it(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path((bucket, dotted)): Path<(String, String)>,
    fields: Fields,
) -> Result<Response, Problem> {
    let (bucket, path) = (named(&bucket)?, path_named(&dotted)?);
    let cascade = fields.ticked("cascade");
    let form = if cascade && fields.text("confirm") != path.dotted() {
        fields.form().error("confirm", format!("Type {path} exactly to drop it with what is inside"))
    } else {
        match mendable(app.catalog.drop_namespace(&visit.actor, &bucket, &path, cascade).await)? {
            Ok(_) => {
                let up = path.parent().filter(|parent| !parent.is_root());
                let href = up.map_or_else(|| links::bucket(&bucket), |up| links::namespace(&bucket, &up));
                return Ok(visit.done(href, &format!("The namespace {path} was dropped")).await);
            }
            Err(problem) => refused(fields.form(), &problem, &[]),
        }
    };
    let data = drop_page(&app, &visit, &bucket, &path, form).await?;
    let crumbs = crumbs(&bucket, &path, Some("Drop"));
    Ok(visit.refused(Section::Buckets, crumbs, &drop_title(&path), || drop::page(data)).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crumbs_lead_through_every_namespace_on_the_way() {
        let bucket: BucketName = "media".parse().unwrap();
        let path = NamespacePath::from_dotted("a.b").unwrap();
        let labels: Vec<_> =
            crumbs(&bucket, &path, None).into_iter().map(|crumb| (crumb.label, crumb.href)).collect();
        assert_eq!(
            labels,
            [
                ("Buckets".to_owned(), Some("/buckets".to_owned())),
                ("media".to_owned(), Some("/buckets/media".to_owned())),
                ("a".to_owned(), Some("/buckets/media/ns/a".to_owned())),
                ("b".to_owned(), None),
            ]
        );
        let with_page = crumbs(&bucket, &path, Some("Drop"));
        assert_eq!(with_page[3].href.as_deref(), Some("/buckets/media/ns/a.b"));
        assert_eq!(with_page[4], Crumb::here("Drop"));
    }
}
