//! People, sessions, tokens and set-up over a real database.

use lakeglass_api::people::RoleGrant;
use lakeglass_api::{BucketName, ListQuery, Role, Scope};

use super::*;
use crate::db::Db;

const PASSWORD: &str = "tr1cky-lemon-Fjord";

async fn service() -> (tempfile::TempDir, Auth) {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::open(folder.path()).await.unwrap();
    let audit = Audit::new(db.clone());
    (folder, Auth::new(db, audit, CookieRules { secure: false }))
}

fn root() -> Actor {
    Actor::system("test")
}

async fn add(auth: &Auth, name: &str, role: Option<Role>) {
    auth.add_user(&root(), NewUser { name, password: PASSWORD, role }).await.unwrap();
}

async fn sign_in(auth: &Auth, name: &str) -> SignedIn {
    auth.sign_in(name, PASSWORD, &Caller::default()).await.unwrap()
}

async fn who(auth: &Auth, cookie: &http::HeaderValue) -> Option<Authenticated> {
    let pair = cookie.to_str().unwrap().split(';').next().unwrap();
    let mut headers = http::HeaderMap::new();
    headers.insert(http::header::COOKIE, pair.parse().unwrap());
    auth.authenticate(&headers, None, "r").await.unwrap()
}

async fn by_token(auth: &Auth, secret: &str) -> Result<Actor, Error> {
    let mut headers = http::HeaderMap::new();
    headers.insert("x-api-key", secret.parse().unwrap());
    auth.authenticate(&headers, None, "r").await.map(|found| found.unwrap().actor)
}

fn bucket(name: &str) -> Scope {
    Scope::Bucket(name.parse().unwrap())
}

#[tokio::test]
async fn statements_are_valid_on_the_migrated_database() {
    use sqlx::{Executor as _, SqlSafeStr as _};
    let (_folder, auth) = service().await;
    for statement in store::ALL.concat() {
        auth.db.write.prepare(statement.into_sql_str()).await.unwrap();
    }
}

#[tokio::test]
async fn the_set_up_link_works_once() {
    let (_folder, auth) = service().await;
    let old = auth.new_setup_code().await.unwrap();
    let code = auth.new_setup_code().await.unwrap();
    let caller = Caller::default();
    assert!(matches!(auth.set_up(&old, "ada", PASSWORD, &caller).await, Err(Error::BadSetupLink)));
    assert!(matches!(auth.set_up(&code, "ada", "short", &caller).await, Err(Error::Invalid { .. })));
    let signed_in = auth.set_up(&code, "ada", PASSWORD, &caller).await.unwrap();
    let found = who(&auth, &signed_in.cookie).await.unwrap();
    assert_eq!(found.actor.server_role(), Some(Role::Admin));
    assert!(matches!(auth.set_up(&code, "eve", PASSWORD, &caller).await, Err(Error::AlreadySetUp)));
    assert!(matches!(auth.new_setup_code().await, Err(Error::AlreadySetUp)));
}

#[tokio::test]
async fn an_expired_set_up_link_is_refused() {
    let (_folder, auth) = service().await;
    let code = auth.new_setup_code().await.unwrap();
    auth.check_setup_code(&code).await.unwrap();
    sqlx::query("UPDATE setup_link SET expires_at_ms = 1").execute(&auth.db.write).await.unwrap();
    assert!(matches!(auth.check_setup_code(&code).await, Err(Error::BadSetupLink)));
}

