//! Who is asking. Every service takes an [`Actor`] first and checks it itself, so that pages, REST
//! and the namespace cannot differ.

use std::net::IpAddr;
use std::sync::Arc;

use lakeglass_api::{BucketName, Role, Scope};

/// Whose grants these are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Principal {
    User(i64),
    Token(i64),
    /// Work of the server itself, named: "observations", "demo".
    System(&'static str),
    /// Nobody is signed in; holds no grants.
    Anonymous,
}

/// A principal with its grants, as they were when the request arrived.
#[derive(Debug, Clone)]
pub struct Actor {
    pub principal: Principal,
    /// For the audit log and pages: a user's or token's name.
    pub name: String,
    pub address: Option<IpAddr>,
    pub request_id: String,
    grants: Arc<[(Scope, Role)]>,
}

/// Why something is not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// The actor may not know that it exists: 404.
    #[error("not shared with this principal")]
    Hidden,
    /// It may know, and lacks this role: 403.
    #[error("needs the {0} role")]
    Forbidden(Role),
}

impl Actor {
    pub fn new(
        principal: Principal,
        name: String,
        grants: Vec<(Scope, Role)>,
        address: Option<IpAddr>,
        request_id: String,
    ) -> Self {
        Self { principal, name, address, request_id, grants: grants.into() }
    }

    /// The server itself, with every right. For jobs, sweeps and the command line.
    pub fn system(name: &'static str) -> Self {
        Self::new(
            Principal::System(name),
            name.to_owned(),
            vec![(Scope::Server, Role::Admin)],
            None,
            String::new(),
        )
    }

    /// Nobody in particular, for what happens before anyone has signed in.
    pub fn anonymous(address: Option<IpAddr>, request_id: String) -> Self {
        Self::new(Principal::Anonymous, "anonymous".to_owned(), Vec::new(), address, request_id)
    }

    pub fn grants(&self) -> &[(Scope, Role)] {
        &self.grants
    }

    /// The role on the server as a whole.
    pub fn server_role(&self) -> Option<Role> {
        self.grants.iter().filter(|(scope, _)| *scope == Scope::Server).map(|(_, role)| *role).max()
    }

    /// The strongest role in a bucket: its own grant or the server's.
    pub fn role_in(&self, bucket: &BucketName) -> Option<Role> {
        self.grants
            .iter()
            .filter(|(scope, _)| {
                matches!(scope, Scope::Server) || matches!(scope, Scope::Bucket(name) if name == bucket)
            })
            .map(|(_, role)| *role)
            .max()
    }

    /// Buckets with a grant of their own; none when the whole server is visible. For list queries.
    pub fn visible_buckets(&self) -> Option<Vec<BucketName>> {
        if self.server_role().is_some() {
            return None;
        }
        let names = self.grants.iter().filter_map(|(scope, _)| match scope {
            Scope::Bucket(name) => Some(name.clone()),
            Scope::Server => None,
        });
        Some(names.collect())
    }

    pub fn require_server(&self, role: Role) -> Result<(), Denied> {
        if self.server_role().is_some_and(|held| held >= role) {
            Ok(())
        } else {
            Err(Denied::Forbidden(role))
        }
    }

    /// 404 for a bucket the actor has no role in, 403 for a role too weak.
    pub fn require(&self, bucket: &BucketName, role: Role) -> Result<(), Denied> {
        match self.role_in(bucket) {
            None => Err(Denied::Hidden),
            Some(held) if held < role => Err(Denied::Forbidden(role)),
            Some(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(grants: Vec<(Scope, Role)>) -> Actor {
        Actor::new(Principal::User(1), "a".into(), grants, None, String::new())
    }

    #[test]
    fn a_bucket_without_a_grant_is_hidden_and_a_weak_role_is_forbidden() {
        let (mine, other): (BucketName, BucketName) = ("mine".parse().unwrap(), "other".parse().unwrap());
        let actor = with(vec![(Scope::Bucket(mine.clone()), Role::Reader)]);
        assert_eq!(actor.require(&mine, Role::Reader), Ok(()));
        assert_eq!(actor.require(&mine, Role::Editor), Err(Denied::Forbidden(Role::Editor)));
        assert_eq!(actor.require(&other, Role::Viewer), Err(Denied::Hidden));
        assert_eq!(actor.require_server(Role::Viewer), Err(Denied::Forbidden(Role::Viewer)));
        assert_eq!(actor.visible_buckets(), Some(vec![mine]));
    }

    #[test]
    fn the_strongest_grant_counts() {
        let mine: BucketName = "mine".parse().unwrap();
        let actor = with(vec![(Scope::Server, Role::Viewer), (Scope::Bucket(mine.clone()), Role::Admin)]);
        assert_eq!(actor.role_in(&mine), Some(Role::Admin));
        assert_eq!(actor.server_role(), Some(Role::Viewer));
        assert_eq!(actor.visible_buckets(), None);
    }
}
