//! Operations that read rows: query and count, and the plans of queries.

use axum::response::Response;
use lakeglass_api::{Role, TableRef};
use lakeglass_ports::{Projection, TableQuery, VectorQuery};

use super::call::{Call, With};
use super::errors::{of_table, required};
use super::requests::query::{Columns, CountRows, ExplainPlan, Query, Vectors};
use super::requests::version_ref;
use super::{arrow_out, full_text, responses};
use crate::Problem;
use crate::catalog::Resolved;

pub(super) async fn query(With { call, body }: With<Query>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let query = translate(body)?;
    let found = readable(&call, &table, Role::Reader).await?;
    let rows = call.app.engines.tables.query(&found.location, query).await.map_err(of_table)?;
    arrow_out::file(rows).await
}

/// A bare JSON text: how the query would run.
pub(super) async fn explain(With { call, body }: With<ExplainPlan>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let mut query = body.query.ok_or_else(|| required("query", "the query to explain"))?;
    query.branch = query.branch.or(body.branch);
    let query = translate(query)?;
    let found = readable(&call, &table, Role::Reader).await?;
    let verbose = body.verbose.unwrap_or(false);
    let plan = call.app.engines.tables.explain(&found.location, &query, verbose).await;
    Ok(responses::json(&plan.map_err(of_table)?))
}

/// A bare JSON text: how the query ran, its rows thrown away.
pub(super) async fn analyze(With { call, body }: With<Query>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let query = translate(body)?;
    let found = readable(&call, &table, Role::Reader).await?;
    let plan = call.app.engines.tables.analyze(&found.location, &query).await.map_err(of_table)?;
    Ok(responses::json(&plan))
}

async fn readable(call: &Call, table: &TableRef, need: Role) -> Result<Resolved, Problem> {
    call.app.catalog.resolve_written(&call.actor, table, need).await.map_err(of_table)
}

/// A bare number. Rows that a predicate keeps are as good as read, so that needs a reader.
pub(super) async fn count_rows(With { call, body }: With<CountRows>) -> Result<Response, Problem> {
    let table = call.existing_table()?;
    let at = version_ref(body.version, None, body.branch.as_deref())?;
    let predicate = body.predicate.as_deref().filter(|text| !text.trim().is_empty());
    let need = if predicate.is_some() { Role::Reader } else { Role::Viewer };
    let found = readable(&call, &table, need).await?;
    let engine = &call.app.engines.tables;
    let count = engine.count_rows(&found.location, &at, predicate).await.map_err(of_table)?;
    Ok(responses::json(&count))
}

/// A client's query as the engine takes it.
fn translate(query: Query) -> Result<TableQuery, Problem> {
    let at = version_ref(query.version, None, query.branch.as_deref())?;
    let k = query.k.ok_or_else(|| wrong("k", "is required: the number of rows, or 0 for all"))?;
    let limit = u64::try_from(k).map_err(|_| wrong("k", "is 0 or more; 0 is all"))?;
    let offset = u64::try_from(query.offset.unwrap_or(0)).map_err(|_| wrong("offset", "is 0 or more"))?;
    let (minimum_nprobes, maximum_nprobes) = probes(&query)?;
    let vectors = vectors(query.vector)?;
    let vector = (!vectors.is_empty()).then(|| VectorQuery {
        column: query.vector_column.filter(|name| !name.is_empty()),
        vectors,
        distance_type: query.distance_type.filter(|name| !name.is_empty()),
        minimum_nprobes,
        maximum_nprobes,
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
        full_text: query.full_text_query.map(full_text::read).transpose()?.flatten(),
        limit: (limit > 0).then_some(limit),
        offset,
        with_row_id: query.with_row_id.unwrap_or(false),
    })
}

/// Fewest and most partitions to search. The older word for exactly so many counts only without the
/// newer two, of which clients send 0 for "no most".
fn probes(query: &Query) -> Result<(Option<usize>, Option<usize>), Problem> {
    let (least, most) = match (query.minimum_nprobes, query.maximum_nprobes) {
        (None, None) => (query.nprobes, query.nprobes),
        (least, most) => (least, most.filter(|most| *most > 0)),
    };
    if least == Some(0) {
        return Err(wrong("nprobes", "is 1 or more"));
    }
    Ok((least.map(|count| count as usize), most.map(|count| count as usize)))
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
        Some(Columns::Pairs(pairs)) if !pairs.is_empty() => Projection::Aliases(pairs),
        Some(Columns::Aliases(pairs) | Columns::NestedAliases { column_aliases: pairs })
            if !pairs.0.is_empty() =>
        {
            Projection::Aliases(pairs.0)
        }
        _ => Projection::All,
    }
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
    fn partitions_to_search_are_exact_or_between_two_bounds() {
        let probes = |text: &str| {
            let query = translated(&format!(r#"{{"k": 1, "vector": [1], {text}}}"#))?;
            let vector = query.vector.unwrap();
            Ok::<_, Problem>((vector.minimum_nprobes, vector.maximum_nprobes))
        };
        assert_eq!(probes(r#""nprobes": 7"#).unwrap(), (Some(7), Some(7)));
        let remote = r#""nprobes": 20, "minimum_nprobes": 20, "maximum_nprobes": 0"#;
        assert_eq!(probes(remote).unwrap(), (Some(20), None));
        assert_eq!(probes(r#""maximum_nprobes": 3"#).unwrap(), (None, Some(3)));
        assert_eq!(probes(r#""nprobes": 0"#).unwrap_err().namespace_code, Some(13));
    }

    #[test]
    fn columns_and_versions_are_carried_over() {
        let query = translated(r#"{"k": 1, "columns": {"b": "x + 1", "a": "y"}, "version": 3}"#).unwrap();
        let aliases = vec![("b".to_owned(), "x + 1".to_owned()), ("a".to_owned(), "y".to_owned())];
        assert_eq!(query.projection, Projection::Aliases(aliases));
        assert_eq!(query.at, VersionRef::Version("3".to_owned()));
        let pairs = translated(r#"{"k": 1, "columns": [["b", "x + 1"], ["a", "y"]]}"#).unwrap();
        assert_eq!(pairs.projection, query.projection);
        let query = translated(r#"{"k": 1, "columns": []}"#).unwrap();
        assert_eq!(query.projection, Projection::All);
    }
}
