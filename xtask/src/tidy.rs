//! Rules that compilers do not check: layers, licences, file sizes, texts and colours.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use walkdir::WalkDir;

use crate::{licences, root};

/// A source file longer than this is more than one thing.
const MOST_LINES: usize = 400;

/// Checks everything and lists all findings at once.
pub(crate) fn run() -> Result<()> {
    let metadata = metadata()?;
    let mut findings = layers(&metadata);
    findings.extend(licences::check(&metadata)?);
    for path in tracked()? {
        let full = root().join(&path);
        if let Ok(text) = fs::read_to_string(&full) {
            findings.extend(file(&path, &text));
        }
    }
    findings.extend(migrations()?);
    if findings.is_empty() {
        return Ok(());
    }
    for finding in &findings {
        eprintln!("  {finding}");
    }
    bail!("{} things to tidy", findings.len())
}

/// The parts of `cargo metadata` that the rules read.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_members: Vec<String>,
}

#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) license_file: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Option<String>,
}

fn metadata() -> Result<Metadata> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(program)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()
        .context("cargo metadata does not start")?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Who may depend on whom (docs/ARCHITECTURE.md, Invariants).
fn layers(metadata: &Metadata) -> Vec<String> {
    const ENGINES: [&str; 3] = ["lance", "datafusion", "wasmtime"];
    let rules: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("lakeglass-api", &["lakeglass-*", "arrow*", "tokio", "axum", "lance*", "wasmtime"] as &[&str]),
        (
            "lakeglass-ports",
            &["lakeglass-server", "lakeglass-app", "lakeglass-lance", "tokio", "axum", "lance*", "wasmtime"],
        ),
        ("lakeglass-app", &["lakeglass-server", "lakeglass-ports", "tokio", "axum", "sqlx"]),
        ("lakeglass-islands", &["lakeglass-app", "lakeglass-server", "lakeglass-ports"]),
        (
            "lakeglass-server",
            &[
                "lance",
                "lance-core",
                "lance-index",
                "datafusion",
                "wasmtime",
                "lakeglass-lance",
                "lakeglass-plugin-host",
            ],
        ),
        (
            "lakeglass-lance",
            &["lakeglass-server", "lakeglass-app", "lakeglass-plugin-host", "wasmtime", "axum"],
        ),
        // The suite judges servers from outside, ours among them.
        ("lakeglass-conformance", &["lakeglass-*", "lance*", "axum", "sqlx"]),
        (
            "lakeglass-plugin-host",
            &["lakeglass-server", "lakeglass-app", "lakeglass-lance", "lance*", "datafusion", "axum"],
        ),
    ]);
    let members = metadata.packages.iter().filter(|package| metadata.workspace_members.contains(&package.id));
    let mut findings = Vec::new();
    for package in members {
        for dependency in package.dependencies.iter().filter(|d| d.kind.as_deref() != Some("dev")) {
            let banned = rules
                .get(package.name.as_str())
                .is_some_and(|names| names.iter().any(|name| fits(name, &dependency.name)));
            let engine = ENGINES.contains(&dependency.name.as_str())
                && !["lakeglass-lance", "lakeglass-plugin-host"].contains(&package.name.as_str());
            if banned || engine {
                findings.push(format!("{} must not depend on {}", package.name, dependency.name));
            }
        }
    }
    findings
}

fn fits(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |prefix| name.starts_with(prefix))
}

/// Paths that git tracks.
fn tracked() -> Result<Vec<String>> {
    let output =
        Command::new("git").args(["ls-files"]).current_dir(root()).output().context("git does not start")?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

fn file(path: &str, text: &str) -> Vec<String> {
    let extension = Path::new(path).extension().and_then(|e| e.to_str()).unwrap_or_default();
    let mut findings = Vec::new();
    if extension == "rs" {
        let lines = text.lines().count();
        if lines > MOST_LINES {
            findings
                .push(format!("{path} has {lines} lines; {MOST_LINES} are the most. Split it by concern"));
        }
        if !text.starts_with("//!") && !text.starts_with("#!") {
            findings.push(format!("{path} does not open with a //! comment that says what it owns"));
        }
    }
    if ["rs", "html", "css", "mjs", "py", "sh", "md", "toml", "sql", "json"].contains(&extension)
        && !path.starts_with("xtask/")
    {
        for (number, line) in text.lines().enumerate() {
            findings.extend(
                line_rules(path, extension, line).map(|rule| format!("{path}:{}: {rule}", number + 1)),
            );
        }
    }
    findings
}

/// The rule that one line breaks, if any.
fn line_rules(path: &str, extension: &str, line: &str) -> Option<&'static str> {
    let machine = ["work", "root", "home"].iter().any(|folder| {
        line.match_indices(&format!("/{folder}/"))
            .any(|(at, _)| !line[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.'))
    });
    if machine && extension != "json" {
        return Some("a path of one machine");
    }
    if extension == "css" && !path.ends_with("tokens.css") && has_colour(line) {
        return Some("a colour outside style/tokens.css");
    }
    let test = path.ends_with("/tests.rs") || path.contains("/tests/");
    if (path.starts_with("app/") || extension == "html") && !test && line.contains(" style=\"") {
        return Some("an inline style, which the content security policy refuses");
    }
    None
}

/// Whether a CSS line names a colour by number.
fn has_colour(line: &str) -> bool {
    let hex = line.match_indices('#').any(|(at, _)| {
        let digits = line[at + 1..].bytes().take_while(u8::is_ascii_hexdigit).count();
        let before_value = line[..at].contains(':') && !line[..at].trim_end().ends_with(['{', '}', ',']);
        before_value && matches!(digits, 3 | 4 | 6 | 8)
    });
    hex || ["rgb(", "rgba(", "hsl(", "oklch("].iter().any(|name| line.contains(name))
}

/// Migrations are numbered without gaps, and none is empty.
fn migrations() -> Result<Vec<String>> {
    let folder = root().join("server/migrations");
    let mut names: Vec<String> = WalkDir::new(&folder)
        .min_depth(1)
        .into_iter()
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    names.retain(|name| Path::new(name).extension().is_some_and(|e| e == "sql"));
    names.sort();
    let gaps = names.iter().enumerate().filter(|(at, name)| !name.starts_with(&format!("{:04}_", at + 1)));
    Ok(gaps.map(|(at, name)| format!("server/migrations/{name} should be number {:04}", at + 1)).collect())
}

#[cfg(test)]
mod tests {
    use super::{has_colour, line_rules};

    #[test]
    fn colours_are_found_and_ids_are_not() {
        assert!(has_colour("a { color: #fff; }"));
        assert!(has_colour("  background: rgb(0 0 0);"));
        assert!(!has_colour("#main { gap: 1rem; }"));
        assert!(!has_colour("a { color: var(--color-text); }"));
    }

    #[test]
    fn machine_paths_are_found_and_relative_ones_are_not() {
        let bad = format!("see /{}/x", "work");
        assert!(line_rules("docs/a.md", "md", &bad).is_some());
        assert!(line_rules("docs/a.md", "md", "server/work/x").is_none());
    }

    #[test]
    fn inline_styles_are_found_in_pages_and_left_to_tests() {
        let line = r#"<p style="color:red">"#;
        assert!(line_rules("app/src/parts/a.rs", "rs", line).is_some());
        assert!(line_rules("app/src/parts/a/tests.rs", "rs", line).is_none());
    }
}
