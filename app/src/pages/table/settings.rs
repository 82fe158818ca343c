//! Changing a table: its name, protection and properties; letting go of it; destroying it.

use leptos::prelude::*;

use super::{Head, TableTab, above};
use crate::frame::Tone;
use crate::links;
use crate::parts::{Form, Icon, Look, error_summary, hidden, notice, section, submit, text_area, text_field};
use crate::text;

#[derive(Debug, Clone)]
pub struct SettingsPage {
    pub head: Head,
    pub may_administer: bool,
    /// Names of tags that a drop would destroy, as last observed.
    pub tags: Vec<String>,
    /// What was typed, when a change was refused. Fields: `name`, `namespace`, `properties`, `confirm`.
    pub form: Form,
}

impl SettingsPage {
    /// What the form starts with.
    pub fn start(head: &Head) -> Form {
        Form::with([
            ("name", head.table.name.as_str().to_owned()),
            ("namespace", head.table.namespace.dotted()),
            ("properties", text::property_lines(&head.table.properties)),
        ])
    }
}

pub fn page(data: &SettingsPage) -> AnyView {
    let head = &data.head;
    let body = if head.may_edit {
        view! {
            {error_summary(&data.form)}
            <div class="stack column-wide">
                {rename(data)}
                {protection(data)}
                {properties(data)}
                {deregister(data)}
                {drop_table(data)}
            </div>
        }
        .into_any()
    } else {
        notice(
            Tone::Info,
            "You may look, not change",
            "Changing this table needs the editor role here. An admin of this bucket can grant it.",
        )
    };
    view! { {above(head, TableTab::Settings)}{body} }.into_any()
}

/// Where a change of this table is posted.
fn action(data: &SettingsPage, what: &str) -> String {
    format!("{}/{what}", links::table_tab(&data.head.reference(), "settings"))
}

fn rename(data: &SettingsPage) -> AnyView {
    let body = view! {
        <form class="stack" method="post" action=action(data, "rename")>
            {text_field(&data.form, "name", "Name", "1 to 128 characters: letters, digits, _, . and -")}
            {text_field(&data.form, "namespace", "Namespace", "Parts joined by dots, in the same bucket")}
            <p class="muted">"The name moves, the bytes do not: the location stays as it is."</p>
            <div class="row">{submit("Rename", Look::Normal, None)}</div>
        </form>
    };
    section("Name", None, body.into_any())
}

fn protection(data: &SettingsPage) -> AnyView {
    let on = data.head.table.protected;
    let says = if on {
        "This table is protected: it cannot be dropped by anyone until protection is taken off."
    } else {
        "This table is not protected: an editor can drop it."
    };
    let control = if data.may_administer {
        let (value, label) = if on { ("off", "Take protection off") } else { ("on", "Protect") };
        view! {
            <form method="post" action=action(data, "protection")>
                {hidden("protected", value)}{submit(label, Look::Normal, Some(Icon::Lock))}
            </form>
        }
        .into_any()
    } else {
        view! { <p class="muted">"Only an admin of this bucket can change this."</p> }.into_any()
    };
    section("Protection", None, view! { <p>{says}</p>{control} }.into_any())
}

fn properties(data: &SettingsPage) -> AnyView {
    let body = view! {
        <form class="stack" method="post" action=action(data, "properties")>
            {text_area(&data.form, "properties", "Properties", "One a line: key = value. Kept in this catalog, not in the table.", 5)}
            <div class="row">{submit("Save properties", Look::Normal, None)}</div>
        </form>
    };
    section("Properties", None, body.into_any())
}

fn deregister(data: &SettingsPage) -> AnyView {
    let body = view! {
        <p>"The table leaves its namespace and goes to Trash. Its data stays where it is, and it can be put back."</p>
        <form method="post" action=action(data, "deregister")>{submit("Move to Trash", Look::Normal, Some(Icon::Trash))}</form>
    };
    section("Deregister", None, body.into_any())
}

fn drop_table(data: &SettingsPage) -> AnyView {
    let name = data.head.table.name.as_str().to_owned();
    if data.head.table.protected {
        let body = view! { <p>"A protected table cannot be dropped. Take its protection off first."</p> };
        return section("Drop", None, body.into_any());
    }
    let tags = (!data.tags.is_empty()).then(|| {
        let names: Vec<String> = data.tags.iter().map(|tag| text::visible(tag)).collect();
        let count = u64::try_from(names.len()).unwrap_or(u64::MAX);
        let title = format!("{} will go with it", text::plural(count, "tag", "tags"));
        notice(Tone::Warn, title, view! { <p class="break">{names.join(", ")}</p> })
    });
    let body = view! {
        <p>"Every version and every byte of the table is deleted from storage. This cannot be undone."</p>
        {tags}
        <form class="stack" method="post" action=action(data, "drop")>
            {text_field(&data.form, "confirm", "Type the name of the table to drop it", name)}
            <div class="row">{submit("Drop the table", Look::Danger, Some(Icon::Trash))}</div>
        </form>
    };
    section("Drop", None, body.into_any())
}
