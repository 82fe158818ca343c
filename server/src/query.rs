//! The query of an address, as an extractor that takes an empty parameter for one left out.
//!
//! A form sends every one of its fields, `?state=&kind=`, and who writes a client by hand does the same.
//! Neither asks for the state of that name.

use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// Parameters as `T` names them. What does not fit is a 400 that says which and why.
#[derive(Debug, Clone)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let sent = parts.uri.query().unwrap_or_default();
        let told = format!("/?{}", without_empty(sent)).parse().map_err(Problem::internal)?;
        let axum::extract::Query(read) = axum::extract::Query::try_from_uri(&told)
            .map_err(|rejection| Problem::invalid(rejection.body_text()))?;
        Ok(Self(read))
    }
}

fn without_empty(query: &str) -> String {
    let has_value = |pair: &&str| pair.split_once('=').is_some_and(|(_, value)| !value.is_empty());
    query.split('&').filter(has_value).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parameters_with_a_value_are_left() {
        assert_eq!(without_empty("state=&kind=a%26b&&flag&limit=5&search="), "kind=a%26b&limit=5");
        assert_eq!(without_empty(""), "");
    }
}
