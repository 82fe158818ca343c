//! A bucket's settings: description, properties, protection, and deleting it.

use lakeglass_api::catalog::Backing;
use leptos::prelude::*;

use super::{Head, Part, above};
use crate::parts::{
    Form, Look, checkbox, error_summary, hidden, link_button, notice, section, submit, text_area, text_field,
};
use crate::{Tone, links, text};

#[derive(Debug, Clone)]
pub struct Settings {
    pub head: Head,
    /// Fields `description`, `properties` (a line each, `key = value`), `protected`.
    pub form: Form,
    /// Field `confirm`: the bucket's name, typed.
    pub delete: Form,
}

pub fn page(data: Settings) -> AnyView {
    let Settings { head, form, delete } = data;
    let body = if head.may_administer { change(&head, &form) } else { read_only(&head) };
    let delete_part = head.may_administer.then(|| deletion(&head, &delete));
    view! {
        {above(&head, Part::Settings)}
        {error_summary(&form)}
        {error_summary(&delete)}
        <div class="stack narrow">{body}{delete_part}</div>
    }
    .into_any()
}

fn change(head: &Head, form: &Form) -> AnyView {
    let action = links::bucket_tab(&head.bucket.name, "settings");
    let body = view! {
        <form class="stack" method="post" action=action>
            {text_field(form, "description", "Description", "What it is for, in a line.")}
            {text_area(form, "properties", "Properties", "One a line: key = value. Clients see them when they describe the bucket.", 5)}
            {checkbox(form, "protected", "Protected", "It cannot be deleted, with or without its tables, until this is off again.")}
            <div class="row">{submit("Save", Look::Primary, None)}</div>
        </form>
    };
    section("Settings", None, body.into_any())
}

fn read_only(head: &Head) -> AnyView {
    let bucket = &head.bucket;
    let properties = bucket
        .properties
        .iter()
        .map(|(key, value)| {
            view! { <dt><code>{text::visible(key)}</code></dt><dd>{text::visible(value)}</dd> }
        })
        .collect_view();
    let none = bucket.properties.is_empty().then(|| view! { <p class="muted">"No properties are set."</p> });
    let protection = if bucket.protected { "On: it cannot be deleted" } else { "Off" };
    let body = view! {
        <p class="muted">"Changing these needs the admin role in this bucket."</p>
        <dl class="pairs">
            <dt>"Protection"</dt><dd>{protection}</dd>
            {properties}
        </dl>
        {none}
    };
    section("Settings", None, body.into_any())
}

fn deletion(head: &Head, form: &Form) -> AnyView {
    let bucket = &head.bucket;
    if bucket.backing != Backing::Managed {
        return detaching(head);
    }
    if bucket.protected {
        let body = notice(Tone::Info, "This bucket is protected", "Turn protection off above to delete it.");
        return section("Delete this bucket", None, body);
    }
    let action = links::bucket_tab(&bucket.name, "delete");
    let when_empty = (bucket.tables == 0).then(|| {
        view! {
            <p>"When no namespace is in it, and nothing in Trash:"</p>
            <form class="row" method="post" action=action.clone()>{submit("Delete empty bucket", Look::Danger, None)}</form>
        }
    });
    let what = format!(
        "{}, everything in Trash and all namespaces go with it, their bytes too. It cannot be undone.",
        text::plural(bucket.tables, "table", "tables")
    );
    let body = view! {
        {when_empty}
        {notice(Tone::Warn, "Deleting it with what is in it", what)}
        <form class="stack" method="post" action=action>
            {hidden("with_contents", "on")}
            {text_field(form, "confirm", format!("Type {} to confirm", bucket.name), "")}
            <div class="row">
                {submit("Delete bucket and everything in it", Look::Danger, None)}
                {link_button(links::bucket(&bucket.name), "Keep it", Look::Quiet, None)}
            </div>
        </form>
    };
    section("Delete this bucket", None, body.into_any())
}

/// What is attached is let go of, and stays as it is.
fn detaching(head: &Head) -> AnyView {
    let bucket = &head.bucket;
    let body = if bucket.protected {
        notice(Tone::Info, "This bucket is protected", "Turn protection off above to detach it.")
    } else {
        let action = links::bucket_tab(&bucket.name, "delete");
        view! {
            <p>"The bucket leaves this server, with its grants, its observations and the credentials of its connection. What it is attached to stays as it is."</p>
            <form class="row" method="post" action=action>{submit("Detach bucket", Look::Danger, None)}</form>
        }
        .into_any()
    };
    section("Detach this bucket", None, body)
}
