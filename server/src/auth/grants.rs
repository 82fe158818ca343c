//! Grants: (principal, scope, role). Admins of the server grant anything; admins of a bucket grant
//! roles in it.

use lakeglass_api::people::User;
use lakeglass_api::{BucketName, Role, Scope};
use serde_json::json;

use super::store::{self, Holder};
use super::{Actor, Auth, Error};
use crate::audit::Outcome;

impl Auth {
    /// Gives a user a role in a scope, in place of the one held there; none takes it away.
    /// Works at once; the user's sessions end, so that a new one carries the new role.
    ///
    /// The bucket is not looked up here: the caller knows it exists.
    pub async fn set_role(
        &self,
        actor: &Actor,
        name: &str,
        scope: &Scope,
        role: Option<Role>,
    ) -> Result<User, Error> {
        match scope {
            Scope::Server => actor.require_server(Role::Admin)?,
            Scope::Bucket(bucket) => actor.require(bucket, Role::Admin)?,
        }
        let user = self.credentials_of(name).await?;
        let mut transaction = self.db.write.begin_with("BEGIN IMMEDIATE").await?;
        if *scope == Scope::Server && role != Some(Role::Admin) {
            self.keep_an_admin(&mut transaction, user.id, &user.name).await?;
        }
        store::delete_grant(&mut transaction, user.id, scope).await?;
        if let Some(role) = role {
            store::add_grant(&mut transaction, Holder::User(user.id), scope, role).await?;
        }
        store::end_sessions(&mut *transaction, user.id, None).await?;
        transaction.commit().await?;
        let detail = json!({ "scope": scope, "role": role });
        self.audit.record(actor, "user.set-role", &user.name, Outcome::Done, detail).await;
        let row = store::user(&self.db.read, &user.name).await?;
        row.map(User::from).ok_or(Error::NoSuchUser(user.name))
    }

    /// Takes away every grant in a bucket that is gone, so that a later bucket of that name starts
    /// with none.
    pub async fn forget_bucket(&self, bucket: &BucketName) -> Result<(), Error> {
        store::forget_bucket(&self.db.write, bucket).await?;
        Ok(())
    }
}
