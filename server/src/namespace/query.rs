//! Operations that read rows: query and count.

use axum::response::Response;
use lakeglass_api::Role;
use lakeglass_api::catalog::TableState;
use lakeglass_ports::{Projection, TableQuery, VectorQuery};

use super::call::With;
use super::errors::of_table;
use super::requests::{Columns, CountRows, FullText, Query, Vectors, version_ref};
use super::{arrow_out, responses, tables};
use crate::Problem;

pub(super) async fn query(With { call, body }: With<Query>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let query = translate(body)?;
    let resolved = tables::lance_table(&call, &table, Role::Reader).await?;
    if resolved.table.state == TableState::Declared {
        return Err(nothing_written());
    }
    let rows = call.app.engines.tables.query(&resolved.location, query).await.map_err(of_table)?;
    arrow_out::file(rows).await
}

/// A bare number. Rows that a predicate keeps are as good as read, so that needs a reader.
pub(super) async fn count_rows(With { call, body }: With<CountRows>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let at = version_ref(body.version, None, body.branch.as_deref())?;
    let predicate = body.predicate.as_deref().filter(|text| !text.trim().is_empty());
    let need = if predicate.is_some() { Role::Reader } else { Role::Viewer };
    let resolved = tables::lance_table(&call, &table, need).await?;
    if resolved.table.state == TableState::Declared {
        return Err(nothing_written());
    }
    let engine = &call.app.engines.tables;
    let count = engine.count_rows(&resolved.location, &at, predicate).await.map_err(of_table)?;
    Ok(responses::json(&count))
}

fn nothing_written() -> Problem {
    let detail = "The table is declared and nothing was written to it yet; insert rows first";
    Problem::conflict("only-declared", detail).code(19)
}

/// A client's query as the engine takes it.
fn translate(query: Query) -> Result<TableQuery, Problem> {
    let at = version_ref(query.version, None, query.branch.as_deref())?;
    let k = query.k.ok_or_else(|| wrong("k", "is required: the number of rows, or 0 for all"))?;
    let limit = u64::try_from(k).map_err(|_| wrong("k", "is 0 or more; 0 is all"))?;
    let offset = u64::try_from(query.offset.unwrap_or(0)).map_err(|_| wrong("offset", "is 0 or more"))?;
    let vectors = vectors(query.vector)?;
    let probes = query.nprobes.or(query.minimum_nprobes).or(query.maximum_nprobes);
    let vector = (!vectors.is_empty()).then(|| VectorQuery {
        column: query.vector_column.filter(|name| !name.is_empty()),
        vectors,
        distance_type: query.distance_type.filter(|name| !name.is_empty()),
        nprobes: probes.map(|count| count as usize),
        refine_factor: query.refine_factor,
        ef: query.ef.map(|ef| ef as usize),
        lower_bound: query.lower_bound,
        upper_bound: query.upper_bound,
        bypass_index: query.bypass_vector_index.unwrap_or(false),
        fast_search: query.fast_search.unwrap_or(false),
    });
    Ok(TableQuery {
        at,
        projection: projection(query.columns),
        filter: query.filter.filter(|filter| !filter.trim().is_empty()),
        prefilter: query.prefilter.unwrap_or(false),
        vector,
        full_text: query.full_text_query.map(full_text).transpose()?.flatten(),
        limit: (limit > 0).then_some(limit),
        offset,
        with_row_id: query.with_row_id.unwrap_or(false),
    })
}

fn wrong(field: &'static str, rule: &'static str) -> Problem {
    Problem::invalid(format!("{field} {rule}")).field(field, rule).code(13)
}

/// Query vectors, all of one length; none for a query without a vector.
fn vectors(given: Option<Vectors>) -> Result<Vec<Vec<f32>>, Problem> {
    let vectors = match given {
        None => Vec::new(),
        Some(Vectors::Flat(vector)) => vec![vector],
        Some(Vectors::Many(vectors)) => vectors,
        Some(Vectors::Named { single_vector: Some(_), multi_vector: Some(_) }) => {
            return Err(wrong("vector", "is either single_vector or multi_vector, not both"));
        }
        Some(Vectors::Named { single_vector, multi_vector }) => {
            single_vector.map(|vector| vec![vector]).or(multi_vector).unwrap_or_default()
        }
    };
    let vectors: Vec<_> = vectors.into_iter().filter(|vector| !vector.is_empty()).collect();
    if vectors.iter().any(|vector| vector.len() != vectors[0].len()) {
        return Err(wrong("vector", "lists must all be of one length"));
    }
    Ok(vectors)
}

fn projection(columns: Option<Columns>) -> Projection {
    match columns {
        Some(Columns::Names(names) | Columns::Nested { column_names: names }) if !names.is_empty() => {
            Projection::Columns(names)
        }
        Some(Columns::Aliases(pairs) | Columns::NestedAliases { column_aliases: pairs })
            if !pairs.0.is_empty() =>
        {
            Projection::Aliases(pairs.0)
        }
        _ => Projection::All,
    }
}

