//! Requests to an upstream: under the address rule, through the breaker, with our credentials for it, noted
//! in the call log, and marked so that no chain of servers leads back here.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use lakeglass_api::attached::UpstreamCall;
use lakeglass_ports::{NamesError, NamesResult};
use serde_json::Value;
use url::Url;

use super::ids::Place;
use super::refusal::{MOST_ERROR_BYTES, refusal};
use crate::attached::breaker::Breaker;
use crate::attached::calls::Calls;
use crate::clock;
use crate::storage::Storages;

/// Names the servers that a request passed on its way.
pub(crate) const HOP: HeaderName = HeaderName::from_static("x-lakeglass-hop");
/// How long a call about names may take as a whole.
const METADATA: Duration = Duration::from_secs(30);
/// Longest silence of a call that carries rows.
const SILENCE: Duration = Duration::from_mins(1);
/// The most that an answer about names may hold.
const MOST_BYTES: usize = 16 << 20;

/// One upstream.
pub(crate) struct Upstream {
    /// Without a slash at its end; `/v1/…` follows.
    base: String,
    url: Url,
    pub(super) place: Place,
    /// Credentials. The value is marked sensitive.
    header: Option<(HeaderName, HeaderValue)>,
    client: reqwest::Client,
    storages: Storages,
    breaker: Arc<Breaker>,
    calls: Arc<Calls>,
    /// This server, in [`HOP`].
    instance: HeaderValue,
}

impl fmt::Debug for Upstream {
    /// Without the credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream")
            .field("base", &self.base)
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

/// What an upstream is reached by.
pub(crate) struct Reached {
    pub(crate) url: Url,
    pub(crate) parent: Vec<String>,
    pub(crate) delimiter: String,
    pub(crate) header: Option<(HeaderName, HeaderValue)>,
    pub(crate) client: reqwest::Client,
    pub(crate) storages: Storages,
    pub(crate) breaker: Arc<Breaker>,
    pub(crate) calls: Arc<Calls>,
    pub(crate) instance: HeaderValue,
}

/// One request to be sent.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) method: Method,
    /// The operation for the log: `table/describe`.
    pub(crate) operation: String,
    /// What it is about, in their terms.
    pub(crate) object: String,
    /// Below the base, encoded, from `/v1/`.
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: reqwest::Body,
    pub(crate) patience: Patience,
    pub(crate) actor: Option<String>,
}

/// How long an answer's first byte is waited for.
#[derive(Debug, Clone)]
pub(crate) enum Patience {
    /// As a whole.
    Whole(Duration),
    /// As long as the body moves.
    WhileActive(Arc<Activity>),
}

/// When something last moved.
#[derive(Debug)]
pub(crate) struct Activity {
    started: Instant,
    last_ms: AtomicU64,
}

impl Activity {
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), last_ms: AtomicU64::new(0) }
    }

    pub(crate) fn moved(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_ms.store(now, Ordering::Relaxed);
    }

    fn silence(&self) -> Duration {
        self.started.elapsed().saturating_sub(Duration::from_millis(self.last_ms.load(Ordering::Relaxed)))
    }
}

impl Patience {
    pub(crate) fn metadata() -> Self {
        Self::Whole(METADATA)
    }

    /// The answer, or after how many seconds it was given up.
    async fn wait<T>(&self, answer: impl Future<Output = T>) -> Result<T, u64> {
        match self {
            Self::Whole(whole) => tokio::time::timeout(*whole, answer).await.map_err(|_| whole.as_secs()),
            Self::WhileActive(activity) => {
                tokio::pin!(answer);
                loop {
                    tokio::select! {
                        answered = &mut answer => return Ok(answered),
                        () = tokio::time::sleep(Duration::from_secs(1)) => {
                            if activity.silence() > SILENCE {
                                return Err(SILENCE.as_secs());
                            }
                        }
                    }
                }
            }
        }
    }
}

impl Upstream {
    pub(crate) fn new(reached: Reached) -> Self {
        let Reached { url, parent, delimiter, header, client, storages, breaker, calls, instance } = reached;
        let base = url.as_str().trim_end_matches('/').to_owned();
        let place = Place { parent, delimiter };
        Self { base, url, place, header, client, storages, breaker, calls, instance }
    }

    /// Parts of an identifier below the bucket, as one part of their path.
    pub(crate) fn encoded(&self, below: &[String]) -> NamesResult<String> {
        self.place.encoded(below)
    }

    /// As text in their terms, for the call log.
    pub(crate) fn text(&self, below: &[String]) -> NamesResult<String> {
        self.place.text(below)
    }

    /// All parts of theirs.
    pub(crate) fn parts(&self, below: &[String]) -> Vec<String> {
        self.place.parts(below)
    }

