//! Overview: what there is, and what needs someone.

use lakeglass_api::FormatId;
use lakeglass_api::catalog::Table;
use lakeglass_api::description::FailedLook;
use lakeglass_api::jobs::Job;
use leptos::prelude::*;

use super::namespace::observed;
use crate::parts::{
    Column, Icon, Look, Tile, cell, format_badge, heading, icon, link_button, moment, num, panel, section,
    table, tiles,
};
use crate::{links, text};

/// What all buckets of one format hold together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatSum {
    /// None: buckets without a declared format.
    pub format: Option<FormatId>,
    pub buckets: u64,
    pub tables: u64,
    pub rows: Option<u64>,
    pub bytes: Option<u64>,
    pub unobserved: u64,
}

/// A table, and the newest look at it, which failed.
#[derive(Debug, Clone)]
pub struct Failing {
    pub table: Table,
    pub look: FailedLook,
}

#[derive(Debug, Clone)]
pub struct Overview {
    pub formats: Vec<FormatSum>,
    /// By size, from observations.
    pub largest: Vec<Table>,
    /// Observed longest ago, or never, and worth a look.
    pub stale: Vec<Table>,
    /// Could not be read when they were last looked at.
    pub failing: Vec<Failing>,
    pub failed_jobs: Vec<Job>,
    pub may_create: bool,
    /// Address that Lance clients use.
    pub lance_endpoint: String,
    pub now_ms: i64,
}

pub fn page(data: Overview) -> AnyView {
    let Overview { formats, largest, stale, failing, failed_jobs, may_create, lance_endpoint, now_ms } = data;
    let buckets: u64 = formats.iter().map(|sum| sum.buckets).sum();
    let tables: u64 = formats.iter().map(|sum| sum.tables).sum();
    if buckets == 0 || tables == 0 {
        return view! {
            {heading("Overview", None, Vec::new())}
            {first_steps(buckets, may_create, &lance_endpoint)}
            {(buckets > 0).then(|| by_format(formats))}
        }
        .into_any();
    }
    view! {
        {heading("Overview", None, Vec::new())}
        {totals(&formats)}
        <div class="halves">
            {by_format(formats)}
            {attention(stale, failing, failed_jobs, now_ms)}
        </div>
        {largest_tables(largest, now_ms)}
    }
    .into_any()
}

fn totals(formats: &[FormatSum]) -> AnyView {
    let sum =
        |value: fn(&FormatSum) -> Option<u64>| formats.iter().filter_map(value).reduce(u64::saturating_add);
    let unobserved: u64 = formats.iter().map(|sum| sum.unobserved).sum();
    let mut rows = Tile::new("Rows", sum(|sum| sum.rows).map(text::count));
    if unobserved > 0 {
        rows = rows.note(format!("{} not observed", text::plural(unobserved, "table", "tables")));
    }
    tiles(vec![
        Tile::new("Buckets", sum(|sum| Some(sum.buckets)).map(text::count)),
        Tile::new("Tables", sum(|sum| Some(sum.tables)).map(text::count)),
        rows,
        Tile::new("Size", sum(|sum| sum.bytes).map(text::bytes)),
    ])
}

fn first_steps(buckets: u64, may_create: bool, lance_endpoint: &str) -> AnyView {
    if buckets == 0 && !may_create {
        let body = view! {
            <p>"No bucket is shared with you yet. An admin of this server can give you a role in one."</p>
        };
        return section("Nothing to see yet", None, body.into_any());
    }
    let new = if buckets == 0 {
        view! {
            <p>"It holds tables of one format and gives clients one address."</p>
            <p>{link_button("/new-bucket", "New bucket", Look::Primary, Some(Icon::Plus))}</p>
        }
        .into_any()
    } else {
        view! { <p class="line">{icon(Icon::Check)}<span>"Done. "<a href="/buckets">"See the buckets"</a></span></p> }
            .into_any()
    };
    let endpoint = lance_endpoint.to_owned();
    let body = view! {
        <ol class="steps">
            <li><h3>"Create a bucket"</h3>{new}</li>
            <li>
                <h3>"Make an API token"</h3>
                <p>"Programs use it instead of your password. "<a href="/settings/tokens">"API tokens"</a></p>
            </li>
            <li>
                <h3>"Write a table"</h3>
                <p>"From any Lance client at "<code>{endpoint}</code>", or with Create table in a namespace."</p>
            </li>
        </ol>
    };
    section("First steps", None, body.into_any())
}

