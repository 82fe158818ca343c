//! The console over its real router, by requests as a browser sends them, scripts off.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use http::{Request, StatusCode, header};
use http_body_util::BodyExt as _;
use lakeglass_api::Role;
use tower::ServiceExt as _;

use crate::auth::{Actor, Caller, NewUser};
use crate::state::App;
use crate::testing::{Lines, app};

struct Browser {
    app: Arc<App>,
    router: Router,
    cookie: String,
    _folder: tempfile::TempDir,
}

struct Answer {
    status: StatusCode,
    location: String,
    text: String,
}

const PASSWORD: &str = "a lake of clear water";

impl Browser {
    async fn as_admin() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let app = app(folder.path(), vec![Arc::new(Lines)]).await;
        let new = NewUser { name: "ada", password: PASSWORD, role: Some(Role::Admin) };
        app.auth.add_user(&Actor::system("test"), new).await.unwrap();
        let mut browser =
            Self { router: crate::router::build(&app), app, cookie: String::new(), _folder: folder };
        browser.sign_in("ada").await;
        browser
    }

    async fn sign_in(&mut self, name: &str) {
        let signed_in = self.app.auth.sign_in(name, PASSWORD, &Caller::default()).await.unwrap();
        self.cookie = signed_in.cookie.to_str().unwrap().split(';').next().unwrap().to_owned();
    }

    async fn send(&self, method: &str, path: &str, body: Option<&str>) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "127.0.0.1:8080")
            .header("sec-fetch-site", "same-origin")
            .header(header::COOKIE, &self.cookie)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body.map_or_else(Body::empty, |body| Body::from(body.to_owned())))
            .unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let location = response.headers().get(header::LOCATION);
        let location = location.map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        Answer { status, location, text: String::from_utf8(bytes.to_vec()).unwrap() }
    }

    async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None).await
    }

    async fn post(&self, path: &str, body: &str) -> Answer {
        self.send("POST", path, Some(body)).await
    }

    /// A page that must be there.
    async fn page(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text);
        answer.text
    }

    /// A form that must succeed: where it leads.
    async fn done(&self, path: &str, body: &str) -> String {
        let answer = self.post(path, body).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{path}: {}", answer.text);
        answer.location
    }

    async fn with_bucket() -> Self {
        let browser = Self::as_admin().await;
        let to = browser.done("/buckets/new", "format=csv&name=files&storage=local&description=mine").await;
        assert_eq!(to, "/buckets/files");
        browser
    }
}

#[tokio::test]
async fn every_page_of_an_empty_server_explains_its_emptiness() {
    let browser = Browser::as_admin().await;
    for (path, text) in [
        ("/", "First steps"),
        ("/buckets", "No buckets yet"),
        ("/buckets/new", "What will it hold?"),
        ("/formats", "Not served here"),
        ("/jobs", "No jobs yet"),
        ("/settings/users", "ada"),
        ("/settings/tokens", "No API tokens yet"),
        ("/settings/storage", "local"),
        ("/settings/sessions", "This one"),
        ("/settings/audit", "user.add"),
        ("/settings/appearance", "Shortcut keys"),
    ] {
        let html = browser.page(path).await;
        assert!(html.contains(text), "{path} lacks {text}: {html}");
        assert!(html.contains("<title>") && html.contains("<h1"), "{path}");
    }
}

#[tokio::test]
async fn a_bucket_is_made_by_its_card_and_a_bad_name_loses_nothing_typed() {
    let browser = Browser::as_admin().await;
    let refused =
        browser.post("/buckets/new", "format=csv&name=Bad+Name&storage=local&description=mine").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    for text in ["Not a bucket name", "value=\"Bad Name\"", "value=\"mine\"", "There is a problem"] {
        assert!(refused.text.contains(text), "{text}: {}", refused.text);
    }
    let refused = browser.post("/buckets/new", "name=files").await;
    assert!(refused.text.contains("Choose a format"), "{}", refused.text);
    let refused = browser.post("/buckets/new", "format=iceberg&name=files").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);

    browser.done("/buckets/new", "format=csv&name=files&storage=local&description=mine").await;
    let html = browser.page("/buckets/files").await;
    assert!(html.contains("The bucket files was created") && html.contains("mine"), "{html}");
    // Said once.
    assert!(!browser.page("/buckets/files").await.contains("was created"));
    let taken = browser.post("/buckets/new", "format=csv&name=files").await;
    assert_eq!(taken.status, StatusCode::BAD_REQUEST);
    assert!(taken.text.contains("exists already"), "{}", taken.text);
}

