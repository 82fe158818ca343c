//! Lance's parameters of an index, from what a client gave, the rows and the vectors' dimension.

use arrow_schema::DataType;
use lakeglass_ports::{Error, IndexRequest, Result, TextOptions, VectorOptions};
use lance::index::vector::VectorIndexParams;
use lance_index::scalar::{BuiltinIndexType, InvertedIndexParams, ScalarIndexParams};
use lance_index::vector::bq::RQBuildParams;
use lance_index::vector::hnsw::builder::HnswBuildParams;
use lance_index::vector::ivf::IvfBuildParams;
use lance_index::vector::pq::PQBuildParams;
use lance_index::vector::sq::builder::SQBuildParams;
use lance_index::{IndexParams, IndexType};
use lance_linalg::distance::DistanceType;

use super::plan::Plan;
use crate::error::map;
use crate::query::distance;

/// Rows that a partition aims at, when a client does not say.
const PARTITION_ROWS: u64 = 4_096;
const MOST_PARTITIONS: u64 = 4_096;
/// Bits of a product quantiser's code.
const PQ_BITS: u32 = 8;

pub(super) fn of(plan: &Plan, request: &IndexRequest) -> Result<Box<dyn IndexParams>> {
    if plan.kind.is_vector() {
        let metric = request.distance_type.as_deref().map_or(Ok(DistanceType::L2), distance)?;
        return Ok(Box::new(vector(plan, &request.vector, metric)?));
    }
    if plan.kind == IndexType::Inverted {
        return Ok(Box::new(text(&request.text)?));
    }
    let builtin = BuiltinIndexType::try_from(plan.kind).map_err(map)?;
    Ok(Box::new(ScalarIndexParams::for_builtin(builtin)))
}

fn text(options: &TextOptions) -> Result<InvertedIndexParams> {
    let mut given = serde_json::Map::new();
    let mut set = |key: &str, value: Option<serde_json::Value>| {
        if let Some(value) = value {
            given.insert(key.to_owned(), value);
        }
    };
    set("with_position", options.positions.map(Into::into));
    set("base_tokenizer", options.tokenizer.clone().map(Into::into));
    set("language", options.language.clone().map(Into::into));
    set("max_token_length", options.longest_term.map(Into::into));
    set("lower_case", options.lower_case.map(Into::into));
    set("stem", options.stem.map(Into::into));
    set("remove_stop_words", options.remove_stop_words.map(Into::into));
    set("ascii_folding", options.ascii_folding.map(Into::into));
    set("min_ngram_length", options.shortest_ngram.map(Into::into));
    set("max_ngram_length", options.longest_ngram.map(Into::into));
    set("prefix_only", options.prefix_only.map(Into::into));
    let params: InvertedIndexParams = serde_json::from_value(given.into())
        .map_err(|error| wrong(crate::error::clean(&error.to_string())))?;
    // A tokenizer or language that Lance does not know shows only when one is made of it.
    params.build().map_err(|error| match map(error) {
        Error::Internal(source) => wrong(crate::error::clean(&source.to_string())),
        other => other,
    })?;
    Ok(params)
}

fn vector(plan: &Plan, options: &VectorOptions, metric: DistanceType) -> Result<VectorIndexParams> {
    if plan.rows == 0 {
        return Err(wrong("The table has no rows to train a vector index on"));
    }
    let ivf = ivf(plan, options)?;
    let params = match plan.kind {
        IndexType::IvfFlat => VectorIndexParams::with_ivf_flat_params(metric, ivf),
        IndexType::IvfSq => VectorIndexParams::with_ivf_sq_params(metric, ivf, sq(options)?),
        IndexType::IvfPq => VectorIndexParams::with_ivf_pq_params(metric, ivf, pq(plan, options)?),
        IndexType::IvfRq => VectorIndexParams::with_ivf_rq_params(metric, ivf, rq(plan, options)?),
        IndexType::IvfHnswFlat => VectorIndexParams::ivf_hnsw(metric, ivf, hnsw(options)?),
        IndexType::IvfHnswSq => {
            VectorIndexParams::with_ivf_hnsw_sq_params(metric, ivf, hnsw(options)?, sq(options)?)
        }
        IndexType::IvfHnswPq => {
            VectorIndexParams::with_ivf_hnsw_pq_params(metric, ivf, hnsw(options)?, pq(plan, options)?)
        }
        other => return Err(wrong(format!("{other} is not a vector index"))),
    };
    Ok(params)
}

