//! How long our preview takes, as a ratio over a bare Lance scan in the same process.
//!
//! `preview_bench [ROWS] [ROUNDS] [FOLDER] [JSON]`: a table of ROWS rows (1,000,000) with a vector of
//! 768 values and 12 plain columns is made in FOLDER (a temporary one) unless it is there. Each case is
//! answered by both, answers are compared first, then rounds alternate and medians are divided. The
//! ratios are printed, and written to the file JSON when one is named.

#![allow(clippy::print_stdout, reason = "a command that reports to a terminal")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{
    ArrayRef, BooleanArray, FixedSizeListArray, Float32Array, Float64Array, Int32Array, Int64Array,
    RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field};
use arrow_select::concat::concat_batches;
use datafusion::common::Column;
use datafusion::logical_expr::{Expr, lit};
use futures::StreamExt;
use lakeglass_api::FormatId;
use lakeglass_lance::CacheSize;
use lakeglass_ports::{
    BatchStream, Condition, ConditionValue, CreateMode, Describer, Grant, Operator, PreviewRequest, Subject,
    TableEngine, TableLocation, VersionRef,
};
use lance::Dataset;
use object_store::local::LocalFileSystem;
use object_store::path::Path;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

const DIMENSION: i32 = 768;
const PAGE: u32 = 50;
const BATCH: i64 = 8_192;

/// What is asked of both sides.
struct Case {
    name: &'static str,
    offset: u64,
    /// Rows whose column `group` has this value.
    group: Option<i32>,
}

#[tokio::main]
async fn main() -> Fallible<()> {
    let mut arguments = std::env::args().skip(1);
    let rows: i64 = arguments.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let rounds: usize = arguments.next().map_or(Ok(31), |text| text.parse())?;
    let temporary = tempfile::tempdir()?;
    let folder = arguments.next().map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    let report = arguments.next();
    std::fs::create_dir_all(&folder)?;
    let folder = folder.canonicalize()?;

    let location = location(&folder, &format!("bench-{rows}"))?;
    let (describer, tables) = lakeglass_lance::open(CacheSize::default());
    make(&*tables, &location, rows).await?;
    let bare = Dataset::open(&location.uri).await?;

    let end = u64::try_from(rows)?;
    let cases = [
        Case { name: "first page", offset: 0, group: None },
        Case { name: "offset 90 %", offset: end / 10 * 9, group: None },
        Case { name: "filtered", offset: 0, group: Some(17) },
    ];
    println!("{:<14} {:>10} {:>10} {:>7}", "preview of 50", "ours ms", "bare ms", "ratio");
    let mut lines = Vec::new();
    for case in &cases {
        let (mine, theirs) = (ours(&*describer, &location, case).await?, scan(&bare, case).await?);
        if mine != theirs {
            return Err(format!("{}: the answers differ", case.name).into());
        }
        let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let started = Instant::now();
            ours(&*describer, &location, case).await?;
            our_times.push(started.elapsed());
            let started = Instant::now();
            scan(&bare, case).await?;
            their_times.push(started.elapsed());
        }
        let (our_time, their_time) = (median(our_times), median(their_times));
        let ratio = our_time.as_secs_f64() / their_time.as_secs_f64();
        let milliseconds = |time: Duration| time.as_secs_f64() * 1_000.0;
        println!(
            "{:<14} {:>10.2} {:>10.2} {ratio:>7.3}",
            case.name,
            milliseconds(our_time),
            milliseconds(their_time)
        );
        lines.push(serde_json::json!({
            "row": format!("preview 50 rows, {}", case.name), "against": "bare lance", "rows": rows,
            "ours_ms": milliseconds(our_time), "theirs_ms": milliseconds(their_time), "ratio": ratio,
        }));
    }
    if let Some(report) = report {
        std::fs::write(report, serde_json::to_string_pretty(&lines)?)?;
    }
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn location(folder: &std::path::Path, name: &str) -> Fallible<TableLocation> {
    Ok(TableLocation {
        uri: format!("file://{}/{name}", folder.display()),
        options: BTreeMap::new(),
        store: Arc::new(LocalFileSystem::new_with_prefix(folder)?),
        prefix: Path::from(name),
        grants: Arc::new([Grant::new(&format!("file://{}", folder.display()))]),
    })
}

