//! One rule a test, as the design states them.

use lakeglass_api::catalog::{Properties, TableState};
use lakeglass_api::{ListQuery, NamespacePath, Role, Scope};
use lakeglass_ports::InsertMode;

use super::kit::{Kit, broken_rows, files, reference, rows, somebody};
use crate::auth::{Actor, Denied};
use crate::catalog::{BucketChange, Error, NamespaceMode, Standing, TableMode};

#[tokio::test]
async fn a_format_is_enforced_and_must_be_served() {
    let kit = Kit::new().await;
    assert!(matches!(kit.bucket("lake", Some("iceberg")).await, Err(Error::UnservedFormat(_))));
    kit.bucket("files", Some("csv")).await.unwrap();
    kit.namespace("files", "in").await.unwrap();
    assert!(matches!(kit.create("files/in/t").await, Err(Error::WrongFormat { .. })));
    let declared =
        kit.catalog().declare_table(&kit.admin, &reference("files/in/t"), None, Properties::new()).await;
    assert!(matches!(declared, Err(Error::WrongFormat { .. })));
    kit.bucket("mixed", None).await.unwrap();
    kit.namespace("mixed", "in").await.unwrap();
    kit.create("mixed/in/t").await.unwrap();
}

#[tokio::test]
async fn a_parent_must_exist_and_a_bucket_is_never_a_side_effect() {
    let kit = Kit::with_sales().await;
    assert!(matches!(kit.namespace("lake", "a.b").await, Err(Error::NoSuchNamespace(_))));
    assert!(matches!(kit.namespace("none", "a").await, Err(Error::NoSuchBucket(_))));
    assert!(matches!(kit.create("lake/none/t").await, Err(Error::NoSuchNamespace(_))));
    assert_eq!(files(&kit.path("lake")), [""; 0]);
}

#[tokio::test]
async fn one_identifier_space_holds_tables_and_namespaces() {
    let kit = Kit::with_sales().await;
    kit.create("lake/sales/orders").await.unwrap();
    assert!(matches!(kit.namespace("lake", "sales.orders").await, Err(Error::NamespaceExists { .. })));
    kit.namespace("lake", "sales.eu").await.unwrap();
    assert!(matches!(kit.create("lake/sales/eu").await, Err(Error::TableExists { .. })));
}

#[tokio::test]
async fn the_layout_opens_without_a_catalog_and_taken_folders_get_a_suffix() {
    let kit = Kit::with_sales().await;
    let table = kit.create("lake/sales/orders").await.unwrap();
    assert!(table.location.ends_with("/buckets/lake/sales/orders"), "{}", table.location);
    assert!(kit.path("lake/sales/orders/_versions/1.manifest").exists());

    let (from, to) = (reference("lake/sales/orders"), "old".parse().unwrap());
    let renamed = kit.catalog().rename_table(&kit.admin, &from, &to, None).await.unwrap();
    assert_eq!(renamed.location, table.location);
    let again = kit.create("lake/sales/orders").await.unwrap();
    let (plain, suffix) = again.location.rsplit_once('-').unwrap();
    assert_eq!(plain, table.location);
    assert!(suffix.len() == 8 && suffix.bytes().all(|b| b.is_ascii_hexdigit()), "{suffix}");

    // Files that nothing here knows of are left alone as well.
    std::fs::create_dir_all(kit.path("lake/sales/found")).unwrap();
    std::fs::write(kit.path("lake/sales/found/x"), "x").unwrap();
    let beside = kit.create("lake/sales/found").await.unwrap();
    assert!(beside.location.contains("/found-"));
    assert_eq!(files(&kit.path("lake/sales/found")), ["x"]);
}

#[tokio::test]
async fn a_failed_create_leaves_nothing() {
    let kit = Kit::with_sales().await;
    let table = reference("lake/sales/orders");
    let broken = kit
        .catalog()
        .create_table(&kit.admin, &table, broken_rows(), TableMode::Create, Properties::new())
        .await;
    assert!(matches!(broken, Err(Error::Engine(_))));
    assert!(!kit.path("lake/sales").exists());
    assert_eq!(kit.open_intents().await, 0);
    kit.create("lake/sales/orders").await.unwrap();
}

