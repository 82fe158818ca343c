//! The command palette: pages and actions of this console, buckets and tables by search.
//!
//! Opened by its link, by `Ctrl-K` or `Cmd-K`; `/` focuses the page's own search. Both keys can be
//! turned off. Without wasm the link leads to the list of buckets.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::browser::{encode, fetch_text, typing};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommandKind {
    Page,
    Action,
    Bucket,
    Table,
}

impl CommandKind {
    fn label(self) -> &'static str {
        match self {
            Self::Page => "Page",
            Self::Action => "Action",
            Self::Bucket => "Bucket",
            Self::Table => "Table",
        }
    }
}

/// Something the palette can go to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    pub label: String,
    pub href: String,
    pub kind: CommandKind,
}

impl Command {
    pub fn page(label: &str, href: &str) -> Self {
        Self { label: label.to_owned(), href: href.to_owned(), kind: CommandKind::Page }
    }

    pub fn action(label: &str, href: &str) -> Self {
        Self { label: label.to_owned(), href: href.to_owned(), kind: CommandKind::Action }
    }
}

/// Results shown at once, of pages and of each search.
const LIMIT: usize = 8;
/// How long typing rests before a search is sent.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(150);

#[island]
pub fn Palette(commands: Vec<Command>, shortcuts: bool) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    let input = NodeRef::<html::Input>::new();
    let query = RwSignal::new(String::new());
    let found = RwSignal::new(Vec::<Command>::new());
    let chosen = RwSignal::new(0_usize);

    let results = Memo::new(move |_| {
        let wanted = query.get().to_lowercase();
        let pages = commands.iter().filter(|c| c.label.to_lowercase().contains(&wanted)).take(LIMIT).cloned();
        pages.chain(found.get()).collect::<Vec<_>>()
    });
    let open = move || {
        if let Some(dialog) = dialog.get_untracked() {
            if !dialog.open() {
                let _ = dialog.show_modal();
            }
            if let Some(input) = input.get_untracked() {
                input.select();
            }
        }
    };
    let go = move || {
        if let Some(command) = results.get_untracked().get(chosen.get_untracked()) {
            let _ = window().location().set_href(&command.href);
        }
    };

    listen(shortcuts, open);

    let ask = searcher(query, found);
    let on_input = move |event: ev::Event| {
        let text = event_target_value(&event);
        query.set(text.clone());
        chosen.set(0);
        ask(text.trim().to_owned());
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let last = results.get_untracked().len().saturating_sub(1);
        match event.key().as_str() {
            "ArrowDown" => chosen.update(|at| *at = (*at + 1).min(last)),
            "ArrowUp" => chosen.update(|at| *at = at.saturating_sub(1)),
            "Enter" => go(),
            _ => return,
        }
        event.prevent_default();
    };
    let on_link = move |event: ev::MouseEvent| {
        if !event.ctrl_key() && !event.meta_key() && !event.shift_key() {
            event.prevent_default();
            open();
        }
    };
    let options = move || {
        let results = results.get();
        if results.is_empty() {
            return view! { <li class="none muted">"Nothing of that name"</li> }.into_any();
        }
        let at = chosen.get();
        results
            .into_iter()
            .enumerate()
            .map(|(index, command)| {
                let selected = if index == at { "true" } else { "false" };
                let href = command.href;
                view! {
                    <li role="option" id=format!("palette-{index}") aria-selected=selected
                        on:click=move |_| { let _ = window().location().set_href(&href); }>
                        <span>{command.label}</span><span class="muted">{command.kind.label()}</span>
                    </li>
                }
            })
            .collect_view()
            .into_any()
    };
    view! {
        <a class="find" href="/buckets" on:click=on_link>
            <span>"Find anything"</span>{shortcuts.then(|| view! { <kbd>"Ctrl K"</kbd> })}
        </a>
        <dialog node_ref=dialog class="palette" aria-label="Find anything">
            <input node_ref=input type="text" role="combobox" aria-label="Find buckets, tables, pages and actions"
                aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list" autocomplete="off"
                spellcheck="false" placeholder="Buckets, tables, pages, actions"
                aria-activedescendant=move || format!("palette-{}", chosen.get())
                on:input=on_input on:keydown=on_key/>
            <ul id="palette-list" role="listbox" aria-label="Results">{options}</ul>
        </dialog>
    }
}

/// `Ctrl-K` and `Cmd-K` open the palette; `/` goes to the page's own search, or here without one.
fn listen(shortcuts: bool, open: impl Fn() + Copy + 'static) {
    Effect::new(move |_| {
        let listener = window_event_listener(ev::keydown, move |event| {
            if !shortcuts {
                return;
            }
            let commanded = event.ctrl_key() || event.meta_key();
            if commanded && event.key().eq_ignore_ascii_case("k") {
                event.prevent_default();
                open();
            } else if event.key() == "/" && !commanded && !typing(&event) {
                event.prevent_default();
                let search = document().query_selector("[data-search]").ok().flatten();
                match search.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
                    Some(search) => {
                        let _ = search.focus();
                    }
                    None => open(),
                }
            }
        });
        on_cleanup(move || listener.remove());
    });
}

/// Asks for buckets and tables once typing pauses; an answer to what is no longer asked is dropped.
fn searcher(query: RwSignal<String>, found: RwSignal<Vec<Command>>) -> impl Fn(String) {
    let pending = StoredValue::new(None::<leptos::leptos_dom::helpers::TimeoutHandle>);
    move |text: String| {
        if let Some(timer) = pending.get_value() {
            timer.clear();
        }
        if text.is_empty() {
            found.set(Vec::new());
            return;
        }
        let look = move || {
            leptos::task::spawn_local(async move {
                let answer = search(&text).await;
                if query.get_untracked().trim() == text {
                    found.set(answer);
                }
            });
        };
        pending.set_value(set_timeout_with_handle(look, PAUSE).ok());
    }
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct FoundTable {
    bucket: String,
    namespace: Vec<String>,
    #[serde(alias = "table")]
    name: String,
}

#[derive(Deserialize)]
struct Items<T> {
    items: Vec<T>,
}

/// Buckets and tables whose name holds the text, as the admin API lists them for this person.
async fn search(text: &str) -> Vec<Command> {
    let wanted = encode(text);
    let mut out = Vec::new();
    let buckets = fetch_text(&format!("/api/v1/buckets?limit={LIMIT}&search={wanted}")).await;
    if let Some(page) = buckets.and_then(|text| serde_json::from_str::<Items<Named>>(&text).ok()) {
        out.extend(page.items.into_iter().map(|bucket| Command {
            href: format!("/buckets/{}", encode(&bucket.name)),
            label: bucket.name,
            kind: CommandKind::Bucket,
        }));
    }
    let tables = fetch_text(&format!("/api/v1/tables?limit={LIMIT}&search={wanted}")).await;
    if let Some(page) = tables.and_then(|text| serde_json::from_str::<Items<FoundTable>>(&text).ok()) {
        out.extend(page.items.into_iter().map(|table| {
            let namespace = table.namespace.join(".");
            Command {
                href: format!(
                    "/buckets/{}/ns/{}/tables/{}",
                    encode(&table.bucket),
                    encode(&namespace),
                    encode(&table.name)
                ),
                label: format!("{} / {namespace} / {}", table.bucket, table.name),
                kind: CommandKind::Table,
            }
        }));
    }
    out
}
