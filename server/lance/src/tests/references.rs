//! Versions, tags, branches and transactions, each refusal with its own error.

use lakeglass_ports::{
    CreateMode, Error, InsertMode, TransactionName, VersionRange, VersionRecords, VersionRef, VersionsRequest,
};

use super::support::{Fixture, rows, stream};

/// A table whose version `n` has the rows `0..n`.
async fn grown(fixture: &Fixture, versions: i64) -> lakeglass_ports::TableLocation {
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![rows(0, 1)]), CreateMode::Create).await.unwrap();
    for version in 1..versions {
        let more = stream(vec![rows(version, version + 1)]);
        fixture.tables.insert(&location, more, InsertMode::Append, None).await.unwrap();
    }
    location
}

fn numbers(page: &VersionRecords) -> Vec<u64> {
    page.versions.iter().map(|record| record.version).collect()
}

fn page(after: Option<u64>, limit: usize, newest_first: bool) -> VersionsRequest {
    VersionsRequest { branch: None, after, limit, newest_first }
}

#[tokio::test]
async fn versions_are_paged_in_both_orders_from_the_names_of_their_manifests() {
    let fixture = Fixture::new();
    let location = grown(&fixture, 5).await;
    let list =
        async |request: VersionsRequest| fixture.tables.list_versions(&location, &request).await.unwrap();
    let first = list(page(None, 2, true)).await;
    assert_eq!((numbers(&first), first.next), (vec![5, 4], Some(4)));
    let rest = list(page(first.next, 9, true)).await;
    assert_eq!((numbers(&rest), rest.next), (vec![3, 2, 1], None));
    let upwards = list(page(Some(2), 2, false)).await;
    assert_eq!((numbers(&upwards), upwards.next), (vec![3, 4], Some(4)));
    assert_eq!(numbers(&list(page(Some(1), 3, true)).await), [0; 0]);

    let newest = fixture.tables.describe_version(&location, None, None).await.unwrap();
    assert_eq!(newest, first.versions[0]);
    let file = std::fs::metadata(format!("/{}", newest.manifest_path)).unwrap();
    assert_eq!(file.len(), newest.manifest_size);
    assert!(newest.e_tag.is_some() && newest.written_at_ms > 1_600_000_000_000);
    let missing = fixture.tables.describe_version(&location, None, Some(6)).await;
    assert!(matches!(missing, Err(Error::NoSuchVersion(version)) if version == "6"));

    let nothing = fixture.at("nothing");
    assert_eq!(numbers(&fixture.tables.list_versions(&nothing, &page(None, 9, true)).await.unwrap()), [0; 0]);
    let branch = VersionsRequest { branch: Some("no".to_owned()), ..page(None, 9, true) };
    let missing = fixture.tables.list_versions(&location, &branch).await;
    assert!(matches!(missing, Err(Error::NoSuchBranch(name)) if name == "no"));
}

#[tokio::test]
async fn deleting_versions_spares_the_newest_the_tagged_and_the_parents_of_branches() {
    let fixture = Fixture::new();
    let location = grown(&fixture, 6).await;
    let tables = &fixture.tables;
    tables.create_tag(&location, "kept", None, 2).await.unwrap();
    tables.create_branch(&location, "trial", None, Some(4)).await.unwrap();
    let all = [VersionRange { start: 0, end: None }];
    let some = [VersionRange { start: 1, end: Some(2) }];
    assert_eq!(tables.delete_versions(&location, None, &some).await.unwrap(), 1);
    assert_eq!(tables.delete_versions(&location, None, &all).await.unwrap(), 2);
    let left = tables.list_versions(&location, &page(None, 9, false)).await.unwrap();
    assert_eq!(numbers(&left), [2, 4, 6]);
    assert_eq!(tables.delete_versions(&location, None, &all).await.unwrap(), 0);
    // No data went: what is left counts as before, and a version that is gone is not found.
    let count = async |at: VersionRef| tables.count_rows(&location, &at, None).await;
    assert_eq!(count(VersionRef::Latest).await.unwrap(), 6);
    assert_eq!(count(VersionRef::Tag("kept".to_owned())).await.unwrap(), 2);
    assert_eq!(count(VersionRef::Branch("trial".to_owned(), None)).await.unwrap(), 4);
    assert!(matches!(count(VersionRef::Version("3".to_owned())).await, Err(Error::NoSuchVersion(_))));

    // On a branch, its own tags and versions count.
    let add = async |from| {
        let more = stream(vec![rows(from, from + 1)]);
        tables.insert(&location, more, InsertMode::Append, Some("trial")).await.unwrap().version
    };
    let (tagged, newest) = (add(100).await, add(101).await);
    tables.create_tag(&location, "on-trial", Some("trial"), tagged).await.unwrap();
    tables.delete_versions(&location, Some("trial"), &all).await.unwrap();
    let branch = VersionsRequest { branch: Some("trial".to_owned()), ..page(None, 9, false) };
    assert_eq!(numbers(&tables.list_versions(&location, &branch).await.unwrap()), [tagged, newest]);
}

