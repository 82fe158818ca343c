//! Queries as the Lance Namespace specification shapes them: vector, full text, filter, projection.

use std::sync::Arc;

use arrow_array::{Array, FixedSizeListArray, Float32Array, ListArray};
use arrow_schema::{DataType, Field};
use lakeglass_ports::{BatchStream, Error, Projection, Result, TableLocation, TableQuery, VectorQuery};
use lance::Dataset;
use lance::dataset::scanner::Scanner;
use lance_linalg::distance::DistanceType;

use crate::error::map;
use crate::full_text;
use crate::open::Lake;
use crate::write::into_batches;

/// Neighbours of a vector query without a limit: every row, up to what the search accepts.
const ALL_NEIGHBOURS: u64 = 1 << 31;

pub(crate) async fn query(lake: &Lake, location: &TableLocation, query: &TableQuery) -> Result<BatchStream> {
    let dataset = lake.open(location, &query.at, None).await?;
    let stream = scanner(&dataset, query).await?.try_into_stream().await.map_err(map)?;
    Ok(into_batches(stream.into()))
}

/// A scan that answers a query, ready to be run or explained.
pub(crate) async fn scanner(dataset: &Dataset, query: &TableQuery) -> Result<Scanner> {
    let mut scan = dataset.scan();
    // Before the vector: whether fragments may be searched depends on it.
    scan.prefilter(query.prefilter);
    match &query.projection {
        Projection::All => {}
        Projection::Columns(columns) => {
            for column in columns {
                known(dataset, column)?;
            }
            scan.project(columns).map_err(map)?;
        }
        Projection::Aliases(aliases) => {
            scan.project_with_transform(aliases).map_err(map)?;
        }
    }
    if let Some(filter) = &query.filter {
        scan.filter(filter).map_err(map)?;
    }
    if let Some(vector) = &query.vector {
        nearest(&mut scan, dataset, vector, query).await?;
    }
    if let Some(text) = &query.full_text {
        let wanted = query.limit.map(|limit| limit.saturating_add(query.offset));
        let wanted = wanted.and_then(|wanted| i64::try_from(wanted).ok());
        scan.full_text_search(full_text::search(text)?.limit(wanted)).map_err(map)?;
    }
    let several = query.vector.as_ref().is_some_and(|vector| vector.vectors.len() > 1);
    // Several vectors answer with the limit each; it is applied by the search, not to the whole.
    if !several && (query.limit.is_some() || query.offset > 0) {
        let limit = query.limit.map(signed).transpose()?;
        scan.limit(limit, Some(signed(query.offset)?)).map_err(map)?;
    }
    if query.with_row_id {
        scan.with_row_id();
    }
    Ok(scan)
}

fn signed(number: u64) -> Result<i64> {
    i64::try_from(number).map_err(|_| Error::InvalidRequest("Limit and offset end at 2^63-1".to_owned()))
}

/// Refuses a column that is not there by its name; nested ones are left to Lance.
fn known(dataset: &Dataset, column: &str) -> Result<()> {
    let generated = column.starts_with('_') || column == "query_index";
    if generated
        || dataset.schema().field(column).is_some()
        || dataset.schema().fields.iter().any(|f| f.name == column)
    {
        Ok(())
    } else {
        Err(Error::NoSuchColumn(column.to_owned()))
    }
}

