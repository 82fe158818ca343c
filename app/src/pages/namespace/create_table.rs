//! Create table: its format is the bucket's; its columns come from a form or from a file.

use lakeglass_api::catalog::{Bucket, Namespace};
use leptos::prelude::*;

use crate::parts::{
    Choice, Form, Icon, Look, error_summary, format_badge, format_title, heading, icon, link_button, notice,
    section, select_field, submit, text_field,
};
use crate::{Tone, links};

/// The types that the form offers: the value it sends, and the words people read.
pub const TYPES: [(&str, &str); 20] = [
    ("int64", "Integer, 64 bit"),
    ("int32", "Integer, 32 bit"),
    ("int16", "Integer, 16 bit"),
    ("int8", "Integer, 8 bit"),
    ("uint64", "Unsigned integer, 64 bit"),
    ("uint32", "Unsigned integer, 32 bit"),
    ("uint16", "Unsigned integer, 16 bit"),
    ("uint8", "Unsigned integer, 8 bit"),
    ("float64", "Float, 64 bit"),
    ("float32", "Float, 32 bit"),
    ("bool", "Boolean"),
    ("utf8", "Text"),
    ("large_utf8", "Text, very long"),
    ("binary", "Binary"),
    ("large_binary", "Binary, very long"),
    ("date32", "Date"),
    ("timestamp_utc", "Time, microseconds, UTC"),
    ("timestamp", "Time, microseconds, no zone"),
    ("decimal", "Decimal (size: precision, scale)"),
    ("vector", "Vector of 32-bit floats (size: dimension)"),
];

/// Most columns that the form takes.
pub const MAX_COLUMNS: usize = 100;

/// A column as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnRow {
    pub name: String,
    /// One of [`TYPES`].
    pub kind: String,
    /// The dimension of a vector, or precision and scale of a decimal; else empty.
    pub size: String,
    pub nullable: bool,
    pub fault: Option<String>,
}

impl Default for ColumnRow {
    fn default() -> Self {
        Self { name: String::new(), kind: "utf8".into(), size: String::new(), nullable: true, fault: None }
    }
}

/// Where a file goes, and how large it may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileImport {
    /// Where the form with the file is posted.
    pub action: String,
    /// Largest file, in bytes.
    pub max_bytes: u64,
}

#[derive(Debug, Clone)]
pub struct CreateTable {
    pub bucket: Bucket,
    pub namespace: Namespace,
    /// Field `name`.
    pub form: Form,
    pub columns: Vec<ColumnRow>,
    pub import: FileImport,
    /// Fields `table`, `delimiter` and `header`, and `file`.
    pub import_form: Form,
}

pub fn page(data: CreateTable) -> AnyView {
    let CreateTable { bucket, namespace, form, columns, import, import_form } = data;
    let here = links::namespace(&namespace.bucket, &namespace.path);
    let title = bucket.format.as_ref().map_or_else(|| "Lance".to_owned(), format_title);
    let rows = columns.into_iter().enumerate().map(|(index, column)| row(index, column)).collect_view();
    let by_form = view! {
        <form class="stack" method="post" action=format!("{here}/new-table")>
            // Enter in a field creates the table; without this it would press the first Remove.
            <button class="sr" type="submit" name="action" value="create" tabindex="-1" aria-hidden="true">"Create table"</button>
            {text_field(&form, "name", "Name", "Letters, digits, _, . and -, at most 128.")}
            <fieldset id="columns" tabindex="-1">
                <legend>"Columns"</legend>
                <div class="stack">{rows}</div>
            </fieldset>
            <div class="row">
                <button class="button" type="submit" name="action" value="add" formnovalidate=true>{icon(Icon::Plus)}"Add a column"</button>
            </div>
            <div class="row">
                <button class="button primary" type="submit" name="action" value="create">"Create table"</button>
                {link_button(here.clone(), "Cancel", Look::Quiet, None)}
            </div>
        </form>
    };
    let from_file = file_part(import, &import_form);
    view! {
        {heading("Create table", Some(format_badge(bucket.format.as_ref())), Vec::new())}
        {error_summary(&form)}
        {error_summary(&import_form)}
        <div class="stack narrow">
            {notice(
                Tone::Info,
                format!("It will be a {title} table"),
                format!("The bucket {} holds {title} tables only, so that its address serves every table in it.", bucket.name),
            )}
            {section("Describe its columns", None, by_form.into_any())}
            {from_file}
        </div>
    }
    .into_any()
}

