//! Jobs: all long work in one list.

pub mod job;

use lakeglass_api::jobs::{Job, JobState};
use leptos::prelude::*;

use crate::parts::{
    Choice, Column, Form, Listing, Look, Nothing, cell, heading, hidden, moment, select_field, status,
    submit, table,
};
use crate::{Tone, links, text};

#[derive(Debug, Clone)]
pub struct Jobs {
    pub jobs: Vec<Job>,
    pub list: Listing,
    /// `(name, title)` of the kinds this server runs.
    pub kinds: Vec<(String, String)>,
    /// Fields `state` and `kind` as chosen.
    pub filter: Form,
    pub now_ms: i64,
}

pub fn page(data: Jobs) -> AnyView {
    let Jobs { jobs, list, kinds, filter, now_ms } = data;
    let body = if jobs.is_empty() { nothing(&list) } else { rows(jobs, now_ms) };
    // Nothing ever ran: there is nothing to search or filter.
    let header = (!list.is_bare()).then(|| view! { <header>{filters(&list, &filter, kinds)}</header> });
    view! {
        {heading("Jobs", None, Vec::new())}
        <div class="panel">
            {header}
            {body}
            {list.pager("job", "jobs")}
        </div>
    }
    .into_any()
}

fn filters(list: &Listing, filter: &Form, kinds: Vec<(String, String)>) -> AnyView {
    let states = [Choice::new("", "Any state")]
        .into_iter()
        .chain(JobState::ALL.map(|state| Choice::new(state.as_str(), state_word(state))))
        .collect();
    let kinds = [Choice::new("", "Any kind")]
        .into_iter()
        .chain(kinds.into_iter().map(|(name, title)| Choice::new(name, title)))
        .collect();
    let search = (!list.search.is_empty()).then(|| hidden("search", list.search.clone()));
    view! {
        {list.search_box("Search objects")}
        <form class="row end" method="get" action=list.path.clone()>
            {search}
            {select_field(filter, "state", "State", "", states)}
            {select_field(filter, "kind", "Kind", "", kinds)}
            {submit("Filter", Look::Normal, None)}
        </form>
    }
    .into_any()
}

fn nothing(list: &Listing) -> AnyView {
    let words = Nothing {
        one: "job",
        missed: "No job that you may see is in this state, of this kind and with this object.",
        show_all: "Show all jobs",
        what: "jobs yet",
        hint: "Work that outlasts a request appears here: importing a file, observing many tables.",
    };
    list.nothing(words, Vec::new())
}

fn rows(jobs: Vec<Job>, now_ms: i64) -> AnyView {
    let columns = vec![
        Column::text("Job"),
        Column::text("Object"),
        Column::text("State"),
        Column::text("Progress"),
        Column::text("Started by"),
        Column::text("Created"),
    ];
    let rows = jobs
        .into_iter()
        .map(|job| {
            let cause = job
                .cause
                .as_deref()
                .map(|cause| view! { <small class="muted">{text::visible(cause)}</small> });
            vec![
                cell(view! { <a class="name" href=links::job(&job.id)>{job.title.clone()}</a> }),
                cell(view! { <code>{text::visible(&job.object)}</code> }),
                cell(view! { {state_badge(&job)}{cause} }),
                cell(text::visible(&job.progress.words())),
                cell(text::visible(&job.owner)),
                cell(moment(job.created_at_ms, now_ms)),
            ]
        })
        .collect();
    table("Jobs", columns, rows)
}

/// The state as a verdict.
pub fn state_badge(job: &Job) -> AnyView {
    if job.cancelling && !job.state.is_over() {
        return status(Tone::Warn, "Cancelling");
    }
    let tone = match job.state {
        JobState::Queued | JobState::Running => Tone::Info,
        JobState::Succeeded => Tone::Ok,
        JobState::Failed => Tone::Bad,
        JobState::Cancelled => Tone::Warn,
    };
    status(tone, state_word(job.state))
}

fn state_word(state: JobState) -> &'static str {
    match state {
        JobState::Queued => "Queued",
        JobState::Running => "Running",
        JobState::Succeeded => "Succeeded",
        JobState::Failed => "Failed",
        JobState::Cancelled => "Cancelled",
    }
}
