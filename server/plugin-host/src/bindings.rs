//! The interface's types and calls, version 0.1, generated from the same file that guests build with.
#![allow(warnings, missing_debug_implementations, clippy::all, clippy::pedantic, reason = "generated code")]

wasmtime::component::bindgen!({
    path: "../../plugins/wit/v0.1",
    world: "describer-plugin",
    imports: {
        "lakeglass:describer/object-store": async,
    },
    exports: { default: async },
});

/// The interface as text, for checking components against it before they are compiled.
pub(crate) const WIT: &str = include_str!("../../../plugins/wit/v0.1/describer.wit");
