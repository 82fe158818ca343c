//! Reports as a document: servers side by side.

use std::fmt::Write as _;

use crate::Operation;
use crate::case::Source;
use crate::report::{Count, Line, Outcome, Report};

/// The document: what was run, the matrices, and why what failed failed.
pub fn compare(reports: &[Report]) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "| server | specification | rules | own | failed | not carried out |");
    let _ = writeln!(text, "|---|---|---|---|---|---|");
    for report in reports {
        let [specification, rules, own] =
            [Source::Specification, Source::Rule, Source::Own].map(|source| share(report.of_source(source)));
        let all = Count::of(&report.lines);
        let _ = writeln!(
            text,
            "| {} | {specification} | {rules} | {own} | {} | {} |",
            report.server, all.failed, all.not_carried_out
        );
    }
    text.push_str(
        "\nA cell says how many of the cases that mean something on that server passed. A dash: none does.\n",
    );
    matrix(&mut text, "By group", reports, &groups(reports));
    matrix(&mut text, "By operation", reports, &operations());
    for report in reports {
        failures(&mut text, report);
    }
    text
}

type Row = (String, Box<dyn Fn(&Line) -> bool>);

fn groups(reports: &[Report]) -> Vec<Row> {
    let lines = reports.first().map(|report| report.lines.as_slice()).unwrap_or_default();
    let groups = crate::cases::by_group(lines).into_iter().map(|(group, _)| group);
    let row = |group| -> Row {
        (format!("{group:?}").to_lowercase(), Box::new(move |line: &Line| line.group == group))
    };
    groups.map(row).collect()
}

fn operations() -> Vec<Row> {
    let row = |operation: &Operation| -> Row {
        let operation = *operation;
        (operation.name().to_owned(), Box::new(move |line: &Line| line.operation == operation))
    };
    Operation::ALL.iter().map(row).collect()
}

fn matrix(text: &mut String, title: &str, reports: &[Report], rows: &[Row]) {
    let _ = write!(text, "\n## {title}\n\n|");
    for report in reports {
        let _ = write!(text, " | {}", report.server);
    }
    let _ = write!(text, " |\n|---|{}\n", "---|".repeat(reports.len()));
    for (name, picks) in rows {
        let _ = write!(text, "| {name}");
        for report in reports {
            let count = Count::of(report.lines.iter().filter(|line| picks(line)));
            let _ = write!(text, " | {}", cell(count));
        }
        text.push_str(" |\n");
    }
}

/// Passed of those that mean something; what is not carried out is said in words.
fn cell(count: Count) -> String {
    if count.passed + count.failed == 0 && count.not_carried_out > 0 {
        return "not carried out".to_owned();
    }
    share(count)
}

fn share(count: Count) -> String {
    let all = count.passed + count.failed + count.not_carried_out;
    if all == 0 { "–".to_owned() } else { format!("{} of {all}", count.passed) }
}

fn failures(text: &mut String, report: &Report) {
    let failed: Vec<&Line> = report.failures().collect();
    if failed.is_empty() {
        return;
    }
    let _ = write!(text, "\n## What failed on {}\n\n", report.server);
    for line in failed {
        let Outcome::Failed(why) = &line.outcome else { continue };
        let source = match line.source {
            Source::Specification => "specification",
            Source::Rule => "rule",
            Source::Own => "own",
        };
        let why = without_places(&why.replace(['|', '<', '>'], " "));
        let _ = writeln!(text, "- **{}** ({source}): {}: {why}", line.operation.name(), line.title);
    }
}

/// Without paths of the machine that a server runs on or was built on, which some servers put in their errors
/// and which differ from run to run.
fn without_places(why: &str) -> String {
    const ENDS: [char; 5] = [' ', '"', '\'', ',', ')'];
    let starts = ["home", "root", "tmp", "work"].map(|folder| format!("/{folder}/"));
    let mut text = why.to_owned();
    for start in starts {
        while let Some(at) = text.find(&start) {
            let end = text[at..].find(ENDS).map_or(text.len(), |length| at + length);
            let begin = text[..at].rfind(ENDS).map_or(0, |before| before + 1);
            text.replace_range(begin..end, "(a path)");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::without_places;

    #[test]
    fn paths_of_machines_are_left_out_and_pointers_stay() {
        let path = format!("/{}/runner/lance/src/a.rs:292:13", "home");
        assert_eq!(without_places(&format!("no, {path}, not 200")), "no, (a path), not 200");
        assert_eq!(without_places(&format!("file: \"{path}\"")), "file: \"(a path)\"");
        let uri = format!("{{\"location\":\"file:///{}/a/b\",\"version\":1}}", "tmp");
        assert_eq!(without_places(&uri), "{\"location\":\"(a path)\",\"version\":1}");
        assert_eq!(without_places("/tables/0 is missing"), "/tables/0 is missing");
    }
}
