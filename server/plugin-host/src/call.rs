//! One call of a guest: a fresh store, its limits, and what it cost.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use lakeglass_api::description::Cost;
use wasmtime::{ResourceLimiter, Store, UpdateDeadline};

use crate::bindings::exports::lakeglass::describer::describer::PluginInfo;
use crate::bindings::lakeglass::describer::log::{Host as LogHost, Level};
use crate::bindings::lakeglass::describer::object_store::{
    Host as StoreHost, ListOptions, ListPage, ObjectMeta, ReadRequest,
};
use crate::bindings::lakeglass::describer::types::{Host as TypesHost, StoreError};
use crate::bindings::{DescriberPlugin, DescriberPluginPre};
use crate::config::Limits;
use crate::failure::{self, Failure};
use crate::host::Host;
use crate::output::text;
use crate::reads::Reads;

/// Lines a call may log; more are dropped.
const LOG_LINES: u32 = 100;
const LOG_CHARS: usize = 1000;

/// What a guest's imports reach while it runs.
pub(crate) struct CallState {
    plugin: String,
    /// None: nothing is bound, as while a plugin says what it is.
    reads: Option<Reads>,
    limits: Limits,
    memory: usize,
    table_elements: usize,
    memory_refused: bool,
    log_lines: u32,
}

/// Counts all memories and all tables together; the stock limiter counts each alone.
impl ResourceLimiter for CallState {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self.memory.saturating_add(desired.saturating_sub(current));
        if total > self.limits.memory {
            self.memory_refused = true;
            return Ok(false);
        }
        self.memory = total;
        Ok(true)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self.table_elements.saturating_add(desired.saturating_sub(current));
        if total > self.limits.table_elements {
            return Ok(false);
        }
        self.table_elements = total;
        Ok(true)
    }

    fn instances(&self) -> usize {
        16
    }

    fn tables(&self) -> usize {
        16
    }

    fn memories(&self) -> usize {
        8
    }
}

impl TypesHost for CallState {}

impl StoreHost for CallState {
    async fn list_objects(&mut self, options: ListOptions) -> Result<ListPage, StoreError> {
        match &mut self.reads {
            Some(reads) => reads.list(options).await,
            None => Err(StoreError::Denied),
        }
    }

    async fn head(&mut self, path: String) -> Result<ObjectMeta, StoreError> {
        match &mut self.reads {
            Some(reads) => reads.head(&path).await,
            None => Err(StoreError::Denied),
        }
    }

    async fn read(&mut self, request: ReadRequest) -> Result<(ObjectMeta, Vec<u8>), StoreError> {
        match &mut self.reads {
            Some(reads) => reads.read(request).await,
            None => Err(StoreError::Denied),
        }
    }

    async fn read_many(
        &mut self,
        requests: Vec<ReadRequest>,
    ) -> Vec<Result<(ObjectMeta, Vec<u8>), StoreError>> {
        match &mut self.reads {
            Some(reads) => reads.read_many(requests).await,
            None => requests.iter().map(|_| Err(StoreError::Denied)).collect(),
        }
    }

    async fn relativize(&mut self, uri: String) -> Option<String> {
        self.reads.as_ref()?.relativize(&uri)
    }
}

impl LogHost for CallState {
    fn log(&mut self, level: Level, message: String) {
        if self.log_lines >= LOG_LINES {
            return;
        }
        self.log_lines += 1;
        let message = text::line(&message, LOG_CHARS);
        match level {
            Level::Warn | Level::Error => tracing::warn!(plugin = self.plugin, message),
            _ => tracing::debug!(plugin = self.plugin, message),
        }
    }
}

/// What a call asks of the guest, given the instance and its store.
pub(crate) type Question<R> = dyn for<'a> FnOnce(&'a DescriberPlugin, &'a mut Store<CallState>) -> BoxFuture<'a, wasmtime::Result<R>>
    + Send;

impl Host {
    /// Asks a plugin what it is, in a store with nothing bound.
    pub(crate) async fn info(&self, instance: &DescriberPluginPre<CallState>) -> Result<PluginInfo, String> {
        let ask: Box<Question<PluginInfo>> = Box::new(|guest, store| {
            Box::pin(async move { guest.lakeglass_describer_describer().call_info(store).await })
        });
        let (answer, _) = self.call("", instance, None, self.config.limits.info, ask).await;
        answer.map_err(|failure| match failure {
            Failure::Broken(cause) => cause,
            Failure::TimedOut(seconds) => format!("no answer within {seconds} s"),
            Failure::Busy => "too many calls run at once".to_owned(),
        })
    }

    /// Runs one question in a store of its own. Dropping the future stops the guest.
    pub(crate) async fn call<R: Send>(
        &self,
        plugin: &str,
        instance: &DescriberPluginPre<CallState>,
        reads: Option<Reads>,
        time: Duration,
        ask: Box<Question<R>>,
    ) -> (Result<R, Failure>, Cost) {
        let Ok(Ok(_turn)) = tokio::time::timeout(self.config.queue, self.turns.acquire()).await else {
            return (Err(Failure::Busy), Cost::default());
        };
        let started = Instant::now();
        let limits = self.config.limits.clone();
        let mut store = Store::new(
            &self.engine,
            CallState {
                plugin: plugin.to_owned(),
                reads,
                limits: limits.clone(),
                memory: 0,
                table_elements: 0,
                memory_refused: false,
                log_lines: 0,
            },
        );
        store.limiter(|state| state);
        store.set_hostcall_fuel(limits.lifted_bytes);
        // At every tick the guest steps aside, so that the clock around it and other work get a turn.
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(move |_| {
            if started.elapsed() > time {
                Ok(UpdateDeadline::Interrupt)
            } else {
                Ok(UpdateDeadline::Yield(1))
            }
        });
        let run = async {
            let guest = instance.instantiate_async(&mut store).await?;
            ask(&guest, &mut store).await
        };
        // Epochs do not reach the host's own code: the clock around it does.
        let outcome = tokio::time::timeout(time, AssertUnwindSafe(run).catch_unwind()).await;
        let elapsed = started.elapsed();
        let state = store.data();
        let (requests, bytes) = state.reads.as_ref().map_or((0, 0), Reads::spent);
        let cost =
            Cost { requests, bytes, elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX) };
        let result = match outcome {
            Err(_) => Err(Failure::TimedOut(time.as_secs())),
            Ok(Ok(Ok(answer))) => Ok(answer),
            Ok(Ok(Err(_))) if elapsed > time => Err(Failure::TimedOut(time.as_secs())),
            Ok(Ok(Err(error))) => {
                tracing::warn!(plugin, error = format!("{error:#}"), "plugin call failed");
                Err(Failure::Broken(failure::cause(&error, state.memory_refused, limits.memory)))
            }
            Ok(Err(_panic)) => Err(Failure::Broken("the host failed while serving it".to_owned())),
        };
        tracing::debug!(plugin, requests, bytes, memory = state.memory, ?elapsed, "plugin call");
        (result, cost)
    }
}
