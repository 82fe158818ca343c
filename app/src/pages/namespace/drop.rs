//! Dropping a namespace: what would go, before anything goes.

use lakeglass_api::catalog::Namespace;
use leptos::prelude::*;

use crate::parts::{
    Form, Look, error_summary, heading, hidden, link_button, notice, section, submit, text_field,
};
use crate::{Tone, links, text};

/// What a cascade would remove.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    /// Dotted names of the namespaces inside, at any depth.
    pub namespaces: Vec<String>,
    /// Names of the tables inside, at any depth, with their namespaces.
    pub tables: Vec<String>,
    /// The same for tables in Trash, which go too.
    pub trashed: Vec<String>,
    /// Protected tables: the drop fails until they are not.
    pub protected: Vec<String>,
    /// There is more than could be listed.
    pub more: bool,
}

impl Contents {
    pub fn is_empty(&self) -> bool {
        self.namespaces.is_empty() && self.tables.is_empty() && self.trashed.is_empty()
    }
}

#[derive(Debug, Clone)]
pub struct DropNamespace {
    pub namespace: Namespace,
    pub contents: Contents,
    /// A cascade needs an admin of the bucket.
    pub may_cascade: bool,
    /// Field `confirm`: the namespace's name, typed.
    pub form: Form,
}

pub fn page(data: DropNamespace) -> AnyView {
    let DropNamespace { namespace, contents, may_cascade, form } = data;
    let name = namespace.path.dotted();
    let here = links::namespace(&namespace.bucket, &namespace.path);
    let keep = |label: &'static str| link_button(here.clone(), label, Look::Quiet, None);
    let body = if contents.is_empty() {
        view! {
            <form class="stack" method="post" action=format!("{here}/drop")>
                <p>"It is empty. Nothing but the name goes."</p>
                <div class="row">{submit("Drop namespace", Look::Danger, None)}{keep("Keep it")}</div>
            </form>
        }
        .into_any()
    } else if may_cascade {
        view! {
            {notice(
                Tone::Warn,
                "It is not empty",
                "Dropping it removes everything listed here and the bytes of every table. It cannot be undone.",
            )}
            {list(&contents)}
            <form class="stack" method="post" action=format!("{here}/drop")>
                {hidden("cascade", "on")}
                {text_field(&form, "confirm", format!("Type {name} to confirm"), "")}
                <div class="row">
                    {submit("Drop namespace and everything in it", Look::Danger, None)}
                    {keep("Keep it")}
                </div>
            </form>
        }
        .into_any()
    } else {
        view! {
            {notice(Tone::Warn, "It is not empty", "Dropping it with what is inside needs the admin role in this bucket.")}
            {list(&contents)}
            <div class="row">{keep("Back to the namespace")}</div>
        }
        .into_any()
    };
    view! {
        {heading(&format!("Drop namespace {name}"), None, Vec::new())}
        {error_summary(&form)}
        <div class="stack narrow">{body}</div>
    }
    .into_any()
}

fn list(contents: &Contents) -> AnyView {
    let part = |title: &'static str, names: &[String]| {
        (!names.is_empty()).then(|| {
            let count = text::count(names.len() as u64);
            let items =
                names.iter().map(|name| view! { <li><code>{text::visible(name)}</code></li> }).collect_view();
            view! { <h3>{format!("{title} ({count})")}</h3><ul class="plain">{items}</ul> }
        })
    };
    let more = contents.more.then(|| view! { <p>"And more than fit on this page."</p> });
    let body = view! {
        {part("Namespaces", &contents.namespaces)}
        {part("Tables", &contents.tables)}
        {part("Tables in Trash", &contents.trashed)}
        {part("Protected, so that nothing goes", &contents.protected)}
        {more}
    };
    section("What would go", None, body.into_any())
}