async fn make(tables: &dyn TableEngine, location: &TableLocation, rows: i64) -> Fallible<()> {
    if tables.latest_version(location).await?.is_some() {
        return Ok(());
    }
    println!("Making {rows} rows; a vector of {DIMENSION} values and 12 columns each");
    let schema = batch(0, 1)?.schema();
    let starts = (0..rows).step_by(usize::try_from(BATCH)?);
    let batches = futures::stream::iter(starts)
        .map(move |from| batch(from, rows.min(from + BATCH)).map_err(lakeglass_ports::Error::internal))
        .boxed();
    tables.create(location, BatchStream { schema, batches }, CreateMode::Create).await?;
    Ok(())
}

/// A number that looks like chance and is the same on every run.
fn scrambled(seed: i64) -> u64 {
    let mut state = seed.cast_unsigned().wrapping_add(0x9E37_79B9_7F4A_7C15);
    state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^ (state >> 31)
}

#[expect(clippy::cast_precision_loss, reason = "values only have to vary")]
fn batch(from: i64, to: i64) -> Fallible<RecordBatch> {
    let small = |salt: i64| move |id: i64| (scrambled(id ^ (salt << 40)) % 1_000) as i32;
    let ints = |salt: i64| Arc::new(Int32Array::from_iter_values((from..to).map(small(salt)))) as ArrayRef;
    let floats = |salt: i64| {
        Arc::new(Float64Array::from_iter_values((from..to).map(|id| f64::from(small(salt)(id)) / 7.0)))
            as ArrayRef
    };
    let texts = |salt: i64| {
        Arc::new(StringArray::from_iter_values((from..to).map(|id| format!("text {}", scrambled(id ^ salt)))))
            as ArrayRef
    };
    let values = (from..to).flat_map(|id| {
        (0..i64::from(DIMENSION)).map(move |at| (scrambled(id * 1_031 + at) % 10_000) as f32 / 10_000.0)
    });
    let item = Arc::new(Field::new("item", DataType::Float32, true));
    let vectors =
        FixedSizeListArray::try_new(item, DIMENSION, Arc::new(Float32Array::from_iter_values(values)), None)?;
    let flags: BooleanArray = (from..to).map(|id| Some(id % 3 == 0)).collect();
    let times =
        TimestampMicrosecondArray::from_iter_values((from..to).map(|id| 1_700_000_000_000_000 + id * 1_000));
    Ok(RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from_iter_values(from..to)) as ArrayRef),
        ("group", ints(1)),
        ("a", ints(2)),
        ("b", ints(3)),
        ("c", floats(4)),
        ("d", floats(5)),
        ("e", floats(6)),
        ("title", texts(7)),
        ("author", texts(8)),
        ("place", texts(9)),
        ("flag", Arc::new(flags)),
        ("at", Arc::new(times)),
        ("vector", Arc::new(vectors)),
    ])?)
}

async fn ours(describer: &dyn Describer, location: &TableLocation, case: &Case) -> Fallible<RecordBatch> {
    let subject = Subject {
        location: location.clone(),
        format: FormatId::lance(),
        version: VersionRef::Latest,
        options: Vec::new(),
    };
    let filter = case.group.map(|group| Condition {
        column: vec!["group".to_owned()],
        operator: Operator::Equal,
        value: ConditionValue::One(group.to_string()),
    });
    let request = PreviewRequest {
        columns: None,
        filter: filter.into_iter().collect(),
        offset: case.offset,
        limit: PAGE,
    };
    let preview = describer.preview(&subject, &request).await?;
    Ok(concat_batches(&preview.schema, &preview.batches)?)
}

/// The least that anyone would write: look for a newer version, scan, collect.
async fn scan(dataset: &Dataset, case: &Case) -> Fallible<RecordBatch> {
    let mut dataset = dataset.clone();
    dataset.checkout_latest().await?;
    let mut scan = dataset.scan();
    if let Some(group) = case.group {
        scan.filter_expr(Expr::Column(Column::new_unqualified("group")).eq(lit(group)));
    }
    scan.limit(Some(i64::from(PAGE)), Some(i64::try_from(case.offset)?))?;
    Ok(scan.try_into_batch().await?)
}
