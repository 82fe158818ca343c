//! Trash: tables taken out of the catalog whose bytes are kept.

use lakeglass_api::catalog::TrashedTable;
use leptos::prelude::*;

use super::{Head, Part, above};
use crate::parts::{
    Column, Form, Icon, Listing, Look, Nothing, cell, error_summary, format_badge, heading, link_button,
    moment, notice, num, post_button, submit, table, text_field,
};
use crate::{Tone, links, text};

#[derive(Debug, Clone)]
pub struct Trash {
    pub head: Head,
    pub tables: Vec<TrashedTable>,
    pub list: Listing,
}

pub fn page(data: Trash) -> AnyView {
    let Trash { head, tables, list } = data;
    let body = if tables.is_empty() { nothing(&list) } else { rows(&head, &list, tables) };
    view! {
        {above(&head, Part::Trash)}
        <div class="panel">
            {list.head("Search Trash", Some("The data of these tables is kept. Restoring brings the name back."))}
            {body}
            {list.pager("table in Trash", "tables in Trash")}
        </div>
    }
    .into_any()
}

fn nothing(list: &Listing) -> AnyView {
    let words = Nothing {
        one: "table in Trash",
        missed: "Nothing in Trash has this in its name.",
        show_all: "Show all of Trash",
        what: "tables in Trash",
        hint: "A table that is deregistered, or replaced by another registration, waits here with its data.",
    };
    list.nothing(words, Vec::new())
}

fn rows(head: &Head, list: &Listing, tables: Vec<TrashedTable>) -> AnyView {
    let columns = vec![
        list.sortable(Column::text("Table"), None),
        Column::text("Format"),
        Column::number("Rows"),
        Column::number("Size"),
        Column::text("In Trash since"),
        Column::text("Actions"),
    ];
    let rows = tables.into_iter().map(|trashed| row(head, trashed)).collect();
    table("Trash", columns, rows)
}

fn row(head: &Head, trashed: TrashedTable) -> Vec<AnyView> {
    let TrashedTable { id, table, trashed_at_ms } = trashed;
    let base = links::bucket_tab(&head.bucket.name, "trash");
    let name = format!("{}.{}", table.namespace.dotted(), table.name);
    let actions = if head.may_edit {
        let restore = post_button(format!("{base}/{id}/restore"), "Restore", Look::Normal, None, &[]);
        let delete = head
            .may_administer
            .then(|| link_button(format!("{base}/{id}/delete"), "Delete for good", Look::Danger, None));
        view! { <span class="row keep">{restore}{delete}</span> }.into_any()
    } else {
        view! { <span class="muted">"Restoring needs the editor role"</span> }.into_any()
    };
    vec![
        cell(view! { <span class="name">{text::visible(&name)}</span> }),
        cell(format_badge(Some(&table.format))),
        num(table.rows.map(text::count)),
        num(table.bytes.map(text::bytes)),
        cell(moment(trashed_at_ms, head.now_ms)),
        cell(actions),
    ]
}

/// Asks for another name when the table's own is taken, or for the last word before its bytes go.
#[derive(Debug, Clone)]
pub struct Ask {
    pub trashed: TrashedTable,
    pub question: Question,
    /// Field `name` (restore) or `confirm` (delete).
    pub form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Restore under which name?
    NewName,
    /// Delete for good?
    Delete,
}

pub fn ask(data: Ask) -> AnyView {
    let Ask { trashed, question, form } = data;
    let table = &trashed.table;
    let base = format!("{}/{}", links::bucket_tab(&table.bucket, "trash"), trashed.id);
    let back = || link_button(links::bucket_tab(&table.bucket, "trash"), "Back to Trash", Look::Quiet, None);
    let body = match question {
        Question::NewName => view! {
            <form class="stack narrow" method="post" action=format!("{base}/restore")>
                {text_field(&form, "name", "Restore as", "Its own name is in use by another table.")}
                <div class="row">{submit("Restore", Look::Primary, None)}{back()}</div>
            </form>
        }
        .into_any(),
        Question::Delete => {
            let size = table.bytes.map_or_else(String::new, |bytes| format!(" ({})", text::bytes(bytes)));
            let what = format!("Its data{size} is removed from the storage. It cannot be undone.");
            view! {
                <div class="stack narrow">
                    {notice(Tone::Warn, "This removes the bytes", what)}
                    <form class="stack" method="post" action=format!("{base}/delete")>
                        {text_field(&form, "confirm", format!("Type {} to confirm", table.name), "")}
                        <div class="row">
                            {submit("Delete for good", Look::Danger, Some(Icon::Trash))}{back()}
                        </div>
                    </form>
                </div>
            }
            .into_any()
        }
    };
    let title = match question {
        Question::NewName => format!("Restore {}", table.name),
        Question::Delete => format!("Delete {} for good", table.name),
    };
    view! { {heading(&title, None, Vec::new())}{error_summary(&form)}{body} }.into_any()
}
