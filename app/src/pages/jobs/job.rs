//! One job: how far it is, its attempts, its log, and cancelling it.

use lakeglass_api::jobs::{Attempt, Job, LogLine};
use lakeglass_islands::JobProgress;
use leptos::prelude::*;

use super::state_badge;
use crate::parts::{
    Column, Look, cell, heading, link_button, moment, notice, panel, post_button, section, table,
};
use crate::{Tone, links, text};

#[derive(Debug, Clone)]
pub struct JobPage {
    pub job: Job,
    pub log: Vec<LogLine>,
    pub may_cancel: bool,
    /// A page of what it works on, where there is one.
    pub object_href: Option<String>,
    pub now_ms: i64,
}

pub fn page(data: JobPage) -> AnyView {
    let JobPage { job, log, may_cancel, object_href, now_ms } = data;
    let over = job.state.is_over();
    let mut actions = Vec::new();
    if !over {
        actions.push(link_button(links::job(&job.id), "Reload", Look::Normal, None));
        if may_cancel && !job.cancelling {
            actions.push(post_button(
                format!("{}/cancel", links::job(&job.id)),
                "Cancel job",
                Look::Danger,
                None,
                &[],
            ));
        }
    }
    let cause = job.cause.clone().map(|cause| {
        let tone = if job.state == lakeglass_api::jobs::JobState::Failed { Tone::Bad } else { Tone::Warn };
        notice(tone, "Why it ended", text::visible(&cause))
    });
    let progress = if over { progress(&job) } else { live(&job) };
    view! {
        {heading(&job.title, Some(state_badge(&job)), actions)}
        <div class="stack">
            {cause}
            {section("Progress", None, progress)}
            {facts(&job, object_href, now_ms)}
            {attempts(job.attempts, now_ms)}
            {log_part(log)}
        </div>
    }
    .into_any()
}

fn live(job: &Job) -> AnyView {
    let events = format!("/api/v1/jobs/{}/events", links::encode(&job.id));
    let job = job.clone();
    view! { <JobProgress events=events>{progress(&job)}</JobProgress> }.into_any()
}

fn progress(job: &Job) -> AnyView {
    let words = text::visible(&job.progress.words());
    let words = if words.is_empty() { "Nothing reported yet".to_owned() } else { words };
    let bar = match (job.progress.total, job.state.is_over()) {
        (Some(total), _) => {
            let (max, value) = (total.max(1).to_string(), job.progress.done.to_string());
            Some(view! { <progress max=max value=value aria-label="Progress"></progress> }.into_any())
        }
        (None, false) => Some(view! { <progress aria-label="Progress"></progress> }.into_any()),
        (None, true) => None,
    };
    view! { <div class="tight">{bar}<p role="status" data-job-message="">{words}</p></div> }.into_any()
}

fn facts(job: &Job, object_href: Option<String>, now_ms: i64) -> AnyView {
    let object = match object_href {
        Some(href) => view! { <a href=href><code>{text::visible(&job.object)}</code></a> }.into_any(),
        None => view! { <code>{text::visible(&job.object)}</code> }.into_any(),
    };
    let time = |label: &'static str, at_ms: Option<i64>| {
        at_ms.map(|at_ms| view! { <dt>{label}</dt><dd>{text::utc(at_ms)}" ("{moment(at_ms, now_ms)}")"</dd> })
    };
    let parameters = job
        .parameters
        .iter()
        .map(|(key, value)| view! { <dt><code>{text::visible(key)}</code></dt><dd>{text::visible(value)}</dd> })
        .collect_view();
    let body = view! {
        <dl class="pairs">
            <dt>"Object"</dt><dd>{object}</dd>
            <dt>"Kind"</dt><dd><code>{text::visible(&job.kind)}</code></dd>
            <dt>"Started by"</dt><dd>{text::visible(&job.owner)}</dd>
            {time("Created", Some(job.created_at_ms))}
            {time("Started", job.started_at_ms)}
            {time("Ended", job.ended_at_ms)}
            {parameters}
        </dl>
    };
    section("Details", None, body.into_any())
}

fn attempts(attempts: Vec<Attempt>, now_ms: i64) -> AnyView {
    if attempts.is_empty() {
        let body = view! { <p class="muted">"It waits for a free slot; nothing has run yet."</p> };
        return section("Attempts", None, body.into_any());
    }
    let columns = vec![
        Column::text("Attempt"),
        Column::text("Started"),
        Column::text("Took"),
        Column::text("Ended by"),
        Column::text("Worker"),
    ];
    let rows = attempts
        .into_iter()
        .map(|attempt| {
            let took = attempt.ended_at_ms.map(|ended| {
                text::duration_ms(ended.saturating_sub(attempt.started_at_ms).max(0).unsigned_abs())
            });
            let ended = match (&attempt.cause, attempt.ended_at_ms) {
                (Some(cause), _) => text::visible(cause),
                (None, Some(_)) => "Success".to_owned(),
                (None, None) => "Running".to_owned(),
            };
            vec![
                cell(attempt.number.to_string()),
                cell(moment(attempt.started_at_ms, now_ms)),
                cell(took.unwrap_or_else(|| text::DASH.to_owned())),
                cell(ended),
                cell(view! { <code>{text::visible(&attempt.worker)}</code> }),
            ]
        })
        .collect();
    panel("Attempts", None, table("Attempts", columns, rows))
}

fn log_part(log: Vec<LogLine>) -> AnyView {
    if log.is_empty() {
        return section("Log", None, view! { <p class="muted">"Nothing was logged."</p> }.into_any());
    }
    let lines = log
        .into_iter()
        .map(|line| view! { <li><time>{text::utc(line.at_ms)}</time>" "{text::visible(&line.text)}</li> })
        .collect_view();
    section("Log", None, view! { <ol class="log" tabindex="0" aria-label="Log">{lines}</ol> }.into_any())
}
