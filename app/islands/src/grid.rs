//! The rows grid: arrow keys between rows, and a drawer with one row in full.
//!
//! The table is server HTML passed as children and stays inert. Each row has a link (`a[data-row]`)
//! to its details, which works without this; here the same details open beside the grid.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::browser::{all, closest, fetch_text};

const ROW_LINK: &str = "a[data-row]";

#[island]
pub fn RowsGrid(children: Children) -> impl IntoView {
    let root = NodeRef::<html::Div>::new();
    let drawer = NodeRef::<html::Dialog>::new();
    let inside = NodeRef::<html::Div>::new();
    // Position of the open row among the rows of this page.
    let open = RwSignal::new(None::<usize>);

    let links = move || root.get_untracked().map(|root| all(&root, ROW_LINK)).unwrap_or_default();
    let show = move |index: usize| {
        let Some(href) = links().get(index).and_then(|link| link.get_attribute("data-part")) else { return };
        open.set(Some(index));
        leptos::task::spawn_local(async move {
            let part = fetch_text(&href).await;
            // Another row may have been asked for while this one was on its way.
            if open.get_untracked() != Some(index) {
                return;
            }
            let (Some(inside), Some(drawer)) = (inside.get_untracked(), drawer.get_untracked()) else {
                return;
            };
            match part {
                Some(part) => inside.set_inner_html(&part),
                None => inside
                    .set_text_content(Some("This row could not be read. Try again, or open it as a page.")),
            }
            if !drawer.open() {
                let _ = drawer.show_modal();
            }
            drawer.set_scroll_top(0);
        });
    };
    let step = move |by: isize| {
        let last = links().len().saturating_sub(1);
        let next = open.get_untracked().and_then(|at| at.checked_add_signed(by));
        if let Some(next) = next.filter(|next| *next <= last) {
            show(next);
        }
    };

    // One row link is in the tab order; arrows move it.
    Effect::new(move |_| rove(&links(), 0, false));

    let on_key = move |event: ev::KeyboardEvent| {
        let Some(link) = closest(&event, ROW_LINK) else { return };
        let links = links();
        let Some(at) = links.iter().position(|other| *other == link) else { return };
        if let Some(next) = moved(&event.key(), at, links.len().saturating_sub(1)) {
            event.prevent_default();
            rove(&links, next, true);
        }
    };
    let on_click = move |event: ev::MouseEvent| {
        // A new tab was asked for, or text is being selected.
        if event.ctrl_key() || event.meta_key() || event.shift_key() || event.button() != 0 {
            return;
        }
        let Some(row) = closest(&event, "tbody tr") else { return };
        let Ok(Some(link)) = row.query_selector(ROW_LINK) else { return };
        let on_row_link = closest(&event, ROW_LINK).is_some();
        if !on_row_link && closest(&event, "a, button, summary, input").is_some() {
            return;
        }
        event.prevent_default();
        let links = links();
        if let Some(at) = links.iter().position(|other| *other == link) {
            rove(&links, at, true);
            show(at);
        }
    };
    let on_drawer_key = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "ArrowDown" | "j" => {
            event.prevent_default();
            step(1);
        }
        "ArrowUp" | "k" => {
            event.prevent_default();
            step(-1);
        }
        _ => {}
    };
    let on_close = move |_| {
        let links = links();
        if let Some(at) = open.get_untracked() {
            rove(&links, at, true);
        }
        open.set(None);
    };

    view! {
        <div node_ref=root on:keydown=on_key on:click=on_click>{children()}</div>
        <dialog node_ref=drawer class="drawer" aria-label="Row" on:keydown=on_drawer_key on:close=on_close>
            <div class="drawer-bar">
                <button class="button" type="button" on:click=move |_| step(-1)>"Previous"</button>
                <button class="button" type="button" on:click=move |_| step(1)>"Next"</button>
                <button class="button push" type="button"
                    on:click=move |_| { if let Some(drawer) = drawer.get_untracked() { drawer.close(); } }>
                    "Close"
                </button>
            </div>
            <div node_ref=inside></div>
        </dialog>
    }
}

/// Where a key leads from a row; none for keys that move nothing.
fn moved(key: &str, at: usize, last: usize) -> Option<usize> {
    match key {
        "ArrowDown" => Some((at + 1).min(last)),
        "ArrowUp" => Some(at.saturating_sub(1)),
        "PageDown" => Some((at + 10).min(last)),
        "PageUp" => Some(at.saturating_sub(10)),
        "Home" => Some(0),
        "End" => Some(last),
        _ => None,
    }
}

/// Puts one link into the tab order and the others out of it, and focuses it if asked.
fn rove(links: &[Element], at: usize, focus: bool) {
    for (index, link) in links.iter().enumerate() {
        let _ = link.set_attribute("tabindex", if index == at { "0" } else { "-1" });
    }
    let link = links.get(at).filter(|_| focus).and_then(|link| link.dyn_ref::<HtmlElement>());
    if let Some(link) = link {
        let _ = link.focus();
    }
}
