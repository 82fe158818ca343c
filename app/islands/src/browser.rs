//! The few browser calls that islands share.

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, Event};

/// The text behind a path of this server; none when it could not be had.
pub(crate) async fn fetch_text(path: &str) -> Option<String> {
    let window = window();
    let fetch: js_sys::Function = js_sys::Reflect::get(&window, &"fetch".into()).ok()?.dyn_into().ok()?;
    let response = promised(fetch.call1(&window, &path.into()).ok()?).await?;
    if !js_sys::Reflect::get(&response, &"ok".into()).ok()?.is_truthy() {
        return None;
    }
    let text: js_sys::Function = js_sys::Reflect::get(&response, &"text".into()).ok()?.dyn_into().ok()?;
    promised(text.call0(&response).ok()?).await?.as_string()
}

async fn promised(value: JsValue) -> Option<JsValue> {
    JsFuture::from(value.dyn_into::<js_sys::Promise>().ok()?).await.ok()
}

/// The element an event came from, or the nearest one around it that matches.
pub(crate) fn closest(event: &Event, selector: &str) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(selector).ok().flatten()
}

/// Every element inside that matches, in document order.
pub(crate) fn all(inside: &Element, selector: &str) -> Vec<Element> {
    let Ok(list) = inside.query_selector_all(selector) else { return Vec::new() };
    (0..list.length()).filter_map(|i| list.get(i)?.dyn_into().ok()).collect()
}

/// Whether a key press belongs to something being typed into.
pub(crate) fn typing(event: &Event) -> bool {
    closest(event, "input, textarea, select, [contenteditable]").is_some()
}

/// A query value, encoded.
pub(crate) fn encode(text: &str) -> String {
    js_sys::encode_uri_component(text).into()
}
