//! Full-text queries as clients send them, and as the engine takes them.
//!
//! A query comes as a text with columns, as one of the specification's five structures, or flat as the
//! remote dialect sends both.

use lakeglass_ports::{FullText, TextMatch, TextQuery};
use serde::{Deserialize, Deserializer};

use crate::Problem;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Sent {
    string_query: Option<StringQuery>,
    structured_query: Option<StructuredQuery>,
    /// The remote dialect's.
    query: Option<Form>,
    columns: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct StringQuery {
    query: String,
    columns: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct StructuredQuery {
    query: Form,
}

#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "a full-text query is a text, or one of match, phrase, boost, multi_match and boolean"
)]
enum Form {
    Text(String),
    Structured(Box<Structured>),
}

/// One of these.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Structured {
    r#match: Option<Match>,
    phrase: Option<Phrase>,
    boost: Option<Boost>,
    multi_match: Option<MultiMatch>,
    boolean: Option<Boolean>,
    /// Not of the specification.
    combined_fields: Option<serde::de::IgnoredAny>,
}

#[expect(clippy::option_option, reason = "absent, null and a value mean three things")]
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Match {
    terms: Option<String>,
    column: Option<String>,
    boost: Option<f32>,
    /// Absent: none. Null: by the length of each term.
    #[serde(deserialize_with = "present")]
    fuzziness: Option<Option<u32>>,
    max_expansions: Option<u32>,
    operator: Option<String>,
    prefix_length: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Phrase {
    terms: Option<String>,
    column: Option<String>,
    slop: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the specification's names")]
struct Boost {
    positive: Box<Structured>,
    negative: Box<Structured>,
    negative_boost: Option<f32>,
}

/// Matches, or as older clients send them the same text in several columns.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct MultiMatch {
    match_queries: Option<Vec<Match>>,
    query: Option<String>,
    columns: Option<Vec<String>>,
    boost: Option<Vec<f32>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Boolean {
    must: Option<Vec<Structured>>,
    should: Option<Vec<Structured>>,
    must_not: Option<Vec<Structured>>,
}

/// Tells an absent value from a null one.
#[expect(clippy::option_option, reason = "absent, null and a value mean three things")]
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<u32>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

fn wrong(rule: &str) -> Problem {
    let detail = format!("full_text_query: {rule}");
    Problem::invalid(detail).field("full_text_query", rule).code(13)
}

/// The query that was sent; none when there is none in what was sent.
pub(super) fn read(sent: Sent) -> Result<Option<FullText>, Problem> {
    let columns = sent.columns.unwrap_or_default();
    if let Some(text) = sent.string_query {
        return Ok(Some(FullText::terms(text.query, text.columns.unwrap_or_default())));
    }
    match sent.structured_query.map(|structured| structured.query).or(sent.query) {
        None => Ok(None),
        Some(Form::Text(text)) => Ok(Some(FullText::terms(text, columns))),
        Some(Form::Structured(query)) => Ok(Some(FullText { query: structured(*query)?, columns })),
    }
}

fn structured(query: Structured) -> Result<TextQuery, Problem> {
    if query.combined_fields.is_some() {
        let detail = "Of full-text queries, combined_fields is not carried out here; use multi_match";
        return Err(Problem::new(http::StatusCode::NOT_ACCEPTABLE, "unsupported", detail).code(0));
    }
    match query {
        Structured {
            r#match: Some(one),
            phrase: None,
            boost: None,
            multi_match: None,
            boolean: None,
            ..
        } => Ok(TextQuery::Match(matching(one)?)),
        Structured {
            phrase: Some(one),
            r#match: None,
            boost: None,
            multi_match: None,
            boolean: None,
            ..
        } => Ok(TextQuery::Phrase {
            terms: one.terms.ok_or_else(|| wrong("a phrase needs terms"))?,
            column: named(one.column),
            slop: one.slop.unwrap_or(0),
        }),
        Structured {
            boost: Some(one),
            r#match: None,
            phrase: None,
            multi_match: None,
            boolean: None,
            ..
        } => Ok(TextQuery::Boost {
            positive: Box::new(structured(*one.positive)?),
            negative: Box::new(structured(*one.negative)?),
            negative_boost: one.negative_boost.unwrap_or(0.5),
        }),
        Structured {
            multi_match: Some(one),
            r#match: None,
            phrase: None,
            boost: None,
            boolean: None,
            ..
        } => Ok(TextQuery::MultiMatch(several(one)?)),
        Structured {
            boolean: Some(one),
            r#match: None,
            phrase: None,
            boost: None,
            multi_match: None,
            ..
        } => {
            let all = |queries: Option<Vec<Structured>>| {
                queries.unwrap_or_default().into_iter().map(structured).collect::<Result<Vec<_>, _>>()
            };
            Ok(TextQuery::Boolean {
                must: all(one.must)?,
                should: all(one.should)?,
                must_not: all(one.must_not)?,
            })
        }
        _ => Err(wrong("a query is exactly one of match, phrase, boost, multi_match and boolean")),
    }
}

fn named(column: Option<String>) -> Option<String> {
    column.filter(|name| !name.is_empty())
}

fn matching(one: Match) -> Result<TextMatch, Problem> {
    let terms = one.terms.ok_or_else(|| wrong("a match needs terms"))?;
    let plain = TextMatch::new(terms, named(one.column));
    let all_terms = match one.operator.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None | Some("" | "or") => false,
        Some("and") => true,
        Some(_) => return Err(wrong("an operator is And or Or")),
    };
    Ok(TextMatch {
        boost: one.boost.unwrap_or(plain.boost),
        fuzziness: one.fuzziness.unwrap_or(plain.fuzziness),
        max_expansions: one.max_expansions.unwrap_or(plain.max_expansions),
        prefix_length: one.prefix_length.unwrap_or(plain.prefix_length),
        all_terms,
        ..plain
    })
}

fn several(one: MultiMatch) -> Result<Vec<TextMatch>, Problem> {
    if let Some(queries) = one.match_queries {
        return queries.into_iter().map(matching).collect();
    }
    let (Some(terms), Some(columns)) = (one.query, one.columns) else {
        return Err(wrong("a multi_match needs match_queries"));
    };
    let boosts = one.boost.unwrap_or_else(|| vec![1.0; columns.len()]);
    if boosts.len() != columns.len() {
        return Err(wrong("a multi_match has as many boosts as columns"));
    }
    let matches = columns
        .into_iter()
        .zip(boosts)
        .map(|(column, boost)| TextMatch { boost, ..TextMatch::new(terms.clone(), Some(column)) });
    Ok(matches.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(json: &str) -> Result<Option<FullText>, Problem> {
        read(serde_json::from_str(json).unwrap())
    }

    fn one(terms: &str, column: &str) -> TextMatch {
        TextMatch::new(terms, Some(column.to_owned()))
    }

    #[test]
    fn a_text_is_read_in_both_dialects() {
        let puppy = Some(FullText::terms("puppy", vec!["t".to_owned()]));
        for json in [
            r#"{"string_query": {"query": "puppy", "columns": ["t"]}}"#,
            r#"{"query": "puppy", "columns": ["t"]}"#,
        ] {
            assert_eq!(query(json).unwrap(), puppy, "{json}");
        }
        assert_eq!(query("{}").unwrap(), None);
        assert_eq!(query(r#"{"string_query": null, "structured_query": null}"#).unwrap(), None);
    }

    #[test]
    fn every_structure_is_read_with_its_options() {
        let read = |json: &str| query(json).unwrap().unwrap().query;
        let fuzzy = TextMatch {
            boost: 2.0,
            fuzziness: None,
            max_expansions: 7,
            prefix_length: 1,
            all_terms: true,
            ..one("a b", "t")
        };
        let sent = r#"{"structured_query": {"query": {"match": {"terms": "a b", "column": "t", "boost": 2,
            "fuzziness": null, "max_expansions": 7, "operator": "AND", "prefix_length": 1}}}}"#;
        assert_eq!(read(sent), TextQuery::Match(fuzzy));
        let sent = r#"{"query": {"phrase": {"terms": "a b", "column": "t", "slop": 2}}}"#;
        let phrase = TextQuery::Phrase { terms: "a b".to_owned(), column: Some("t".to_owned()), slop: 2 };
        assert_eq!(read(sent), phrase);
        let sent = r#"{"query": {"boost": {"positive": {"match": {"terms": "a", "column": "t"}},
            "negative": {"match": {"terms": "b", "column": "t"}}}}}"#;
        let boost = TextQuery::Boost {
            positive: Box::new(TextQuery::Match(one("a", "t"))),
            negative: Box::new(TextQuery::Match(one("b", "t"))),
            negative_boost: 0.5,
        };
        assert_eq!(read(sent), boost);
        let several = TextQuery::MultiMatch(vec![one("a", "t"), one("a", "u")]);
        for sent in [
            r#"{"query": {"multi_match": {"match_queries": [{"terms": "a", "column": "t"},
                {"terms": "a", "column": "u"}]}}}"#,
            r#"{"query": {"multi_match": {"query": "a", "columns": ["t", "u"]}}}"#,
        ] {
            assert_eq!(read(sent), several);
        }
        let sent = r#"{"structured_query": {"query": {"boolean": {"must": [{"match": {"terms": "a"}}],
            "should": [], "must_not": [{"phrase": {"terms": "b c"}}]}}}}"#;
        let boolean = TextQuery::Boolean {
            must: vec![TextQuery::Match(TextMatch::new("a", None))],
            should: Vec::new(),
            must_not: vec![TextQuery::Phrase { terms: "b c".to_owned(), column: None, slop: 0 }],
        };
        assert_eq!(read(sent), boolean);
    }

    #[test]
    fn what_is_no_query_is_refused_with_the_rule() {
        for json in [
            r#"{"query": {}}"#,
            r#"{"query": {"match": {"column": "t"}}}"#,
            r#"{"query": {"match": {"terms": "a", "operator": "xor"}}}"#,
            r#"{"query": {"match": {"terms": "a"}, "phrase": {"terms": "b"}}}"#,
            r#"{"query": {"multi_match": {}}}"#,
        ] {
            assert_eq!(query(json).unwrap_err().namespace_code, Some(13), "{json}");
        }
        let combined = query(r#"{"query": {"combined_fields": {"query": "a", "columns": ["t"]}}}"#);
        assert_eq!(combined.unwrap_err().namespace_code, Some(0));
    }
}
