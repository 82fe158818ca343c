//! What a run found: one line a case, and the matrix over them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::macros::format_description;

use crate::case::{Case, Group, Source};
use crate::{Operation, SPECIFICATION};

/// How a case went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome", content = "why")]
pub enum Outcome {
    Passed,
    Failed(String),
    /// This operation, the case's own or one that it needs, is not carried out by this server.
    NotCarriedOut(Operation),
    /// The case means nothing on this server, or in this run.
    NotApplicable(String),
    /// Only while running: the route was answered as unknown.
    #[serde(skip)]
    NoRoute(Operation, String),
}

/// One case and how it went.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Line {
    pub operation: Operation,
    pub group: Group,
    pub source: Source,
    pub title: String,
    #[serde(flatten)]
    pub outcome: Outcome,
}

impl Line {
    pub(crate) fn new(case: &Case, outcome: Outcome) -> Self {
        let Case { operation, group, source, title, .. } = case;
        Self { operation: *operation, group: *group, source: *source, title: title.clone(), outcome }
    }
}

/// A whole run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Report {
    /// What the server is called.
    pub server: String,
    /// The version of the specification.
    pub specification: String,
    /// Day of the run, in UTC.
    pub day: String,
    pub lines: Vec<Line>,
}

/// How many cases went which way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) not_carried_out: usize,
    pub(crate) not_applicable: usize,
}

impl Count {
    pub(crate) fn of<'a>(lines: impl IntoIterator<Item = &'a Line>) -> Self {
        let mut count = Self::default();
        for line in lines {
            match line.outcome {
                Outcome::Passed => count.passed += 1,
                Outcome::Failed(_) | Outcome::NoRoute(..) => count.failed += 1,
                Outcome::NotCarriedOut(_) => count.not_carried_out += 1,
                Outcome::NotApplicable(_) => count.not_applicable += 1,
            }
        }
        count
    }
}

impl Report {
    pub(crate) fn new(server: String, lines: Vec<Line>) -> Self {
        let day = OffsetDateTime::now_utc().date().format(format_description!("[year]-[month]-[day]"));
        Self { server, specification: SPECIFICATION.to_owned(), day: day.unwrap_or_default(), lines }
    }

    /// Cases that failed.
    pub fn failures(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| matches!(line.outcome, Outcome::Failed(_)))
    }

    /// Operations that the server does not carry out, or not in every form that some case asks for.
    pub fn not_carried_out(&self) -> BTreeSet<Operation> {
        let operation = |line: &Line| match line.outcome {
            Outcome::NotCarriedOut(operation) => Some(operation),
            _ => None,
        };
        self.lines.iter().filter_map(operation).collect()
    }

    pub(crate) fn of_group(&self, group: Group) -> Count {
        Count::of(self.lines.iter().filter(|line| line.group == group))
    }

    pub(crate) fn of_source(&self, source: Source) -> Count {
        Count::of(self.lines.iter().filter(|line| line.source == source))
    }

    /// The matrix by operation and by group, and why what failed failed, for a terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut row = |name: &str, count: Count| {
            let Count { passed, failed, not_carried_out, not_applicable } = count;
            let _ =
                writeln!(text, "{name:<28}{passed:>8}{failed:>8}{not_carried_out:>17}{not_applicable:>16}");
        };
        for (group, operations) in crate::cases::by_group(&self.lines) {
            row(&format!("{group:?}").to_uppercase(), self.of_group(group));
            for operation in operations {
                let lines =
                    self.lines.iter().filter(|line| line.group == group && line.operation == operation);
                row(&format!("  {}", operation.name()), Count::of(lines));
            }
        }
        row("ALL", Count::of(&self.lines));
        let head = format!(
            "{:<28}{:>8}{:>8}{:>17}{:>16}\n",
            "", "passed", "failed", "not carried out", "not applicable"
        );
        text.insert_str(0, &head);
        for line in self.failures() {
            let Outcome::Failed(why) = &line.outcome else { continue };
            let _ =
                write!(text, "\n{} ({:?}): {}\n    {why}\n", line.operation.name(), line.source, line.title);
        }
        text
    }
}
