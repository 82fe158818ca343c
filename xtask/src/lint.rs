//! Builds everything under clippy's driver and fails on any warning.
//!
//! One pass builds and lints: `cargo clippy` would first type-check every dependency a second time, which
//! costs a machine that starts from nothing as much as all tests together. Scripts therefore build with
//! clippy's driver as the workspace's compiler, and this task asks cargo for what it had to say, which
//! cargo keeps and repeats for crates that are built already.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{bundle, root};

/// Lints every crate for this machine and the islands for the browser.
pub(crate) fn run() -> Result<()> {
    let wrapper = std::env::var("RUSTC_WORKSPACE_WRAPPER").unwrap_or_default();
    if !wrapper.ends_with("clippy-driver") {
        bail!("clippy is missing; add it with `rustup component add clippy`, then run `make check`");
    }
    let browser: Vec<&str> =
        bundle::BUILD.iter().copied().chain(["--package", "lakeglass-islands"]).collect();
    let warnings = warnings(&["build", "--workspace", "--all-targets", "--locked"])? + warnings(&browser)?;
    if warnings > 0 {
        bail!("{warnings} warnings; warnings are errors here");
    }
    Ok(())
}

/// How many warnings and errors a build of our crates gives, each printed as it comes.
fn warnings(arguments: &[&str]) -> Result<u32> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(program)
        .args(arguments)
        .arg("--message-format=json-diagnostic-rendered-ansi")
        .current_dir(root())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cargo {} does not start", arguments.join(" ")))?;
    let messages = build.stdout.take().context("cargo's messages cannot be read")?;
    let mut count = 0;
    for line in BufReader::new(messages).lines() {
        if let Some(rendered) = complaint(&line?) {
            eprint!("{rendered}");
            count += 1;
        }
    }
    if !build.wait()?.success() && count == 0 {
        bail!("cargo {} failed", arguments.join(" "));
    }
    Ok(count)
}

/// The text of a compiler's warning or error; none for cargo's other messages.
fn complaint(line: &str) -> Option<String> {
    let message: Value = serde_json::from_str(line).ok()?;
    let body = message.get("message")?;
    let of_compiler = message.get("reason")? == "compiler-message";
    let counts = matches!(body.get("level")?.as_str()?, "warning" | "error");
    (of_compiler && counts)
        .then(|| body.get("rendered").and_then(Value::as_str).unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_warnings_and_errors_of_the_compiler_count() {
        let warning = r#"{"reason":"compiler-message","message":{"level":"warning","rendered":"w"}}"#;
        assert_eq!(complaint(warning).as_deref(), Some("w"));
        let note = r#"{"reason":"compiler-message","message":{"level":"note","rendered":"n"}}"#;
        assert_eq!(complaint(note), None);
        assert_eq!(complaint(r#"{"reason":"build-finished","success":true}"#), None);
        assert_eq!(complaint("Compiling"), None);
    }
}
