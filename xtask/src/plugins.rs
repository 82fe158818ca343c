//! The describers that ship with the server, as WebAssembly components.

use std::fs;

use anyhow::{Context, Result};
use wit_component::{ComponentEncoder, targets};
use wit_parser::Resolve;

use crate::{cargo, root, stamp, target};

/// Crate and file name of each.
const PLUGINS: [(&str, &str); 1] = [("lakeglass-describer-csv", "csv")];

/// Writes `lakeglass/plugins/NAME.wasm` below cargo's target folder; does nothing when no input changed.
pub(crate) fn run() -> Result<()> {
    let root = root();
    let out = target().join("lakeglass/plugins");
    let stamp_file = target().join("lakeglass/plugins.stamp");
    let inputs = ["plugins", "xtask/src/plugins.rs", "Cargo.lock", "Cargo.toml"].map(|path| root.join(path));
    let digest = stamp::digest(&inputs)?;
    let built = PLUGINS.iter().all(|(_, name)| out.join(format!("{name}.wasm")).exists());
    if built && stamp::is_fresh(&stamp_file, &digest) {
        return Ok(());
    }

    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(root.join("plugins/wit/v0.1"))?;
    let world = resolve.select_world(&[package], Some("describer-plugin"))?;
    fs::create_dir_all(&out)?;
    for (package, name) in PLUGINS {
        eprintln!("Building the {name} plugin");
        cargo(&[
            "build",
            "--quiet",
            "--package",
            package,
            "--target",
            "wasm32-unknown-unknown",
            "--profile",
            "describer",
        ])?;
        let module = target()
            .join("wasm32-unknown-unknown/describer")
            .join(format!("{}.wasm", package.replace('-', "_")));
        let module = fs::read(&module).with_context(|| format!("{} is missing", module.display()))?;
        let mut encoder = ComponentEncoder::default();
        encoder.validate(true);
        let component = encoder
            .module(&module)
            .and_then(ComponentEncoder::encode)
            .with_context(|| format!("the {name} plugin cannot be made a component"))?;
        targets(&resolve, world, &component)
            .with_context(|| format!("the {name} plugin does not fit the describer interface"))?;
        eprintln!("  {name}.wasm: {} bytes", component.len());
        // Renamed into place, so that a server starting meanwhile reads one or the other whole.
        let fresh = out.join(format!("{name}.wasm.new"));
        fs::write(&fresh, component)?;
        fs::rename(fresh, out.join(format!("{name}.wasm")))?;
    }
    stamp::write(&stamp_file, &digest)
}
