//! What clients are given to reach a table's bytes: an address, and keys by role.
//!
//! Temporary keys, limited to the table and to what the role may do, where the storage has a role to assume.
//! The storage's own keys only where an admin said so. Neither for viewers, nor for local folders.

use std::collections::BTreeMap;

use lakeglass_api::Role;
use lakeglass_ports::TableLocation;

use super::service::address_of;
use super::temporary::{self, Access, Authority, Session};
use super::{Error, Storages, store};
use crate::clock;

/// The option that marks keys which neither end nor are limited to the table.
const MARK: &str = "lakeglass_credentials";
/// The option by which clients know when to ask again.
const EXPIRES: &str = "expires_at_millis";

impl Storages {
    /// What a client of this role needs to reach a table, besides its location: `aws_…` as
    /// `object_store` spells them, `allow_http`, and `expires_at_millis` with temporary keys.
    ///
    /// # Errors
    /// [`Error::Role`] when a storage with a role gives no keys and its own may not be given away.
    pub async fn options_for_client(
        &self,
        storage_id: i64,
        role: Role,
        table: &TableLocation,
    ) -> Result<BTreeMap<String, String>, Error> {
        if role < Role::Reader {
            return Ok(BTreeMap::new());
        }
        let row = self.row(storage_id).await?;
        if row.kind == "local" {
            return Ok(BTreeMap::new());
        }
        let access = if role < Role::Editor { Access::Read } else { Access::Write };
        let mut options = address(&row);
        match self.session(&row, table.prefix.as_ref(), access).await {
            Ok(Some(session)) => {
                options.extend(session.keys.options());
                options.insert(EXPIRES.to_owned(), session.expires_at_ms.to_string());
                return Ok(options);
            }
            Ok(None) => {}
            Err(error) if row.vend_keys => {
                tracing::warn!(storage = row.name, %error, "clients get the storage's own keys instead");
            }
            Err(error) => return Err(error),
        }
        if let Some(sealed) = row.keys.as_ref().filter(|_| row.vend_keys) {
            options.extend(self.unseal(row.id, sealed)?.options());
            options.insert(MARK.to_owned(), "static".to_owned());
        }
        Ok(options)
    }

    /// Temporary keys for one folder; none where the storage has no role to assume.
    async fn session(
        &self,
        row: &store::Row,
        prefix: &str,
        access: Access,
    ) -> Result<Option<Session>, Error> {
        let (Some(role), Some(sealed)) = (&row.sts_role, &row.keys) else { return Ok(None) };
        let make = async || {
            let (address, keys) = (address_of(row), self.unseal(row.id, sealed)?);
            let authority = Authority { address: &address, role, keys: &keys, rule: self.inner.rule };
            temporary::session(&authority, prefix, access).await
        };
        let purpose = (row.id, prefix.to_owned(), access);
        self.inner.sessions.get(purpose, clock::now_ms(), make).await.map(Some)
    }
}

/// Where and how clients reach a storage.
fn address(row: &store::Row) -> BTreeMap<String, String> {
    let mut options = BTreeMap::new();
    options.insert("aws_virtual_hosted_style_request".to_owned(), (!row.path_style).to_string());
    if let Some(endpoint) = row.client_endpoint.clone().or_else(|| row.endpoint.clone()) {
        if endpoint.starts_with("http://") {
            options.insert("allow_http".to_owned(), "true".to_owned());
        }
        options.insert("aws_endpoint".to_owned(), endpoint);
    }
    options.extend(row.region.clone().map(|region| ("aws_region".to_owned(), region)));
    options
}