async fn nearest(
    scan: &mut Scanner,
    dataset: &Dataset,
    vector: &VectorQuery,
    query: &TableQuery,
) -> Result<()> {
    let column = match &vector.column {
        Some(name) => name.clone(),
        None => only_vector_column(dataset)?,
    };
    let field = dataset.schema().field(&column).ok_or_else(|| Error::NoSuchColumn(column.clone()))?;
    let data_type = field.data_type();
    let k = match query.limit {
        Some(limit) => limit.saturating_add(query.offset),
        None => dataset.count_rows(None).await.map_err(map)? as u64,
    };
    let k = usize::try_from(k.clamp(1, ALL_NEIGHBOURS)).unwrap_or(usize::MAX);
    let key = key(&vector.vectors, &data_type, &column)?;
    scan.nearest(&column, key.as_ref(), k).map_err(map)?;
    if let Some(name) = &vector.distance_type {
        scan.distance_metric(distance(name)?);
    }
    if let (Some(minimum), Some(maximum)) = (vector.minimum_nprobes, vector.maximum_nprobes)
        && minimum > maximum
    {
        return Err(Error::InvalidRequest("minimum_nprobes is at most maximum_nprobes".to_owned()));
    }
    if let Some(minimum) = vector.minimum_nprobes {
        scan.minimum_nprobes(minimum);
    }
    if let Some(maximum) = vector.maximum_nprobes {
        scan.maximum_nprobes(maximum);
    }
    if let Some(factor) = vector.refine_factor {
        scan.refine(factor);
    }
    if let Some(ef) = vector.ef {
        scan.ef(ef);
    }
    if vector.lower_bound.is_some() || vector.upper_bound.is_some() {
        scan.distance_range(vector.lower_bound, vector.upper_bound);
    }
    if vector.bypass_index {
        scan.use_index(false);
    }
    if vector.fast_search {
        scan.fast_search();
    }
    Ok(())
}

/// The query as Lance wants it: one vector as plain values, several as a list.
fn key(vectors: &[Vec<f32>], column_type: &DataType, column: &str) -> Result<Arc<dyn Array>> {
    let empty = || Error::InvalidRequest("A query vector is empty".to_owned());
    let first = vectors.first().ok_or_else(empty)?;
    let dimension = i32::try_from(first.len()).ok().filter(|dimension| *dimension > 0).ok_or_else(empty)?;
    if vectors.iter().any(|vector| vector.len() != first.len()) {
        return Err(Error::InvalidRequest("Query vectors have different dimensions".to_owned()));
    }
    let expected = match column_type {
        DataType::FixedSizeList(_, size) => Some(*size),
        DataType::List(item) => match item.data_type() {
            DataType::FixedSizeList(_, size) => Some(*size),
            _ => None,
        },
        _ => None,
    };
    match expected {
        None => return Err(Error::InvalidRequest(format!("Column {column} holds no vectors"))),
        Some(size) if size != dimension => {
            return Err(Error::InvalidRequest(format!(
                "Column {column} holds vectors of dimension {size}; the query has {dimension}"
            )));
        }
        Some(_) => {}
    }
    let values = Float32Array::from_iter_values(vectors.iter().flatten().copied());
    if vectors.len() == 1 {
        return Ok(Arc::new(values));
    }
    let item = Arc::new(Field::new("item", DataType::Float32, true));
    let lists = FixedSizeListArray::try_new(Arc::clone(&item), dimension, Arc::new(values), None)
        .map_err(Error::internal)?;
    if matches!(column_type, DataType::List(_)) {
        // Several vectors against a multivector column are one query.
        return Ok(Arc::new(ListArray::from(lists)));
    }
    Ok(Arc::new(lists))
}

fn only_vector_column(dataset: &Dataset) -> Result<String> {
    let mut columns = dataset.schema().fields.iter().filter(|field| is_vector(&field.data_type()));
    match (columns.next(), columns.next()) {
        (Some(only), None) => Ok(only.name.clone()),
        (None, _) => Err(Error::InvalidRequest("The table has no vector column".to_owned())),
        (Some(_), Some(_)) => Err(Error::InvalidRequest(
            "The table has several vector columns. Name one as vector_column".to_owned(),
        )),
    }
}

pub(crate) fn is_vector(data_type: &DataType) -> bool {
    match data_type {
        DataType::FixedSizeList(item, _) => {
            item.data_type().is_floating() || *item.data_type() == DataType::UInt8
        }
        DataType::List(item) => {
            matches!(item.data_type(), DataType::FixedSizeList(..)) && is_vector(item.data_type())
        }
        _ => false,
    }
}

/// A distance by the specification's words, in any case.
pub(crate) fn distance(name: &str) -> Result<DistanceType> {
    match name.to_ascii_lowercase().as_str() {
        "l2" | "euclidean" => Ok(DistanceType::L2),
        "cosine" => Ok(DistanceType::Cosine),
        "dot" => Ok(DistanceType::Dot),
        "hamming" => Ok(DistanceType::Hamming),
        _ => Err(Error::InvalidRequest("A distance type is l2, cosine, dot or hamming".to_owned())),
    }
}
