//! Set-up, sign-in, sessions and API tokens against the running server.

use crate::server::{Browser, PASSWORD, Server};

fn location(response: &reqwest::Response) -> &str {
    response.headers().get("location").and_then(|value| value.to_str().ok()).unwrap_or_default()
}

#[tokio::test]
async fn the_set_up_link_makes_one_admin_and_is_gone() {
    use std::os::unix::fs::PermissionsExt as _;
    let server = Server::start().await;
    let code = server.setup_code();
    let links: Vec<_> = std::fs::read_dir(server.data.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file() && std::fs::read_to_string(path).is_ok_and(|text| text.contains(&code)))
        .collect();
    assert_eq!(links.len(), 1, "the link is in one file");
    assert_eq!(links[0].metadata().unwrap().permissions().mode() & 0o777, 0o600);

    let browser = Browser::new(&server.url);
    let first = browser.get("/").await;
    assert!(first.status() == 303 && location(&first).starts_with("/sign-in"));
    assert!(browser.get("/sign-in").await.text().await.unwrap().contains("Nobody can sign in yet"));
    assert_eq!(browser.get("/setup").await.status(), 403);
    assert_eq!(browser.get("/setup?code=0000").await.status(), 403);
    assert_eq!(browser.get(&format!("/setup?code={code}")).await.status(), 200);

    let short = [("code", code.as_str()), ("name", "ana"), ("password", "short")];
    let refused = browser.form("/setup", &short).await;
    assert_eq!(refused.status(), 400);
    let page = refused.text().await.unwrap();
    assert!(page.contains("at least 12 characters") && page.contains("value=\"ana\""), "{page}");
    assert!(!page.contains("value=\"short\""), "a password is never sent back");

    let wrong = [("code", "0000"), ("name", "eve"), ("password", PASSWORD)];
    assert_eq!(browser.form("/setup", &wrong).await.status(), 403);
    let right = [("code", code.as_str()), ("name", "ana"), ("password", PASSWORD)];
    assert_eq!(browser.form("/setup", &right).await.status(), 303);
    let me: serde_json::Value = browser.get("/api/v1/me").await.json().await.unwrap();
    assert_eq!((&me["name"], &me["grants"][0]["role"]), (&"ana".into(), &"admin".into()));

    let other = Browser::new(&server.url);
    assert_eq!(other.get(&format!("/setup?code={code}")).await.status(), 404);
    assert_eq!(other.form("/setup", &right).await.status(), 404);
    assert!(!server.cli(&["setup-link"], "").status.success());
}

