//! The check of a storage's role: that it can be assumed, and that the store really holds temporary keys
//! to the policy of their session. A store that takes the policy and ignores it would give a reader of one
//! table everything.

use object_store::path::Path;
use object_store::{ObjectStoreExt, PutPayload};

use super::{Access, Authority};
use crate::storage::backend::Backend;
use crate::storage::error::plain;
use crate::storage::{Error, relative, s3};

const CONTENT: &[u8] = b"lakeglass probe";

/// Checks a role with two folders of its own, which are gone afterwards.
pub(in crate::storage) async fn run(backend: &Backend, authority: &Authority<'_>) -> Result<(), Error> {
    let name = format!(".lakeglass-probe-{}", uuid::Uuid::new_v4().simple());
    let checked = limits(backend, authority, &relative::join(&backend.base, &name)).await;
    drop(backend.remove("", &name).await);
    checked
}

async fn limits(backend: &Backend, authority: &Authority<'_>, folder: &str) -> Result<(), Error> {
    let failed = |step: &'static str| {
        move |error: object_store::Error| {
            tracing::info!(step, %error, "a storage's role did not pass its check");
            Error::Probe { step, cause: plain(&error).to_owned() }
        }
    };
    let object = |place: &str| {
        let place = format!("{folder}/{place}/object");
        Path::parse(place).map_err(|_| Error::Location("This root cannot be used in an object store".into()))
    };
    let (inside, beside) = (object("table")?, object("tables-neighbour")?);
    for place in [&inside, &beside] {
        let put = backend.store.put(place, PutPayload::from_static(CONTENT)).await;
        put.map_err(failed("write"))?;
    }
    let session = super::session(authority, &format!("{folder}/table"), Access::Read).await;
    let session = session.map_err(|error| match error {
        Error::Role(cause) => Error::Probe { step: "assume the role", cause },
        other => other,
    })?;
    let limited = s3::open(authority.address, Some(&session.keys), authority.rule)?.store;
    limited.get(&inside).await.map_err(failed("read with temporary keys"))?;
    refused("be kept to one table with temporary keys", limited.get(&beside).await.map(drop))?;
    let written = limited.put(&inside, PutPayload::from_static(CONTENT)).await.map(drop);
    refused("be kept from writing with temporary keys to read", written)
}

/// That the store said no, and for the right reason.
fn refused(step: &'static str, answer: object_store::Result<()>) -> Result<(), Error> {
    use object_store::Error as E;
    match answer {
        Err(E::PermissionDenied { .. } | E::Unauthenticated { .. }) => Ok(()),
        Ok(()) => {
            let cause = "it does not hold them to the policy of their session".to_owned();
            Err(Error::Probe { step, cause })
        }
        Err(error) => Err(Error::Probe { step, cause: plain(&error).to_owned() }),
    }
}
