//! Brings the engines in: native Lance, and the describers in the plugins folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use lakeglass_plugin_host::{Host, HostConfig};
use lakeglass_server::engines::{Describers, Engines, Loading};
use lakeglass_server::secrets::Secrets;

/// Native Lance, and every component of the folder as soon as it is loaded: compiling one the first time
/// takes seconds, in which the server serves everything else.
pub(crate) fn open(data: &Path, plugins: &Path) -> Result<Engines> {
    let (native, tables) = lakeglass_lance::open(lakeglass_lance::CacheSize::default());
    let describers = Describers::new(vec![native]);
    let key = Secrets::load(data)?.subkey("compiled describers");
    let host =
        Host::new(HostConfig::new(data.join("compiled"), key)).context("the plugin host does not start")?;
    tokio::spawn(load(host, components(plugins), describers.loading()));
    Ok(Engines { describers, tables })
}

/// A component that does not load is left out and logged: one bad plugin must not keep others away.
async fn load(host: Arc<Host>, paths: Vec<PathBuf>, loading: Loading) {
    for path in paths {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let loaded = match tokio::fs::read(&path).await {
            Ok(wasm) => host.load(&name, &wasm).await.map_err(anyhow::Error::from),
            Err(error) => Err(error.into()),
        };
        match loaded {
            Ok(describer) => loading.add(describer),
            Err(error) => {
                tracing::error!(plugin = %name, error = %format!("{error:#}"), "a describer does not load");
            }
        }
    }
}

/// `*.wasm` of a folder, by name; none when there is no folder.
fn components(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "wasm"))
        .collect();
    paths.sort();
    paths
}
