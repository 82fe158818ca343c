//! What a handler is given: who asks, about what, with which parameters and body.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode};
use lakeglass_api::TableRef;
use serde::Deserialize;

use super::ids::{BadTable, Identifier, Place};
use super::requests;
use super::{errors, gateway};
use crate::auth::Actor;
use crate::state::App;
use crate::{Config, Problem};

/// The header by which clients of the remote dialect name what their ids are relative to.
pub(super) const DATABASE_HEADER: &str = "x-lancedb-database";
/// The header by which servers say which of the remote dialect they understand.
const DIALECT_HEADER: &str = "phalanx-version";
/// Since 0.2 a query may hold several vectors, since 0.3 structured full-text queries. 0.4 would be
/// uploads in parts, which are not carried out here.
const DIALECT: &str = "0.3.0";

/// A request without its body.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) app: Arc<App>,
    pub(super) actor: Actor,
    pub(super) id: Identifier,
    pub(super) parameters: Parameters,
    /// The caller speaks the remote dialect, which needs a version and a schema with every table.
    pub(super) remote: bool,
}

/// Query parameters, decoded.
#[derive(Debug, Default)]
pub(super) struct Parameters(Vec<(String, String)>);

/// A request with a small body that is no usual JSON object.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) call: Call,
    pub(super) bytes: Bytes,
}

/// A request with a JSON body, whose id agrees with the route's.
#[derive(Debug)]
pub(super) struct With<T> {
    pub(super) call: Call,
    pub(super) body: T,
}

#[derive(Debug, Deserialize)]
struct IdPath {
    #[serde(default)]
    id: String,
}

impl FromRequestParts<Arc<App>> for Call {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let actor = Actor::from_request_parts(parts, app).await?;
        let parameters = Parameters::parse(parts.uri.query().unwrap_or_default());
        let path = Path::<IdPath>::from_request_parts(parts, app)
            .await
            .map_err(|_| Problem::invalid("The id in the path is not readable text").code(13))?;
        let database = parts.headers.get(DATABASE_HEADER).and_then(|value| value.to_str().ok());
        let id = Identifier::parse(&path.id, parameters.get("delimiter"), database)?;
        let id = gateway::instead(parts, id);
        Ok(Self { app: Arc::clone(app), actor, id, parameters, remote: database.is_some() })
    }
}

impl FromRequest<Arc<App>> for Raw {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        let call = Call::from_request_parts(&mut parts, app).await?;
        let bytes = bytes(parts, body, app).await?;
        Ok(Self { call, bytes })
    }
}

/// A small body, whole.
pub(super) async fn bytes(parts: Parts, body: Body, app: &Arc<App>) -> Result<Bytes, Problem> {
    Bytes::from_request(Request::from_parts(parts, body), app).await.map_err(|rejection| {
        if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
            errors::too_large(Config::MAX_JSON_BYTES as u64)
        } else {
            Problem::invalid("The body broke off before its end").code(13)
        }
    })
}

impl<T: Default + for<'de> Deserialize<'de>> FromRequest<Arc<App>> for With<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        let Raw { call, bytes } = Raw::from_request(request, app).await?;
        let (envelope, body) = requests::read::<T>(&bytes)?;
        if let Some(id) = &envelope.id {
            call.id.agrees(id)?;
        }
        Ok(Self { call, body })
    }
}

impl Call {
    /// The answer, which tells callers of the remote dialect how much of it is understood here. They look
    /// where a table is named first: when it is made, opened or listed.
    pub(super) fn announced(&self, mut answer: Response) -> Response {
        if self.remote {
            answer.headers_mut().insert(DIALECT_HEADER, HeaderValue::from_static(DIALECT));
        }
        answer
    }

    /// The table named, for operations on one that exists: a name that could not exist is not found.
    pub(super) fn existing_table(&self) -> Result<TableRef, Problem> {
        self.id.table().map_err(|bad| match bad {
            BadTable::Shallow => Problem::not_found(bad.to_string()).code(4),
            BadTable::Name(_) => Problem::not_found("There is no such table").code(4),
        })
    }

