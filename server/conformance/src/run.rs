//! Running cases: each below a namespace of its own, which is made before and removed after.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::StreamExt;
use serde_json::json;

use crate::case::{Case, Expect, Need, Step, Tally};
use crate::place::{self, Place};
use crate::report::{Line, Outcome, Report};
use crate::request::Request;
use crate::scope::Scope;
use crate::server::{Answer, Server};
use crate::{Error, Operation, Options, cases, verify};

/// How often and how long a state that comes true by itself is looked for.
const LOOKS: u32 = 50;
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
/// The most pages of one list: a server that never ends is stopped here.
const MOST_PAGES: usize = 200;

/// Why a step did not go as expected.
enum Trouble {
    Failed(String),
    /// The operation answered code 0.
    Unsupported(Operation),
    /// The operation answered as a route that does not exist, without an error's shape.
    NoRoute(Operation, String),
}

/// Runs the suite.
///
/// # Errors
/// When the URL or a header cannot be used, or the server lets no namespace hold tables.
pub async fn run(options: &Options) -> Result<Report, Error> {
    let server = Server::new(options)?;
    let run = uuid::Uuid::new_v4().simple().to_string()[..8].to_owned();
    let place = Place::find(&server, options, &run).await?;
    let wanted = options.only.as_deref().map(str::to_lowercase);
    let cases = cases(options);
    let cases = cases.iter().enumerate().filter(|(_, case)| {
        let text = format!("{} {:?} {}", case.operation.name(), case.group, case.title).to_lowercase();
        wanted.as_ref().is_none_or(|wanted| text.contains(wanted))
    });
    let jobs = if options.jobs == 0 { 4 } else { options.jobs };
    let (server, place, run) = (&server, &place, &run);
    let running = cases.map(|(number, case)| async move {
        let lacking = case.needs.iter().find_map(|need| place.lacks(*need, server, options));
        let outcome = if let Some(why) = lacking {
            Outcome::NotApplicable(why.to_owned())
        } else {
            let scope = Scope::new(place.home(&format!("conformance_{run}_{number}")));
            one(server, case, scope).await
        };
        (number, Line::new(case, outcome))
    });
    // Collected first: a stream of borrowing closures is not general enough for the compiler.
    let running: Vec<_> = running.collect();
    let mut lines: Vec<(usize, Line)> = futures::stream::iter(running).buffer_unordered(jobs).collect().await;
    place.remove(server).await;
    lines.sort_by_key(|(number, _)| *number);
    let mut lines: Vec<Line> = lines.into_iter().map(|(_, line)| line).collect();
    settle(&mut lines);
    Ok(Report::new(options.name.clone(), lines))
}

/// A route that answered as unknown everywhere is not carried out; one that worked elsewhere has failed.
fn settle(lines: &mut [Line]) {
    let working: BTreeSet<Operation> =
        lines.iter().filter(|line| line.outcome == Outcome::Passed).map(|line| line.operation).collect();
    for line in lines {
        if let Outcome::NoRoute(operation, said) = &line.outcome {
            line.outcome = if working.contains(operation) {
                Outcome::Failed(said.clone())
            } else {
                Outcome::NotCarriedOut(*operation)
            };
        }
    }
}

/// Runs one case.
async fn one(server: &Server, case: &Case, mut scope: Scope) -> Outcome {
    let home = Step::from(Operation::CreateNamespace.on("").json(json!({})));
    let mut outcome = Outcome::Passed;
    let steps = Some(home)
        .filter(|_| !case.bare)
        .into_iter()
        .chain(case.given.iter().cloned())
        .map(|step| ("before: ", step))
        .chain([("", case.when.clone())])
        .chain(case.after.iter().map(|step| ("afterwards: ", step.clone())));
    for (stage, step) in steps {
        if let Err(trouble) = take(server, &step, &mut scope).await {
            outcome = match trouble {
                Trouble::Failed(said) => {
                    Outcome::Failed(format!("{stage}{}: {said}", step.operation().name()))
                }
                Trouble::NoRoute(operation, said) => {
                    Outcome::NoRoute(operation, format!("{stage}{}: {said}", operation.name()))
                }
                Trouble::Unsupported(operation) => Outcome::NotCarriedOut(operation),
            };
            break;
        }
    }
    place::clean(server, &scope).await;
    if case.needs.contains(&Need::Top) {
        place::clean(server, &Scope::new(vec![scope.text("{top}")])).await;
    }
    outcome
}

