//! Files hold whole values, and nothing that a spreadsheet would run.

use std::sync::Arc;

use arrow_array::Array as _;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, Decimal128Array, Float64Array, Int64Array, ListArray, RecordBatch, StringArray,
};

use super::super::download::{Download, write};

fn batch() -> RecordBatch {
    let prices = Decimal128Array::from(vec![-150, 7, 0]).with_precision_and_scale(10, 2).unwrap();
    let lists =
        ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), None]), None, Some(vec![])]);
    RecordBatch::try_from_iter_with_nullable([
        ("id", Arc::new(Int64Array::from(vec![-1, i64::MAX, 3])) as ArrayRef, false),
        ("=name", Arc::new(StringArray::from(vec![Some("=1+1"), Some(""), None])) as _, true),
        ("text", Arc::new(StringArray::from(vec!["a,\"b\"\nc", "@x", "plain"])) as _, true),
        ("float", Arc::new(Float64Array::from(vec![-0.5, f64::NAN, 1e300])) as _, true),
        ("price", Arc::new(prices) as _, true),
        ("bytes", Arc::new(BinaryArray::from_vec(vec![b"\x00\xff", b"", b"=x"])) as _, true),
        ("list", Arc::new(lists) as _, true),
    ])
    .unwrap()
}

#[test]
fn csv_escapes_formulas_and_leaves_numbers_alone() {
    let batch = batch();
    let file = String::from_utf8(write(&batch.schema(), &[batch], Download::Csv).unwrap()).unwrap();
    let expected = "id,'=name,text,float,price,bytes,list\r\n\
        -1,'=1+1,\"a,\"\"b\"\"\nc\",-0.5,-1.50,0x00ff,\"[1,null]\"\r\n\
        9223372036854775807,\"\",'@x,NaN,0.07,0x,\r\n\
        3,,plain,1e300,0.00,0x3d78,[]\r\n";
    assert_eq!(file.replace("1e+300", "1e300"), expected);
}

#[test]
fn json_lines_keep_what_json_numbers_would_lose() {
    let batch = batch();
    let file = String::from_utf8(write(&batch.schema(), &[batch], Download::JsonLines).unwrap()).unwrap();
    let lines: Vec<serde_json::Value> =
        file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[1]["id"], "9223372036854775807");
    assert_eq!(lines[0]["=name"], "=1+1");
    assert_eq!(lines[2]["=name"], serde_json::Value::Null);
    assert_eq!(lines[1]["float"], "NaN");
    assert_eq!(lines[0]["price"], "-1.50");
    assert_eq!(lines[0]["list"], serde_json::json!([1, null]));
    assert_eq!(lines[0]["text"], "a,\"b\"\nc");
}

#[test]
fn arrow_comes_back_as_it_went() {
    let batch = batch();
    let file = write(&batch.schema(), std::slice::from_ref(&batch), Download::Arrow).unwrap();
    let mut reader = arrow_ipc::reader::StreamReader::try_new(file.as_slice(), None).unwrap();
    let back = reader.next().unwrap().unwrap();
    assert_eq!(back, batch);
    assert_eq!(back["list"].as_list::<i32>().len(), 3);
    assert!(reader.next().is_none());
}
