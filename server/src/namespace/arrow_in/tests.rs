//! Bodies of every kind: whole, in crumbs, cut off, damaged, oversized, boastful.

use arrow_array::types::Int32Type;
use arrow_array::{Array, DictionaryArray, Int64Array, NullArray, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, Schema};

use super::*;

fn batch(from: i64, rows: i64) -> RecordBatch {
    let schema =
        Schema::new(vec![Field::new("n", DataType::Int64, false), Field::new("s", DataType::Utf8, true)]);
    let numbers = Int64Array::from_iter_values(from..from + rows);
    let texts: StringArray = (from..from + rows).map(|n| Some(format!("row {n}"))).collect();
    RecordBatch::try_new(schema.into(), vec![Arc::new(numbers), Arc::new(texts)]).unwrap()
}

fn encoded(batches: &[RecordBatch], schema: &Schema, options: IpcWriteOptions) -> Vec<u8> {
    let mut writer = StreamWriter::try_new_with_options(Vec::new(), schema, options).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.into_inner().unwrap()
}

fn stream(batches: &[RecordBatch]) -> Vec<u8> {
    encoded(batches, &batches[0].schema(), IpcWriteOptions::default())
}

/// A body that arrives in pieces of `size` bytes.
fn pieces(bytes: &[u8], size: usize) -> Body {
    let chunks: Vec<Result<Bytes, std::io::Error>> =
        bytes.chunks(size).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
    Body::from_stream(futures::stream::iter(chunks))
}

async fn read_within(body: Body, limit: u64) -> Result<Vec<RecordBatch>, Problem> {
    let mut upload = open(body, &HeaderMap::new(), limit).await?;
    let mut batches = Vec::new();
    while let Some(next) = upload.rows.batches.next().await {
        match next {
            Ok(batch) => batches.push(batch),
            Err(error) => return Err(upload.fault.or(error.into())),
        }
    }
    Ok(batches)
}

async fn read(bytes: &[u8], size: usize) -> Result<Vec<RecordBatch>, Problem> {
    read_within(pieces(bytes, size), 1 << 30).await
}

fn said(problem: &Problem) -> (u16, Option<u32>) {
    (problem.status.as_u16(), problem.namespace_code)
}

#[tokio::test]
async fn a_stream_is_read_however_it_is_cut_up() {
    let batches = [batch(0, 10), batch(10, 1000), batch(0, 0)];
    let bytes = stream(&batches);
    for size in [1, 7, 64, 4096, bytes.len()] {
        assert_eq!(read(&bytes, size).await.unwrap(), batches, "pieces of {size}");
    }
}

#[tokio::test]
async fn a_stream_of_a_schema_alone_has_no_rows() {
    let schema = batch(0, 0).schema();
    let bytes = encoded(&[], &schema, IpcWriteOptions::default());
    let upload = open(pieces(&bytes, 16), &HeaderMap::new(), 1 << 20).await.unwrap();
    assert_eq!(upload.rows.schema, schema);
    assert!(read(&bytes, 16).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_is_not_an_arrow_stream_is_refused_with_a_reason() {
    let mut file = FileWriter::try_new(Vec::new(), &batch(0, 1).schema()).unwrap();
    file.write(&batch(0, 1)).unwrap();
    let file = file.into_inner().unwrap();
    let cases: [(&[u8], &str); 5] = [
        (b"", "empty"),
        (b"a,b\n1,2\n", "not an Arrow"),
        (b"\xff\xff\xff\xff\x10\0\0\0garbagegarbage!!", "not a readable"),
        (b"\xff\xff\xff\xff\x10\0\0\0", "middle of a message"),
        (&file, "stream format"),
    ];
    for (bytes, reason) in cases {
        let refused = read(bytes, 5).await.unwrap_err();
        assert_eq!(said(&refused), (400, Some(13)), "{reason}");
        assert!(refused.detail.contains(reason), "{} / {reason}", refused.detail);
    }
}

#[tokio::test]
async fn a_stream_cut_off_inside_a_message_is_refused() {
    let bytes = stream(&[batch(0, 50), batch(50, 50)]);
    let mut whole = 0;
    for end in 1..bytes.len() {
        match read(&bytes[..end], 256).await {
            Ok(batches) => {
                // Only between messages: the format allows a stream without its end marker.
                assert!(batches.len() <= 2);
                whole += 1;
            }
            Err(problem) => assert_eq!(said(&problem), (400, Some(13)), "cut at {end}"),
        }
    }
    assert!(whole <= 4, "{whole} cuts were taken for whole streams");
}

#[tokio::test]
async fn a_connection_that_breaks_is_the_clients_fault() {
    let bytes = stream(&[batch(0, 50), batch(50, 50)]);
    let half = Bytes::copy_from_slice(&bytes[..bytes.len() / 2]);
    let chunks = [Ok(half), Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset))];
    let refused = read_within(Body::from_stream(futures::stream::iter(chunks)), 1 << 20).await.unwrap_err();
    assert_eq!(said(&refused), (400, Some(13)));
    assert!(refused.detail.contains("broke off"));
}