#[tokio::test]
async fn a_declared_table_has_a_marker_and_is_promoted_once_written_directly() {
    let kit = Kit::with_sales().await;
    let table = reference("lake/sales/orders");
    let declared = kit.catalog().declare_table(&kit.admin, &table, None, Properties::new()).await.unwrap();
    assert_eq!(declared.state, TableState::Declared);
    assert_eq!(files(&kit.path("lake/sales/orders")), [".lance-reserved"]);
    assert!(matches!(
        kit.catalog().declare_table(&kit.admin, &table, None, Properties::new()).await,
        Err(Error::TableExists { .. })
    ));

    std::fs::create_dir_all(kit.path("lake/sales/orders/_versions")).unwrap();
    std::fs::write(kit.path("lake/sales/orders/_versions/1.manifest"), "v").unwrap();
    let (bucket, path) = (table.bucket.clone(), table.namespace.clone());
    let page = kit.catalog().tables(&kit.admin, &bucket, &path, &ListQuery::default(), false).await.unwrap();
    assert_eq!(page.items.len(), 1);
    assert_eq!(page.items[0].state, TableState::Created);
    assert_eq!(files(&kit.path("lake/sales/orders")), ["_versions/1.manifest"]);
}

#[tokio::test]
async fn an_insert_gives_a_declared_table_its_first_version() {
    let kit = Kit::with_sales().await;
    let table = reference("lake/sales/orders");
    kit.catalog().declare_table(&kit.admin, &table, None, Properties::new()).await.unwrap();
    let insert = || kit.catalog().insert(&kit.admin, &table, rows(2), InsertMode::Append, None);
    let (first, written) = insert().await.unwrap();
    assert_eq!((first.state, written.version, written.rows), (TableState::Created, 1, 2));
    assert_eq!(insert().await.unwrap().1.version, 2);
}

#[tokio::test]
async fn table_modes() {
    let kit = Kit::with_sales().await;
    kit.create("lake/sales/t").await.unwrap();
    assert!(matches!(kit.create("lake/sales/t").await, Err(Error::TableExists { .. })));
    kit.create_as("lake/sales/t", TableMode::ExistOk).await.unwrap();
    assert!(!kit.path("lake/sales/t/_versions/2.manifest").exists());
    kit.create_as("lake/sales/t", TableMode::Overwrite).await.unwrap();
    assert!(kit.path("lake/sales/t/_versions/1.manifest").exists());
    assert!(kit.path("lake/sales/t/_versions/2.manifest").exists());
}

#[tokio::test]
async fn namespace_overwrite_needs_an_empty_one() {
    let kit = Kit::with_sales().await;
    let (bucket, path) = ("lake".parse().unwrap(), NamespacePath::from_dotted("sales").unwrap());
    let overwrite = |value: &str| {
        let properties = Properties::from([("owner".to_owned(), value.to_owned())]);
        kit.catalog().create_namespace(&kit.admin, &bucket, &path, properties, NamespaceMode::Overwrite)
    };
    let (replaced, made) = overwrite("me").await.unwrap();
    assert!(!made && replaced.properties["owner"] == "me");
    kit.create("lake/sales/t").await.unwrap();
    kit.catalog().deregister_table(&kit.admin, &reference("lake/sales/t")).await.unwrap();
    assert!(matches!(overwrite("you").await, Err(Error::NamespaceNotEmpty { trashed: 1, .. })));
}

#[tokio::test]
async fn trash_keeps_bytes_and_gives_the_table_back() {
    let kit = Kit::with_sales().await;
    let table = reference("lake/sales/t");
    kit.create("lake/sales/t").await.unwrap();
    kit.catalog().deregister_table(&kit.admin, &table).await.unwrap();
    assert!(kit.path("lake/sales/t/.lance-deregistered").exists());
    assert!(kit.path("lake/sales/t/_versions/1.manifest").exists());
    assert_eq!(kit.names("lake", "sales").await, [""; 0]);
    let trash = kit.trash("lake").await;
    assert_eq!(trash.len(), 1);

    // The name is free meanwhile, and then in the way.
    kit.create("lake/sales/t").await.unwrap();
    let id = trash[0].1;
    let back = kit.catalog().restore_from_trash(&kit.admin, id, None).await;
    assert!(matches!(back, Err(Error::TableExists { .. })));
    let other = "t2".parse().unwrap();
    let back = kit.catalog().restore_from_trash(&kit.admin, id, Some(&other)).await.unwrap();
    assert_eq!(back.state, TableState::Created);
    assert!(!kit.path("lake/sales/t/.lance-deregistered").exists());
    assert_eq!(kit.names("lake", "sales").await, ["t", "t2"]);
}