    /// The table named, for operations that make one: a name that breaks a rule is refused with it.
    pub(super) fn new_table(&self) -> Result<TableRef, Problem> {
        self.id.table().map_err(|bad| match bad {
            BadTable::Shallow => Problem::invalid(bad.to_string()).code(13),
            BadTable::Name(error) => Problem::from(error).code(13),
        })
    }

    pub(super) fn existing_place(&self) -> Result<Place, Problem> {
        self.id.place().map_err(|_| errors::no_namespace())
    }

    pub(super) fn new_place(&self) -> Result<Place, Problem> {
        self.id.place().map_err(|error| Problem::from(error).code(13))
    }
}

impl Parameters {
    pub(super) fn parse(query: &str) -> Self {
        Self(url::form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    /// The first value of a name; an empty one counts as absent.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// Every value of a name that may be repeated, empty ones aside.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let of_name = self.0.iter().filter(move |(key, value)| key == name && !value.is_empty());
        of_name.map(|(_, value)| value.as_str())
    }

    /// These, with what a body says of one; the body wins.
    pub(super) fn with(&self, name: &'static str, value: Option<impl ToString>) -> Self {
        let mut all = self.0.clone();
        if let Some(value) = value {
            all.retain(|(key, _)| key != name);
            all.push((name.to_owned(), value.to_string()));
        }
        Self(all)
    }

    /// A yes-or-no parameter, in any case.
    pub(super) fn flag(&self, name: &'static str) -> Result<Option<bool>, Problem> {
        match self.get(name).map(str::to_ascii_lowercase).as_deref() {
            None => Ok(None),
            Some("true" | "1") => Ok(Some(true)),
            Some("false" | "0") => Ok(Some(false)),
            Some(_) => Err(Problem::invalid(format!("{name} is true or false")).code(13)),
        }
    }

    /// A page's size: 1 or more.
    pub(super) fn limit(&self) -> Result<Option<usize>, Problem> {
        let Some(text) = self.get("limit") else { return Ok(None) };
        match text.parse::<u64>() {
            Ok(0) | Err(_) => Err(Problem::invalid("limit is a whole number, 1 or more").code(13)),
            Ok(limit) => Ok(Some(usize::try_from(limit).unwrap_or(usize::MAX))),
        }
    }

    pub(super) fn version(&self) -> Result<Option<u64>, Problem> {
        self.get("version")
            .map(|text| {
                text.parse().map_err(|_| Problem::invalid("A version is a whole number, 0 or more").code(13))
            })
            .transpose()
    }

    /// A JSON map of texts in one parameter, as creating a table takes it.
    pub(super) fn map(
        &self,
        name: &'static str,
    ) -> Result<Option<std::collections::BTreeMap<String, String>>, Problem> {
        self.get(name)
            .map(|text| {
                serde_json::from_str::<Option<_>>(text)
                    .map_err(|_| Problem::invalid(format!("{name} is a JSON map of texts")).code(13))
            })
            .transpose()
            .map(Option::flatten)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_limits_are_read_or_refused() {
        let parameters = Parameters::parse("a=TRUE&b=0&c=maybe&limit=25&d=");
        assert_eq!(parameters.flag("a").unwrap(), Some(true));
        assert_eq!(parameters.flag("b").unwrap(), Some(false));
        assert_eq!(parameters.flag("d").unwrap(), None);
        assert!(parameters.flag("c").is_err());
        assert_eq!(parameters.limit().unwrap(), Some(25));
        for bad in ["limit=0", "limit=-1", "limit=x"] {
            assert_eq!(Parameters::parse(bad).limit().unwrap_err().namespace_code, Some(13), "{bad}");
        }
    }

    #[test]
    fn a_map_parameter_is_json() {
        let parameters = Parameters::parse("properties=%7B%22a%22%3A%22b%22%7D&storage_options=null&bad=7");
        assert_eq!(parameters.map("properties").unwrap().unwrap()["a"], "b");
        assert_eq!(parameters.map("storage_options").unwrap(), None);
        assert!(parameters.map("bad").is_err());
    }
}
