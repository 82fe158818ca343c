//! The build system: `cargo xtask bundle | plugins | lint | tidy`.
//!
//! Everything that is neither a crate's own build nor a test lives here, in Rust, so that building
//! needs no node and downloads no binary.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

mod assets;
mod bundle;
mod licences;
mod lint;
mod plugins;
mod stamp;
mod tidy;

const USAGE: &str = "usage: cargo xtask <task>

  bundle    build the browser's wasm and style sheet, hashed and compressed
  plugins   build the describers as wasm components
  lint      build everything with every lint on; a warning is an error
  tidy      check the rules that compilers do not: layers, licences, file sizes, texts";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("bundle") => bundle::run(),
        Some("plugins") => plugins::run(),
        Some("lint") => lint::run(),
        Some("tidy") => tidy::run(),
        Some(other) => bail!("no task named {other}\n{USAGE}"),
        None => bail!("no task given\n{USAGE}"),
    }
}

/// The checkout this program was built from.
fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().map_or(manifest.clone(), PathBuf::from)
}

/// Where cargo builds; ours go into `lakeglass/` below it.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Runs cargo in the checkout and fails with its arguments.
fn cargo(arguments: &[&str]) -> Result<()> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = std::process::Command::new(program)
        .args(arguments)
        .current_dir(root())
        .status()
        .with_context(|| format!("cargo {} does not start", arguments.join(" ")))?;
    if !status.success() {
        bail!("cargo {} failed", arguments.join(" "));
    }
    Ok(())
}
