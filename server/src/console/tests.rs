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
        let to = browser.done("/new-bucket", "format=csv&name=files&storage=local&description=mine").await;
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
        ("/new-bucket", "What will it hold?"),
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
        browser.post("/new-bucket", "format=csv&name=Bad+Name&storage=local&description=mine").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    for text in ["Not a bucket name", "value=\"Bad Name\"", "value=\"mine\"", "There is a problem"] {
        assert!(refused.text.contains(text), "{text}: {}", refused.text);
    }
    let refused = browser.post("/new-bucket", "name=files").await;
    assert!(refused.text.contains("Choose a format"), "{}", refused.text);
    let refused = browser.post("/new-bucket", "format=iceberg&name=files").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);

    browser.done("/new-bucket", "format=csv&name=files&storage=local&description=mine").await;
    let html = browser.page("/buckets/files").await;
    assert!(html.contains("The bucket files was created") && html.contains("mine"), "{html}");
    // Said once.
    assert!(!browser.page("/buckets/files").await.contains("was created"));
    let taken = browser.post("/new-bucket", "format=csv&name=files").await;
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

#[tokio::test]
async fn no_page_stands_in_the_way_of_a_buckets_name() {
    let browser = Browser::as_admin().await;
    assert_eq!(browser.done("/new-bucket", "format=csv&name=new&storage=local").await, "/buckets/new");
    let html = browser.page("/buckets/new").await;
    assert!(html.contains("The bucket new was created") && html.contains("Namespaces"), "{html}");
}

#[tokio::test]
async fn a_theme_is_chosen_on_a_refused_form_and_leads_back_to_its_page() {
    let browser = Browser::with_bucket().await;
    let back = |html: &str| {
        let rest = html.split_once("name=\"return_to\" value=\"").unwrap().1;
        rest.split('"').next().unwrap().to_owned()
    };
    let refused = browser.post("/buckets/files/namespaces", "namespace=a%20b").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert_eq!(back(&refused.text), "/buckets/files");
    // An error page too.
    let gone = browser.post("/buckets/files/trash/7/restore", "").await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    assert_eq!(back(&gone.text), "/buckets/files/trash");
    // A page of its own keeps its query.
    assert_eq!(back(&browser.page("/buckets?search=f").await), "/buckets?search=f");
    for path in ["/buckets/files", "/buckets/files/trash"] {
        let body = format!("theme=dark&return_to={}", path.replace('/', "%2F"));
        assert_eq!(browser.done("/preferences", &body).await, path);
        browser.page(path).await;
    }
    assert_eq!(browser.done("/preferences", "theme=dark&return_to=//evil.example").await, "/");
}

#[tokio::test]
async fn a_list_is_walked_forward_and_back() {
    let browser = Browser::with_bucket().await;
    for number in 0..120 {
        browser.done("/buckets/files/namespaces", &format!("namespace=n{number:03}")).await;
    }
    let link = |html: &str, label: &str| {
        let foot = html.split_once("aria-label=\"Pages\"").unwrap().1;
        let before = foot.split(&format!(">{label}</a>")).next()?;
        let href = before.rsplit_once("href=\"")?.1.split('"').next()?;
        foot.contains(&format!(">{label}</a>")).then(|| href.replace("&amp;", "&"))
    };
    let first = browser.page("/buckets/files").await;
    assert!(first.contains("n000") && !first.contains("n050"));
    assert_eq!((link(&first, "First"), link(&first, "Previous")), (None, None));
    let second = browser.page(&link(&first, "Next").unwrap()).await;
    assert!(second.contains("n050") && !second.contains("n100"));
    assert_eq!(link(&second, "Previous").as_deref(), Some("/buckets/files"));
    let third = browser.page(&link(&second, "Next").unwrap()).await;
    assert!(third.contains("n119"));
    assert_eq!((link(&third, "First").as_deref(), link(&third, "Next")), (Some("/buckets/files"), None));
    let again = browser.page(&link(&third, "Previous").unwrap()).await;
    assert!(again.contains("n050") && !again.contains("n100"));
}

#[tokio::test]
async fn the_audit_log_is_narrowed_to_a_time() {
    let browser = Browser::with_bucket().await;
    let all = browser.page("/settings/audit?actor=&action=&object=&outcome=&from=&to=").await;
    assert!(all.contains("bucket.create"), "{all}");
    let past = browser.page("/settings/audit?to=2020-01-01T00%3A00").await;
    assert!(past.contains("No record matches") && !past.contains("bucket.create"), "{past}");
    assert!(past.contains("value=\"2020-01-01T00:00\""), "what was chosen stays: {past}");
    let since = browser.page("/settings/audit?from=2020-01-01T00%3A00&action=bucket").await;
    assert!(since.contains("bucket.create"), "{since}");
    // The same records as a file.
    assert!(since.contains("/api/v1/audit/download?action=bucket&amp;from_ms=1577836800000"), "{since}");
    let wrong = browser.get("/settings/audit?from=yesterday").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    assert!(wrong.text.contains("Give a time in UTC"), "{}", wrong.text);
}

#[tokio::test]
async fn an_empty_choice_is_no_choice() {
    let browser = Browser::with_bucket().await;
    for path in [
        "/jobs?search=&state=&kind=",
        "/api/v1/jobs?state=&kind=&object=&search=&after=&limit=",
        "/api/v1/audit?outcome=&from_ms=&limit=",
    ] {
        assert_eq!(browser.get(path).await.status, StatusCode::OK, "{path}");
    }
    let wrong = browser.get("/api/v1/jobs?state=asleep").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    assert!(wrong.text.contains("asleep"), "{}", wrong.text);
}