fn by_format(formats: Vec<FormatSum>) -> AnyView {
    let columns = vec![
        Column::text("Format"),
        Column::number("Buckets"),
        Column::number("Tables"),
        Column::number("Rows"),
        Column::number("Size"),
    ];
    let rows = formats
        .into_iter()
        .map(|sum| {
            vec![
                cell(format_badge(sum.format.as_ref())),
                num(Some(text::count(sum.buckets))),
                num(Some(text::count(sum.tables))),
                num(sum.rows.map(text::count)),
                num(sum.bytes.map(text::bytes)),
            ]
        })
        .collect();
    let all = view! { <a class="push" href="/buckets">"All buckets"</a> };
    panel("By format", Some(all.into_any()), table("By format", columns, rows))
}

fn table_link(table: &Table) -> AnyView {
    let place = format!("{} / {}", table.bucket, table.namespace.dotted());
    view! {
        <a class="name" href=links::table(&table.reference())>{table.name.to_string()}</a>
        <small class="muted">{place}</small>
    }
    .into_any()
}

fn attention(stale: Vec<Table>, failing: Vec<Failing>, failed: Vec<Job>, now_ms: i64) -> AnyView {
    if stale.is_empty() && failing.is_empty() && failed.is_empty() {
        let body = view! {
            <p class="line">{icon(Icon::Check)}<span>"Nothing. Every table was read within a day, and no job failed."</span></p>
        };
        return section("What needs you", None, body.into_any());
    }
    let jobs = (!failed.is_empty()).then(|| {
        let items = failed
            .into_iter()
            .map(|job| {
                let cause = job.cause.as_deref().map(text::visible).unwrap_or_default();
                view! {
                    <li>
                        <a href=links::job(&job.id)>{job.title.clone()}</a>" "<code>{text::visible(&job.object)}</code>
                        " failed "{moment(job.ended_at_ms.unwrap_or(job.created_at_ms), now_ms)}
                        <small class="muted">{cause}</small>
                    </li>
                }
            })
            .collect_view();
        view! {
            <div class="tight">
                <h3>"Failed jobs"</h3>
                <ul class="plain lines">{items}</ul>
                <p><a href="/jobs?state=failed">"All failed jobs"</a></p>
            </div>
        }
    });
    let failing = (!failing.is_empty()).then(|| {
        let items = failing
            .into_iter()
            .map(|Failing { table, look }| {
                let cause = text::visible(&look.cause);
                view! {
                    <li>
                        <span class="row"><span>{table_link(&table)}</span><span class="push">{moment(look.at_ms, now_ms)}</span></span>
                        <small class="muted">{cause}</small>
                    </li>
                }
            })
            .collect_view();
        view! {
            <div class="tight">
                <h3>"Could not be read"</h3>
                <ul class="plain lines">{items}</ul>
            </div>
        }
    });
    let stale = (!stale.is_empty()).then(|| {
        let items = stale
            .into_iter()
            .map(|table| {
                let seen = observed(table.observed_at_ms, now_ms);
                view! { <li class="row"><span>{table_link(&table)}</span><span class="push">{seen}</span></li> }
            })
            .collect_view();
        view! {
            <div class="tight">
                <h3>"Not looked at for a day or more"</h3>
                <ul class="plain lines">{items}</ul>
            </div>
        }
    });
    section("What needs you", None, view! { {failing}{jobs}{stale} }.into_any())
}

fn largest_tables(largest: Vec<Table>, now_ms: i64) -> Option<AnyView> {
    if largest.is_empty() {
        return None;
    }
    let columns = vec![
        Column::text("Table"),
        Column::text("Format"),
        Column::number("Rows"),
        Column::number("Size"),
        Column::text("Observed"),
    ];
    let rows = largest
        .into_iter()
        .map(|table| {
            vec![
                cell(table_link(&table)),
                cell(format_badge(Some(&table.format))),
                num(table.rows.map(text::count)),
                num(table.bytes.map(text::bytes)),
                cell(observed(table.observed_at_ms, now_ms)),
            ]
        })
        .collect();
    Some(view! { <div class="after">{panel("Largest tables", None, table("Largest tables", columns, rows))}</div> }.into_any())
}
