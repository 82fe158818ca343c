//! Types and glue generated from the interface, version 0.1.
#![allow(
    warnings,
    unsafe_code,
    missing_debug_implementations,
    clippy::all,
    clippy::pedantic,
    reason = "generated code"
)]

wit_bindgen::generate!({
    path: "../wit/v0.1",
    world: "describer-plugin",
    additional_derives: [PartialEq],
    pub_export_macro: true,
    export_macro_name: "export_component",
    default_bindings_module: "lakeglass_describer_sdk::bindings",
});
