//! Licences, bans and sources of every crate in the lock file, by the lists in `deny.toml`.
//!
//! The same file serves cargo-deny; compiling that tool would cost a fresh machine more minutes than
//! the whole check, so the parts of it that we use are read here from `cargo metadata`.

use std::fs;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::root;
use crate::tidy::{Metadata, Package};

/// How the public registry's index is named in a lock file; git and other registries are refused.
const PUBLIC_INDEX: &str = "crates.io-index";

#[derive(Deserialize)]
struct Deny {
    licenses: Licenses,
    bans: Bans,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
    #[serde(default)]
    clarify: Vec<Clarify>,
}

/// A crate whose licence stands in a file instead of its manifest.
#[derive(Deserialize)]
struct Clarify {
    #[serde(alias = "crate")]
    name: String,
    expression: String,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
}

pub(crate) fn check(metadata: &Metadata) -> Result<Vec<String>> {
    let text = fs::read_to_string(root().join("deny.toml")).context("deny.toml cannot be read")?;
    let deny: Deny = toml::from_str(&text).context("deny.toml does not parse")?;
    let mut findings = Vec::new();
    for package in &metadata.packages {
        let what = format!("{} {}", package.name, package.version);
        if deny.bans.deny.iter().any(|ban| ban.name == package.name) {
            findings.push(format!("{what} is banned by deny.toml"));
        }
        if let Some(source) = &package.source
            && !(source.starts_with("registry+") && source.ends_with(PUBLIC_INDEX))
        {
            findings.push(format!("{what} does not come from the public registry"));
        }
        let licence = licence(package, &deny.licenses);
        if !licence.as_deref().is_some_and(|expression| allowed(expression, &deny.licenses.allow)) {
            findings.push(format!("{what} has the licence {licence:?}, which deny.toml does not allow"));
        }
    }
    Ok(findings)
}

fn licence(package: &Package, rules: &Licenses) -> Option<String> {
    let clarified = rules.clarify.iter().find(|c| c.name == package.name).map(|c| c.expression.clone());
    clarified.or_else(|| package.license.clone()).or_else(|| package.license_file.clone())
}

/// Whether an SPDX expression can be met with the allowed licences: `OR` needs one side, `AND` both.
/// The old `/` separator means `OR`.
fn allowed(expression: &str, allow: &[String]) -> bool {
    let expression = expression.trim();
    let inner = strip_parentheses(expression);
    if inner != expression {
        return allowed(inner, allow);
    }
    if let Some((left, right)) = split_top(expression, " OR ").or_else(|| split_top(expression, "/")) {
        return allowed(left, allow) || allowed(right, allow);
    }
    if let Some((left, right)) = split_top(expression, " AND ") {
        return allowed(left, allow) && allowed(right, allow);
    }
    allow.iter().any(|licence| licence == expression)
}

/// The inside of a pair of parentheses that encloses the whole expression.
fn strip_parentheses(expression: &str) -> &str {
    let Some(inner) = expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return expression;
    };
    let mut depth = 0i32;
    for byte in inner.bytes() {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        if depth < 0 {
            return expression;
        }
    }
    inner
}

/// Splits at the first separator outside parentheses.
fn split_top<'a>(expression: &'a str, separator: &str) -> Option<(&'a str, &'a str)> {
    expression.match_indices(separator).find_map(|(at, found)| {
        let before = &expression[..at];
        let open = before.matches('(').count() == before.matches(')').count();
        open.then(|| (before, &expression[at + found.len()..]))
    })
}

#[cfg(test)]
mod tests {
    use super::allowed;

    #[test]
    fn expressions_follow_and_or_and_parentheses() {
        let allow = ["MIT", "Apache-2.0", "Unicode-3.0"].map(String::from);
        for good in ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "(MIT OR Apache-2.0) AND Unicode-3.0", "(MIT)"] {
            assert!(allowed(good, &allow), "{good}");
        }
        for bad in ["GPL-3.0", "MIT AND GPL-3.0", "(GPL-2.0 OR GPL-3.0) AND MIT"] {
            assert!(!allowed(bad, &allow), "{bad}");
        }
    }
}
