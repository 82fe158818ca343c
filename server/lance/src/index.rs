//! Making indices, with parameters chosen from the table's size and the vectors' dimension.

use arrow_schema::DataType;
use lakeglass_ports::{Error, IndexRequest, Result, TableLocation, VersionRef};
use lance::Dataset;
use lance::index::DatasetIndexExt;
use lance::index::vector::VectorIndexParams;
use lance_index::scalar::{BuiltinIndexType, InvertedIndexParams, ScalarIndexParams};
use lance_index::vector::hnsw::builder::HnswBuildParams;
use lance_index::vector::ivf::IvfBuildParams;
use lance_index::vector::sq::builder::SQBuildParams;
use lance_index::{IndexParams, IndexType};
use lance_linalg::distance::DistanceType;

use crate::error::map;
use crate::open::Lake;
use crate::query::{distance, is_vector};

/// Rows a partition aims at.
const PARTITION_ROWS: usize = 4_096;
/// Bits of a product quantiser's code, and the rows it takes to train one.
const PQ_BITS: u8 = 8;
const PQ_ROWS: usize = 256;

const KINDS: &str = "BTREE, BITMAP, LABEL_LIST, FTS, IVF_FLAT, IVF_PQ, IVF_HNSW_SQ";

pub(crate) async fn create(lake: &Lake, location: &TableLocation, request: IndexRequest) -> Result<()> {
    let mut dataset = lake.open(location, &VersionRef::Latest, None).await?;
    let (kind, params) = plan(&dataset, &request).await?;
    let name = request.name.clone();
    dataset
        .create_index(&[request.column.as_str()], kind, name, params.as_ref(), request.replace)
        .await
        .map_err(|error| match error {
            // Lance says that an index of the name exists as an index error; ours says what to do.
            lance_core::Error::Index { message, .. } => Error::InvalidRequest(crate::error::clean(&message)),
            other => map(other),
        })?;
    lake.keep(location, &dataset).await;
    Ok(())
}

async fn plan(dataset: &Dataset, request: &IndexRequest) -> Result<(IndexType, Box<dyn IndexParams>)> {
    let field =
        dataset.schema().field(&request.column).ok_or_else(|| Error::NoSuchColumn(request.column.clone()))?;
    let scalar = |kind| Box::new(ScalarIndexParams::for_builtin(kind)) as Box<dyn IndexParams>;
    let word = request.kind.to_ascii_uppercase().replace('-', "_");
    Ok(match word.as_str() {
        "BTREE" => (IndexType::BTree, scalar(BuiltinIndexType::BTree)),
        "BITMAP" => (IndexType::Bitmap, scalar(BuiltinIndexType::Bitmap)),
        "LABEL_LIST" => (IndexType::LabelList, scalar(BuiltinIndexType::LabelList)),
        "FTS" | "INVERTED" => (IndexType::Inverted, Box::new(InvertedIndexParams::default())),
        "IVF_FLAT" | "IVF_PQ" | "IVF_HNSW_SQ" => {
            let data_type = field.data_type();
            if !is_vector(&data_type) {
                return Err(Error::InvalidRequest(format!("Column {} holds no vectors", request.column)));
            }
            let rows = dataset.count_rows(None).await.map_err(map)?;
            let metric = match &request.distance_type {
                Some(name) => distance(name)?,
                None => DistanceType::L2,
            };
            let (kind, params) = vector(&word, &data_type, rows, metric)?;
            (kind, Box::new(params))
        }
        _ => return Err(Error::InvalidRequest(format!("Not an index type. Use one of {KINDS}"))),
    })
}

fn vector(
    kind: &str,
    data_type: &DataType,
    rows: usize,
    metric: DistanceType,
) -> Result<(IndexType, VectorIndexParams)> {
    if rows == 0 {
        return Err(Error::InvalidRequest("The table has no rows to train a vector index on".to_owned()));
    }
    let partitions = (rows / PARTITION_ROWS).clamp(1, 4_096);
    let ivf = IvfBuildParams::new(partitions);
    Ok(match kind {
        "IVF_FLAT" => (IndexType::IvfFlat, VectorIndexParams::with_ivf_flat_params(metric, ivf)),
        "IVF_PQ" => {
            if rows < PQ_ROWS {
                return Err(Error::InvalidRequest(format!(
                    "IVF_PQ needs {PQ_ROWS} rows to train on and the table has {rows}. Use IVF_FLAT, or add rows"
                )));
            }
            let params = VectorIndexParams::ivf_pq(partitions, PQ_BITS, sub_vectors(data_type), metric, 50);
            (IndexType::IvfPq, params)
        }
        _ => (
            IndexType::IvfHnswSq,
            VectorIndexParams::with_ivf_hnsw_sq_params(
                metric,
                ivf,
                HnswBuildParams::default(),
                SQBuildParams::default(),
            ),
        ),
    })
}

/// Sub-vectors of 16 values where the dimension allows it, else of 8, else one whole.
fn sub_vectors(data_type: &DataType) -> usize {
    let dimension = match data_type {
        DataType::FixedSizeList(_, size) => *size,
        DataType::List(item) => match item.data_type() {
            DataType::FixedSizeList(_, size) => *size,
            _ => 1,
        },
        _ => 1,
    };
    let dimension = usize::try_from(dimension).unwrap_or(1);
    [16, 8].into_iter().find(|width| dimension % width == 0).map_or(1, |width| dimension / width)
}
