//! The table of routes against everyone who might ask: nobody, each role, another bucket's role,
//! another site, with the wrong method, with too large a body.

use std::collections::BTreeMap;

use lakeglass_api::Role;
use lakeglass_server::router::{BodyLimit, Route, Surface, Who, table};
use reqwest::{Client, Method, Response, redirect};
use serde_json::{Value, json};

use crate::server::Server;

const MAX_ARROW: usize = 64 * 1024;

/// The route's path with names that exist nowhere.
fn path(route: &Route) -> String {
    let mut path = String::new();
    for part in route.path.split('/').skip(1) {
        path.push('/');
        match part.strip_prefix('{') {
            None => path.push_str(part),
            Some(name) if name.starts_with("bucket") => path.push_str("no-such-bucket"),
            Some(name) if name.starts_with("id") => path.push('7'),
            Some(_) => path.push_str("nothing"),
        }
    }
    path
}

async fn server() -> Server {
    let data = std::sync::Arc::new(tempfile::tempdir().unwrap());
    Server::start_on(data, &["--max-arrow-bytes", &MAX_ARROW.to_string()], &[]).await
}

fn client() -> Client {
    Client::builder()
        .redirect(redirect::Policy::none())
        .timeout(std::time::Duration::from_mins(1))
        .build()
        .unwrap()
}

/// A request for a route; JSON surfaces get an empty object, forms an empty form.
fn ask(client: &Client, server: &Server, route: &Route) -> reqwest::RequestBuilder {
    let request = client.request(route.method.clone(), format!("{}{}", server.url, path(route)));
    match (route.body, route.surface) {
        (BodyLimit::None, _) => request,
        (BodyLimit::Data, _) => request.header("content-type", "application/vnd.apache.arrow.stream"),
        (_, Surface::Page) => request.form(&BTreeMap::<String, String>::new()),
        _ => request.json(&json!({})),
    }
}

