//! Full-text queries as Lance takes them.

use lakeglass_ports::{Error, FullText, Result, TextMatch, TextQuery};
use lance_index::scalar::FullTextSearchQuery;
use lance_index::scalar::inverted::query::{
    BooleanQuery, BoostQuery, FtsQuery, MatchQuery, MultiMatchQuery, Operator, PhraseQuery,
    fill_fts_query_column,
};

/// How deep queries may stand in each other.
const DEPTH: usize = 16;

/// A query with its default columns filled in where parts of it name none.
pub(crate) fn search(text: &FullText) -> Result<FullTextSearchQuery> {
    let mut query = translated(&text.query, 0)?;
    if !text.columns.is_empty() && query.is_missing_column() {
        query = fill_fts_query_column(&query, &text.columns, false).map_err(crate::error::map)?;
    }
    Ok(FullTextSearchQuery::new_query(query))
}

fn invalid(message: &str) -> Error {
    Error::InvalidRequest(message.to_owned())
}

fn translated(query: &TextQuery, depth: usize) -> Result<FtsQuery> {
    if depth > DEPTH {
        return Err(invalid("The full-text query is nested too deep"));
    }
    let inner = |query: &TextQuery| translated(query, depth + 1);
    let all = |queries: &[TextQuery]| queries.iter().map(inner).collect::<Result<Vec<_>>>();
    Ok(match query {
        TextQuery::Match(one) => FtsQuery::Match(matching(one)?),
        TextQuery::Phrase { terms, column, slop } => {
            FtsQuery::Phrase(PhraseQuery::new(terms.clone()).with_column(column.clone()).with_slop(*slop))
        }
        TextQuery::Boost { positive, negative, negative_boost } => FtsQuery::Boost(BoostQuery::new(
            inner(positive)?,
            inner(negative)?,
            Some(finite(*negative_boost)?),
        )),
        TextQuery::MultiMatch(matches) => {
            if matches.is_empty() {
                return Err(invalid("A multi-match query needs one match at least"));
            }
            let match_queries = matches.iter().map(matching).collect::<Result<Vec<_>>>()?;
            FtsQuery::MultiMatch(MultiMatchQuery { match_queries })
        }
        TextQuery::Boolean { must, should, must_not } => {
            if must.is_empty() && should.is_empty() {
                return Err(invalid("A boolean query needs something that must or should match"));
            }
            FtsQuery::Boolean(BooleanQuery {
                must: all(must)?,
                should: all(should)?,
                must_not: all(must_not)?,
            })
        }
    })
}

fn matching(one: &TextMatch) -> Result<MatchQuery> {
    let operator = if one.all_terms { Operator::And } else { Operator::Or };
    Ok(MatchQuery::new(one.terms.clone())
        .with_column(one.column.clone())
        .with_boost(finite(one.boost)?)
        .with_fuzziness(one.fuzziness)
        .with_max_expansions(one.max_expansions as usize)
        .with_prefix_length(one.prefix_length)
        .with_operator(operator))
}

fn finite(boost: f32) -> Result<f32> {
    if boost.is_finite() && boost >= 0.0 { Ok(boost) } else { Err(invalid("A boost is a number, 0 or more")) }
}
