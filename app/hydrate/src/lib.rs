//! The browser's wasm: links the islands and exports what the boot script calls.
#![cfg(target_arch = "wasm32")]

use lakeglass_islands as _;
use wasm_bindgen::prelude::wasm_bindgen;

/// Prepares hydration; the boot script then starts each island by its exported name.
#[wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
