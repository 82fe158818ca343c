//! Adding, vending and removing storages. Real object stores are in the integration tests.

use lakeglass_api::Role;
use lakeglass_api::catalog::StorageKind;

use super::{Error, NewStorage, StorageChange, Storages};
use crate::auth::{Actor, Denied, Principal};
use crate::config::Config;
use crate::db::Db;

async fn open(folder: &std::path::Path) -> Storages {
    let config = Config::for_data(folder.to_owned());
    let db = Db::open(folder).await.unwrap();
    let secrets = crate::secrets::Secrets::load(folder).unwrap();
    let audit = crate::audit::Audit::new(db.clone());
    Storages::open(db, &config, secrets, audit).await.unwrap()
}

/// Puts a row in, past the check that needs a server; its keys are sealed like any.
async fn with_s3(folder: &std::path::Path, vend: bool) -> (Storages, i64) {
    let storages = open(folder).await;
    let row = super::store::Row {
        endpoint: Some("http://127.0.0.1:9000".into()),
        client_endpoint: Some("https://s3.example.org".into()),
        region: Some("eu-west-1".into()),
        path_style: true,
        vend_keys: vend,
        conditional_put: true,
        ..super::service::blank("cloud".into(), "s3", "lake/vision".into())
    };
    let mut connection = storages.inner.db.write.acquire().await.unwrap();
    let id = super::store::insert(&mut connection, &row).await.unwrap();
    let keys = super::s3::Keys {
        access_key_id: "AKIA".into(),
        secret_access_key: "very-secret".into(),
        session_token: None,
    };
    let sealed = storages.seal(id, &keys).unwrap();
    assert!(!sealed.windows(11).any(|window| window == b"very-secret"));
    super::store::set_keys(&mut connection, id, &sealed, 1).await.unwrap();
    drop(connection);
    (storages, id)
}

#[tokio::test]
async fn a_first_start_makes_the_local_storage_and_a_second_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let admin = Actor::system("test");
    for _ in 0..2 {
        let listed = open(folder.path()).await.list(&admin).await.unwrap();
        assert_eq!(listed.len(), 1);
        assert_eq!((listed[0].name.as_str(), listed[0].kind), ("local", StorageKind::Local));
        assert!(listed[0].root.ends_with("/buckets") && listed[0].free_bytes.is_some());
    }
    let left: Vec<_> = std::fs::read_dir(folder.path().join("buckets")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn a_data_folder_may_be_moved() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    std::fs::create_dir(&old).unwrap();
    let before = open(&old).await;
    let id = before.find("local").await.unwrap().0;
    before.make_root(id, "lake").await.unwrap();
    std::fs::rename(&old, &new).unwrap();
    let after = open(&new).await;
    assert!(after.uri(id, "lake").await.unwrap().ends_with("/new/buckets/lake"));
    assert!(after.is_free(id, "lake").await.unwrap());
}

