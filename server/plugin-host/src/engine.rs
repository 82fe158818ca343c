//! The one engine of the process, and the clock that interrupts guests.

use std::thread;
use std::time::Duration;

use wasmtime::{Config, Engine};

/// How often running guests look up.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// An engine without anything a describer does not need, and its ticking thread, which ends with it.
pub(crate) fn start() -> wasmtime::Result<Engine> {
    let engine = Engine::new(&config())?;
    let weak = engine.weak();
    // A thread of its own: a runtime whose threads are all busy would stop the clock.
    thread::Builder::new().name("plugin-clock".to_owned()).spawn(move || {
        loop {
            thread::sleep(TICK);
            let Some(engine) = weak.upgrade() else { break };
            engine.increment_epoch();
        }
    })?;
    Ok(engine)
}

fn config() -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .max_wasm_stack(512 << 10)
        .async_stack_size(2 << 20)
        .wasm_memory64(false)
        .wasm_multi_memory(false)
        .wasm_relaxed_simd(false)
        .wasm_tail_call(false)
        .concurrency_support(false)
        .gc_support(false)
        // Guests are shared by nobody: no reservation beyond what one may use.
        .memory_reservation(256 << 20)
        .memory_reservation_for_growth(1 << 20)
        .memory_guard_size(64 << 10);
    config
}