async fn take(server: &Server, step: &Step, scope: &mut Scope) -> Result<(), Trouble> {
    match step {
        Step::Ask(request, expect) => ask(server, request, expect, scope).await,
        Step::Soon(request, expect) => {
            let mut last = Ok(());
            for _ in 0..LOOKS {
                last = ask(server, request, expect, scope).await;
                if !matches!(last, Err(Trouble::Failed(_))) {
                    return last;
                }
                tokio::time::sleep(BETWEEN_LOOKS).await;
            }
            last
        }
        // The break is the point: whether an answer came before it does not matter.
        Step::Break(request) => {
            let _ = server.ask(request, scope).await;
            Ok(())
        }
        Step::Together(requests, tally) => together(server, requests, tally, scope).await,
        Step::Walk { request, pointer, limit, wanted, between, others } => {
            let walked = walk(server, request, pointer, *limit, between, scope).await?;
            let wanted: Vec<String> = wanted.iter().map(|name| scope.text(name)).collect();
            whole(&walked, &wanted, *others).map_or(Ok(()), |said| Err(Trouble::Failed(said)))
        }
    }
}

async fn ask(server: &Server, request: &Request, expect: &Expect, scope: &mut Scope) -> Result<(), Trouble> {
    let operation = request.operation;
    let answer = server.ask(request, scope).await.map_err(Trouble::Failed)?;
    if let Some(said) = verify::wrong(operation, &answer, expect, scope) {
        return Err(trouble(operation, &answer, said));
    }
    for (name, pointer) in &expect.keeps {
        let value =
            answer.json.as_ref().and_then(|json| json.pointer(pointer)).filter(|value| !value.is_null());
        let Some(value) = value else {
            return Err(Trouble::Failed(format!("{pointer} is absent, and later steps need it")));
        };
        scope.keep(name, value.clone());
    }
    Ok(())
}

fn trouble(operation: Operation, answer: &Answer, said: String) -> Trouble {
    match answer.code() {
        Some(0) => Trouble::Unsupported(operation),
        None if matches!(answer.status, 404 | 405 | 501) => Trouble::NoRoute(operation, said),
        _ => Trouble::Failed(said),
    }
}

async fn together(
    server: &Server,
    requests: &[Request],
    tally: &Tally,
    scope: &Scope,
) -> Result<(), Trouble> {
    let asked = requests.iter().map(|request| server.ask(request, scope));
    let answers = futures::future::join_all(asked).await;
    let (mut won, mut lost) = (0, Vec::new());
    for (request, answer) in requests.iter().zip(answers) {
        let answer = answer.map_err(Trouble::Failed)?;
        if answer.succeeded() {
            won += 1;
        } else if answer.code() == Some(0) {
            return Err(Trouble::Unsupported(request.operation));
        } else {
            lost.push(answer);
        }
    }
    let (right, errors) = match tally {
        Tally::All => (won == requests.len(), &[][..]),
        Tally::One(errors) => (won == 1, errors.as_slice()),
        Tally::Some(errors) => (won >= 1, errors.as_slice()),
    };
    let stray =
        lost.iter().find(|answer| !answer.code().is_some_and(|code| errors.contains(&(answer.status, code))));
    match stray {
        Some(answer) => {
            Err(Trouble::Failed(format!("{won} succeeded, and one answered {}", answer.summary())))
        }
        None if right => Ok(()),
        None => Err(Trouble::Failed(format!("{won} of {} succeeded", requests.len()))),
    }
}

