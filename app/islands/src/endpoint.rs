//! New bucket: where clients will reach it, as the name and the card change.

use leptos::ev;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

/// What one card says about reaching a bucket of its format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardHint {
    /// The value of the card's radio button.
    pub format: String,
    /// The whole endpoint, `https://lake.example.com/lance`; none when read by location.
    pub endpoint: Option<String>,
}

/// The hint under the cards. Follows the radio group `format` and the input `name` of its page.
/// `format` and `name` are what the server drew; what is in the document wins once this starts.
#[island]
pub fn EndpointHint(cards: Vec<CardHint>, format: String, name: String) -> impl IntoView {
    let format = RwSignal::new(format);
    let name = RwSignal::new(name);
    let read = move || {
        if let Some(checked) = input("input[name=format]:checked") {
            format.set(checked.value());
        }
        if let Some(typed) = input("input[name=name]") {
            name.set(typed.value());
        }
    };
    Effect::new(move |_| {
        read();
        let typed = window_event_listener(ev::input, move |_| read());
        let chosen = window_event_listener(ev::change, move |_| read());
        on_cleanup(move || {
            typed.remove();
            chosen.remove();
        });
    });
    let endpoint = move || {
        let chosen = format.get();
        cards.iter().find(|card| card.format == chosen).and_then(|card| card.endpoint.clone())
    };
    let served = Signal::derive(endpoint);
    let shown_name = move || {
        let name = name.get();
        if name.is_empty() { "its name".to_owned() } else { name }
    };
    let hint = move || {
        if format.get().is_empty() {
            let text = "Choose a format by its card. The page of the bucket shows the address too";
            return view! { <span class="muted">{text}</span> }.into_any();
        }
        let (address, joint) = match served.get() {
            Some(endpoint) => (endpoint, "namespace"),
            None => ("its storage location".to_owned(), "read directly, bucket"),
        };
        view! { <code>{address}</code><span class="muted">{joint}</span><code>{shown_name()}</code> }
            .into_any()
    };
    view! { <p class="endpoint" aria-live="polite">{hint}</p> }
}

fn input(selector: &str) -> Option<HtmlInputElement> {
    document().query_selector(selector).ok()??.dyn_into().ok()
}