#[tokio::test]
async fn registering_a_trashed_place_brings_it_back() {
    let kit = Kit::with_sales().await;
    let table = reference("lake/sales/t");
    let created = kit.create("lake/sales/t").await.unwrap();
    kit.catalog().deregister_table(&kit.admin, &table).await.unwrap();
    let again = reference("lake/sales/again");
    let place = &created.location;
    kit.catalog().register_table(&kit.admin, &again, place, false, Properties::new()).await.unwrap();
    assert_eq!(kit.names("lake", "sales").await, ["again"]);
    assert_eq!(kit.trash("lake").await, []);
    assert_eq!(files(&kit.path("lake/sales/t")).iter().filter(|name| name.starts_with('.')).count(), 0);
}

#[tokio::test]
async fn registering_over_a_name_keeps_what_it_held() {
    let kit = Kit::with_sales().await;
    kit.create("lake/sales/a").await.unwrap();
    let other = kit.create("lake/sales/b").await.unwrap();
    kit.catalog().deregister_table(&kit.admin, &reference("lake/sales/b")).await.unwrap();
    let over = reference("lake/sales/a");
    let register = |overwrite| {
        kit.catalog().register_table(&kit.admin, &over, &other.location, overwrite, Properties::new())
    };
    assert!(matches!(register(false).await, Err(Error::TableExists { .. })));
    let now = register(true).await.unwrap();
    assert_eq!(now.location, other.location);
    assert_eq!(kit.trash("lake").await.len(), 1);
    assert!(kit.path("lake/sales/a/_versions/1.manifest").exists());
    assert!(kit.path("lake/sales/a/.lance-deregistered").exists());
}

#[tokio::test]
async fn registered_places_must_be_tables_below_the_root_and_share_nothing() {
    let kit = Kit::with_sales().await;
    kit.bucket("other", Some("lance")).await.unwrap();
    kit.namespace("other", "x").await.unwrap();
    let foreign = kit.create("other/x/t").await.unwrap();
    let mine = kit.create("lake/sales/t").await.unwrap();
    let wanted = reference("lake/sales/new");
    for bad in [
        foreign.location.as_str(),
        &mine.location,
        "sales/t/_versions",
        "sales",
        "sales/t/../u",
        "sales/*",
        "sales/nothing",
        "/etc",
        "s3://lake/sales/t",
        "",
    ] {
        let refused = kit.catalog().register_table(&kit.admin, &wanted, bad, false, Properties::new()).await;
        assert!(refused.is_err(), "{bad}");
    }
    assert_eq!(kit.names("lake", "sales").await, ["t"]);
}

#[tokio::test]
async fn drop_removes_bytes_and_protection_stops_it() {
    let kit = Kit::with_sales().await;
    let table = reference("lake/sales/t");
    kit.create("lake/sales/t").await.unwrap();
    kit.catalog().protect_table(&kit.admin, &table, true).await.unwrap();
    assert!(matches!(kit.catalog().drop_table(&kit.admin, &table).await, Err(Error::Protected(_))));
    assert!(matches!(kit.catalog().deregister_table(&kit.admin, &table).await, Err(Error::Protected(_))));
    kit.catalog().protect_table(&kit.admin, &table, false).await.unwrap();
    kit.catalog().drop_table(&kit.admin, &table).await.unwrap();
    assert_eq!(files(&kit.path("lake")), [""; 0]);
    assert!(kit.path("lake").exists());
    assert!(matches!(kit.catalog().table(&kit.admin, &table).await, Err(Error::NoSuchTable(_))));
}

