//! The server under test, spoken to over plain HTTP.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method};
use serde_json::Value;
use url::Url;

use crate::Error;
use crate::operations::Carries;
use crate::request::{Body, Request, Target, Who};
use crate::scope::Scope;

/// What stays as it is in a path's segment.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
const ARROW_STREAM: &str = "application/vnd.apache.arrow.stream";
/// How long one answer may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// Credentials that nobody gave out.
const NEVER_GIVEN: &str = "conformance-never-given-out-00000000";

/// A server and the credentials to use with it.
#[derive(Debug)]
pub(crate) struct Server {
    url: String,
    client: Client,
    owner: HeaderMap,
    others: BTreeMap<Who, HeaderMap>,
}

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) json: Option<Value>,
}

impl Answer {
    pub(crate) fn succeeded(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The error's code; none when this is no error of the specification's shape.
    pub(crate) fn code(&self) -> Option<i64> {
        self.json.as_ref().filter(|_| !self.succeeded()).and_then(|json| json.get("code")?.as_i64())
    }

    /// Status, code and message in one line.
    pub(crate) fn summary(&self) -> String {
        let code = self.code().map(|code| format!(" code {code}")).unwrap_or_default();
        let said = self.json.as_ref().and_then(|json| json.get("error")?.as_str()).map(str::to_owned);
        let said = said.unwrap_or_else(|| String::from_utf8_lossy(&self.body).into_owned());
        let said = said.replace(char::is_control, " ");
        let mut said: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
        if said.chars().count() > 140 {
            said = said.chars().take(140).chain(['…']).collect();
        }
        if said.is_empty() {
            format!("{}{code}", self.status)
        } else {
            format!("{}{code} \"{said}\"", self.status)
        }
    }
}

/// `name: value` as a header. The value is never shown.
fn header(line: &str) -> Result<(HeaderName, HeaderValue), Error> {
    let (name, value) = line.split_once(':').ok_or(Error::Header)?;
    let name = name.trim().parse().map_err(|_| Error::Header)?;
    let mut value: HeaderValue = value.trim().parse().map_err(|_| Error::Header)?;
    value.set_sensitive(true);
    Ok((name, value))
}

fn headers(lines: &[String]) -> Result<HeaderMap, Error> {
    lines.iter().map(|line| header(line)).collect()
}

impl Server {
    pub(crate) fn new(options: &crate::Options) -> Result<Self, Error> {
        let url: Url = options.url.parse().map_err(|_| Error::Url)?;
        if !["http", "https"].contains(&url.scheme()) || url.query().is_some() {
            return Err(Error::Url);
        }
        // A connection for each request: a refusal may close the one it came on.
        let client = Client::builder()
            .timeout(PATIENCE)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(Error::Client)?;
        let mut others = BTreeMap::from([(Who::Nobody, HeaderMap::new())]);
        let owner = headers(&options.headers)?;
        // Wrong in the same places as the owner's are right.
        let impostor = owner.keys().map(|name| {
            let value = if name == "authorization" {
                format!("Bearer {NEVER_GIVEN}")
            } else {
                NEVER_GIVEN.to_owned()
            };
            Ok((name.clone(), value.parse().map_err(|_| Error::Header)?))
        });
        others.insert(Who::Impostor, impostor.collect::<Result<_, Error>>()?);
        for (who, lines) in [(Who::Reader, &options.reader), (Who::Stranger, &options.stranger)] {
            if !lines.is_empty() {
                others.insert(who, headers(lines)?);
            }
        }
        Ok(Self { url: url.as_str().trim_end_matches('/').to_owned(), client, owner, others })
    }

    pub(crate) fn has_credentials(&self) -> bool {
        !self.owner.is_empty()
    }

    pub(crate) fn knows(&self, who: Who) -> bool {
        self.others.contains_key(&who)
    }

    /// Sends one request. `Err`: no answer came, or none that is HTTP.
    pub(crate) async fn ask(&self, request: &Request, scope: &Scope) -> Result<Answer, String> {
        let details = request.operation.details();
        let method = Method::from_bytes(request.method.unwrap_or(details.method).as_bytes());
        let method = method.map_err(|error| error.to_string())?;
        let mut query: Vec<(String, String)> =
            request.query.iter().map(|(name, value)| (name.clone(), scope.text(value))).collect();
        if let Target::Delimited(_, delimiter) = &request.target {
            query.push(("delimiter".to_owned(), delimiter.clone()));
        }
        let url = Url::parse_with_params(&format!("{}{}", self.url, path(request, scope)), query);
        let mut url = url.map_err(|error| error.to_string())?;
        if url.query() == Some("") {
            url.set_query(None);
        }
        let credentials = match request.who {
            Who::Owner => &self.owner,
            other => self.others.get(&other).unwrap_or(&self.owner),
        };
        let mut call = self.client.request(method, url).headers(credentials.clone());
        let (content_type, body) = body(&request.body, details.carries, scope)?;
        if let Some(content_type) = content_type {
            call = call.header(CONTENT_TYPE, content_type);
        }
        for (name, value) in &request.headers {
            call = call.header(name, scope.text(value));
        }
        let answer = call.body(body).send().await.map_err(|error| told(&error))?;
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let body = answer.bytes().await.map_err(|error| told(&error))?;
        let json = serde_json::from_slice(&body).ok();
        Ok(Answer { status, headers, body, json })
    }
}

/// Why no answer came, without the URL.
fn told(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no answer within {} seconds", PATIENCE.as_secs());
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    format!("no answer: {cause}")
}

fn path(request: &Request, scope: &Scope) -> String {
    let template = request.operation.details().path;
    let escaped = |id: &str| utf8_percent_encode(id, SEGMENT).to_string();
    let id = match &request.target {
        Target::Home(id) => escaped(&scope.parts(id).join("$")),
        Target::Root => escaped("$"),
        Target::Absolute(id) => escaped(&scope.text(id)),
        Target::Delimited(id, delimiter) => escaped(&scope.parts(id).join(delimiter)),
        Target::Path(path) => return scope.text(path),
    };
    let index = escaped(&scope.text(&request.index));
    let slash = if request.slash { "/" } else { "" };
    format!("{}{slash}", template.replace("{id}", &id).replace("{index_name}", &index))
}

type Prepared = (Option<&'static str>, reqwest::Body);

fn body(body: &Body, carries: Carries, scope: &Scope) -> Result<Prepared, String> {
    let stream = |rows: &crate::rows::Rows| rows.stream().map_err(|error| error.to_string());
    Ok(match body {
        Body::Nothing if carries == Carries::Json => (Some("application/json"), reqwest::Body::from("")),
        Body::Nothing => (None, reqwest::Body::from("")),
        Body::Json(value) => (Some("application/json"), scope.value(value).to_string().into()),
        Body::Bytes(bytes) => {
            let kind = if carries == Carries::Rows { ARROW_STREAM } else { "application/json" };
            (Some(kind), bytes.clone().into())
        }
        Body::Rows(rows) => (Some(ARROW_STREAM), stream(rows)?.into()),
        Body::CutRows(rows) => {
            let mut bytes = stream(rows)?;
            bytes.truncate(bytes.len() * 2 / 3);
            (Some(ARROW_STREAM), bytes.into())
        }
        Body::BrokenRows(rows) => {
            let mut bytes = stream(rows)?;
            bytes.truncate(bytes.len() / 2);
            let parts = [Ok(Bytes::from(bytes)), Err(std::io::Error::other("broken off on purpose"))];
            (Some(ARROW_STREAM), reqwest::Body::wrap_stream(futures::stream::iter(parts)))
        }
    })
}
