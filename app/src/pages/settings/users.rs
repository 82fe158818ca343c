//! Users: who may sign in, and with which roles.

use lakeglass_api::people::User;
use lakeglass_api::{BucketName, Scope};
use leptos::prelude::*;

use super::{Part, above, grant_words, grants_words, role_choices, scope_choices};
use crate::parts::{
    Column, Form, Icon, Look, cell, error_summary, heading, link_button, moment, notice, panel,
    password_field, post_button, section, select_field, status, submit, table, text_field,
};
use crate::{Tone, links, text};

#[derive(Debug, Clone)]
pub struct Users {
    pub users: Vec<User>,
    pub buckets: Vec<BucketName>,
    /// Fields `name`, `password`, `role`, `scope`.
    pub form: Form,
    pub now_ms: i64,
}

pub fn page(data: Users) -> AnyView {
    let Users { users, buckets, form, now_ms } = data;
    let columns = vec![
        Column::text("Name"),
        Column::text("Roles"),
        Column::text("Last sign-in"),
        Column::text("State"),
    ];
    let rows = users
        .into_iter()
        .map(|user| {
            let state = if user.disabled {
                status(Tone::Warn, "Disabled")
            } else {
                view! { <span class="muted">"Active"</span> }.into_any()
            };
            let signed_in = match user.signed_in_at_ms {
                Some(at_ms) => moment(at_ms, now_ms),
                None => view! { <span class="muted">"never"</span> }.into_any(),
            };
            vec![
                cell(view! { <a class="name" href=address(&user.name)>{text::visible(&user.name)}</a> }),
                cell(grants_words(&user.grants)),
                cell(signed_in),
                cell(state),
            ]
        })
        .collect();
    let add = view! {
        <form class="stack" method="post" action="/settings/users">
            <div class="columns">
                {text_field(&form, "name", "Name", "What they type to sign in.")}
                {password_field(&form, "password", "new-password", "Password", "12 to 128 characters. They can be told to change it.")}
                {select_field(&form, "role", "Role", "", role_choices())}
                {select_field(&form, "scope", "Where it holds", "", scope_choices(&buckets, true))}
            </div>
            <div class="row">{submit("Add user", Look::Primary, Some(Icon::Plus))}</div>
        </form>
    };
    view! {
        {above(Part::Users, true)}
        {error_summary(&form)}
        <div class="stack">
            {panel("Users", None, table("Users", columns, rows))}
            {section("Add a user", None, add.into_any())}
        </div>
    }
    .into_any()
}

/// The page of one user.
pub fn address(name: &str) -> String {
    links::path(["settings", "users", name])
}

/// One user: roles, password, and whether they may sign in.
#[derive(Debug, Clone)]
pub struct UserPage {
    pub user: User,
    pub buckets: Vec<BucketName>,
    /// Whether it is the person who looks.
    pub yourself: bool,
    /// Fields `scope`, `role`.
    pub grant: Form,
    /// Field `password`.
    pub password: Form,
    pub now_ms: i64,
}

pub fn user_page(data: UserPage) -> AnyView {
    let UserPage { user, buckets, yourself, grant, password, now_ms } = data;
    let base = address(&user.name);
    let state = if user.disabled { Some(status(Tone::Warn, "Disabled")) } else { None };
    view! {
        {heading(&user.name, state, vec![link_button("/settings/users", "All users", Look::Quiet, None)])}
        {error_summary(&grant)}
        {error_summary(&password)}
        <div class="stack narrow">
            {about(&user, now_ms)}
            {roles(&user, &buckets, &grant, &base)}
            {password_part(&password, &base)}
            {state_part(&user, yourself, &base)}
        </div>
    }
    .into_any()
}

fn about(user: &User, now_ms: i64) -> AnyView {
    let signed_in = match user.signed_in_at_ms {
        Some(at_ms) => moment(at_ms, now_ms),
        None => "never".into_any(),
    };
    view! {
        <dl class="pairs">
            <dt>"Added"</dt><dd>{text::utc(user.created_at_ms)}</dd>
            <dt>"Last sign-in"</dt><dd>{signed_in}</dd>
        </dl>
    }
    .into_any()
}

fn roles(user: &User, buckets: &[BucketName], form: &Form, base: &str) -> AnyView {
    let held = if user.grants.is_empty() {
        view! { <p class="muted">"No role yet: after signing in they see nothing."</p> }.into_any()
    } else {
        let rows = user
            .grants
            .iter()
            .map(|grant| {
                let scope = match &grant.scope {
                    Scope::Server => String::new(),
                    Scope::Bucket(bucket) => bucket.to_string(),
                };
                let remove = post_button(
                    format!("{base}/grants"),
                    "Take away",
                    Look::Quiet,
                    None,
                    &[("scope", scope.as_str()), ("role", "")],
                );
                view! { <li class="row"><span>{grant_words(grant)}</span><span class="push">{remove}</span></li> }
            })
            .collect_view();
        view! { <ul class="plain lines">{rows}</ul> }.into_any()
    };
    let body = view! {
        {held}
        <form class="row end" method="post" action=format!("{base}/grants")>
            {select_field(form, "role", "Role", "", role_choices())}
            {select_field(form, "scope", "Where it holds", "", scope_choices(buckets, true))}
            {submit("Give role", Look::Normal, Some(Icon::Plus))}
        </form>
    };
    section("Roles", None, body.into_any())
}

fn password_part(form: &Form, base: &str) -> AnyView {
    let body = view! {
        <form class="stack" method="post" action=format!("{base}/password")>
            {password_field(form, "password", "new-password", "New password", "12 to 128 characters. Their sessions end.")}
            <div class="row">{submit("Set password", Look::Normal, Some(Icon::Key))}</div>
        </form>
    };
    section("Password", None, body.into_any())
}

fn state_part(user: &User, yourself: bool, base: &str) -> AnyView {
    if yourself {
        let body = notice(Tone::Info, "This is you", "Another admin can disable your account.");
        return section("Access", None, body);
    }
    let body = if user.disabled {
        view! {
            <p>"They may not sign in, and their API tokens do not work."</p>
            {post_button(format!("{base}/enable"), "Enable", Look::Normal, None, &[])}
        }
        .into_any()
    } else {
        view! {
            <p>"Disabling ends their sessions at once and stops their API tokens. It can be undone."</p>
            {post_button(format!("{base}/disable"), "Disable", Look::Danger, None, &[])}
        }
        .into_any()
    };
    section("Access", None, body)
}