#[tokio::test]
async fn a_buckets_settings_change_and_it_is_deleted_only_when_it_may() {
    let browser = Browser::with_bucket().await;
    let wrong = browser.post("/buckets/files/settings", "description=d&properties=nonsense").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    assert!(wrong.text.contains("Line 1 is not key = value") && wrong.text.contains("nonsense"));
    browser.done("/buckets/files/settings", "description=d&properties=owner+%3D+ada&protected=on").await;
    let html = browser.page("/buckets/files/settings").await;
    assert!(html.contains("owner = ada") && html.contains("This bucket is protected"), "{html}");
    assert_eq!(browser.post("/buckets/files/delete", "").await.status, StatusCode::BAD_REQUEST);
    browser.done("/buckets/files/settings", "description=d&properties=").await;
    assert_eq!(browser.done("/buckets/files/delete", "").await, "/buckets");
    assert_eq!(browser.get("/buckets/files").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn files_are_found_listed_and_dropped_with_their_namespace() {
    let browser = Browser::with_bucket().await;
    let root = browser.app.config.data.join("buckets/files/eu");
    std::fs::create_dir_all(&root).unwrap();
    std::fs::write(root.join("a.csv"), "one\ntwo\n").unwrap();
    assert_eq!(browser.done("/buckets/files/scan", "").await, "/buckets/files");
    let html = browser.page("/buckets/files").await;
    assert!(html.contains("Found 1 new table.") && html.contains("/buckets/files/ns/eu"), "{html}");
    let html = browser.page("/buckets/files/ns/eu").await;
    assert!(html.contains("a.csv") && html.contains("never"), "{html}");
    assert!(browser.page("/buckets/files/ns/eu?search=zzz").await.contains("No table matches"));

    // Made by clients, not by a form, and the page says why.
    let refused = browser.get("/buckets/files/ns/eu/new-table").await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert!(refused.text.contains("Find tables"), "{}", refused.text);

    let html = browser.page("/buckets/files/ns/eu/drop").await;
    assert!(html.contains("eu/a.csv"), "{html}");
    let wrong = browser.post("/buckets/files/ns/eu/drop", "cascade=on&confirm=us").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    assert!(root.join("a.csv").exists());
    assert_eq!(browser.done("/buckets/files/ns/eu/drop", "cascade=on&confirm=eu").await, "/buckets/files");
    assert!(!root.join("a.csv").exists());
}

#[tokio::test]
async fn a_token_is_shown_once_and_revoked() {
    let browser = Browser::with_bucket().await;
    let refused = browser.post("/settings/tokens", "name=load&role=reader&scope=&days=soon").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(refused.text.contains("value=\"load\"") && refused.text.contains("whole number of days"));
    let made = browser.post("/settings/tokens", "name=load&role=reader&scope=files&days=7").await;
    assert_eq!(made.status, StatusCode::OK);
    assert!(made.text.contains("lg_") && made.text.contains("Reader in files"), "{}", made.text);
    let html = browser.page("/settings/tokens").await;
    assert!(!html.contains("lg_") && html.contains("load"), "{html}");
    let action = html.split("action=\"").find(|part| part.contains("/revoke\"")).unwrap();
    let action = action.split('"').next().unwrap().to_owned();
    browser.done(&action, "").await;
    assert!(browser.page("/settings/tokens").await.contains("Revoked"));
}

#[tokio::test]
async fn people_are_added_given_roles_and_disabled() {
    let mut browser = Browser::with_bucket().await;
    let weak = browser.post("/settings/users", "name=bo&password=short&role=viewer&scope=files").await;
    assert_eq!(weak.status, StatusCode::BAD_REQUEST);
    assert!(weak.text.contains("value=\"bo\"") && !weak.text.contains("value=\"short\""), "{}", weak.text);
    let body = format!("name=bo&password={}&role=viewer&scope=files", PASSWORD.replace(' ', "+"));
    assert_eq!(browser.done("/settings/users", &body).await, "/settings/users/bo");
    assert!(browser.page("/settings/users/bo").await.contains("Viewer in files"));
    browser.done("/settings/users/bo/grants", "role=editor&scope=files").await;
    assert!(browser.page("/settings/users/bo").await.contains("Editor in files"));
    let last = browser.post("/settings/users/ada/grants", "role=&scope=").await;
    assert_eq!(last.status, StatusCode::BAD_REQUEST);
    assert!(last.text.contains("last admin"), "{}", last.text);

    let admin = browser.cookie.clone();
    browser.sign_in("bo").await;
    assert!(browser.page("/buckets").await.contains("files"));
    let refused = browser.get("/settings/users").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    // Within the frame, with a way on.
    assert!(refused.text.contains("That needs another role") && refused.text.contains("aria-label=\"Main\""));

    let bo = std::mem::replace(&mut browser.cookie, admin);
    browser.done("/settings/users/bo/disable", "").await;
    browser.cookie = bo;
    assert_eq!(browser.get("/buckets").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn what_is_not_found_comes_with_what_is_near() {
    let browser = Browser::with_bucket().await;
    let gone = browser.get("/buckets/files/ns/nowhere").await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    assert!(
        gone.text.contains("Near here") && gone.text.contains("href=\"/buckets/files\""),
        "{}",
        gone.text
    );
    let gone = browser.get("/buckets/%3Cimg%20src%3Dx%3E").await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    assert!(!gone.text.contains("<img"), "{}", gone.text);
}
