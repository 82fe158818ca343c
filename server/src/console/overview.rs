//! The Overview.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lakeglass_api::catalog::Bucket;
use lakeglass_api::jobs::JobState;
use lakeglass_api::{FormatId, ListQuery, Role};
use lakeglass_app::pages::namespace::STALE_AFTER_MS;
use lakeglass_app::pages::overview::{Failing, FormatSum, Overview, page};
use lakeglass_app::{Crumb, Section};

use super::visit::Visit;
use crate::auth::Actor;
use crate::catalog::Standing;
use crate::jobs::JobFilter;
use crate::problem::Problem;
use crate::router::{Route, Who};
use crate::state::App;

/// Tables and jobs that the Overview lists of each sort.
const LISTED: u32 = 8;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::page("/", Who::SignedIn, show)]
}

/// Every bucket that the actor may see.
pub(super) async fn every_bucket(app: &App, actor: &Actor) -> Result<Vec<Bucket>, Problem> {
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let query = ListQuery { after, limit: Some(500), ..ListQuery::default() };
        let page = app.catalog.buckets(actor, &query).await?;
        all.extend(page.items);
        after = page.next;
        if after.is_none() {
            return Ok(all);
        }
    }
}

/// Sums by format, the format with the most tables first.
fn sums(buckets: Vec<Bucket>) -> Vec<FormatSum> {
    let mut sums: BTreeMap<Option<FormatId>, FormatSum> = BTreeMap::new();
    for bucket in buckets {
        let sum = sums.entry(bucket.format.clone()).or_insert(FormatSum {
            format: bucket.format,
            buckets: 0,
            tables: 0,
            rows: None,
            bytes: None,
            unobserved: 0,
        });
        sum.buckets += 1;
        sum.tables += bucket.tables;
        sum.rows = add(sum.rows, bucket.rows);
        sum.bytes = add(sum.bytes, bucket.bytes);
        sum.unobserved += bucket.unobserved;
    }
    let mut sums: Vec<_> = sums.into_values().collect();
    sums.sort_by_key(|sum| std::cmp::Reverse(sum.tables));
    sums
}

/// A sum in which what was never looked at counts for nothing, and only then is unknown.
fn add(sum: Option<u64>, more: Option<u64>) -> Option<u64> {
    match (sum, more) {
        (Some(sum), Some(more)) => Some(sum.saturating_add(more)),
        (one, other) => one.or(other),
    }
}

async fn show(State(app): State<Arc<App>>, visit: Visit) -> Result<Response, Problem> {
    let actor = &visit.actor;
    let formats = sums(every_bucket(&app, actor).await?);
    let largest = app.catalog.standing(actor, Standing::Largest, LISTED).await?;
    let before = visit.now_ms - STALE_AFTER_MS;
    let stale = app.catalog.standing(actor, Standing::ObservedBefore(before), LISTED).await?;
    let failing = failing(&app, actor).await?;
    let stale = stale.into_iter().filter(|table| failing.iter().all(|one| one.table != *table)).collect();
    let failed = JobFilter { state: Some(JobState::Failed), ..JobFilter::default() };
    let query = ListQuery { limit: Some(LISTED), ..ListQuery::default() };
    let failed_jobs = app.jobs.list(actor, failed, &query).await?.items;
    let data = Overview {
        formats,
        largest,
        stale,
        failing,
        failed_jobs,
        may_create: visit.may(Role::Editor),
        lance_endpoint: format!("{}/lance", visit.origin),
        now_ms: visit.now_ms,
    };
    Ok(visit.page(Section::Overview, vec![Crumb::here("Overview")], "Overview", || page(data)).await)
}

/// Tables that could not be read when they were last looked at, and why.
async fn failing(app: &App, actor: &Actor) -> Result<Vec<Failing>, Problem> {
    let mut failing = Vec::new();
    for table in app.catalog.standing(actor, Standing::LookFailed, LISTED).await? {
        // One that was dropped, or read again, since the list was made is left out.
        if let Ok((_, Some(look))) = app.observations.latest(actor, &table.reference()).await {
            failing.push(Failing { table, look });
        }
    }
    Ok(failing)
}

#[cfg(test)]
mod tests {
    use lakeglass_api::catalog::{Backing, Properties};

    use super::*;

    fn bucket(name: &str, format: &str, tables: u64, rows: Option<u64>) -> Bucket {
        Bucket {
            name: name.parse().unwrap(),
            format: Some(FormatId::new(format)),
            backing: Backing::Managed,
            storage: "local".into(),
            root: String::new(),
            description: String::new(),
            properties: Properties::new(),
            protected: false,
            created_at_ms: 0,
            tables,
            rows,
            bytes: rows,
            unobserved: u64::from(rows.is_none()),
            health: None,
        }
    }

    #[test]
    fn sums_keep_unknown_apart_from_zero() {
        let sums = sums(vec![
            bucket("aaa", "csv", 1, None),
            bucket("bbb", "lance", 2, Some(0)),
            bucket("ccc", "lance", 3, None),
        ]);
        assert_eq!(sums[0].format, Some(FormatId::lance()));
        assert_eq!((sums[0].buckets, sums[0].tables, sums[0].rows, sums[0].unobserved), (2, 5, Some(0), 1));
        assert_eq!((sums[1].rows, sums[1].unobserved), (None, 1));
    }
}
