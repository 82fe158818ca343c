//! Versions that a client staged itself: what is committed, and what is refused.

use std::path::{Path, PathBuf};

use lakeglass_ports::{CreateMode, Error, InsertMode, ManifestNaming, NewVersion, TableLocation, VersionRef};

use super::support::{Fixture, rows, stream};

/// A table of one row, beside which lies all that a second version needs but its manifest's place.
async fn staged(fixture: &Fixture) -> (TableLocation, NewVersion) {
    let location = fixture.at("t");
    fixture.tables.create(&location, stream(vec![rows(0, 1)]), CreateMode::Create).await.unwrap();
    let folder = fixture.folder.path().join("lake");
    copy(&folder.join("t"), &folder.join("copy"));
    // Committed in a copy, then carried over: data as it is, the manifest under a staging name.
    let other = fixture.at("copy");
    fixture.tables.insert(&other, stream(vec![rows(1, 3)]), InsertMode::Append, None).await.unwrap();
    let manifest = fixture.tables.describe_version(&other, None, None).await.unwrap();
    let own = PathBuf::from(format!("/{}", manifest.manifest_path));
    for part in ["data", "_transactions"] {
        copy(&folder.join("copy").join(part), &folder.join("t").join(part));
    }
    let name = format!("{}-staged", own.file_name().unwrap().to_str().unwrap());
    let staging = folder.join("t/_versions").join(&name);
    std::fs::copy(&own, &staging).unwrap();
    let new = NewVersion {
        branch: None,
        version: 2,
        manifest_path: staging.to_str().unwrap().trim_start_matches('/').to_owned(),
        manifest_size: Some(manifest.manifest_size),
        e_tag: None,
        naming: Some(ManifestNaming::V2),
    };
    (location, new)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else if !target.exists() {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[tokio::test]
async fn a_staged_version_is_committed_once_and_can_be_taken_back() {
    let fixture = Fixture::new();
    let (location, new) = staged(&fixture).await;
    let tables = &fixture.tables;
    let count = async || tables.count_rows(&location, &VersionRef::Latest, None).await.unwrap();
    tables.check_version(&location, &new).await.unwrap();
    assert_eq!(count().await, 1);
    let made = tables.create_version(&location, &new).await.unwrap();
    assert_eq!((made.version, Some(made.manifest_size)), (2, new.manifest_size));
    assert_eq!(count().await, 3);
    assert!(matches!(tables.create_version(&location, &new).await, Err(Error::Conflict)));

    assert!(tables.withdraw_version(&location, None, 2).await.unwrap());
    assert_eq!(count().await, 1);
    tables.create_version(&location, &new).await.unwrap();
    tables.insert(&location, stream(vec![rows(3, 4)]), InsertMode::Append, None).await.unwrap();
    assert!(!tables.withdraw_version(&location, None, 2).await.unwrap());
    assert_eq!(count().await, 4);

    tables.clear_staged(&location, &new).await.unwrap();
    tables.clear_staged(&location, &new).await.unwrap();
    assert!(!Path::new(&format!("/{}", new.manifest_path)).exists());
    // A manifest in its place is never cleared as a staged one.
    let committed = NewVersion { manifest_path: made.manifest_path.clone(), ..new };
    tables.clear_staged(&location, &committed).await.unwrap();
    assert!(Path::new(&format!("/{}", made.manifest_path)).exists());
}

#[tokio::test]
async fn a_manifest_may_be_named_in_three_ways_and_must_lie_in_the_table() {
    let fixture = Fixture::new();
    let (location, new) = staged(&fixture).await;
    let name = new.manifest_path.rsplit('/').next().unwrap().to_owned();
    let check = async |path: String| {
        fixture.tables.check_version(&location, &NewVersion { manifest_path: path, ..new.clone() }).await
    };
    for path in [
        new.manifest_path.clone(),
        format!("/{}", new.manifest_path),
        format!("{}/_versions/{name}", location.uri),
        format!("_versions/{name}"),
    ] {
        check(path.clone()).await.unwrap_or_else(|error| panic!("{path}: {error:?}"));
    }
    let outside = fixture.folder.path().join("lake/copy/_versions");
    let stolen = std::fs::read_dir(&outside).unwrap().next().unwrap().unwrap().path();
    for path in [
        stolen.to_str().unwrap().to_owned(),
        format!("_versions/../../copy/_versions/{name}"),
        format!("{}-other/_versions/{name}", location.uri),
        "s3://elsewhere/_versions/x".to_owned(),
        "/etc/passwd".to_owned(),
        "_versions/nothing".to_owned(),
    ] {
        let refused = check(path.clone()).await;
        assert!(matches!(refused, Err(Error::InvalidRequest(_))), "{path}: {refused:?}");
    }
}

#[tokio::test]
async fn what_is_not_the_next_version_of_this_table_is_refused() {
    let fixture = Fixture::new();
    let (location, new) = staged(&fixture).await;
    let own = fixture.tables.describe_version(&location, None, None).await.unwrap();
    let folder = fixture.folder.path().join("lake/t/_versions");
    std::fs::write(folder.join("text"), "no manifest, and long enough to be one").unwrap();
    // Ends as a manifest does, with a position beyond its end.
    let mut forged = vec![0_u8; 64];
    forged[48..56].copy_from_slice(&i64::MAX.to_le_bytes());
    forged[60..].copy_from_slice(b"LANC");
    std::fs::write(folder.join("forged"), forged).unwrap();
    let path = |name: &str| format!("_versions/{name}");
    let cases = [
        ("a gap", NewVersion { version: 3, ..new.clone() }),
        ("detached", NewVersion { version: 1 << 63 | 2, ..new.clone() }),
        ("another size", NewVersion { manifest_size: Some(1), ..new.clone() }),
        ("another tag", NewVersion { e_tag: Some("x".to_owned()), ..new.clone() }),
        ("another scheme", NewVersion { naming: Some(ManifestNaming::V1), ..new.clone() }),
        ("of version 1", NewVersion { manifest_path: own.manifest_path, manifest_size: None, ..new.clone() }),
        ("no manifest", NewVersion { manifest_path: path("text"), manifest_size: None, ..new.clone() }),
        ("forged", NewVersion { manifest_path: path("forged"), manifest_size: None, ..new.clone() }),
    ];
    for (what, wrong) in cases {
        let refused = fixture.tables.create_version(&location, &wrong).await;
        assert!(matches!(refused, Err(Error::InvalidRequest(_))), "{what}: {refused:?}");
    }
    let there = NewVersion { version: 1, ..new.clone() };
    assert!(matches!(fixture.tables.create_version(&location, &there).await, Err(Error::Conflict)));
    let branch = NewVersion { branch: Some("no".to_owned()), ..new.clone() };
    assert!(matches!(fixture.tables.create_version(&location, &branch).await, Err(Error::NoSuchBranch(_))));
    fixture.tables.create_version(&location, &new).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_eight_that_commit_one_version_one_wins() {
    let fixture = Fixture::new();
    let (location, new) = staged(&fixture).await;
    let tries = (0..8).map(|_| {
        let (tables, location, new) = (fixture.tables.clone(), location.clone(), new.clone());
        tokio::spawn(async move { tables.create_version(&location, &new).await })
    });
    let mut won = 0;
    for answer in futures::future::join_all(tries).await {
        match answer.unwrap() {
            Ok(_) => won += 1,
            Err(error) => assert!(matches!(error, Error::Conflict), "{error:?}"),
        }
    }
    assert_eq!(won, 1);
}