#[tokio::test]
async fn clients_get_an_address_and_no_keys_unless_an_admin_marked_them() {
    let folder = tempfile::tempdir().unwrap();
    let (storages, id) = with_s3(folder.path(), false).await;
    let table = storages.locate(id, "bucket", "sales/orders").await.unwrap();
    assert!(storages.options_for_client(id, Role::Viewer, &table).await.unwrap().is_empty());
    let reader = storages.options_for_client(id, Role::Reader, &table).await.unwrap();
    assert_eq!(reader["aws_endpoint"], "https://s3.example.org");
    assert_eq!(reader["aws_region"], "eu-west-1");
    assert!(!reader.contains_key("allow_http") && !reader.contains_key("aws_secret_access_key"));
    let local = storages.find("local").await.unwrap().0;
    assert!(storages.options_for_client(local, Role::Admin, &table).await.unwrap().is_empty());

    let change = StorageChange { vend_keys: Some(true), ..StorageChange::default() };
    storages.change(&Actor::system("test"), "cloud", change).await.unwrap();
    let editor = storages.options_for_client(id, Role::Editor, &table).await.unwrap();
    assert_eq!(editor["aws_access_key_id"], "AKIA");
    assert_eq!(editor["aws_secret_access_key"], "very-secret");
    assert_eq!(editor["lakeglass_credentials"], "static");
    assert!(!editor.contains_key("expires_at_millis"));
    assert!(storages.options_for_client(id, Role::Viewer, &table).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_role_that_gives_no_keys_is_an_error_unless_the_own_ones_may_be_given() {
    let folder = tempfile::tempdir().unwrap();
    let (storages, id) = with_s3(folder.path(), false).await;
    let table = storages.locate(id, "bucket", "sales/orders").await.unwrap();
    let mut connection = storages.inner.db.write.acquire().await.unwrap();
    // Its endpoint is a port of this machine on which nothing answers.
    super::store::set_sts_role(&mut connection, id, Some("arn:aws:iam::1:role/tables")).await.unwrap();
    let failed = storages.options_for_client(id, Role::Reader, &table).await;
    assert!(matches!(failed, Err(Error::Role(_))), "{failed:?}");
    super::store::set_vend_keys(&mut connection, id, true).await.unwrap();
    let own = storages.options_for_client(id, Role::Reader, &table).await.unwrap();
    assert_eq!(
        (own["aws_access_key_id"].as_str(), own["lakeglass_credentials"].as_str()),
        ("AKIA", "static")
    );
    assert!(storages.options_for_client(id, Role::Viewer, &table).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_role_is_an_arn_and_needs_keys() {
    let folder = tempfile::tempdir().unwrap();
    let (storages, _) = with_s3(folder.path(), false).await;
    let to = |role: &str| StorageChange { sts_role: Some(role.into()), ..StorageChange::default() };
    let admin = Actor::system("test");
    for bad in ["tables", "arn:a b", "arn:aws:iam::1:röle/x"] {
        let refused = storages.change(&admin, "cloud", to(bad)).await;
        assert!(matches!(refused, Err(Error::Invalid { field: "sts_role", .. })), "{bad}");
    }
}

#[tokio::test]
async fn the_server_uses_its_own_address_and_shows_no_keys() {
    let folder = tempfile::tempdir().unwrap();
    let (storages, id) = with_s3(folder.path(), true).await;
    let location = storages.locate(id, "bucket", "sales/orders").await.unwrap();
    assert_eq!(location.uri, "s3://lake/vision/bucket/sales/orders");
    assert_eq!(location.prefix.as_ref(), "vision/bucket/sales/orders");
    assert_eq!(location.options["aws_endpoint"], "http://127.0.0.1:9000");
    assert_eq!(location.options["aws_secret_access_key"], "very-secret");
    assert!(location.may_read("s3://lake/vision/bucket/x") && !location.may_read("s3://lake/vision/other/x"));
    assert!(!format!("{location:?} {storages:?}").contains("very-secret"));
    let shown = storages.get(&Actor::system("test"), "cloud").await.unwrap();
    assert_eq!(shown.keys_set_at_ms, Some(1));
    assert!(!serde_json::to_string(&shown).unwrap().contains("very-secret"));
}

#[tokio::test]
async fn storages_do_not_nest_and_need_a_name_a_place_and_an_admin() {
    let folder = tempfile::tempdir().unwrap();
    let storages = open(folder.path()).await;
    let admin = Actor::system("test");
    let at = |name: &str, below: &str| {
        NewStorage::local(name.to_owned(), folder.path().join(below).to_str().unwrap().to_owned())
    };
    let add = |new| storages.add(&admin, new);
    assert!(matches!(add(at("inner", "buckets/deep")).await, Err(Error::Overlaps(_))));
    assert!(matches!(add(at("outer", "")).await, Err(Error::Overlaps(_))));
    assert!(matches!(add(at("local", "other")).await, Err(Error::NameTaken(_))));
    assert!(matches!(add(at("No", "other")).await, Err(Error::Invalid { field: "name", .. })));
    add(at("other", "other")).await.unwrap();
    storages.check(&admin, "other").await.unwrap();

    let someone = Actor::new(Principal::User(1), "a".into(), Vec::new(), None, String::new());
    assert!(matches!(storages.list(&someone).await, Err(Error::Denied(Denied::Forbidden(_)))));
    let refused = storages.remove(&someone, "other").await;
    assert!(matches!(refused, Err(Error::Denied(Denied::Forbidden(Role::Admin)))));
    storages.remove(&admin, "other").await.unwrap();
    assert!(matches!(storages.get(&admin, "other").await, Err(Error::NoSuchStorage(_))));
}