#[tokio::test]
async fn drop_refuses_a_place_that_another_entry_is_inside_of() {
    let kit = Kit::with_sales().await;
    kit.create("lake/sales/t").await.unwrap();
    kit.create("lake/sales/u").await.unwrap();
    // The service never lets this happen; a database from elsewhere might hold it.
    sqlx::query("UPDATE entries SET location = 'sales/t/inner', state = 'deregistered' WHERE name = 'u'")
        .execute(&kit.app.db.write)
        .await
        .unwrap();
    let dropped = kit.catalog().drop_table(&kit.admin, &reference("lake/sales/t")).await;
    assert!(matches!(dropped, Err(Error::Overlaps(_))));
    assert!(kit.path("lake/sales/t/_versions/1.manifest").exists());
}

#[tokio::test]
async fn cascade_is_asked_for_listed_and_stopped_by_protection() {
    let kit = Kit::with_sales().await;
    kit.namespace("lake", "sales.eu").await.unwrap();
    kit.create("lake/sales/t").await.unwrap();
    kit.create("lake/sales.eu/u").await.unwrap();
    kit.create("lake/sales.eu/v").await.unwrap();
    kit.catalog().deregister_table(&kit.admin, &reference("lake/sales.eu/v")).await.unwrap();
    let (bucket, path) = ("lake".parse().unwrap(), NamespacePath::from_dotted("sales").unwrap());
    let drop = |cascade| kit.catalog().drop_namespace(&kit.admin, &bucket, &path, cascade);
    assert!(matches!(drop(false).await, Err(Error::NamespaceNotEmpty { namespaces: 1, tables: 1, .. })));

    let list = kit.catalog().cascade_list(&kit.admin, &bucket, &path).await.unwrap();
    assert_eq!(list.namespaces, ["sales", "sales.eu"]);
    assert_eq!(list.tables, ["sales/t", "sales.eu/u"]);
    assert_eq!(list.trashed, ["sales.eu/v"]);

    let u = reference("lake/sales.eu/u");
    kit.catalog().protect_table(&kit.admin, &u, true).await.unwrap();
    assert!(matches!(drop(true).await, Err(Error::Protected(_))));
    assert!(kit.path("lake/sales/t/_versions/1.manifest").exists());
    kit.catalog().protect_table(&kit.admin, &u, false).await.unwrap();
    drop(true).await.unwrap();
    assert_eq!(files(&kit.path("lake")), [""; 0]);
    assert_eq!(kit.trash("lake").await, []);
}

#[tokio::test]
async fn a_bucket_goes_when_empty_or_with_its_name_typed() {
    let kit = Kit::with_sales().await;
    kit.create("lake/sales/t").await.unwrap();
    let name = "lake".parse().unwrap();
    let delete = |typed| kit.catalog().delete_bucket(&kit.admin, &name, typed);
    assert!(matches!(delete(None).await, Err(Error::BucketNotEmpty { .. })));
    assert!(matches!(delete(Some("laky")).await, Err(Error::Invalid { .. })));
    let protect = |protected| {
        let change = BucketChange { protected: Some(protected), ..BucketChange::default() };
        kit.catalog().update_bucket(&kit.admin, &name, change)
    };
    protect(true).await.unwrap();
    assert!(matches!(delete(Some("lake")).await, Err(Error::Protected(_))));
    protect(false).await.unwrap();
    delete(Some("lake")).await.unwrap();
    assert!(!kit.path("lake").exists());
    kit.bucket("lake", None).await.unwrap();
    delete(None).await.unwrap();
}

