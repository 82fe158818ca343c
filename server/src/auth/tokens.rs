//! API tokens: made with a role and an expiry, shown once, bounded by their owner's present rights.

use lakeglass_api::people::{NewToken, RoleGrant, Token};
use lakeglass_api::{ListQuery, Page, Role, Scope};
use serde_json::json;

use super::credentials::TOKEN_PREFIX;
use super::store::{self, Holder, NewTokenRow};
use super::{Actor, Auth, Error, Principal, random};
use crate::audit::Outcome;
use crate::clock::now_ms;

/// Longest life of a token, in days.
pub const MAX_TOKEN_DAYS: u32 = 366;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const MAX_GRANTS: usize = 100;

/// A token to make.
#[derive(Debug, Clone)]
pub struct NewTokenRequest {
    pub name: String,
    /// At least one; none stronger than the maker holds.
    pub grants: Vec<RoleGrant>,
    /// 1 to [`MAX_TOKEN_DAYS`].
    pub days: u32,
}

impl Auth {
    pub async fn create_token(&self, actor: &Actor, new: NewTokenRequest) -> Result<NewToken, Error> {
        let name = new.name.trim();
        if name.is_empty() || name.chars().count() > 64 || name.chars().any(char::is_control) {
            return Err(Error::invalid("name", "Use 1 to 64 characters"));
        }
        if !(1..=MAX_TOKEN_DAYS).contains(&new.days) {
            return Err(Error::invalid("days", format!("Use 1 to {MAX_TOKEN_DAYS} days")));
        }
        if new.grants.is_empty() || new.grants.len() > MAX_GRANTS {
            return Err(Error::invalid("grants", format!("Give 1 to {MAX_GRANTS} roles")));
        }
        let owner = self.owner_for(actor).await?;
        for (at, grant) in new.grants.iter().enumerate() {
            match &grant.scope {
                Scope::Server => actor.require_server(grant.role)?,
                Scope::Bucket(bucket) => actor.require(bucket, grant.role)?,
            }
            if new.grants[..at].iter().any(|other| other.scope == grant.scope) {
                return Err(Error::invalid("grants", "Give one role a bucket"));
            }
        }
        let secret = format!("{TOKEN_PREFIX}{}", random::secret()?);
        let public_id = random::public_id()?;
        let now_ms = now_ms();
        let row = NewTokenRow {
            public_id: &public_id,
            name,
            hash: &random::digest(&secret),
            owner,
            now_ms,
            expires_at_ms: now_ms + i64::from(new.days) * DAY_MS,
        };
        let mut transaction = self.db.write.begin_with("BEGIN IMMEDIATE").await?;
        let id = store::add_token(&mut transaction, row).await?;
        for grant in &new.grants {
            store::add_grant(&mut transaction, Holder::Token(id), &grant.scope, grant.role).await?;
        }
        transaction.commit().await?;
        let detail = json!({ "name": name, "grants": new.grants, "days": new.days });
        self.audit.record(actor, "token.create", &public_id, Outcome::Done, detail).await;
        let row = store::token_by_public_id(&self.db.read, &public_id).await?.ok_or(Error::NoSuchToken)?;
        Ok(NewToken { token: row.into(), secret })
    }

    /// Newest first: one's own; all for admins of the server. `limit` is 1 to 500, 100 by default.
    pub async fn tokens(&self, actor: &Actor, query: &ListQuery) -> Result<Page<Token>, Error> {
        let owner = match actor.principal {
            _ if actor.server_role() == Some(Role::Admin) => None,
            Principal::User(id) => Some(id),
            _ => return Err(super::Denied::Forbidden(Role::Admin).into()),
        };
        let before = match query.after.as_deref() {
            None | Some("") => i64::MAX,
            Some(text) => text
                .parse()
                .map_err(|_| Error::invalid("after", "Use the marker of the page before, or none"))?,
        };
        let limit = i64::from(query.limit.unwrap_or(100).clamp(1, 500));
        let search = query.search.as_deref().unwrap_or("").trim();
        let mut rows = store::tokens(&self.db.read, before, owner, search, limit + 1).await?;
        let more = i64::try_from(rows.len()).is_ok_and(|count| count > limit);
        rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        let next = if more { rows.last().map(|row| row.id.to_string()) } else { None };
        Ok(Page { items: rows.into_iter().map(Token::from).collect(), next, total: None })
    }

    /// One's own tokens, or any for admins of the server; others are not known to exist.
    pub async fn revoke_token(&self, actor: &Actor, public_id: &str) -> Result<(), Error> {
        let row = store::token_by_public_id(&self.db.read, public_id).await?.ok_or(Error::NoSuchToken)?;
        let own = matches!(actor.principal, Principal::User(id) if row.owner_id == Some(id))
            || matches!(actor.principal, Principal::Token(id) if row.id == id);
        if !own && actor.server_role() != Some(Role::Admin) {
            return Err(Error::NoSuchToken);
        }
        store::revoke_token(&self.db.write, row.id, now_ms()).await?;
        self.audit.record(actor, "token.revoke", public_id, Outcome::Done, json!({})).await;
        Ok(())
    }

    /// Whose rights will bound a token that this actor makes. A token makes tokens only as an admin
    /// of the server, and they stay bound to its own owner.
    async fn owner_for(&self, actor: &Actor) -> Result<Option<i64>, Error> {
        match actor.principal {
            Principal::User(id) => Ok(Some(id)),
            Principal::System(_) => Ok(None),
            Principal::Token(id) => {
                actor.require_server(Role::Admin)?;
                Ok(store::token_owner(&self.db.read, id).await?)
            }
            Principal::Anonymous => Err(super::Denied::Forbidden(Role::Admin).into()),
        }
    }
}