    /// Parts below the bucket; none when theirs are not below it.
    pub(crate) fn below<'a>(&self, parts: &'a [String]) -> Option<&'a [String]> {
        self.place.below(parts)
    }

    /// A name of a list as a leaf; none: it is deeper.
    pub(crate) fn leaf(&self, parent: &[String], name: &str) -> Option<String> {
        self.place.leaf(parent, name)
    }

    /// What their identifiers are joined by, as a query parameter; none for the usual one.
    pub(crate) fn delimiter(&self) -> Option<(String, String)> {
        (self.place.delimiter != "$").then(|| ("delimiter".to_owned(), self.place.delimiter.clone()))
    }

    /// Sends a request and waits for the answer's head, whatever its status.
    pub(crate) async fn send(&self, out: Outgoing) -> NamesResult<reqwest::Response> {
        let pass = self.breaker.admit().map_err(|open| {
            NamesError::Unavailable(format!(
                "it failed too often and is left alone for a moment. {}",
                open.cause
            ))
        })?;
        let refused = self.storages.check_literal(&self.url);
        refused.map_err(|error| NamesError::Unavailable(error.to_string()))?;
        let mut url = Url::parse(&format!("{}{}", self.base, out.path)).map_err(NamesError::internal)?;
        if !out.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&out.query);
        }
        let mut headers = out.headers;
        headers.append(HOP, self.instance.clone());
        if let Some((name, value)) = &self.header {
            headers.insert(name.clone(), value.clone());
        }
        let (started, at_ms) = (Instant::now(), clock::now_ms());
        let request = self.client.request(out.method.clone(), url).headers(headers).body(out.body);
        let answered = match out.patience.wait(request.send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(NamesError::Unavailable(words(&error))),
            Err(seconds) => Err(NamesError::TimedOut(seconds)),
        };
        let status = answered.as_ref().ok().map(reqwest::Response::status);
        match (&answered, status) {
            (
                Ok(_),
                Some(StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT),
            ) => {
                pass.failed(format!("It answered {}", status.unwrap_or_default()));
            }
            (Ok(_), _) => pass.succeeded(),
            (Err(error), _) => pass.failed(error.to_string()),
        }
        self.calls.push(UpstreamCall {
            at_ms,
            method: out.method.to_string(),
            operation: out.operation,
            object: out.object,
            status: status.map(|status| status.as_u16()),
            cause: answered.as_ref().err().map(ToString::to_string),
            elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            actor: out.actor,
        });
        answered
    }

    /// A call about names, JSON both ways. An answer without a body is null.
    pub(super) async fn ask(
        &self,
        method: Method,
        operation: &str,
        below: &[String],
        query: Vec<(String, String)>,
        body: Option<Value>,
    ) -> NamesResult<Value> {
        let (surface, rest) = operation.split_once('/').unwrap_or((operation, ""));
        let path = format!("/v1/{surface}/{}/{rest}", self.encoded(below)?);
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        let body = match body {
            Some(body) => {
                headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
                reqwest::Body::from(body.to_string())
            }
            None => reqwest::Body::default(),
        };
        let query = query.into_iter().chain(self.delimiter()).collect();
        let out = Outgoing {
            method,
            operation: operation.to_owned(),
            object: self.text(below)?,
            path,
            query,
            headers,
            body,
            patience: Patience::metadata(),
            actor: None,
        };
        let response = self.send(out).await?;
        let status = response.status();
        let most = if status.is_success() { MOST_BYTES } else { MOST_ERROR_BYTES };
        let read = tokio::time::timeout(METADATA, read(response, most)).await;
        let bytes = read.map_err(|_| NamesError::TimedOut(METADATA.as_secs()))??;
        if !status.is_success() {
            return Err(refusal(status, &bytes));
        }
        if bytes.trim_ascii().is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&bytes).map_err(|_| NamesError::Invalid("its answer is not JSON".to_owned()))
    }
}

/// Reads an answer to its end, up to a bound.
pub(crate) async fn read(mut response: reqwest::Response, most: usize) -> NamesResult<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if bytes.len() + chunk.len() <= most => bytes.extend_from_slice(&chunk),
            Ok(Some(_)) => {
                return Err(NamesError::Invalid(format!("its answer is larger than {most} bytes")));
            }
            Ok(None) => return Ok(bytes),
            Err(error) => return Err(NamesError::Unavailable(words(&error))),
        }
    }
}

/// Why there was no answer, from the innermost cause, without the URL.
fn words(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let inner = if cause.source().is_none() && std::ptr::addr_eq(cause, error) {
        String::new()
    } else {
        let text = cause.to_string();
        let text = text.split(" (os error").next().unwrap_or_default().to_owned();
        format!(": {text}")
    };
    let what = if error.is_connect() {
        "no connection could be made"
    } else if error.is_timeout() {
        "it did not answer in time"
    } else {
        "the connection broke off"
    };
    format!("{what}{inner}")
}
