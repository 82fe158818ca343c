//! Attaching a catalog that exists elsewhere as a bucket: a namespace server, or a Lance directory.

use leptos::prelude::*;

use super::new_bucket::StorageChoice;
use crate::parts::{
    Choice, Form, Look, Tab, checkbox, error_summary, heading, link_button, password_field, select_field,
    submit, tabs, text_area, text_field,
};

/// The ways to come by a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Create,
    Upstream,
    Directory,
}

impl Way {
    pub fn href(self) -> &'static str {
        match self {
            Self::Create => "/new-bucket",
            Self::Upstream => "/new-bucket/upstream",
            Self::Directory => "/new-bucket/directory",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Create => "Create",
            Self::Upstream => "Attach a namespace server",
            Self::Directory => "Attach a Lance directory",
        }
    }
}

/// The ways as tabs; attaching is for admins of the server. Directories join them once this server reads them.
pub fn ways(current: Way, server_admin: bool) -> Option<AnyView> {
    let of = |way: Way| Tab {
        label: way.label().to_owned(),
        href: way.href().to_owned(),
        current: way == current,
    };
    server_admin.then(|| tabs("Ways to a bucket", [Way::Create, Way::Upstream].into_iter().map(of).collect()))
}

#[derive(Debug, Clone)]
pub struct Attach {
    /// `Upstream` or `Directory`.
    pub way: Way,
    pub storages: Vec<StorageChoice>,
    /// Fields `name`, `description` and those of [`fields`].
    pub form: Form,
}

pub fn page(data: Attach) -> AnyView {
    let Attach { way, storages, form } = data;
    let lead = match way {
        Way::Directory => {
            "A folder of Lance tables becomes a bucket as it is: names come from the directory, with or \
             without a manifest, and nothing is moved. Clients that use the folder go on as before."
        }
        _ => {
            "Another server of the Lance Namespace specification becomes a bucket: Lakeglass, SeaweedFS, \
             Gravitino or LanceDB. Names stay there. What it does not do with rows is done here."
        }
    };
    let button = match way {
        Way::Directory => "Attach directory",
        _ => "Attach server",
    };
    view! {
        {heading("New bucket", None, Vec::new())}
        {ways(way, true)}
        {error_summary(&form)}
        <form class="stack narrow" method="post" action=way.href()>
            <p class="lead">{lead}</p>
            <div class="columns">
                {text_field(&form, "name", "Name here", "3 to 63 characters: a to z, 0 to 9 and hyphens. It cannot be changed later.")}
                {text_field(&form, "description", "Description (optional)", "What it is for, in a line.")}
            </div>
            {fields(&form, way, &storages, None)}
            <p class="muted">"It is asked once before it is attached. Detaching it later changes nothing there."</p>
            <div class="row">{submit(button, Look::Primary, None)}{link_button("/buckets", "Cancel", Look::Quiet, None)}</div>
        </form>
    }
    .into_any()
}

/// The fields of a connection: `url`, `parent` (a line each), `delimiter`, `header`, `secret`, `storage`,
/// `roots` and `endpoints` (a line each) and `vend`; of a directory `storage` and `prefix`. `set`: that
/// credentials are kept already, in words.
pub fn fields(form: &Form, way: Way, storages: &[StorageChoice], set: Option<String>) -> AnyView {
    let named = storages
        .iter()
        .map(|storage| Choice::new(&storage.name, format!("{} ({})", storage.name, storage.kind)));
    if way == Way::Directory {
        return view! {
            <div class="columns">
                {select_field(form, "storage", "Storage", "Where the directory is.", named.collect())}
                {text_field(form, "prefix", "Folder or prefix", "Inside the storage, such as lake/vision.")}
            </div>
        }
        .into_any();
    }
    let none = Choice::new("", "None: use what the server vends");
    let choices = std::iter::once(none).chain(named).collect();
    let kept = set
        .is_some()
        .then(|| checkbox(form, "remove_secret", "Forget the credentials", "Requests then go without any."));
    let secret = match set {
        Some(set) => format!("{set}. Leave it empty to keep it."),
        None => "The header’s whole value, such as Bearer abc. Kept encrypted, never shown again.".to_owned(),
    };
    view! {
        <h2>"The server"</h2>
        <div class="columns">
            {text_field(form, "url", "Address", "What stands before /v1, such as http://seaweed.example:9101.")}
            {text_field(form, "delimiter", "Delimiter", "Between parts of its identifiers. $ unless its owner says otherwise.")}
            {text_field(form, "header", "Header of the credentials", "authorization or x-api-key; any other name too.")}
            {password_field(form, "secret", "off", "Credentials (optional)", secret)}
        </div>
        {kept}
        {text_area(form, "parent", "Only this namespace of it (optional)", "One part a line, from the top. Empty: all of it.", 2)}
        <h2>"The data"</h2>
        <p class="muted lead">"Rows, versions and searches are read from where its tables are. A table elsewhere is listed and not opened."</p>
        {select_field(form, "storage", "Storage with the keys", "Tables inside it are opened with its keys.", choices)}
        <div class="columns">
            {text_area(form, "roots", "Places that may be opened (optional)", "A URI a line, such as s3://lake/vision. Empty: all of the storage.", 3)}
            {text_area(form, "endpoints", "Endpoints that may be used (optional)", "One a line, such as http://seaweed.example:8333: for locations and keys that the server vends.", 3)}
        </div>
        {checkbox(form, "vend", "Pass vended keys on", "Readers and editors get the keys that the server vends with a table’s location. Otherwise the data operations here are their way.")}
    }
    .into_any()
}