/// Text and columns of a full-text query; of structured ones, plain matches.
fn full_text(query: FullText) -> Result<Option<(String, Vec<String>)>, Problem> {
    let columns = query.columns.unwrap_or_default();
    if let Some(text) = query.string_query {
        return Ok(Some((text.query, text.columns.unwrap_or_default())));
    }
    let structured = query.structured_query.map(|structured| structured.query).or(query.query);
    match structured {
        None => Ok(None),
        Some(serde_json::Value::String(text)) => Ok(Some((text, columns))),
        Some(structured) => plain_match(&structured, columns).map(Some).ok_or_else(|| {
            Problem::new(
                http::StatusCode::NOT_ACCEPTABLE,
                "unsupported",
                "Of structured full-text queries, only a match of terms in columns is carried out here",
            )
            .code(0)
        }),
    }
}

/// `{"match": {"terms": …, "column": …}}` without any of its refinements, or several of the same terms.
fn plain_match(query: &serde_json::Value, columns: Vec<String>) -> Option<(String, Vec<String>)> {
    let one = |query: &serde_json::Value| -> Option<(String, Option<String>)> {
        let refined = query.as_object()?.iter().any(|(key, value)| match key.as_str() {
            "terms" | "column" | "max_expansions" => false,
            "boost" => value.as_f64().is_some_and(|boost| (boost - 1.0).abs() > f64::EPSILON),
            "fuzziness" | "prefix_length" => value.as_i64().is_some_and(|number| number != 0),
            "operator" => value.as_str().is_some_and(|operator| !operator.eq_ignore_ascii_case("or")),
            _ => !value.is_null(),
        });
        let terms = query.get("terms")?.as_str()?.to_owned();
        let column = query.get("column").and_then(serde_json::Value::as_str).map(str::to_owned);
        (!refined).then_some((terms, column))
    };
    if let Some(single) = query.get("match") {
        let (terms, column) = one(single)?;
        return Some((terms, column.map_or(columns, |column| vec![column])));
    }
    let several = query.get("multi_match")?.get("match_queries")?.as_array()?;
    let parts = several.iter().map(one).collect::<Option<Vec<_>>>()?;
    let terms = parts.first()?.0.clone();
    let same = parts.iter().all(|(other, column)| *other == terms && column.is_some());
    same.then(|| (terms, parts.into_iter().filter_map(|(_, column)| column).collect()))
}

#[cfg(test)]
mod tests {
    use lakeglass_ports::VersionRef;

    use super::*;
    use crate::namespace::requests::read;

    fn translated(text: &str) -> Result<TableQuery, Problem> {
        translate(read::<Query>(text.as_bytes())?.1)
    }

    #[test]
    fn k_zero_is_no_limit_and_offset_still_counts() {
        let query = translated(r#"{"vector": {}, "k": 0, "offset": 20}"#).unwrap();
        assert_eq!((query.limit, query.offset), (None, 20));
        assert!(query.vector.is_none());
        let query = translated(r#"{"vector": [], "k": 9223372036854775807}"#).unwrap();
        assert_eq!(query.limit, Some(i64::MAX.cast_unsigned()));
        for bad in [r"{}", r#"{"k": -1}"#, r#"{"k": 5, "offset": -1}"#] {
            assert_eq!(translated(bad).unwrap_err().namespace_code, Some(13), "{bad}");
        }
    }

    #[test]
    fn every_spelling_of_vectors_means_the_same() {
        for text in [
            r#"{"k": 2, "vector": [1, 0]}"#,
            r#"{"k": 2, "vector": [[1, 0]]}"#,
            r#"{"k": 2, "vector": {"single_vector": [1, 0]}}"#,
            r#"{"k": 2, "vector": {"multi_vector": [[1, 0]], "single_vector": null}}"#,
        ] {
            assert_eq!(translated(text).unwrap().vector.unwrap().vectors, [[1.0, 0.0]], "{text}");
        }
        assert!(translated(r#"{"k": 2, "vector": [[1, 0], [1]]}"#).is_err());
        assert!(translated(r#"{"k": 2, "vector": {"single_vector": [1], "multi_vector": [[1]]}}"#).is_err());
    }

    #[test]
    fn columns_and_versions_are_carried_over() {
        let query = translated(r#"{"k": 1, "columns": {"b": "x + 1", "a": "y"}, "version": 3}"#).unwrap();
        let aliases = vec![("b".to_owned(), "x + 1".to_owned()), ("a".to_owned(), "y".to_owned())];
        assert_eq!(query.projection, Projection::Aliases(aliases));
        assert_eq!(query.at, VersionRef::Version("3".to_owned()));
        let query = translated(r#"{"k": 1, "columns": []}"#).unwrap();
        assert_eq!(query.projection, Projection::All);
    }

    #[test]
    fn full_text_is_read_in_three_shapes_and_refused_in_others() {
        let text = |json: &str| translated(&format!(r#"{{"k": 1, "full_text_query": {json}}}"#));
        let puppy = Some(("puppy".to_owned(), vec!["t".to_owned()]));
        for json in [
            r#"{"string_query": {"query": "puppy", "columns": ["t"]}}"#,
            r#"{"query": "puppy", "columns": ["t"]}"#,
            r#"{"structured_query": {"query": {"match": {"terms": "puppy", "column": "t", "boost": 1.0}}}}"#,
            r#"{"query": {"multi_match": {"match_queries": [{"terms": "puppy", "column": "t"}]}}}"#,
        ] {
            assert_eq!(text(json).unwrap().full_text, puppy, "{json}");
        }
        assert_eq!(text("{}").unwrap().full_text, None);
        let phrase = text(r#"{"structured_query": {"query": {"phrase": {"terms": "a b"}}}}"#);
        assert_eq!(phrase.unwrap_err().namespace_code, Some(0));
    }
}