#[tokio::test]
async fn restoring_adds_a_version_and_loses_none() {
    let fixture = Fixture::new();
    let location = grown(&fixture, 3).await;
    let tables = &fixture.tables;
    let count = async |at: VersionRef| tables.count_rows(&location, &at, None).await.unwrap();
    assert_eq!(tables.restore(&location, None, 1).await.unwrap(), 4);
    assert_eq!(count(VersionRef::Latest).await, 1);
    assert_eq!(count(VersionRef::Version("3".to_owned())).await, 3);
    assert!(matches!(tables.restore(&location, None, 9).await, Err(Error::NoSuchVersion(_))));
    assert!(matches!(tables.restore(&location, Some("no"), 1).await, Err(Error::NoSuchBranch(_))));

    tables.create_branch(&location, "trial", None, Some(3)).await.unwrap();
    let more = stream(vec![rows(100, 110)]);
    let first = tables.describe_version(&location, Some("trial"), None).await.unwrap().version;
    tables.insert(&location, more, InsertMode::Append, Some("trial")).await.unwrap();
    assert_eq!(count(VersionRef::Branch("trial".to_owned(), None)).await, 13);
    tables.restore(&location, Some("trial"), first).await.unwrap();
    assert_eq!(count(VersionRef::Branch("trial".to_owned(), None)).await, 3);
    assert_eq!(count(VersionRef::Latest).await, 1);
}

#[tokio::test]
async fn tags_are_made_moved_and_deleted_on_any_branch() {
    let fixture = Fixture::new();
    let location = grown(&fixture, 2).await;
    let tables = &fixture.tables;
    assert_eq!(tables.list_tags(&location).await.unwrap(), []);
    tables.create_tag(&location, "b", None, 1).await.unwrap();
    tables.create_tag(&location, "a", Some("main"), 2).await.unwrap();
    let names = async || -> Vec<(String, u64)> {
        tables.list_tags(&location).await.unwrap().into_iter().map(|tag| (tag.name, tag.version)).collect()
    };
    assert_eq!(names().await, [("a".to_owned(), 2), ("b".to_owned(), 1)]);
    assert!(tables.tag(&location, "a").await.unwrap().manifest_size > 0);
    assert!(matches!(tables.create_tag(&location, "b", None, 2).await, Err(Error::TagExists(_))));
    assert!(matches!(tables.create_tag(&location, "c", None, 9).await, Err(Error::NoSuchVersion(_))));
    assert!(matches!(tables.create_tag(&location, "c", Some("no"), 1).await, Err(Error::NoSuchBranch(_))));
    for bad in ["", "a/b", "..", "a b", &"x".repeat(300)] {
        let refused = tables.create_tag(&location, bad, None, 1).await;
        assert!(matches!(refused, Err(Error::InvalidRequest(_))), "{bad}: {refused:?}");
    }
    tables.update_tag(&location, "b", None, 2).await.unwrap();
    assert_eq!(tables.tag(&location, "b").await.unwrap().version, 2);
    assert!(matches!(tables.update_tag(&location, "b", None, 9).await, Err(Error::NoSuchVersion(_))));
    assert!(matches!(tables.update_tag(&location, "no", None, 1).await, Err(Error::NoSuchTag(_))));
    for name in ["no", "a/b"] {
        assert!(matches!(tables.tag(&location, name).await, Err(Error::NoSuchTag(_))), "{name}");
        assert!(matches!(tables.delete_tag(&location, name).await, Err(Error::NoSuchTag(_))), "{name}");
    }
    tables.create_branch(&location, "trial", None, None).await.unwrap();
    let there = tables.describe_version(&location, Some("trial"), None).await.unwrap().version;
    tables.update_tag(&location, "b", Some("trial"), there).await.unwrap();
    assert_eq!(tables.tag(&location, "b").await.unwrap().branch.as_deref(), Some("trial"));
    tables.delete_tag(&location, "a").await.unwrap();
    assert_eq!(names().await, [("b".to_owned(), there)]);
}