fn location(response: &Response) -> &str {
    response.headers().get("location").and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Checks the shape of an error and gives the body.
async fn error(route: &Route, response: Response) -> Value {
    let status = response.status().as_u16();
    let kind = response.headers().get("content-type").map(|kind| kind.to_str().unwrap().to_owned());
    let text = response.text().await.unwrap();
    match route.surface {
        Surface::Api => {
            assert_eq!(kind.as_deref(), Some("application/problem+json"), "{route:?} {text}");
            let document: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(document["status"], status, "{route:?}");
            assert!(document["request_id"].as_str().is_some_and(|id| !id.is_empty()), "{route:?}");
            document
        }
        Surface::Namespace => {
            let document: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{route:?} {text}"));
            assert!(document["code"].is_u64() && document["error"].is_string(), "{route:?} {text}");
            document
        }
        Surface::Page | Surface::Open => Value::Null,
    }
}

#[tokio::test]
async fn nobody_reaches_only_what_is_for_anyone() {
    let (server, client) = (server().await, client());
    for route in table() {
        let response = ask(&client, &server, &route).send().await.unwrap();
        let status = response.status().as_u16();
        assert!(status < 500 || status == 503, "{route:?} {status}");
        if route.who == Who::Anyone {
            assert_ne!(status, 401, "{route:?}");
            continue;
        }
        match route.surface {
            Surface::Page => {
                assert_eq!(status, 303, "{route:?}");
                assert!(location(&response).starts_with("/sign-in"), "{route:?}");
            }
            Surface::Open => assert_eq!(status, 401, "{route:?}"),
            Surface::Api | Surface::Namespace => {
                assert_eq!(status, 401, "{route:?}");
                assert!(response.headers().contains_key("www-authenticate"), "{route:?}");
                let document = error(&route, response).await;
                if route.surface == Surface::Namespace {
                    assert_eq!(document["code"], 16, "{route:?}");
                }
            }
        }
        let forged = ask(&client, &server, &route).header("x-api-key", "lg_0123456789abcdef0123456789abcdef");
        let forged = forged.send().await.unwrap().status().as_u16();
        assert_eq!(forged, 401, "{route:?} with a forged token");
    }
}

#[tokio::test]
async fn each_role_reaches_what_it_may_and_no_more() {
    let (server, client) = (server().await, client());
    for held in Role::ALL {
        let token = server.token(held.as_str(), None);
        let narrow = server.token(held.as_str(), Some("other-bucket"));
        for route in table() {
            let send = |token: &str| ask(&client, &server, &route).bearer_auth(token).send();
            let response = send(&token).await.unwrap();
            let status = response.status().as_u16();
            assert!(
                status < 500 || status == 503,
                "{route:?} as {held} {status}: {}",
                response.text().await.unwrap()
            );
            match route.who {
                Who::Server(needed) | Who::Bucket(needed) if held < needed => {
                    assert_eq!(status, 403, "{route:?} as {held}");
                    let document = error(&route, response).await;
                    if route.surface == Surface::Namespace {
                        assert_eq!(document["code"], 15, "{route:?}");
                    }
                }
                Who::Server(_) | Who::Bucket(_) => {
                    assert!(![401, 403].contains(&status), "{route:?} as {held} {status}");
                }
                Who::SignedIn | Who::Anyone => assert_ne!(status, 401, "{route:?} as {held}"),
            }
            // The same role in some other bucket opens nothing here, and hides that it is here.
            let status = send(&narrow).await.unwrap().status().as_u16();
            match route.who {
                Who::Server(_) => assert_eq!(status, 403, "{route:?} as {held} of another bucket"),
                Who::Bucket(_) => assert_eq!(status, 404, "{route:?} as {held} of another bucket"),
                Who::SignedIn | Who::Anyone => assert!(status < 500 || status == 503, "{route:?} {status}"),
            }
        }
    }
}

#[tokio::test]
async fn changes_asked_for_by_another_site_are_refused() {
    let server = server().await;
    server.add_user("ana", "admin");
    let browser = server.browser("ana").await;
    let mut tried = 0;
    for route in table().into_iter().filter(|route| route.method != Method::GET) {
        let asks: [&[(&str, &str)]; 5] = [
            &[("sec-fetch-site", "cross-site")],
            &[("sec-fetch-site", "same-site")],
            &[("sec-fetch-site", "cross-site"), ("origin", &server.url)],
            &[("origin", "https://evil.example")],
            &[],
        ];
        for headers in asks {
            let request = ask(&browser.client, &server, &route);
            let request =
                headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
            let response = request.send().await.unwrap();
            assert_eq!(response.status(), 403, "{route:?} with {headers:?}");
            error(&route, response).await;
        }
        tried += 1;
    }
    assert!(tried > 10);
    assert_eq!(browser.get("/api/v1/me").await.status(), 200, "the session is untouched");
}

#[tokio::test]
async fn a_wrong_method_is_405_and_says_what_is_allowed() {
    let (server, client) = (server().await, client());
    let token = server.token("admin", None);
    for route in table() {
        let response = client
            .request(Method::from_bytes(b"PURGE").unwrap(), format!("{}{}", server.url, path(&route)))
            .bearer_auth(&token)
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 405, "{route:?}");
        let allow = response.headers()["allow"].to_str().unwrap().to_owned();
        assert!(allow.contains(route.method.as_str()), "{route:?} allows {allow}");
        let document = error(&route, response).await;
        if route.surface == Surface::Namespace {
            assert_eq!(document["code"], 13, "{route:?}");
        }
    }
}

#[tokio::test]
async fn a_body_too_large_is_413() {
    let (server, client) = (server().await, client());
    let token = server.token("admin", None);
    for route in table() {
        let limit = match route.body {
            BodyLimit::None => 0,
            BodyLimit::Metadata => 1 << 20,
            BodyLimit::Data => MAX_ARROW,
        };
        let request = client.request(route.method.clone(), format!("{}{}", server.url, path(&route)));
        let response = request.bearer_auth(&token).body(vec![b'x'; limit + 1]).send().await.unwrap();
        assert_eq!(response.status(), 413, "{route:?}");
        let document = error(&route, response).await;
        if route.surface == Surface::Namespace {
            assert_eq!(document["code"], 13, "{route:?}");
        }
    }
}

