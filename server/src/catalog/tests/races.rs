//! Many callers at once.

use futures::StreamExt;
use lakeglass_api::catalog::Properties;
use lakeglass_ports::InsertMode;

use super::kit::{Kit, reference, rows};
use crate::catalog::{Error, TableMode};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn eight_creators_of_one_name_give_one_table_and_one_folder() {
    let kit = Kit::with_sales().await;
    let table = reference("lake/sales/t");
    let tries = (0..8).map(|_| {
        let (catalog, admin, table) = (kit.catalog().clone(), kit.admin.clone(), table.clone());
        tokio::spawn(async move {
            catalog.create_table(&admin, &table, rows(1), TableMode::Create, Properties::new()).await
        })
    });
    let mut won = 0;
    for result in futures::future::join_all(tries).await {
        match result.unwrap() {
            Ok(_) => won += 1,
            Err(Error::TableExists { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(won, 1);
    let folders: Vec<_> = std::fs::read_dir(kit.path("lake/sales")).unwrap().collect();
    assert_eq!(folders.len(), 1);
    assert_eq!(kit.open_intents().await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn eight_first_writers_of_a_declared_table_lose_nothing() {
    let kit = Kit::with_sales().await;
    let table = reference("lake/sales/t");
    kit.catalog().declare_table(&kit.admin, &table, None, Properties::new()).await.unwrap();
    let tries = (0..8).map(|_| {
        let (catalog, admin, table) = (kit.catalog().clone(), kit.admin.clone(), table.clone());
        tokio::spawn(async move { catalog.insert(&admin, &table, rows(1), InsertMode::Append, None).await })
    });
    let mut versions = Vec::new();
    for result in futures::future::join_all(tries).await {
        versions.push(result.unwrap().unwrap().1.version);
    }
    versions.sort_unstable();
    assert_eq!(versions, [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_table_that_is_dropped_by_many_is_dropped_once() {
    let kit = Kit::with_sales().await;
    let table = reference("lake/sales/t");
    kit.create("lake/sales/t").await.unwrap();
    let tries = (0..8).map(|n| {
        let (catalog, admin, table) = (kit.catalog().clone(), kit.admin.clone(), table.clone());
        tokio::spawn(async move {
            if n % 2 == 0 {
                catalog.drop_table(&admin, &table).await
            } else {
                catalog.deregister_table(&admin, &table).await
            }
        })
    });
    let results = futures::future::join_all(tries).await;
    let done = results.into_iter().filter(|result| matches!(result, Ok(Ok(_)))).count();
    assert_eq!(done, 1);
    assert_eq!(kit.open_intents().await, 0);
    assert_eq!(kit.names("lake", "sales").await, [""; 0]);
}

/// A stream whose end waits for a word, and the way to give it.
fn held_rows() -> (lakeglass_ports::BatchStream, tokio::sync::oneshot::Sender<()>) {
    let (go, wait) = tokio::sync::oneshot::channel();
    let lakeglass_ports::BatchStream { schema, batches } = rows(1);
    let end = futures::stream::once(async move {
        drop(wait.await);
        None
    });
    let batches = batches.chain(end.filter_map(std::future::ready)).boxed();
    (lakeglass_ports::BatchStream { schema, batches }, go)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_slow_insert_keeps_removals_waiting_and_nothing_else() {
    let kit = Kit::with_sales().await;
    let table = reference("lake/sales/t");
    kit.create("lake/sales/t").await.unwrap();
    let (slow, go) = held_rows();
    let (catalog, admin, wanted) = (kit.catalog().clone(), kit.admin.clone(), table.clone());
    let insert =
        tokio::spawn(async move { catalog.insert(&admin, &wanted, slow, InsertMode::Append, None).await });
    while std::fs::read_dir(kit.path("lake/sales/t/data")).unwrap().count() < 2 {
        tokio::task::yield_now().await;
    }
    assert!(matches!(kit.create("lake/sales/t").await, Err(Error::TableExists { .. })));
    kit.catalog().insert(&kit.admin, &table, rows(1), InsertMode::Append, None).await.unwrap();
    kit.create_as("lake/sales/t", TableMode::Overwrite).await.unwrap();

    let (catalog, admin, bucket) = (kit.catalog().clone(), kit.admin.clone(), table.bucket.clone());
    let delete = tokio::spawn(async move { catalog.delete_bucket(&admin, &bucket, Some("lake")).await });
    while kit.catalog().bucket(&kit.admin, &table.bucket).await.is_ok() {
        tokio::task::yield_now().await;
    }
    // Marked as deleted, and its bytes wait for the insert.
    assert!(kit.path("lake/sales/t/_versions").exists());
    go.send(()).unwrap();
    drop(insert.await.unwrap());
    delete.await.unwrap().unwrap();
    assert!(!kit.path("lake").exists());
}
