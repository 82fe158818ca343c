//! The host: loads components and keeps what their calls share.

use std::sync::Arc;

use lakeglass_ports::Describer;
use tokio::sync::{Mutex, Semaphore};
use wasmtime::Engine;
use wasmtime::component::{Component, HasSelf, Linker};

use crate::bindings::{DescriberPlugin, DescriberPluginPre};
use crate::cache::Cache;
use crate::call::CallState;
use crate::config::HostConfig;
use crate::describer::PluginDescriber;
use crate::failure::LoadError;
use crate::{engine, inspect, output};

/// Runs plugins. One a process.
pub struct Host {
    pub(crate) config: HostConfig,
    pub(crate) engine: Engine,
    /// Turns for running calls.
    pub(crate) turns: Semaphore,
    cache: Option<Cache>,
    linker: Linker<CallState>,
    /// One compilation at a time: it takes as much memory as a call and all of a processor.
    compiling: Mutex<()>,
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Host {
    pub fn new(config: HostConfig) -> Result<Arc<Self>, LoadError> {
        let fault = |error: wasmtime::Error| LoadError::Engine(error.into());
        let engine = engine::start().map_err(fault)?;
        let mut linker = Linker::new(&engine);
        DescriberPlugin::add_to_linker::<_, HasSelf<_>>(&mut linker, |state: &mut CallState| state)
            .map_err(fault)?;
        let cache = match &config.cache {
            Some(folder) => Some(Cache::open(folder, config.key).map_err(LoadError::Cache)?),
            None => None,
        };
        let turns = Semaphore::new(config.calls);
        Ok(Arc::new(Self { config, engine, turns, cache, linker, compiling: Mutex::new(()) }))
    }

    /// Checks a component, compiles it or takes it from the cache, and asks what it is, with nothing
    /// bound. `name` is the identifier it must go by.
    pub async fn load(self: &Arc<Self>, name: &str, wasm: &[u8]) -> Result<Arc<dyn Describer>, LoadError> {
        let component = self.compile(name, wasm.to_vec()).await?;
        let instance = self
            .linker
            .instantiate_pre(&component)
            .and_then(DescriberPluginPre::new)
            .map_err(|error| LoadError::WrongWorld(name.to_owned(), format!("{error:#}")))?;
        let info =
            self.info(&instance).await.map_err(|failure| LoadError::InfoFailed(name.to_owned(), failure))?;
        let about =
            output::info::checked(name, info).map_err(|cause| LoadError::BadInfo(name.to_owned(), cause))?;
        tracing::info!(plugin = about.id, version = about.version, "plugin loaded");
        Ok(Arc::new(PluginDescriber::new(Arc::clone(self), instance, about)))
    }

    async fn compile(&self, name: &str, wasm: Vec<u8>) -> Result<Component, LoadError> {
        let _one_at_a_time = self.compiling.lock().await;
        let (engine, cache, owner) = (self.engine.clone(), self.cache.clone(), name.to_owned());
        let work = move || {
            inspect::check(&owner, &wasm)?;
            if let Some(component) = cache.as_ref().and_then(|cache| cache.get(&engine, &wasm)) {
                return Ok(component);
            }
            let component = Component::new(&engine, &wasm)
                .map_err(|error| LoadError::Compile(owner.clone(), error.into()))?;
            if let Some(Err(error)) = cache.map(|cache| cache.put(&engine, &wasm, &component)) {
                tracing::warn!(plugin = owner, %error, "compiled code cannot be kept");
            }
            Ok(component)
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(result) => result,
            Err(panic) => Err(LoadError::Compile(name.to_owned(), panic.into())),
        }
    }
}