fn row(index: usize, column: ColumnRow) -> AnyView {
    let number = index + 1;
    let id = |part: &str| format!("c{index}-{part}");
    let options = TYPES
        .iter()
        .map(|(value, label)| {
            view! { <option value=*value selected=*value == column.kind>{*label}</option> }
        })
        .collect_view();
    let invalid = column.fault.is_some().then_some("true");
    let described = column.fault.is_some().then(|| id("error"));
    let fault = column.fault.map(|fault| view! { <span class="error" id=id("error")>{fault}</span> });
    let class = if invalid.is_some() { "column-row wrong" } else { "column-row" };
    view! {
        <div class=class role="group" aria-label=format!("Column {number}")>
            <div class="field">
                <label for=id("name")>{format!("Column {number}")}</label>
                <input type="text" id=id("name") name=id("name") value=column.name autocomplete="off" spellcheck="false"
                    aria-invalid=invalid aria-describedby=described/>
            </div>
            <div class="field">
                <label for=id("type")>"Type"</label>
                <select id=id("type") name=id("type")>{options}</select>
            </div>
            <div class="field short">
                <label for=id("size")>"Size"</label>
                <input type="text" id=id("size") name=id("size") value=column.size autocomplete="off" inputmode="numeric"/>
            </div>
            <label class="check">
                <input type="checkbox" id=id("nullable") name=id("nullable") value="on" checked=column.nullable/>
                <span>"May be null"</span>
            </label>
            <button class="button quiet" type="submit" name="action" value=format!("remove-{index}") formnovalidate=true
                aria-label=format!("Remove column {number}")>"Remove"</button>
            {fault}
        </div>
    }
    .into_any()
}

fn file_part(import: FileImport, form: &Form) -> AnyView {
    let limit = crate::text::bytes(import.max_bytes);
    let fault = form.message("file");
    let class = if fault.is_some() { "field wrong" } else { "field" };
    let described = if fault.is_some() { "file-hint file-error" } else { "file-hint" };
    let fault = fault.map(|fault| view! { <span class="error" id="file-error">{fault}</span> });
    let delimiters = [
        ("detect", "Find out"),
        ("comma", "Comma"),
        ("semicolon", "Semicolon"),
        ("tab", "Tab"),
        ("bar", "Bar"),
    ];
    let headers = [("detect", "Find out"), ("yes", "It names the columns"), ("no", "It is a row")];
    let choices = |of: &[(&str, &str)]| of.iter().map(|(value, label)| Choice::new(*value, *label)).collect();
    // The file comes last, so that what is typed was read before it streams in.
    let body = view! {
        <form class="stack" method="post" action=import.action enctype="multipart/form-data">
            {text_field(form, "table", "Name", "Letters, digits, _, . and -, at most 128.")}
            <div class="columns">
                {select_field(form, "delimiter", "CSV: cells are parted by", "", choices(&delimiters))}
                {select_field(form, "header", "CSV: the first line", "", choices(&headers))}
            </div>
            <div class=class>
                <label for="file">"File"</label>
                <span class="hint" id="file-hint">
                    {format!("Arrow IPC, Parquet or CSV, at most {limit}. Columns and rows come from it.")}
                </span>
                {fault}
                <input
                    type="file"
                    id="file"
                    name="file"
                    accept=".arrow,.arrows,.feather,.ipc,.parquet,.csv,.tsv"
                    required=true
                    aria-describedby=described
                />
            </div>
            <div class="row">{submit("Import file", Look::Normal, Some(Icon::Plus))}</div>
        </form>
    };
    section("Or start from a file", None, body.into_any())
}