#[tokio::test]
async fn asking_changes_nothing_and_head_is_like_get() {
    let (server, client) = (server().await, client());
    let token = server.token("admin", None);
    for route in table().into_iter().filter(|route| route.method == Method::GET) {
        let get = ask(&client, &server, &route).bearer_auth(&token).send().await.unwrap();
        let url = format!("{}{}", server.url, path(&route));
        let head = client.head(url).bearer_auth(&token).send().await.unwrap();
        assert_eq!(get.status(), head.status(), "{route:?}");
        assert!(head.bytes().await.unwrap().is_empty(), "{route:?}");
    }
    let audit = server.api("admin").get("/api/v1/audit?limit=500").await.ok();
    for record in audit["items"].as_array().unwrap() {
        let action = record["action"].as_str().unwrap();
        let looks = ["rows.preview", "audit.download", "request.refuse"];
        // Made by this test, on the command line.
        let made = record["actor_kind"] == "system";
        assert!(made || looks.contains(&action) || action.ends_with(".download"), "GET did {record}");
    }
}

#[tokio::test]
async fn every_answer_carries_the_security_headers() {
    let (server, client) = (server().await, client());
    let token = server.token("viewer", None);
    let unknown =
        ["/nothing-here", "/api/v1/nothing", "/lance/v1/nothing", "/lance", "/assets/..%2fassets.json"];
    let known: Vec<String> = table().iter().filter(|route| route.method == Method::GET).map(path).collect();
    let mut nonces = std::collections::BTreeSet::new();
    for path in known.iter().map(String::as_str).chain(unknown) {
        let response = client.get(format!("{}{path}", server.url)).bearer_auth(&token).send().await.unwrap();
        let header = |name: &str| {
            let value = response.headers().get(name).unwrap_or_else(|| panic!("{path} lacks {name}"));
            value.to_str().unwrap().to_owned()
        };
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(header("referrer-policy"), "same-origin", "{path}");
        assert_eq!(header("cross-origin-opener-policy"), "same-origin", "{path}");
        assert_eq!(header("cross-origin-resource-policy"), "same-origin", "{path}");
        assert!(!header("x-request-id").is_empty() && !header("cache-control").is_empty(), "{path}");
        let policy = header("content-security-policy");
        assert!(policy.contains("default-src 'none'"), "{path} {policy}");
        if let Some(nonce) = policy.split("'nonce-").nth(1) {
            assert!(nonces.insert(nonce.split('\'').next().unwrap().to_owned()), "{path} reuses a nonce");
        }
    }
    for (path, code) in [("/lance/v1/nothing", 0), ("/lance", 0)] {
        let response = client.get(format!("{}{path}", server.url)).bearer_auth(&token).send().await.unwrap();
        assert_eq!(response.status(), 404);
        assert_eq!(response.json::<Value>().await.unwrap()["code"], code, "{path}");
    }
}

#[tokio::test]
async fn another_host_is_refused_and_a_public_one_is_bound_to_https() {
    let (plain, client) = (server().await, client());
    let from = |url: String, host: &'static str| client.get(url).header("host", host).send();
    let response = from(format!("{}/sign-in", plain.url), "lake.example.com").await.unwrap();
    assert_eq!(response.status(), 421);
    assert!(response.text().await.unwrap().contains("--public-url"));

    let data = std::sync::Arc::new(tempfile::tempdir().unwrap());
    let public = Server::start_on(data, &["--public-url", "https://lake.example.com"], &[]).await;
    public.add_user("ana", "admin");
    let form = [("name", "ana"), ("password", crate::server::PASSWORD)];
    let response = client
        .post(format!("{}/sign-in", public.url))
        .header("host", "lake.example.com")
        .header("origin", "https://lake.example.com")
        .form(&form)
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 303);
    assert!(response.headers().contains_key("strict-transport-security"));
    let cookie = response.headers()["set-cookie"].to_str().unwrap();
    assert!(cookie.starts_with("__Host-lakeglass="), "the name, not the value");
    for mark in ["Path=/", "HttpOnly", "SameSite=Lax", "Secure"] {
        assert!(cookie.contains(mark), "{mark}");
    }
    assert_eq!(from(format!("{}/sign-in", public.url), "other.example.com").await.unwrap().status(), 421);
}

#[tokio::test]
async fn a_refusal_is_written_down() {
    let server = server().await;
    let viewer = server.api("viewer");
    assert_eq!(viewer.get("/api/v1/users").await.status, 403);
    let audit = server.api("admin").get("/api/v1/audit?action=request.refuse").await.ok();
    let record = &audit["items"][0];
    assert_eq!((&record["object"], &record["outcome"]), (&json!("/api/v1/users"), &json!("refused")));
    assert_eq!(record["actor_kind"], "token");
    assert!(!server.output().contains(&viewer.token), "no token in the log");
}