#[tokio::test]
async fn what_an_actor_may_not_know_is_hidden_and_what_it_may_not_do_forbidden() {
    let kit = Kit::with_sales().await;
    kit.bucket("other", None).await.unwrap();
    kit.create("lake/sales/t").await.unwrap();
    let lake = Scope::Bucket("lake".parse().unwrap());
    let viewer = somebody(lake.clone(), Role::Viewer);
    let editor = somebody(lake, Role::Editor);
    let table = reference("lake/sales/t");
    let catalog = kit.catalog();

    let page = catalog.buckets(&viewer, &ListQuery::default()).await.unwrap();
    assert_eq!((page.items.len(), page.total), (1, Some(1)));
    let all = catalog.all_tables(&viewer, &ListQuery::default(), true).await.unwrap();
    assert_eq!(all.items, std::slice::from_ref(&table));
    let other = catalog.bucket(&viewer, &"other".parse().unwrap()).await;
    assert!(matches!(other, Err(Error::Denied(Denied::Hidden))));
    let forbidden = |result| matches!(result, Err(Error::Denied(Denied::Forbidden(_))));
    assert!(forbidden(catalog.drop_table(&viewer, &table).await));
    assert!(forbidden(catalog.protect_table(&editor, &table, true).await));
    let path = NamespacePath::from_dotted("sales").unwrap();
    let cascade = catalog.drop_namespace(&editor, &table.bucket, &path, true).await;
    assert!(matches!(cascade, Err(Error::Denied(Denied::Forbidden(Role::Admin)))));
    let gone = catalog.delete_bucket(&editor, &table.bucket, None).await;
    assert!(matches!(gone, Err(Error::Denied(Denied::Forbidden(Role::Admin)))));
    assert!(catalog.table(&viewer, &table).await.is_ok());
}

#[tokio::test]
async fn observed_totals_sum_and_sort() {
    let kit = Kit::with_sales().await;
    for name in ["a", "b", "c"] {
        kit.create(&format!("lake/sales/{name}")).await.unwrap();
    }
    let ids = kit.catalog().tables_to_observe(10, i64::MAX).await.unwrap();
    assert_eq!(ids.len(), 3);
    kit.catalog().record_totals(ids[0], Some(10), Some(100), 5).await.unwrap();
    kit.catalog().record_totals(ids[1], Some(30), None, 6).await.unwrap();
    let bucket = kit.catalog().bucket(&kit.admin, &"lake".parse().unwrap()).await.unwrap();
    assert_eq!((bucket.tables, bucket.rows, bucket.bytes, bucket.unobserved), (3, Some(40), Some(100), 1));
    let listed = kit.catalog().buckets(&kit.admin, &ListQuery::default()).await.unwrap();
    assert_eq!(listed.items, [bucket]);

    let (bucket, path) = ("lake".parse().unwrap(), NamespacePath::from_dotted("sales").unwrap());
    let query = ListQuery { sort: Some("rows".into()), descending: true, ..ListQuery::default() };
    let page = kit.catalog().tables(&kit.admin, &bucket, &path, &query, true).await.unwrap();
    let names: Vec<_> = page.items.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["b", "a", "c"]);

    let standing = async |actor: &Actor, which| {
        let tables = kit.catalog().standing(actor, which, 10).await.unwrap();
        tables.into_iter().map(|table| table.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(standing(&kit.admin, Standing::Largest).await, ["a"]);
    assert_eq!(standing(&kit.admin, Standing::ObservedBefore(6)).await, ["c", "a"]);
    let other = somebody(Scope::Bucket("other".parse().unwrap()), Role::Admin);
    assert!(standing(&other, Standing::ObservedBefore(i64::MAX)).await.is_empty());
}

#[tokio::test]
async fn a_found_file_is_registered_and_stays_in_trash_once_put_there() {
    let kit = Kit::new().await;
    kit.bucket("files", Some("csv")).await.unwrap();
    kit.namespace("files", "default").await.unwrap();
    std::fs::write(kit.path("files/x.csv"), "a,b\n").unwrap();
    let (table, csv) = (reference("files/default/x.csv"), lakeglass_api::FormatId::new("csv"));
    let found = || kit.catalog().register_found(&kit.admin, &table, "x.csv", &csv);
    found().await.unwrap();
    assert!(matches!(found().await, Err(Error::TableExists { .. })));
    kit.catalog().deregister_table(&kit.admin, &table).await.unwrap();
    assert!(matches!(found().await, Err(Error::State(_))));
    assert_eq!(files(&kit.path("files")), ["x.csv"]);
    let id = kit.trash("files").await[0].1;
    kit.catalog().delete_from_trash(&kit.admin, id).await.unwrap();
    assert_eq!(files(&kit.path("files")), [""; 0]);
}