#[tokio::test]
async fn branches_stand_on_versions_and_go_when_nothing_stands_on_them() {
    let fixture = Fixture::new();
    let location = grown(&fixture, 3).await;
    let tables = &fixture.tables;
    tables.create_branch(&location, "trial", None, Some(2)).await.unwrap();
    tables.create_branch(&location, "team/fix", Some("trial"), None).await.unwrap();
    let branches = tables.list_branches(&location).await.unwrap();
    let shown: Vec<_> = branches
        .iter()
        .map(|branch| (branch.name.as_str(), branch.parent_branch.as_deref(), branch.parent_version))
        .collect();
    let trial = tables.describe_version(&location, Some("trial"), None).await.unwrap().version;
    assert_eq!(shown, [("team/fix", Some("trial"), trial), ("trial", None, 2)]);
    assert!(branches.iter().all(|branch| branch.created_at_s > 1_600_000_000));

    let make = async |name: &str, from: Option<&str>, version: Option<u64>| {
        tables.create_branch(&location, name, from, version).await
    };
    assert!(matches!(make("trial", None, None).await, Err(Error::BranchExists(_))));
    assert!(matches!(make("x", Some("no"), None).await, Err(Error::NoSuchBranch(_))));
    assert!(matches!(make("x", None, Some(9)).await, Err(Error::NoSuchVersion(_))));
    for bad in ["", "main", "a//b", "../x", "a b", &"x".repeat(300)] {
        let refused = make(bad, None, None).await;
        assert!(matches!(refused, Err(Error::InvalidRequest(_))), "{bad}: {refused:?}");
    }
    assert!(matches!(tables.delete_branch(&location, "no").await, Err(Error::NoSuchBranch(_))));
    assert!(matches!(tables.delete_branch(&location, "main").await, Err(Error::InvalidRequest(_))));
    assert!(matches!(tables.delete_branch(&location, "trial").await, Err(Error::InUse(_))));
    tables.delete_branch(&location, "team/fix").await.unwrap();
    tables.create_tag(&location, "on", Some("trial"), trial).await.unwrap();
    assert!(matches!(tables.delete_branch(&location, "trial").await, Err(Error::InUse(_))));
    tables.delete_tag(&location, "on").await.unwrap();
    tables.delete_branch(&location, "trial").await.unwrap();
    assert_eq!(tables.list_branches(&location).await.unwrap(), []);
    // A new one of the same name begins anew.
    tables.create_branch(&location, "trial", None, Some(3)).await.unwrap();
    let at = VersionRef::Branch("trial".to_owned(), None);
    assert_eq!(tables.count_rows(&location, &at, None).await.unwrap(), 3);
}

#[tokio::test]
async fn a_transaction_is_found_by_its_id_or_its_version() {
    let fixture = Fixture::new();
    let location = grown(&fixture, 3).await;
    let by_version = TransactionName::Version(3);
    let found = fixture.tables.transaction(&location, &by_version).await.unwrap();
    assert_eq!((found.operation.as_str(), found.version, found.read_version), ("Append", 3, 2));
    let by_id = TransactionName::Uuid(found.uuid.clone());
    assert_eq!(fixture.tables.transaction(&location, &by_id).await.unwrap(), found);
    for missing in [TransactionName::Version(9), TransactionName::Uuid("x".to_owned())] {
        let refused = fixture.tables.transaction(&location, &missing).await;
        assert!(matches!(refused, Err(Error::NoSuchTransaction(_))), "{missing:?}: {refused:?}");
    }
}