#[tokio::test]
async fn sessions_end_by_sign_out_by_time_and_with_their_user() {
    let (_folder, auth) = service().await;
    add(&auth, "root", Some(Role::Admin)).await;
    add(&auth, "ada", Some(Role::Reader)).await;
    let (one, two) = (sign_in(&auth, "ada").await, sign_in(&auth, "ADA").await);
    assert_ne!(one.cookie, two.cookie);
    let actor = who(&auth, &one.cookie).await.unwrap().actor;
    assert_eq!(auth.sessions(&actor, Some(&one.session)).await.unwrap().len(), 2);

    auth.sign_out(&actor, &one.session).await.unwrap();
    assert!(who(&auth, &one.cookie).await.is_none());

    let idle = "UPDATE sessions SET active_at_ms = active_at_ms - 1800001";
    sqlx::query(idle).execute(&auth.db.write).await.unwrap();
    assert!(who(&auth, &two.cookie).await.is_none(), "idle for half an hour");

    let three = sign_in(&auth, "ada").await;
    sqlx::query("UPDATE sessions SET expires_at_ms = 1").execute(&auth.db.write).await.unwrap();
    assert!(who(&auth, &three.cookie).await.is_none(), "eight hours old");

    let four = sign_in(&auth, "ada").await;
    auth.disable_user(&root(), "ada").await.unwrap();
    assert!(who(&auth, &four.cookie).await.is_none(), "disabled");
    let refused = auth.sign_in("ada", PASSWORD, &Caller::default()).await;
    assert!(matches!(refused, Err(Error::WrongCredentials)));
}

#[tokio::test]
async fn a_change_of_role_or_password_ends_sessions_and_works_at_once() {
    let (_folder, auth) = service().await;
    add(&auth, "root", Some(Role::Admin)).await;
    add(&auth, "ada", None).await;
    let before = sign_in(&auth, "ada").await;
    assert_eq!(who(&auth, &before.cookie).await.unwrap().actor.server_role(), None);
    auth.set_role(&root(), "ada", &bucket("lake"), Some(Role::Editor)).await.unwrap();
    assert!(who(&auth, &before.cookie).await.is_none());
    let after = sign_in(&auth, "ada").await;
    let actor = who(&auth, &after.cookie).await.unwrap().actor;
    let lake: BucketName = "lake".parse().unwrap();
    assert_eq!(actor.role_in(&lake), Some(Role::Editor));

    let other = sign_in(&auth, "ada").await;
    let wrong = auth.change_password(&actor, &after.session, "not this one", "another-g00d-one").await;
    assert!(matches!(wrong, Err(Error::Invalid { field: "present", .. })));
    auth.change_password(&actor, &after.session, PASSWORD, "another-g00d-one").await.unwrap();
    assert!(who(&auth, &after.cookie).await.is_some());
    assert!(who(&auth, &other.cookie).await.is_none());

    auth.forget_bucket(&lake).await.unwrap();
    assert_eq!(who(&auth, &after.cookie).await.unwrap().actor.role_in(&lake), None);
}

#[tokio::test]
async fn only_admins_manage_people_and_the_last_admin_stays() {
    let (_folder, auth) = service().await;
    add(&auth, "root", Some(Role::Admin)).await;
    add(&auth, "ada", Some(Role::Editor)).await;
    let ada = who(&auth, &sign_in(&auth, "ada").await.cookie).await.unwrap().actor;
    let new = NewUser { name: "eve", password: PASSWORD, role: None };
    assert!(matches!(auth.add_user(&ada, new).await, Err(Error::Denied(_))));
    assert!(matches!(auth.users(&ada, &ListQuery::default()).await, Err(Error::Denied(_))));
    assert!(auth.user(&ada, "ada").await.is_ok(), "oneself");
    assert!(matches!(auth.user(&ada, "root").await, Err(Error::Denied(_))));
    assert!(matches!(auth.disable_user(&ada, "root").await, Err(Error::Denied(_))));
    let grab = auth.set_role(&ada, "ada", &Scope::Server, Some(Role::Admin)).await;
    assert!(matches!(grab, Err(Error::Denied(_))));

    assert!(matches!(auth.disable_user(&root(), "root").await, Err(Error::LastAdmin(_))));
    let demote = auth.set_role(&root(), "root", &Scope::Server, Some(Role::Viewer)).await;
    assert!(matches!(demote, Err(Error::LastAdmin(_))));
    auth.set_role(&root(), "ada", &Scope::Server, Some(Role::Admin)).await.unwrap();
    auth.disable_user(&root(), "root").await.unwrap();
}

