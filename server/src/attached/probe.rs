//! Finding out which operations an upstream has. Those that carry rows are asked with no rows and about a
//! table that is not there: a body of rows is never sent to find out.

use http::{HeaderMap, HeaderValue, Method, header};
use lakeglass_ports::{NamesError, NamesResult};

use super::Attached;
use super::live::Live;
use super::upstream::{MOST_ERROR_BYTES, Outgoing, Patience, Upstream, read, refusal};

/// Operations whose body is rows.
const WITH_ROWS: [&str; 3] = ["table/create", "table/insert", "table/merge_insert"];
/// Names that nobody uses.
const NOWHERE: [&str; 2] = ["lakeglass-probe", "no-such-table"];

impl Attached {
    /// Asks an upstream for what has to be known beforehand. What it does not answer stays not known.
    pub(crate) async fn probe(&self, live: &Live) {
        for operation in WITH_ROWS {
            self.has(live, operation).await;
        }
    }

    /// Whether an upstream has an operation that carries rows; none: it cannot be told now.
    pub(crate) async fn has(&self, live: &Live, operation: &str) -> Option<bool> {
        if let Some(known) = live.supports(operation) {
            return Some(known);
        }
        let upstream = live.upstream().ok()?;
        let has = match ask(upstream, operation).await {
            Err(error) if error.is_unsupported() => false,
            // Whatever it says of no rows for no table, it has the operation.
            Ok(()) | Err(NamesError::Refused { code: 1..=14 | 19..=23, .. }) => true,
            Err(_) => return None,
        };
        self.learn(live, operation, has).await;
        Some(has)
    }
}

async fn ask(upstream: &Upstream, operation: &str) -> NamesResult<()> {
    let nowhere = NOWHERE.map(str::to_owned);
    let (surface, rest) = operation.split_once('/').unwrap_or((operation, ""));
    let mut headers = HeaderMap::new();
    let kind = HeaderValue::from_static("application/vnd.apache.arrow.stream");
    headers.insert(header::CONTENT_TYPE, kind);
    let on = (rest == "merge_insert").then(|| ("on".to_owned(), "id".to_owned()));
    let out = Outgoing {
        method: Method::POST,
        operation: operation.to_owned(),
        object: upstream.text(&nowhere)?,
        path: format!("/v1/{surface}/{}/{rest}", upstream.encoded(&nowhere)?),
        query: on.into_iter().chain(upstream.delimiter()).collect(),
        headers,
        body: reqwest::Body::default(),
        patience: Patience::metadata(),
        actor: None,
    };
    let response = upstream.send(out).await?;
    let status = response.status();
    if status.is_success() {
        return Ok(());
    }
    Err(refusal(status, &read(response, MOST_ERROR_BYTES).await?))
}