#[tokio::test]
async fn a_session_outlives_a_restart_and_ends_with_sign_out() {
    let server = Server::start().await;
    server.add_user("ana", "admin");
    let first = Browser::new(&server.url);
    let form = [("name", "ana"), ("password", PASSWORD), ("next", "/settings/users?page=2")];
    let signed_in = first.form("/sign-in", &form).await;
    assert_eq!(location(&signed_in), "/settings/users?page=2");
    let cookie = signed_in.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    assert!(cookie.starts_with("lakeglass="));

    let again = Server::start_on(server.stop(), &[], &[]).await;
    let ask = |cookie: String| {
        reqwest::Client::new().get(format!("{}/api/v1/me", again.url)).header("cookie", cookie).send()
    };
    assert_eq!(ask(cookie.clone()).await.unwrap().status(), 200);

    let out = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let out = out
        .post(format!("{}/sign-out", again.url))
        .header("cookie", &cookie)
        .header("sec-fetch-site", "same-origin");
    let out = out.send().await.unwrap();
    assert_eq!(out.status(), 303);
    assert!(out.headers()["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
    assert_eq!(ask(cookie).await.unwrap().status(), 401, "gone from the server too");
}

#[tokio::test]
async fn a_redirect_after_sign_in_stays_on_this_server() {
    let server = Server::start().await;
    server.add_user("ana", "admin");
    for next in ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"] {
        let browser = Browser::new(&server.url);
        let form = [("name", "ana"), ("password", PASSWORD), ("next", next)];
        assert_eq!(location(&browser.form("/sign-in", &form).await), "/", "{next}");
    }
    let asked = Browser::new(&server.url).get("/buckets?sort=name").await;
    if asked.status() == 303 {
        assert_eq!(location(&asked), "/sign-in?next=%2Fbuckets%3Fsort%3Dname");
    }
}

#[tokio::test]
async fn wrong_passwords_say_nothing_and_are_slowed() {
    let server = Server::start().await;
    server.add_user("ana", "admin");
    let browser = Browser::new(&server.url);
    let attempt = |name: &'static str, password: &'static str| {
        let browser = &browser;
        async move {
            let response = browser.form("/sign-in", &[("name", name), ("password", password)]).await;
            let wait = response.headers().contains_key("retry-after");
            (response.status().as_u16(), wait, response.text().await.unwrap())
        }
    };
    let (status, _, known) = attempt("ana", "wrong-wrong-wrong").await;
    assert_eq!(status, 400);
    let (_, _, unknown) = attempt("eve", "wrong-wrong-wrong").await;
    assert_eq!(known.replace("ana", "eve"), unknown, "an unknown user reads the same");
    attempt("ana", "wrong-wrong-wrong").await;
    attempt("ana", "wrong-wrong-wrong").await;
    let (status, wait, page) = attempt("ana", PASSWORD).await;
    assert_eq!((status, wait), (429, true), "the right password waits too");
    assert!(page.contains("Too many attempts") && !page.contains(PASSWORD));
    assert!(!server.output().contains("wrong-wrong-wrong"), "no password in the log");
}

#[tokio::test]
async fn a_disabled_user_is_out_at_once() {
    let server = Server::start().await;
    server.add_user("root", "admin");
    server.add_user("ana", "editor");
    let browser = server.browser("ana").await;
    assert_eq!(browser.get("/api/v1/me").await.status(), 200);
    assert!(server.cli(&["user", "disable", "ana"], "").status.success());
    assert_eq!(browser.get("/api/v1/me").await.status(), 401);
    let refused =
        Browser::new(&server.url).form("/sign-in", &[("name", "ana"), ("password", PASSWORD)]).await;
    assert_eq!(refused.status(), 400);
    assert!(!server.cli(&["user", "disable", "root"], "").status.success(), "the last admin stays");
}

#[tokio::test]
async fn tokens_and_people_are_managed_over_rest() {
    let server = Server::start().await;
    let admin = server.api("admin");
    let new = serde_json::json!({ "name": "ana", "password": PASSWORD, "role": "reader" });
    assert_eq!(admin.post("/api/v1/users", new.clone()).await.status, 201);
    assert_eq!(admin.post("/api/v1/users", new).await.status, 409);
    let weak = admin.post("/api/v1/users", serde_json::json!({ "name": "ben", "password": "short" })).await;
    assert_eq!((weak.status, &weak.json["errors"][0]["field"]), (400, &"password".into()));

    let token =
        serde_json::json!({ "name": "ci", "days": 1, "grants": [{ "scope": "server", "role": "viewer" }] });
    let made = admin.post("/api/v1/tokens", token).await.ok();
    let secret = made["secret"].as_str().unwrap().to_owned();
    let ask = || {
        reqwest::Client::new().get(format!("{}/api/v1/me", server.url)).header("x-api-key", &secret).send()
    };
    assert_eq!(ask().await.unwrap().status(), 200);
    let listed = admin.get("/api/v1/tokens").await.ok();
    assert!(!listed.to_string().contains(&secret), "shown once");
    let id = made["token"]["id"].as_str().unwrap();
    assert_eq!(admin.delete(&format!("/api/v1/tokens/{id}")).await.status, 204);
    assert_eq!(ask().await.unwrap().status(), 401);
    assert!(!server.output().contains(&secret), "no token in the log");
}