#[tokio::test]
async fn tokens_are_bounded_by_their_maker_and_end_with_them() {
    let (_folder, auth) = service().await;
    add(&auth, "root", Some(Role::Admin)).await;
    add(&auth, "ada", Some(Role::Editor)).await;
    let ada = who(&auth, &sign_in(&auth, "ada").await.cookie).await.unwrap().actor;
    let request = |scope: Scope, role, days| NewTokenRequest {
        name: "ci".into(),
        grants: vec![RoleGrant { scope, role }],
        days,
    };
    let too_much = auth.create_token(&ada, request(Scope::Server, Role::Admin, 1)).await;
    assert!(matches!(too_much, Err(Error::Denied(_))));
    assert!(auth.create_token(&ada, request(Scope::Server, Role::Reader, 0)).await.is_err());
    let made = auth.create_token(&ada, request(bucket("lake"), Role::Editor, 1)).await.unwrap();
    assert!(made.secret.starts_with("lg_"));

    let lake: BucketName = "lake".parse().unwrap();
    let token = by_token(&auth, &made.secret).await.unwrap();
    assert_eq!((token.role_in(&lake), token.server_role()), (Some(Role::Editor), None));
    assert!(auth.create_token(&token, request(bucket("lake"), Role::Viewer, 1)).await.is_err());

    auth.set_role(&root(), "ada", &Scope::Server, Some(Role::Viewer)).await.unwrap();
    assert_eq!(by_token(&auth, &made.secret).await.unwrap().role_in(&lake), Some(Role::Viewer));
    auth.disable_user(&root(), "ada").await.unwrap();
    assert!(matches!(by_token(&auth, &made.secret).await, Err(Error::BadToken)));
    auth.enable_user(&root(), "ada").await.unwrap();
    assert!(by_token(&auth, &made.secret).await.is_ok());

    auth.revoke_token(&root(), &made.token.id).await.unwrap();
    assert!(matches!(by_token(&auth, &made.secret).await, Err(Error::BadToken)));
    assert!(matches!(by_token(&auth, "lg_0000").await, Err(Error::BadToken)));

    let expired = auth.create_token(&root(), request(Scope::Server, Role::Reader, 1)).await.unwrap();
    sqlx::query("UPDATE tokens SET expires_at_ms = 1").execute(&auth.db.write).await.unwrap();
    assert!(matches!(by_token(&auth, &expired.secret).await, Err(Error::BadToken)));
}

#[tokio::test]
async fn people_see_and_revoke_only_their_own_tokens() {
    let (_folder, auth) = service().await;
    add(&auth, "root", Some(Role::Admin)).await;
    add(&auth, "ada", Some(Role::Reader)).await;
    let ada = who(&auth, &sign_in(&auth, "ada").await.cookie).await.unwrap().actor;
    let request = NewTokenRequest {
        name: "host".into(),
        grants: vec![RoleGrant { scope: Scope::Server, role: Role::Reader }],
        days: 1,
    };
    let theirs = auth.create_token(&root(), request.clone()).await.unwrap();
    auth.create_token(&ada, request).await.unwrap();
    assert_eq!(auth.tokens(&ada, &ListQuery::default()).await.unwrap().items.len(), 1);
    assert_eq!(auth.tokens(&root(), &ListQuery::default()).await.unwrap().items.len(), 2);
    assert!(matches!(auth.revoke_token(&ada, &theirs.token.id).await, Err(Error::NoSuchToken)));
}

#[tokio::test]
async fn wrong_passwords_are_slowed_and_a_flash_shows_once() {
    let (_folder, auth) = service().await;
    add(&auth, "ada", Some(Role::Admin)).await;
    let caller = Caller::default();
    let session = sign_in(&auth, "ada").await.session;
    auth.flash_set(&session, "saved").await.unwrap();
    assert_eq!(auth.flash_take(&session).await.unwrap().as_deref(), Some("saved"));
    assert_eq!(auth.flash_take(&session).await.unwrap(), None);

    for _ in 0..3 {
        assert!(matches!(auth.sign_in("ada", "wrong", &caller).await, Err(Error::WrongCredentials)));
    }
    assert!(matches!(auth.sign_in("ada", PASSWORD, &caller).await, Err(Error::Throttled(_))));
}
