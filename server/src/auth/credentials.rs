//! From a request's headers to an [`Actor`]: a token wins over a session cookie, and a token that
//! does not hold is an error even when a cookie came along.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use http::request::Parts;
use http::{HeaderMap, header};
use lakeglass_api::{Role, Scope};

use super::store::{self, Holder};
use super::{Actor, Auth, Error, Principal, Session, random, sessions};
use crate::clock::now_ms;
use crate::problem::Problem;
use crate::state::App;

/// Marks our tokens, so that scanners find leaked ones.
pub(super) const TOKEN_PREFIX: &str = "lg_";
const TOUCH_MS: i64 = 60 * 1000;

/// Who a request comes from.
#[derive(Debug, Clone)]
pub struct Authenticated {
    pub actor: Actor,
    /// None for tokens.
    pub session: Option<Session>,
}

impl Auth {
    /// Who these headers prove; none when they claim nobody or a session that is over.
    pub async fn authenticate(
        &self,
        headers: &HeaderMap,
        address: Option<IpAddr>,
        request_id: &str,
    ) -> Result<Option<Authenticated>, Error> {
        if let Some(token) = token(headers) {
            let actor = self.by_token(token, address, request_id).await?;
            return Ok(Some(Authenticated { actor, session: None }));
        }
        let Some(secret) = self.cookies.find(headers) else { return Ok(None) };
        let now_ms = now_ms();
        let hash = random::digest(secret);
        let idle_since = sessions::idle_since_ms(now_ms);
        let Some(row) = store::session(&self.db.read, &hash, now_ms, idle_since).await? else {
            return Ok(None);
        };
        let grants = store::grants(&self.db.read, Holder::User(row.user_id)).await?;
        let session =
            Session { hash, user_id: row.user_id, id: row.public_id, expires_at_ms: row.expires_at_ms };
        // A browser that reconnects to a stream of events by itself is not activity.
        let stream = headers.get(header::ACCEPT).is_some_and(|accept| accept == "text/event-stream");
        if !stream {
            self.touch(&session, row.active_at_ms);
        }
        let actor =
            Actor::new(Principal::User(row.user_id), row.name, grants, address, request_id.to_owned());
        Ok(Some(Authenticated { actor, session: Some(session) }))
    }

    async fn by_token(&self, token: &str, address: Option<IpAddr>, request_id: &str) -> Result<Actor, Error> {
        if !token.starts_with(TOKEN_PREFIX) || token.len() > 200 {
            return Err(Error::BadToken);
        }
        let now_ms = now_ms();
        let row = store::token(&self.db.read, &random::digest(token), now_ms).await?;
        let row = row.ok_or(Error::BadToken)?;
        let mut grants = store::grants(&self.db.read, Holder::Token(row.id)).await?;
        if let Some(owner) = row.owner_id {
            grants = bounded(grants, store::grants(&self.db.read, Holder::User(owner)).await?);
        }
        if row.used_at_ms.is_none_or(|used| now_ms - used >= TOUCH_MS) {
            let (pool, id) = (self.db.write.clone(), row.id);
            tokio::spawn(async move {
                if let Err(error) = store::touch_token(&pool, id, now_ms).await {
                    tracing::warn!(error = &error as &dyn std::error::Error, "A token could not be touched");
                }
            });
        }
        tracing::Span::current().record("token.id", row.public_id.as_str());
        Ok(Actor::new(Principal::Token(row.id), row.name, grants, address, request_id.to_owned()))
    }
}

/// A token never does more than its owner may do now.
fn bounded(grants: Vec<(Scope, Role)>, owner: Vec<(Scope, Role)>) -> Vec<(Scope, Role)> {
    let owner = Actor::new(Principal::Anonymous, String::new(), owner, None, String::new());
    grants
        .into_iter()
        .filter_map(|(scope, role)| {
            let bound = match &scope {
                Scope::Server => owner.server_role(),
                Scope::Bucket(name) => owner.role_in(name),
            }?;
            Some((scope, role.min(bound)))
        })
        .collect()
}

/// The token a request sends; any bearer value counts as one.
pub(crate) fn token(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(|text| {
        let (scheme, token) = text.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    });
    bearer.or_else(|| headers.get("x-api-key").and_then(|value| value.to_str().ok()))
}

impl FromRequestParts<Arc<App>> for Actor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _app: &Arc<App>) -> Result<Self, Problem> {
        let found = parts.extensions.get::<Authenticated>();
        found.map(|found| found.actor.clone()).ok_or_else(Problem::unauthenticated)
    }
}

impl OptionalFromRequestParts<Arc<App>> for Actor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _app: &Arc<App>) -> Result<Option<Self>, Problem> {
        Ok(parts.extensions.get::<Authenticated>().map(|found| found.actor.clone()))
    }
}

impl FromRequestParts<Arc<App>> for Session {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _app: &Arc<App>) -> Result<Self, Problem> {
        let found = parts.extensions.get::<Authenticated>().and_then(|found| found.session.clone());
        found.ok_or_else(Problem::unauthenticated)
    }
}

impl OptionalFromRequestParts<Arc<App>> for Session {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _app: &Arc<App>) -> Result<Option<Self>, Problem> {
        Ok(parts.extensions.get::<Authenticated>().and_then(|found| found.session.clone()))
    }
}
