//! People: adding, listing, disabling, passwords. For admins of the server, and for oneself.

use std::fmt;

use lakeglass_api::people::User;
use lakeglass_api::{ListQuery, Page, Role, Scope};
use serde_json::json;

use super::passwords::{self, Verdict};
use super::store::{self, Holder};
use super::{Actor, Auth, Error, Principal, Session};
use crate::audit::Outcome;
use crate::clock::now_ms;

/// A person to add.
pub struct NewUser<'a> {
    pub name: &'a str,
    pub password: &'a str,
    /// Role on the server; none: sees only what buckets grant.
    pub role: Option<Role>,
}

impl fmt::Debug for NewUser<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewUser").field("name", &self.name).field("role", &self.role).finish_non_exhaustive()
    }
}

/// The rule for names: 1 to 64 of letters, digits, `.`, `_`, `-`, `@`, starting with a letter or digit.
pub(super) fn check_name(name: &str) -> Result<&str, Error> {
    let name = name.trim();
    let fits = (1..=64).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-@".contains(&b));
    if fits {
        Ok(name)
    } else {
        Err(Error::invalid(
            "name",
            "Use 1 to 64 letters, digits, dots, hyphens, underscores and @, starting with a letter or digit",
        ))
    }
}

impl Auth {
    /// By name. `limit` is 1 to 500, 100 by default; `after` is the last name of the page before.
    pub async fn users(&self, actor: &Actor, query: &ListQuery) -> Result<Page<User>, Error> {
        actor.require_server(Role::Admin)?;
        let limit = i64::from(query.limit.unwrap_or(100).clamp(1, 500));
        let search = query.search.as_deref().unwrap_or("").trim();
        let after = query.after.as_deref().unwrap_or("");
        let rows = store::users(&self.db.read, after, search, limit + 1).await?;
        let total = store::count_users(&self.db.read, search).await?;
        let mut items: Vec<User> = rows.into_iter().map(User::from).collect();
        let more = i64::try_from(items.len()).is_ok_and(|count| count > limit);
        items.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        let next = if more { items.last().map(|user| user.name.clone()) } else { None };
        Ok(Page { items, next, total: u64::try_from(total).ok() })
    }

    /// One user, for admins of the server and for themselves.
    pub async fn user(&self, actor: &Actor, name: &str) -> Result<User, Error> {
        let own = matches!(actor.principal, Principal::User(_)) && actor.name.eq_ignore_ascii_case(name);
        if !own {
            actor.require_server(Role::Admin)?;
        }
        let row = store::user(&self.db.read, name).await?;
        row.map(User::from).ok_or_else(|| Error::NoSuchUser(name.to_owned()))
    }

    pub async fn add_user(&self, actor: &Actor, new: NewUser<'_>) -> Result<User, Error> {
        actor.require_server(Role::Admin)?;
        let name = check_name(new.name)?;
        passwords::check(new.password, name)?;
        let hash = self.hasher.hash(new.password).await?;
        let mut transaction = self.db.write.begin_with("BEGIN IMMEDIATE").await?;
        let id = store::add_user(&mut transaction, name, &hash, now_ms()).await?;
        let id = id.ok_or_else(|| Error::UserExists(name.to_owned()))?;
        if let Some(role) = new.role {
            store::add_grant(&mut transaction, Holder::User(id), &Scope::Server, role).await?;
        }
        // The link makes the first user only.
        store::delete_setup_link(&mut transaction).await?;
        transaction.commit().await?;
        let detail = json!({ "role": new.role });
        self.audit.record(actor, "user.add", name, Outcome::Done, detail).await;
        self.user(actor, name).await
    }

    /// Ends a user's sessions and tokens and refuses new ones, until enabled again.
    pub async fn disable_user(&self, actor: &Actor, name: &str) -> Result<User, Error> {
        self.set_disabled(actor, name, true).await
    }

    pub async fn enable_user(&self, actor: &Actor, name: &str) -> Result<User, Error> {
        self.set_disabled(actor, name, false).await
    }

    async fn set_disabled(&self, actor: &Actor, name: &str, disable: bool) -> Result<User, Error> {
        actor.require_server(Role::Admin)?;
        let user = self.credentials_of(name).await?;
        let mut transaction = self.db.write.begin_with("BEGIN IMMEDIATE").await?;
        if disable {
            self.keep_an_admin(&mut transaction, user.id, &user.name).await?;
            store::end_sessions(&mut *transaction, user.id, None).await?;
        }
        if disable != user.disabled {
            store::set_disabled(&mut transaction, user.id, disable.then(now_ms)).await?;
        }
        transaction.commit().await?;
        let action = if disable { "user.disable" } else { "user.enable" };
        self.audit.record(actor, action, &user.name, Outcome::Done, json!({})).await;
        self.user(actor, &user.name).await
    }

    /// Sets another person's password; their sessions end.
    pub async fn set_password(&self, actor: &Actor, name: &str, password: &str) -> Result<(), Error> {
        actor.require_server(Role::Admin)?;
        let user = self.credentials_of(name).await?;
        passwords::check(password, &user.name)?;
        let hash = self.hasher.hash(password).await?;
        store::set_hash(&self.db.write, user.id, &hash).await?;
        store::end_sessions(&self.db.write, user.id, None).await?;
        self.audit.record(actor, "user.set-password", &user.name, Outcome::Done, json!({})).await;
        Ok(())
    }

    /// Sets the actor's own password, given the present one; other sessions end.
    pub async fn change_password(
        &self,
        actor: &Actor,
        session: &Session,
        present: &str,
        new: &str,
    ) -> Result<(), Error> {
        let user = store::credentials_by_id(&self.db.read, session.user_id).await?;
        let user = user.ok_or(Error::WrongCredentials)?;
        self.throttle.attempt(&user.name, actor.address)?;
        if self.hasher.verify(present, Some(user.password_hash)).await? == Verdict::Wrong {
            self.audit.record(actor, "user.change-password", &user.name, Outcome::Refused, json!({})).await;
            return Err(Error::invalid("present", "This is not the present password"));
        }
        self.throttle.succeeded(&user.name, actor.address);
        passwords::check(new, &user.name)?;
        let hash = self.hasher.hash(new).await?;
        store::set_hash(&self.db.write, user.id, &hash).await?;
        store::end_sessions(&self.db.write, user.id, Some(&session.hash)).await?;
        self.audit.record(actor, "user.change-password", &user.name, Outcome::Done, json!({})).await;
        Ok(())
    }

    pub(super) async fn credentials_of(&self, name: &str) -> Result<store::Credentials, Error> {
        let found = store::credentials(&self.db.read, name).await?;
        found.ok_or_else(|| Error::NoSuchUser(name.to_owned()))
    }

    /// Refuses to take away the last admin who can sign in.
    pub(super) async fn keep_an_admin(
        &self,
        connection: &mut sqlx::SqliteConnection,
        id: i64,
        name: &str,
    ) -> Result<(), Error> {
        let held = store::grants(&self.db.read, Holder::User(id)).await?;
        let admin = held.contains(&(Scope::Server, Role::Admin));
        if admin && store::other_admins(connection, id).await? == 0 {
            return Err(Error::LastAdmin(name.to_owned()));
        }
        Ok(())
    }
}
