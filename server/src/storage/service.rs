//! Adding, changing and removing storages.

use std::path::Path;
use std::sync::PoisonError;

use lakeglass_api::Role;
use lakeglass_api::catalog::{Storage, StorageKind};

use super::backend::{Backend, Place};
use super::form::{self, NewStorage, StorageChange};
use super::s3::{self, Address, Keys};
use super::temporary::{self, Authority};
use super::{Error, Storages, local, probe, store};
use crate::audit::Outcome;
use crate::auth::Actor;
use crate::clock;

impl Storages {
    /// Adds a storage once it passed its check. Needs the admin role on the server.
    pub async fn add(&self, actor: &Actor, new: NewStorage) -> Result<Storage, Error> {
        actor.require_server(Role::Admin)?;
        let name = new.name.clone();
        self.insert(new).await?;
        let detail = serde_json::json!({});
        self.inner.audit.record(actor, "storage.add", &name, Outcome::Done, detail).await;
        self.get(actor, &name).await
    }

    pub(super) async fn insert(&self, new: NewStorage) -> Result<(), Error> {
        form::check_name(&new.name)?;
        if store::by_name(&self.inner.db.read, &new.name).await?.is_some() {
            return Err(Error::NameTaken(new.name));
        }
        let keys = new.keys.map(form::to_keys).transpose()?;
        let (row, backend) = match new.kind {
            StorageKind::Local => {
                let (folder, backend) = local::open(Path::new(&new.root), &self.inner.roots).await?;
                let folder = folder.strip_prefix(&self.inner.data).unwrap_or(&folder);
                let folder = folder.to_str().ok_or_else(|| Error::Invalid {
                    field: "root",
                    rule: "The folder's path must be valid UTF-8".to_owned(),
                })?;
                (blank(new.name, "local", folder.to_owned()), backend)
            }
            StorageKind::S3 => {
                let (bucket, prefix) = s3::split_root(&new.root)?;
                let mut row = blank(new.name, "s3", super::relative::join(bucket, prefix));
                row.endpoint = self.endpoint("endpoint", new.endpoint).await?;
                row.client_endpoint = form::client_endpoint(new.client_endpoint)?;
                row.region = new.region.filter(|region| !region.is_empty());
                row.path_style = new.path_style;
                row.vend_keys = new.vend_keys;
                row.sts_role = form::role(new.sts_role)?;
                let backend = s3::open(&address_of(&row), keys.as_ref(), self.inner.rule)?;
                (row, backend)
            }
        };
        self.refuse_overlap(&row, &backend).await?;
        let mut row = row;
        row.conditional_put = probe::run(&backend).await?;
        self.check_role(&row, keys.as_ref(), &backend).await?;
        let mut transaction = self.inner.db.write.begin().await?;
        let id = match store::insert(&mut transaction, &row).await {
            Err(sqlx::Error::Database(error)) if error.is_unique_violation() => {
                return Err(Error::NameTaken(row.name));
            }
            other => other?,
        };
        if let Some(keys) = &keys {
            let sealed = self.seal(id, keys)?;
            store::set_keys(&mut transaction, id, &sealed, row.created_at).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Changes keys, whether clients may have them, the role that is assumed for clients, or the address
    /// that they use. New keys and a new role are checked like a new storage.
    pub async fn change(&self, actor: &Actor, name: &str, change: StorageChange) -> Result<Storage, Error> {
        actor.require_server(Role::Admin)?;
        let found = store::by_name(&self.inner.db.read, name).await?;
        let mut row = found.ok_or_else(|| Error::NoSuchStorage(name.to_owned()))?.row;
        if row.kind == "local" {
            let rule = "A local storage has neither keys nor addresses to change".to_owned();
            return Err(Error::Invalid { field: "kind", rule });
        }
        let keys = change.keys.map(form::to_keys).transpose()?;
        let client_endpoint =
            change.client_endpoint.map(|text| form::client_endpoint(Some(text))).transpose()?;
        let new_role = change.sts_role.is_some();
        if let Some(text) = change.sts_role {
            row.sts_role = form::role(Some(text))?;
        }
        if keys.is_some() || new_role {
            let own = row.keys.as_ref().map(|sealed| self.unseal(row.id, sealed)).transpose()?;
            let keys = keys.as_ref().or(own.as_ref());
            let backend = s3::open(&address_of(&row), keys, self.inner.rule)?;
            self.check_role(&row, keys, &backend).await?;
        }
        if let Some(keys) = &keys {
            let backend = s3::open(&address_of(&row), Some(keys), self.inner.rule)?;
            if row.conditional_put && !probe::run(&backend).await? {
                let cause = "it does not refuse a second conditional put any more".to_owned();
                return Err(Error::Probe { step: "conditional put", cause });
            }
        }
        let mut transaction = self.inner.db.write.begin().await?;
        if let Some(endpoint) = &client_endpoint {
            store::set_client_endpoint(&mut transaction, row.id, endpoint.as_deref()).await?;
        }
        if let Some(vend) = change.vend_keys {
            store::set_vend_keys(&mut transaction, row.id, vend).await?;
        }
        if new_role {
            store::set_sts_role(&mut transaction, row.id, row.sts_role.as_deref()).await?;
        }
        if let Some(keys) = &keys {
            store::set_keys(&mut transaction, row.id, &self.seal(row.id, keys)?, clock::now_ms()).await?;
        }
        transaction.commit().await?;
        self.forget(row.id);
        let detail = serde_json::json!({ "keys": keys.is_some(), "vend_keys": change.vend_keys, "sts_role": new_role });
        self.inner.audit.record(actor, "storage.change", name, Outcome::Done, detail).await;
        self.get(actor, name).await
    }

    /// Removes a storage that holds no bucket. What is stored there stays.
    pub async fn remove(&self, actor: &Actor, name: &str) -> Result<(), Error> {
        actor.require_server(Role::Admin)?;
        let found = store::by_name(&self.inner.db.read, name).await?;
        let row = found.ok_or_else(|| Error::NoSuchStorage(name.to_owned()))?.row;
        if !store::delete(&self.inner.db.write, row.id).await? {
            return Err(Error::InUse(name.to_owned()));
        }
        self.forget(row.id);
        self.inner.uris.lock().unwrap_or_else(PoisonError::into_inner).remove(&row.id);
        let detail = serde_json::json!({});
        self.inner.audit.record(actor, "storage.remove", name, Outcome::Done, detail).await;
        Ok(())
    }

    /// Checks a storage again, as when it was added.
    pub async fn check(&self, actor: &Actor, name: &str) -> Result<Storage, Error> {
        actor.require_server(Role::Admin)?;
        let counted = store::by_name(&self.inner.db.read, name).await?;
        let counted = counted.ok_or_else(|| Error::NoSuchStorage(name.to_owned()))?;
        let backend = self.backend(counted.row.id).await?;
        if counted.row.conditional_put && !probe::run(&backend).await? {
            let cause = "it does not refuse a second conditional put any more".to_owned();
            return Err(Error::Probe { step: "conditional put", cause });
        }
        let keys = counted.row.keys.as_ref().map(|sealed| self.unseal(counted.row.id, sealed));
        self.check_role(&counted.row, keys.transpose()?.as_ref(), &backend).await?;
        Ok(self.shown(counted).await)
    }

    /// Checks that a storage's role makes temporary keys, and that the store limits them. Nothing without one.
    async fn check_role(
        &self,
        row: &store::Row,
        keys: Option<&Keys>,
        backend: &Backend,
    ) -> Result<(), Error> {
        let Some(role) = &row.sts_role else { return Ok(()) };
        let Some(keys) = keys else {
            let rule = "A role is assumed with the storage's keys: give them as well".to_owned();
            return Err(Error::Invalid { field: "sts_role", rule });
        };
        let address = address_of(row);
        let authority = Authority { address: &address, role, keys, rule: self.inner.rule };
        temporary::check(backend, &authority).await
    }

    /// Forgets what was opened with a storage's keys, and what was made from them.
    fn forget(&self, id: i64) {
        self.opened().remove(&id);
        self.inner.sessions.forget(id);
    }

    async fn endpoint(&self, field: &'static str, text: Option<String>) -> Result<Option<String>, Error> {
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
        let url = self.inner.rule.endpoint(field, text.trim()).await?;
        Ok(Some(url.as_str().trim_end_matches('/').to_owned()))
    }

    /// Two storages over the same bytes would let two buckets nest unseen.
    async fn refuse_overlap(&self, row: &store::Row, backend: &Backend) -> Result<(), Error> {
        let place = place(row, &backend.place);
        for other in store::all(&self.inner.db.read).await? {
            let other_place = match other.row.kind.as_str() {
                "local" => place_of("file", &self.folder(&other.row).to_string_lossy()),
                _ => place_of(other.row.endpoint.as_deref().unwrap_or("aws"), &other.row.root),
            };
            if place.starts_with(&other_place) || other_place.starts_with(&place) {
                return Err(Error::Overlaps(other.row.name));
            }
        }
        Ok(())
    }

    pub(super) fn open_s3(&self, row: &store::Row) -> Result<Backend, Error> {
        let keys = match &row.keys {
            Some(sealed) => Some(self.unseal(row.id, sealed)?),
            None => None,
        };
        s3::open(&address_of(row), keys.as_ref(), self.inner.rule)
    }

    pub(super) fn seal(&self, id: i64, keys: &Keys) -> Result<Vec<u8>, Error> {
        let plain = serde_json::to_vec(keys).map_err(|_| Error::Keys)?;
        self.inner.secrets.seal(&seal_row(id), "keys", &plain).map_err(|_| Error::Keys)
    }

    pub(super) fn unseal(&self, id: i64, sealed: &[u8]) -> Result<Keys, Error> {
        let plain = self.inner.secrets.open(&seal_row(id), "keys", sealed).map_err(|_| Error::Keys)?;
        serde_json::from_slice(&plain).map_err(|_| Error::Keys)
    }
}

fn seal_row(id: i64) -> String {
    format!("storages/{id}")
}

/// One text for a place, so that prefixes tell containment.
fn place(row: &store::Row, place: &Place) -> String {
    match place {
        Place::Local(folder) => place_of("file", &folder.to_string_lossy()),
        Place::S3 => place_of(row.endpoint.as_deref().unwrap_or("aws"), &row.root),
    }
}

fn place_of(service: &str, root: &str) -> String {
    format!("{service}|{}/", root.trim_end_matches('/'))
}

pub(super) fn address_of(row: &store::Row) -> Address {
    Address {
        endpoint: row.endpoint.clone(),
        region: row.region.clone(),
        path_style: row.path_style,
        root: row.root.clone(),
    }
}

pub(super) fn blank(name: String, kind: &str, root: String) -> store::Row {
    store::Row {
        id: 0,
        name,
        kind: kind.to_owned(),
        root,
        endpoint: None,
        client_endpoint: None,
        region: None,
        path_style: false,
        keys: None,
        keys_set_at: None,
        vend_keys: false,
        sts_role: None,
        conditional_put: false,
        created_at: clock::now_ms(),
    }
}
