//! Live progress of a job, by server-sent events over server HTML.

use lakeglass_api::jobs::Job;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, EventSource, MessageEvent};

/// Follows the job behind `events` (a path whose events named `job` hold a `Job` as JSON) and keeps what it wraps up to
/// date: the text of `[data-job-message]` and the `<progress>`. When the job is over the page is
/// loaded again, so that state, attempts and log come from the server as ever.
#[island]
pub fn JobProgress(events: String, children: Children) -> impl IntoView {
    let root = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        let Some(root) = root.get() else { return };
        let Ok(source) = EventSource::new(&events) else { return };
        let on_message = Closure::<dyn Fn(MessageEvent)>::new({
            let source = source.clone();
            move |event: MessageEvent| {
                let Some(job) =
                    event.data().as_string().and_then(|text| serde_json::from_str::<Job>(&text).ok())
                else {
                    return;
                };
                if job.state.is_over() {
                    source.close();
                    let _ = window().location().reload();
                } else {
                    show(&root, &job);
                }
            }
        });
        // Events are named, so that their stream can carry others later.
        let _ = source.add_event_listener_with_callback("job", on_message.as_ref().unchecked_ref());
        // Lives as long as the page does.
        on_message.forget();
        // A page that is being left must not be loaded again: that would break off the way out, such as
        // the answer to "Cancel job".
        let leaving = window_event_listener_untyped("beforeunload", {
            let source = source.clone();
            move |_| source.close()
        });
        on_cleanup(move || {
            leaving.remove();
            source.close();
        });
    });
    view! { <div node_ref=root>{children()}</div> }
}

fn show(root: &Element, job: &Job) {
    let progress = &job.progress;
    if let Ok(Some(message)) = root.query_selector("[data-job-message]") {
        message.set_text_content(Some(&progress.words()));
    }
    if let Ok(Some(bar)) = root.query_selector("progress") {
        match progress.total {
            Some(total) => {
                let _ = bar.set_attribute("max", &total.max(1).to_string());
                let _ = bar.set_attribute("value", &progress.done.to_string());
            }
            None => {
                let _ = bar.remove_attribute("value");
            }
        }
    }
}