/// Follows page tokens to the end.
async fn walk(
    server: &Server,
    request: &Request,
    pointer: &str,
    limit: usize,
    between: &[Request],
    scope: &Scope,
) -> Result<Vec<String>, Trouble> {
    let (mut names, mut token) = (Vec::new(), None::<String>);
    let mut between = between.iter();
    for _ in 0..MOST_PAGES {
        let mut page = request.clone().query("limit", limit);
        if let Some(token) = &token {
            page = page.query("page_token", token.as_str());
        }
        let answer = server.ask(&page, scope).await.map_err(Trouble::Failed)?;
        if let Some(said) = verify::wrong(request.operation, &answer, &crate::case::ok(), scope) {
            return Err(trouble(request.operation, &answer, said));
        }
        let json = answer.json.unwrap_or_default();
        let items = json.pointer(pointer).cloned().unwrap_or_default();
        let items = keys(request.operation, &items);
        if items.len() > limit {
            return Err(Trouble::Failed(format!("a page of {} where the limit is {limit}", items.len())));
        }
        names.extend(items);
        token = json
            .get("page_token")
            .and_then(|token| token.as_str())
            .filter(|token| !token.is_empty())
            .map(str::to_owned);
        if token.is_none() {
            return Ok(names);
        }
        if let Some(request) = between.next() {
            let answer = server.ask(request, scope).await.map_err(Trouble::Failed)?;
            if !answer.succeeded() {
                return Err(trouble(request.operation, &answer, answer.summary()));
            }
        }
    }
    Err(Trouble::Failed(format!("no end after {MOST_PAGES} pages")))
}

/// What names the items of a page: texts, a map's keys, or the items' names and versions. Some servers
/// list tables by whole names; a case of its own asks for the last part alone.
fn keys(operation: Operation, items: &serde_json::Value) -> Vec<String> {
    if let Some(map) = items.as_object() {
        return map.keys().cloned().collect();
    }
    let name = |item: &serde_json::Value| match item {
        serde_json::Value::String(text) if operation == Operation::ListTables => {
            text.rsplit('$').next().unwrap_or(text).to_owned()
        }
        serde_json::Value::String(text) => text.clone(),
        other => other.get("index_name").or(other.get("version")).map_or_else(
            || other.to_string(),
            |name| name.as_str().map_or_else(|| name.to_string(), str::to_owned),
        ),
    };
    items.as_array().into_iter().flatten().map(name).collect()
}

/// Says what a walk missed, saw twice, or saw beyond what was wanted.
fn whole(walked: &[String], wanted: &[String], others: bool) -> Option<String> {
    let seen: BTreeSet<&String> = walked.iter().collect();
    if seen.len() < walked.len() {
        return Some("the walk saw something twice".to_owned());
    }
    if let Some(missed) = wanted.iter().find(|name| !seen.contains(name)) {
        return Some(format!("the walk missed {missed}"));
    }
    let beyond = walked.iter().find(|name| !wanted.contains(name));
    beyond.filter(|_| !others).map(|name| format!("the walk saw {name}, which does not belong"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_sees_everything_once() {
        let names = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(whole(&names("a b"), &names("b a"), false), None);
        assert_eq!(whole(&names("a b c"), &names("b a"), true), None);
        for (walked, said) in [("a a b", "twice"), ("a", "missed b"), ("a b c", "saw c")] {
            assert!(whole(&names(walked), &names("a b"), false).unwrap().contains(said), "{walked}");
        }
        let versions = json!([{"version": 3}, {"version": 2}]);
        assert_eq!(keys(Operation::ListTableVersions, &versions), ["3", "2"]);
        assert_eq!(keys(Operation::ListTableTags, &json!({"one": {}})), ["one"]);
        assert_eq!(keys(Operation::ListTables, &json!(["a$b$c"])), ["c"]);
    }
}
