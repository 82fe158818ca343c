//! The browser bundle: islands as wasm with their glue, one style sheet, and the public files, each
//! under a name that carries its hash and with brotli and gzip beside it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

use crate::assets::Assets;
use crate::{cargo, root, stamp, target};

/// How cargo builds what the browser runs.
pub(crate) const BUILD: [&str; 7] =
    ["build", "--package", "lakeglass-hydrate", "--target", "wasm32-unknown-unknown", "--profile", "browser"];

/// Writes `lakeglass/assets` below cargo's target folder; does nothing when no input changed.
pub(crate) fn run() -> Result<()> {
    let root = root();
    let out = target().join("lakeglass/assets");
    let stamp_file = target().join("lakeglass/assets.stamp");
    let inputs = [
        "app/islands/src",
        "app/islands/Cargo.toml",
        "app/hydrate/src",
        "app/hydrate/Cargo.toml",
        "server/api/src",
        "server/api/Cargo.toml",
        "style",
        "public",
        "xtask/src",
        "Cargo.lock",
        "Cargo.toml",
    ]
    .map(|path| root.join(path));
    let digest = stamp::digest(&inputs)?;
    if out.join("assets.json").exists() && stamp::is_fresh(&stamp_file, &digest) {
        return Ok(());
    }

    eprintln!("Building the browser bundle (islands as wasm, style sheet)");
    let mut assets = Assets::default();
    islands(&mut assets)?;
    assets.add("app.css", style(&root.join("style"))?.into_bytes());
    for entry in fs::read_dir(root.join("public"))? {
        let entry = entry?;
        assets.add(&entry.file_name().to_string_lossy(), fs::read(entry.path())?);
    }
    assets.write(&out)?;
    stamp::write(&stamp_file, &digest)
}

/// Compiles the islands and binds them: `app.wasm` and `app.js`.
fn islands(assets: &mut Assets) -> Result<()> {
    let arguments: Vec<&str> = BUILD.iter().copied().chain(["--quiet"]).collect();
    cargo(&arguments)?;
    let module = target().join("wasm32-unknown-unknown/browser/lakeglass_hydrate.wasm");
    let bound = target().join("lakeglass/bindgen");
    if bound.exists() {
        fs::remove_dir_all(&bound)?;
    }
    Bindgen::new()
        .input_path(&module)
        .out_name("app")
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(&bound)
        .context("wasm-bindgen cannot bind the islands")?;
    assets.add("app.wasm", fs::read(bound.join("app_bg.wasm"))?);
    // The glue is always given the module's address, so its own guess must not be looked up.
    let glue = fs::read_to_string(bound.join("app.js"))?;
    assets.add("app.js", glue.into_bytes());
    Ok(())
}

/// Joins the style sheets in the order of their names, without comments and indentation.
fn style(folder: &Path) -> Result<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    names.sort();
    let mut sheet = String::new();
    for path in names.iter().filter(|path| path.extension().is_some_and(|e| e == "css")) {
        sheet.push_str(&fs::read_to_string(path)?);
        sheet.push('\n');
    }
    Ok(without_comments(&sheet)
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n"))
}

fn without_comments(sheet: &str) -> String {
    let mut out = String::with_capacity(sheet.len());
    let mut rest = sheet;
    while let Some(start) = rest.find("/*") {
        out.push_str(&rest[..start]);
        rest = rest[start..].find("*/").map_or("", |end| &rest[start + end + 2..]);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn comments_go_and_rules_stay() {
        assert_eq!(without_comments("a/* x */b/**/c/* open"), "abc");
    }
}
