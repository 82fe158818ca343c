//! Starts the built server with a data folder of its own, and speaks to it as people and clients do.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const BIN: &str = env!("CARGO_BIN_EXE_lakeglass");
/// A password that meets the rules.
pub(crate) const PASSWORD: &str = "quiet-lake-glass-42";

/// A server process; killed when dropped.
pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) data: Arc<TempDir>,
    output: Arc<Mutex<String>>,
    child: Child,
}

impl Server {
    /// A server over an empty data folder.
    pub(crate) async fn start() -> Self {
        let data = Arc::new(tempfile::tempdir().unwrap());
        Self::start_on(data, &[], &[]).await
    }

    /// A server over a given folder, with more flags and environment variables. Waits until it is ready.
    pub(crate) async fn start_on(data: Arc<TempDir>, flags: &[&str], variables: &[(&str, &str)]) -> Self {
        let port = free_port();
        let mut child = Command::new(BIN)
            .args(["serve", "--listen", &format!("127.0.0.1:{port}"), "--data"])
            .arg(data.path())
            .args(flags)
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = Arc::new(Mutex::new(String::new()));
        collect(child.stdout.take().unwrap(), Arc::clone(&output));
        collect(child.stderr.take().unwrap(), Arc::clone(&output));
        let mut server = Self { url: format!("http://127.0.0.1:{port}"), data, output, child };
        server.wait_ready().await;
        server
    }

    async fn wait_ready(&mut self) {
        let client = Client::new();
        let deadline = Instant::now() + Duration::from_mins(1);
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("the server ended with {status}:\n{}", self.output());
            }
            if client.get(format!("{}/readyz", self.url)).send().await.is_ok_and(|r| r.status().is_success())
            {
                return;
            }
            assert!(Instant::now() < deadline, "the server was not ready:\n{}", self.output());
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    /// Everything it printed so far, log included.
    pub(crate) fn output(&self) -> String {
        self.output.lock().unwrap().clone()
    }

    /// The `code` of the set-up link it printed.
    pub(crate) fn setup_code(&self) -> String {
        let output = self.output();
        let at = output.find("/setup?code=").expect("a set-up link was printed") + "/setup?code=".len();
        output[at..].split_whitespace().next().unwrap().to_owned()
    }

    /// Runs a command of the same program over the same folder.
    pub(crate) fn cli(&self, arguments: &[&str], input: &str) -> Output {
        cli(self.data.path(), arguments, input)
    }

    /// A token with a role on the server, or in one bucket.
    pub(crate) fn token(&self, role: &str, bucket: Option<&str>) -> String {
        let mut arguments = vec!["token", "create", "--name", "test", "--role", role, "--days", "1"];
        if let Some(bucket) = bucket {
            arguments.extend(["--bucket", bucket]);
        }
        let output = self.cli(&arguments, "");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn add_user(&self, name: &str, role: &str) {
        let output =
            self.cli(&["user", "add", name, "--role", role, "--password-stdin"], &format!("{PASSWORD}\n"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// A client that sends a token of that role.
    pub(crate) fn api(&self, role: &str) -> Api {
        Api { url: self.url.clone(), token: self.token(role, None), client: Client::new() }
    }

    /// A browser: keeps cookies, follows nothing by itself, signed in.
    pub(crate) async fn browser(&self, name: &str) -> Browser {
        let browser = Browser::new(&self.url);
        let response = browser.form("/sign-in", &[("name", name), ("password", PASSWORD)]).await;
        assert_eq!(response.status(), 303, "{}", response.text().await.unwrap());
        browser
    }

    /// Asks it to stop and waits until it has.
    pub(crate) fn stop(mut self) -> Arc<TempDir> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}:\n{}", self.output());
        Arc::clone(&self.data)
    }

    /// Waits for a process that ends by itself.
    pub(crate) fn wait_for_end(&mut self) -> std::process::ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command of the program over a data folder.
pub(crate) fn cli(data: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(BIN)
        .args(arguments)
        .arg("--data")
        .arg(data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn collect(stream: impl std::io::Read + Send + 'static, into: Arc<Mutex<String>>) {
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let mut text = into.lock().unwrap();
            text.push_str(&line);
            text.push('\n');
        }
    });
}

/// A REST client with a token.
pub(crate) struct Api {
    pub(crate) url: String,
    pub(crate) token: String,
    pub(crate) client: Client,
}

impl Api {
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url)).bearer_auth(&self.token)
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        answer(self.request(Method::GET, path).send().await.unwrap()).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        answer(self.request(Method::POST, path).json(&body).send().await.unwrap()).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Answer {
        answer(self.request(Method::PATCH, path).json(&body).send().await.unwrap()).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        answer(self.request(Method::DELETE, path).send().await.unwrap()).await
    }

    /// Sends an Arrow stream of one batch to a namespace operation.
    pub(crate) async fn arrow(&self, path: &str, batch: &arrow_array::RecordBatch) -> Answer {
        let mut bytes = Vec::new();
        let mut writer = arrow_ipc::writer::StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        let request = self
            .request(Method::POST, path)
            .header("content-type", "application/vnd.apache.arrow.stream")
            .body(bytes);
        answer(request.send().await.unwrap()).await
    }
}

/// A status and its JSON (null when there is none).
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) json: Value,
}

impl Answer {
    /// The JSON of an answer that must have succeeded.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.json);
        self.json
    }
}

async fn answer(response: Response) -> Answer {
    let status = response.status().as_u16();
    let bytes = response.bytes().await.unwrap();
    Answer { status, json: serde_json::from_slice(&bytes).unwrap_or(Value::Null) }
}

/// What a browser sends: cookies, and `Sec-Fetch-Site` with every form.
pub(crate) struct Browser {
    pub(crate) url: String,
    pub(crate) client: Client,
}

impl Browser {
    pub(crate) fn new(url: &str) -> Self {
        let client =
            Client::builder().cookie_store(true).redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Self { url: url.to_owned(), client }
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.client.get(format!("{}{path}", self.url)).send().await.unwrap()
    }

    pub(crate) async fn form(&self, path: &str, fields: &[(&str, &str)]) -> Response {
        self.client
            .post(format!("{}{path}", self.url))
            .header("sec-fetch-site", "same-origin")
            .form(fields)
            .send()
            .await
            .unwrap()
    }
}
