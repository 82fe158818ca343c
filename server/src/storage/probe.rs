//! The check that a storage passes before it is used: write, read, list, delete, and that a second
//! conditional put is really refused. A store that ignores the condition loses commits silently.

use std::time::Duration;

use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};

use super::backend::Backend;
use super::error::plain;
use super::{Error, relative};

/// The whole check's time.
const PATIENCE: Duration = Duration::from_secs(20);
const CONTENT: &[u8] = b"lakeglass probe";

/// Checks a storage; true when conditional puts are honoured.
pub(super) async fn run(backend: &Backend) -> Result<bool, Error> {
    let name = format!(".lakeglass-probe-{}", uuid::Uuid::new_v4().simple());
    let folder = Path::parse(relative::join(&backend.base, &name))
        .map_err(|_| Error::Location("This root cannot be used in an object store".to_owned()))?;
    let checked = tokio::time::timeout(PATIENCE, check(backend.store.as_ref(), &folder)).await;
    let clean = async {
        for object in ["object", "once"] {
            drop(backend.store.delete(&folder.clone().join(object)).await);
        }
        drop(backend.remove("", &name).await);
    };
    drop(tokio::time::timeout(PATIENCE, clean).await);
    checked.map_err(|_| Error::Probe { step: "answer within 20 s", cause: "it took longer".to_owned() })?
}

async fn check(store: &dyn ObjectStore, folder: &Path) -> Result<bool, Error> {
    let failed = |step: &'static str| {
        move |error: object_store::Error| {
            tracing::info!(step, %error, "a storage did not pass its check");
            Error::Probe { step, cause: plain(&error).to_owned() }
        }
    };
    let wrong = |step| Error::Probe { step, cause: "it did not give back what was written".to_owned() };

    let object = folder.clone().join("object");
    store.put(&object, PutPayload::from_static(CONTENT)).await.map_err(failed("write"))?;
    let read = store.get(&object).await.map_err(failed("read"))?;
    if read.bytes().await.map_err(failed("read"))? != CONTENT {
        return Err(wrong("read"));
    }
    let listed: Vec<_> = store.list(Some(folder)).try_collect().await.map_err(failed("list"))?;
    if listed.len() != 1 || listed[0].location != object {
        return Err(wrong("list"));
    }
    store.delete(&object).await.map_err(failed("delete"))?;
    match store.get(&object).await {
        Err(object_store::Error::NotFound { .. }) => {}
        Err(error) => return Err(failed("delete")(error)),
        Ok(_) => return Err(wrong("delete")),
    }

    let once = folder.clone().join("once");
    let create = || PutOptions { mode: PutMode::Create, ..PutOptions::default() };
    match store.put_opts(&once, PutPayload::from_static(CONTENT), create()).await {
        Ok(_) => {}
        // It says itself that it cannot: usable for formats that need no commits.
        Err(object_store::Error::NotImplemented { .. } | object_store::Error::NotSupported { .. }) => {
            return Ok(false);
        }
        Err(error) => return Err(failed("conditional put")(error)),
    }
    let second = store.put_opts(&once, PutPayload::from_static(CONTENT), create()).await;
    let honoured = match second {
        Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => true,
        Ok(_) => false,
        Err(error) => return Err(failed("conditional put")(error)),
    };
    store.delete(&once).await.map_err(failed("delete"))?;
    Ok(honoured)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use async_trait::async_trait;
    use futures::stream::BoxStream;
    use object_store::memory::InMemory;
    use object_store::{
        CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, PutMultipartOptions,
        PutResult, Result as StoreResult,
    };

    use super::*;
    use crate::storage::backend::Place;

    fn backend(store: Arc<dyn ObjectStore>) -> Backend {
        Backend {
            uri: "s3://lake".to_owned(),
            store,
            base: "some/prefix".to_owned(),
            place: Place::S3,
            options: BTreeMap::new(),
        }
    }

    #[tokio::test]
    async fn a_store_that_honours_conditions_passes_and_nothing_is_left_in_it() {
        let store = Arc::new(InMemory::new());
        assert!(run(&backend(store.clone())).await.unwrap());
        assert_eq!(store.list(None).try_collect::<Vec<_>>().await.unwrap(), []);
    }

    /// A store that takes every conditional put, as some do.
    #[derive(Debug)]
    struct Careless(InMemory);

    impl std::fmt::Display for Careless {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("careless")
        }
    }

    #[async_trait]
    impl ObjectStore for Careless {
        async fn put_opts(&self, to: &Path, payload: PutPayload, _: PutOptions) -> StoreResult<PutResult> {
            self.0.put_opts(to, payload, PutOptions::default()).await
        }

        async fn put_multipart_opts(
            &self,
            to: &Path,
            options: PutMultipartOptions,
        ) -> StoreResult<Box<dyn MultipartUpload>> {
            self.0.put_multipart_opts(to, options).await
        }

        async fn get_opts(&self, from: &Path, options: GetOptions) -> StoreResult<GetResult> {
            self.0.get_opts(from, options).await
        }

        fn delete_stream(
            &self,
            paths: BoxStream<'static, StoreResult<Path>>,
        ) -> BoxStream<'static, StoreResult<Path>> {
            self.0.delete_stream(paths)
        }

        fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, StoreResult<ObjectMeta>> {
            self.0.list(prefix)
        }

        async fn list_with_delimiter(&self, prefix: Option<&Path>) -> StoreResult<ListResult> {
            self.0.list_with_delimiter(prefix).await
        }

        async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> StoreResult<()> {
            self.0.copy_opts(from, to, options).await
        }
    }

    #[tokio::test]
    async fn a_store_that_ignores_conditions_is_found_out() {
        let store = Arc::new(Careless(InMemory::new()));
        assert!(!run(&backend(store.clone())).await.unwrap());
        assert_eq!(store.list(None).try_collect::<Vec<_>>().await.unwrap(), []);
    }
}