fn ivf(plan: &Plan, options: &VectorOptions) -> Result<IvfBuildParams> {
    let given = within("num_partitions", options.partitions, 1, 1 << 20)?.map(u64::from);
    let aim = within("target_partition_size", options.partition_rows, 1, u32::MAX)?;
    let aim = aim.map_or(PARTITION_ROWS, u64::from);
    let partitions = given.unwrap_or((plan.rows / aim).clamp(1, MOST_PARTITIONS));
    if partitions > plan.rows {
        return Err(wrong(format!(
            "num_partitions is {partitions}, and the table has {} rows; use fewer",
            plan.rows
        )));
    }
    let mut ivf = IvfBuildParams::new(usize::try_from(partitions).unwrap_or(1));
    if let Some(rate) = within("sample_rate", options.sample_rate, 1, 1 << 20)? {
        ivf.sample_rate = rate as usize;
    }
    if let Some(iterations) = within("max_iterations", options.iterations, 1, 10_000)? {
        ivf.max_iters = iterations as usize;
    }
    Ok(ivf)
}

fn pq(plan: &Plan, options: &VectorOptions) -> Result<PQBuildParams> {
    let bits = options.bits.unwrap_or(PQ_BITS);
    if bits != 4 && bits != PQ_BITS {
        return Err(wrong("num_bits of a product quantiser is 4 or 8"));
    }
    let needed = 1_u64 << bits;
    if plan.rows < needed {
        return Err(wrong(format!(
            "{} needs {needed} rows to train on and the table has {}. Use IVF_FLAT, or add rows",
            plan.word, plan.rows
        )));
    }
    let dimension = dimension(&plan.data_type);
    let parts = options.sub_vectors.map_or_else(|| sub_vectors(dimension), |given| given as usize);
    if parts == 0 || !dimension.is_multiple_of(parts) {
        return Err(wrong(format!("num_sub_vectors must divide the vectors' dimension, {dimension}")));
    }
    if bits == 4 && !parts.is_multiple_of(2) {
        return Err(wrong("num_sub_vectors must be even when num_bits is 4"));
    }
    let mut pq =
        PQBuildParams { num_sub_vectors: parts, num_bits: bits as usize, ..PQBuildParams::default() };
    if let Some(rate) = options.sample_rate {
        pq.sample_rate = rate as usize;
    }
    if let Some(iterations) = options.iterations {
        pq.max_iters = iterations as usize;
    }
    Ok(pq)
}

fn sq(options: &VectorOptions) -> Result<SQBuildParams> {
    let mut sq = SQBuildParams::default();
    if options.bits.is_some_and(|bits| bits != 8) {
        return Err(wrong("num_bits of a scalar quantiser is 8"));
    }
    if let Some(rate) = options.sample_rate {
        sq.sample_rate = rate as usize;
    }
    Ok(sq)
}

fn rq(plan: &Plan, options: &VectorOptions) -> Result<RQBuildParams> {
    let dimension = dimension(&plan.data_type);
    if !dimension.is_multiple_of(8) {
        return Err(wrong(format!(
            "IVF_RQ needs vectors whose dimension is a multiple of 8, not {dimension}"
        )));
    }
    let bits = within("num_bits", options.bits, 1, 9)?.unwrap_or(1);
    Ok(RQBuildParams::new(u8::try_from(bits).unwrap_or(1)))
}

fn hnsw(options: &VectorOptions) -> Result<HnswBuildParams> {
    let mut hnsw = HnswBuildParams::default();
    if let Some(edges) = within("m", options.edges, 4, 1_024)? {
        hnsw = hnsw.num_edges(edges as usize);
    }
    if let Some(ef) = within("ef_construction", options.ef_construction, 4, 10_000)? {
        hnsw = hnsw.ef_construction(ef as usize);
    }
    if hnsw.ef_construction < hnsw.m {
        return Err(wrong(format!("ef_construction is at least m, {}", hnsw.m)));
    }
    Ok(hnsw)
}

fn within(name: &str, given: Option<u32>, least: u32, most: u32) -> Result<Option<u32>> {
    match given {
        Some(number) if number < least || number > most => {
            Err(wrong(format!("{name} is a number from {least} to {most}")))
        }
        other => Ok(other),
    }
}

fn dimension(data_type: &DataType) -> usize {
    match data_type {
        DataType::FixedSizeList(_, size) => usize::try_from(*size).unwrap_or(1),
        DataType::List(item) => dimension(item.data_type()),
        _ => 1,
    }
}

/// Sub-vectors of 16 values where the dimension allows it, else of 8, else one whole.
fn sub_vectors(dimension: usize) -> usize {
    [16, 8].into_iter().find(|width| dimension.is_multiple_of(*width)).map_or(1, |width| dimension / width)
}

fn wrong(rule: impl Into<String>) -> Error {
    Error::InvalidRequest(rule.into())
}
