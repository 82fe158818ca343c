//! The one-time set-up link: makes the first admin, then never works again.

use serde_json::json;
use subtle::ConstantTimeEq as _;

use super::sessions::{Caller, SignedIn};
use super::store::{self, Holder};
use super::{Auth, Error, passwords, random, users};
use crate::audit::Outcome;
use crate::clock::now_ms;
use lakeglass_api::{Role, Scope};

const HOUR_MS: i64 = 60 * 60 * 1000;

impl Auth {
    /// True until the first user exists.
    pub async fn needs_set_up(&self) -> Result<bool, Error> {
        Ok(!store::any_user(&self.db.read).await?)
    }

    /// A new code for `/setup?code=…`, good for an hour; one made before stops working.
    pub async fn new_setup_code(&self) -> Result<String, Error> {
        if !self.needs_set_up().await? {
            return Err(Error::AlreadySetUp);
        }
        let code = random::secret()?;
        store::set_setup_link(&self.db.write, &random::digest(&code), now_ms() + HOUR_MS).await?;
        Ok(code)
    }

    /// Checks a code without using it up.
    pub async fn check_setup_code(&self, code: &str) -> Result<(), Error> {
        if !self.needs_set_up().await? {
            return Err(Error::AlreadySetUp);
        }
        matches(store::setup_link(&self.db.read, now_ms()).await?, code)
    }

    /// Makes the first user, an admin of the server, and signs them in. The code is used up.
    pub async fn set_up(
        &self,
        code: &str,
        name: &str,
        password: &str,
        caller: &Caller,
    ) -> Result<SignedIn, Error> {
        // Before the costly hash, so that strangers cannot ask for one.
        self.check_setup_code(code).await?;
        let name = users::check_name(name)?;
        passwords::check(password, name)?;
        let hash = self.hasher.hash(password).await?;
        let mut transaction = self.db.write.begin_with("BEGIN IMMEDIATE").await?;
        if store::any_user(&mut *transaction).await? {
            return Err(Error::AlreadySetUp);
        }
        matches(store::setup_link(&mut *transaction, now_ms()).await?, code)?;
        let id = store::add_user(&mut transaction, name, &hash, now_ms()).await?;
        let id = id.ok_or_else(|| Error::UserExists(name.to_owned()))?;
        store::add_grant(&mut transaction, Holder::User(id), &Scope::Server, Role::Admin).await?;
        store::delete_setup_link(&mut transaction).await?;
        transaction.commit().await?;
        let signed_in = self.start_session(id, name.to_owned(), caller).await?;
        let actor = self.acting(&signed_in, caller);
        self.audit.record(&actor, "server.set-up", name, Outcome::Done, json!({})).await;
        Ok(signed_in)
    }
}

fn matches(stored: Option<Vec<u8>>, code: &str) -> Result<(), Error> {
    let stored = stored.ok_or(Error::BadSetupLink)?;
    let right = bool::from(stored.ct_eq(random::digest(code).as_slice()));
    right.then_some(()).ok_or(Error::BadSetupLink)
}
