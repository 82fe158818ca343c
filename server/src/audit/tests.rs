//! The chain: written, read by pages, and broken on purpose.

use lakeglass_api::{Role, Scope};
use serde_json::json;

use super::*;

async fn log() -> (tempfile::TempDir, Audit) {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::open(folder.path()).await.unwrap();
    (folder, Audit::new(db))
}

fn person(id: i64, name: &str) -> Actor {
    let grants = vec![(Scope::Server, Role::Reader)];
    Actor::new(Principal::User(id), name.into(), grants, None, "r".into())
}

async fn lines(audit: &Audit) -> Vec<(String, String, u32)> {
    let admin = Actor::system("test");
    let page = audit.list(&admin, &Filter::default(), None, Some(500)).await.unwrap();
    page.items.into_iter().rev().map(|r| (r.actor, r.action, r.count)).collect()
}

#[tokio::test]
async fn statements_are_valid_on_the_migrated_database() {
    use sqlx::{Executor as _, SqlSafeStr as _};
    let (_folder, audit) = log().await;
    for statement in store::ALL {
        audit.inner.db.write.prepare(statement.into_sql_str()).await.unwrap();
    }
}

#[tokio::test]
async fn records_are_chained_and_a_change_a_gap_and_a_cut_tail_are_found() {
    let (_folder, audit) = log().await;
    let ada = person(1, "ada");
    for object in ["one", "two", "three"] {
        audit.record(&ada, "bucket.create", object, Outcome::Done, json!({})).await;
    }
    let verified = audit.verify().await.unwrap();
    assert_eq!((verified.records, verified.broken), (3, None));

    let db = &audit.inner.db.write;
    assert!(sqlx::query("UPDATE audit SET actor = 'eve' WHERE id = 2").execute(db).await.is_err());
    assert!(sqlx::query("DELETE FROM audit").execute(db).await.is_err());

    sqlx::query("DROP TRIGGER audit_no_update").execute(db).await.unwrap();
    sqlx::query("DROP TRIGGER audit_no_delete").execute(db).await.unwrap();
    sqlx::query("UPDATE audit SET actor = 'eve' WHERE id = 2").execute(db).await.unwrap();
    assert_eq!(audit.verify().await.unwrap().broken.map(|(id, _)| id), Some(2));
    sqlx::query("UPDATE audit SET actor = 'ada' WHERE id = 2").execute(db).await.unwrap();
    assert_eq!(audit.verify().await.unwrap().broken, None);
    sqlx::query("DELETE FROM audit WHERE id = 3").execute(db).await.unwrap();
    assert_eq!(audit.verify().await.unwrap().broken.map(|(id, _)| id), Some(3));
    sqlx::query("DELETE FROM audit WHERE id = 1").execute(db).await.unwrap();
    assert_eq!(audit.verify().await.unwrap().broken.map(|(id, _)| id), Some(1));
}

#[tokio::test]
async fn looks_at_one_table_by_one_person_are_counted() {
    let (_folder, audit) = log().await;
    let (ada, bob) = (person(1, "ada"), person(2, "bob"));
    for actor in [&ada, &ada, &bob, &ada] {
        audit.record(actor, "rows.preview", "b/n/t", Outcome::Done, json!({})).await;
    }
    audit.record(&ada, "rows.preview", "b/n/other", Outcome::Done, json!({})).await;
    let preview = |name: &str, count| (name.to_owned(), "rows.preview".to_owned(), count);
    assert_eq!(lines(&audit).await, [preview("ada", 1), preview("bob", 1), preview("ada", 1)]);

    audit.flush(false).await;
    assert_eq!(lines(&audit).await.len(), 3, "the minute is not over");
    audit.flush(true).await;
    assert_eq!(lines(&audit).await[3..], [preview("ada", 2)]);
    assert_eq!(audit.verify().await.unwrap().broken, None);
}

#[tokio::test]
async fn pages_visit_each_record_once_and_filters_apply() {
    let (_folder, audit) = log().await;
    for number in 0..7 {
        let actor = person(number % 2, if number % 2 == 0 { "ada" } else { "bob" });
        let action = if number < 4 { "bucket.create" } else { "table.drop" };
        audit.record(&actor, action, &format!("object-{number}"), Outcome::Done, json!({})).await;
    }
    let admin = Actor::system("test");
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = audit.list(&admin, &Filter::default(), after.as_deref(), Some(3)).await.unwrap();
        seen.extend(page.items.into_iter().map(|record| record.id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["7", "6", "5", "4", "3", "2", "1"]);

    let filter = Filter { action: Some("bucket".into()), actor: Some("bob".into()), ..Filter::default() };
    let page = audit.list(&admin, &filter, None, None).await.unwrap();
    assert_eq!(page.items.iter().map(|r| r.object.as_str()).collect::<Vec<_>>(), ["object-3", "object-1"]);
    assert!(matches!(
        audit.list(&person(1, "ada"), &filter, None, None).await,
        Err(Error::Denied(Denied::Forbidden(Role::Admin)))
    ));
    assert!(audit.list(&admin, &filter, Some("x"), None).await.is_err());
}
