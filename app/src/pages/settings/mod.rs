//! Settings: people and keys, storage, the record, and how the console looks.

pub mod appearance;
pub mod audit;
pub mod sessions;
pub mod storage;
pub mod tokens;
pub mod users;

use lakeglass_api::people::RoleGrant;
use lakeglass_api::{BucketName, Role, Scope};
use leptos::prelude::*;

use crate::parts::{Choice, Tab, heading, tabs};

/// The pages of Settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Users,
    Tokens,
    Storage,
    Audit,
    Sessions,
    Appearance,
}

/// The heading and tabs of Settings. What only admins of the server may open is left out for others.
pub fn above(part: Part, server_admin: bool) -> AnyView {
    let all = [
        (Part::Users, "Users", "/settings/users", true),
        (Part::Tokens, "API tokens", "/settings/tokens", false),
        (Part::Storage, "Storage", "/settings/storage", true),
        (Part::Audit, "Audit log", "/settings/audit", true),
        (Part::Sessions, "Sessions", "/settings/sessions", false),
        (Part::Appearance, "Appearance", "/settings/appearance", false),
    ];
    let links = all
        .into_iter()
        .filter(|(.., admins_only)| server_admin || !admins_only)
        .map(|(this, label, href, _)| Tab {
            label: label.to_owned(),
            href: href.to_owned(),
            current: this == part,
        })
        .collect();
    view! { {heading("Settings", None, Vec::new())}{tabs("Settings", links)} }.into_any()
}

/// A role as a form offers it: its name and what it may do.
pub fn role_choices() -> Vec<Choice> {
    Role::ALL.into_iter().map(|role| Choice::new(role.as_str(), role_words(role))).collect()
}

/// Where a role holds, as a form offers it. The empty value is the whole server.
pub fn scope_choices(buckets: &[BucketName], with_server: bool) -> Vec<Choice> {
    with_server
        .then(|| Choice::new("", "Every bucket, and the server"))
        .into_iter()
        .chain(buckets.iter().map(|bucket| Choice::new(bucket.as_str(), format!("Bucket {bucket}"))))
        .collect()
}

pub fn role_words(role: Role) -> &'static str {
    match role {
        Role::Viewer => "Viewer: sees names, schemas and totals",
        Role::Reader => "Reader: sees rows too",
        Role::Editor => "Editor: writes, renames, drops",
        Role::Admin => "Admin: settings and people",
    }
}

/// "Admin on the server, Reader in media".
pub fn grant_words(grant: &RoleGrant) -> String {
    let role = match grant.role {
        Role::Viewer => "Viewer",
        Role::Reader => "Reader",
        Role::Editor => "Editor",
        Role::Admin => "Admin",
    };
    match &grant.scope {
        Scope::Server => format!("{role} on the server"),
        Scope::Bucket(bucket) => format!("{role} in {bucket}"),
    }
}

/// All grants in one line; a person or token without any sees nothing.
pub fn grants_words(grants: &[RoleGrant]) -> String {
    if grants.is_empty() {
        return "No role: sees nothing".to_owned();
    }
    grants.iter().map(grant_words).collect::<Vec<_>>().join(", ")
}