#[tokio::test]
async fn damage_anywhere_is_refused_and_never_ours() {
    let bytes = stream(&[batch(0, 20)]);
    for at in 0..bytes.len() {
        for flip in [0xff_u8, 0x80, 0x01] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            if let Err(problem) = read(&damaged, 512).await {
                assert!(matches!(said(&problem), (400 | 413, Some(13))), "byte {at}: {problem:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_too_large() {
    let bytes = stream(&[batch(0, 1000)]);
    let refused = read_within(pieces(&bytes, 512), 4096).await.unwrap_err();
    assert_eq!(said(&refused), (413, Some(13)));
    let announced = HeaderMap::from_iter([(http::header::CONTENT_LENGTH, "5000".parse().unwrap())]);
    let refused = open(pieces(&bytes, 512), &announced, 4096).await.unwrap_err();
    assert_eq!(said(&refused), (413, Some(13)));
}

#[tokio::test]
async fn a_batch_of_nulls_without_end_is_too_large() {
    let schema = Arc::new(Schema::new(vec![Field::new("n", DataType::Null, true)]));
    let rows = usize::try_from(MAX_BATCH_ROWS).unwrap() + 1;
    let batch = RecordBatch::try_new(schema, vec![Arc::new(NullArray::new(rows))]).unwrap();
    assert_eq!(said(&read(&stream(&[batch]), 64).await.unwrap_err()), (413, Some(13)));
}

/// Compression is a feature of the Arrow library that other crates of the program switch on.
#[tokio::test]
async fn a_compressed_batch_counts_as_what_it_becomes() {
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).unwrap();
    let schema = Schema::new(vec![Field::new("n", DataType::Int64, false)]);
    let rows = MAX_BATCH_BYTES / 8 + 1;
    let zeros = Int64Array::from(vec![0; rows]);
    let zeros = RecordBatch::try_new(Arc::new(schema.clone()), vec![Arc::new(zeros)]).unwrap();
    let small = encoded(&[zeros.slice(0, 1000)], &schema, options.clone());
    assert_eq!(read(&small, 64).await.unwrap(), [zeros.slice(0, 1000)]);
    let bomb = encoded(&[zeros], &schema, options);
    assert!(bomb.len() < 1 << 20);
    assert_eq!(said(&read(&bomb, 4096).await.unwrap_err()), (413, Some(13)));
}

#[tokio::test]
async fn dictionaries_may_change_between_batches() {
    let words = |words: Vec<&str>| {
        let column: DictionaryArray<Int32Type> = words.into_iter().collect();
        let schema = Schema::new(vec![Field::new("w", column.data_type().clone(), true)]);
        RecordBatch::try_new(schema.into(), vec![Arc::new(column)]).unwrap()
    };
    let batches = [words(vec!["a", "b"]), words(vec!["c", "a"])];
    assert_eq!(read(&stream(&batches), 32).await.unwrap(), batches);
}
