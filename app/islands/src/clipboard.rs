//! Copy buttons. One listener serves every `[data-copy]` of the page, those loaded later too.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Element;

use crate::browser::closest;

/// Shows the page's copy buttons and makes them copy. The outcome is announced in its status line.
#[island]
pub fn Clipboard() -> impl IntoView {
    let said = RwSignal::new(String::new());
    Effect::new(move |_| {
        if let Some(root) = document().document_element() {
            // The style sheet keeps copy buttons hidden until this is set.
            let _ = root.set_attribute("data-ready", "");
        }
        let listener = window_event_listener(ev::click, move |event| {
            let Some(button) = closest(&event, "[data-copy]") else { return };
            event.prevent_default();
            let Some(text) = button.get_attribute("data-copy") else { return };
            leptos::task::spawn_local(async move {
                let done = JsFuture::from(window().navigator().clipboard().write_text(&text)).await.is_ok();
                said.set(if done { "Copied" } else { "Copying was refused by the browser" }.to_owned());
                show(&button, if done { "Copied" } else { "Not copied" });
            });
        });
        on_cleanup(move || listener.remove());
    });
    view! { <div class="sr" role="status">{move || said.get()}</div> }
}

/// Changes the button's word for two seconds.
fn show(button: &Element, word: &str) {
    let Ok(Some(label)) = button.query_selector(".label") else { return };
    label.set_text_content(Some(word));
    set_timeout(move || label.set_text_content(Some("Copy")), std::time::Duration::from_secs(2));
}
