//! Storage: the places that hold the bytes of buckets. Keys go in and are never shown again.

use lakeglass_api::catalog::{Storage, StorageKind};
use leptos::prelude::*;

use super::{Part, above};
use crate::parts::{
    Column, Form, Icon, Look, address, cell, checkbox, error_summary, num, panel, password_field,
    post_button, section, submit, table, text_field,
};
use crate::{links, text};

#[derive(Debug, Clone)]
pub struct Storages {
    pub storages: Vec<Storage>,
    /// Fields `name`, `root`.
    pub local: Form,
    /// Fields `s3_name`, `s3_root`, `endpoint`, `client_endpoint`, `region`, `path_style`,
    /// `access_key`, `secret_key`, `sts_role`, `vend_keys`.
    pub s3: Form,
    /// Folders under which a local storage may be.
    pub roots: Vec<String>,
}

pub fn page(data: Storages) -> AnyView {
    let Storages { storages, local, s3, roots } = data;
    let columns = vec![
        Column::text("Name"),
        Column::text("Kind"),
        Column::text("Place"),
        Column::text("Keys"),
        Column::text("Clients get"),
        Column::number("Free"),
        Column::number("Buckets"),
        Column::text("Actions"),
    ];
    let rows = storages.iter().map(row).collect();
    view! {
        {above(Part::Storage, true)}
        {error_summary(&local)}
        {error_summary(&s3)}
        <div class="stack">
            {panel("Storages", None, table("Storages", columns, rows))}
            {local_form(&local, &roots)}
            {s3_form(&s3)}
        </div>
    }
    .into_any()
}

fn row(storage: &Storage) -> Vec<AnyView> {
    let kind = match storage.kind {
        StorageKind::Local => "Local folder",
        StorageKind::S3 => "S3",
    };
    let keys = match (storage.kind, storage.keys_set_at_ms) {
        (StorageKind::Local, _) => "Not needed".to_owned(),
        (StorageKind::S3, Some(at_ms)) => format!("Set {}", text::utc(at_ms)),
        (StorageKind::S3, None) => "None: anonymous".to_owned(),
    };
    let vended =
        match (storage.kind, &storage.sts_role, storage.vend_keys && storage.keys_set_at_ms.is_some()) {
            (StorageKind::Local, ..) => "Nothing: they open it on this machine",
            (StorageKind::S3, Some(_), false) => "Temporary keys to one table",
            (StorageKind::S3, Some(_), true) => "Temporary keys to one table; these keys when there are none",
            (StorageKind::S3, None, true) => "These keys",
            (StorageKind::S3, None, false) => "The address only",
        };
    let endpoint = storage
        .endpoint
        .as_deref()
        .map(|endpoint| view! { <small class="muted">{text::visible(endpoint)}</small> });
    let base = links::path(["settings", "storage", &storage.name]);
    let check = post_button(format!("{base}/check"), "Check", Look::Normal, None, &[]);
    let remove = (storage.buckets == 0)
        .then(|| post_button(format!("{base}/remove"), "Remove", Look::Danger, None, &[]));
    let action = view! { <span class="row keep">{check}{remove}</span> };
    vec![
        cell(view! { <span class="name">{storage.name.clone()}</span> }),
        cell(kind),
        cell(view! { {address(&storage.root)}{endpoint} }),
        cell(keys),
        cell(vended),
        num(storage.free_bytes.map(text::bytes)),
        num(Some(text::count(storage.buckets))),
        cell(action),
    ]
}

fn local_form(form: &Form, roots: &[String]) -> AnyView {
    let rule = format!("An absolute path below {}. The folder must exist.", roots.join(" or "));
    let body = view! {
        <form class="stack" method="post" action="/settings/storage/local">
            <p class="muted">"It is written to, read, listed and cleared once before it is added."</p>
            <div class="columns">
                {text_field(form, "name", "Name", "For example disk-2.")}
                {text_field(form, "root", "Folder", rule)}
            </div>
            <div class="row">{submit("Add local folder", Look::Normal, Some(Icon::Folder))}</div>
        </form>
    };
    section("Add a local folder", None, body.into_any())
}

fn s3_form(form: &Form) -> AnyView {
    let body = view! {
        <form class="stack" method="post" action="/settings/storage/s3">
            <p class="muted">"Any S3-compatible store. Before it is added it must also refuse a second conditional put, or commits could be lost without a word."</p>
            <div class="columns">
                {text_field(form, "s3_name", "Name", "For example seaweed-eu.")}
                {text_field(form, "s3_root", "Bucket and prefix", "bucket, or bucket/prefix.")}
                {text_field(form, "endpoint", "Endpoint", "https://…, as this server reaches it. Empty for AWS.")}
                {text_field(form, "client_endpoint", "Endpoint for clients (optional)", "Where clients reach it, when that differs.")}
                {text_field(form, "region", "Region", "For example eu-central-1; many stores take any.")}
                {text_field(form, "access_key", "Access key id", "")}
                {password_field(form, "secret_key", "off", "Secret key", "Kept encrypted, never shown again.")}
                {text_field(form, "sts_role", "Role for temporary keys (optional)", "ARN of a role that these keys may assume at the store’s STS. Readers and editors then get keys to one table, good for an hour.")}
            </div>
            {checkbox(form, "path_style", "Path-style addresses", "https://endpoint/bucket instead of https://bucket.endpoint. Most self-hosted stores need it.")}
            {checkbox(form, "vend_keys", "Give these keys to clients", "Readers and editors of its buckets get them with a table’s location when there are no temporary ones. They reach the whole store and do not end. Otherwise clients bring their own.")}
            <div class="row">{submit("Add S3 storage", Look::Normal, Some(Icon::Plus))}</div>
        </form>
    };
    section("Add an S3-compatible store", None, body.into_any())
}
