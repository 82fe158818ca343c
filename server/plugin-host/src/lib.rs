//! Runs describers that come as WebAssembly components.
//!
//! A plugin has no WASI, no network, no clock and no state. Each call gets a fresh instance, bound to
//! the objects of one table, and is bounded in time, memory, bytes read and bytes returned. What it
//! answers is taken for hostile until checked. A plugin that traps, hangs or lies costs its caller one
//! clear error and the server nothing.
//!
//! Everything outside sees only [`lakeglass_ports::Describer`].

mod bindings;
mod cache;
mod call;
mod config;
mod describer;
mod engine;
mod failure;
mod host;
mod inspect;
mod listing;
mod output;
mod reads;
mod scope;

pub use config::{HostConfig, Limits};
pub use failure::LoadError;
pub use host::Host;

#[cfg(test)]
mod tests;
