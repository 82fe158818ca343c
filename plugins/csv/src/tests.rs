//! The describer over real files, run natively.

use std::io::Cursor;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::StreamReader;
use lakeglass_describer_sdk::{
    Batch, Describer, Description, Error, FolderStore, ListPage, PreviewRequest, Property, Store, Subject,
};

use crate::{Csv, FORMAT, kind};

struct File {
    folder: tempfile::TempDir,
    name: &'static str,
}

fn file(text: impl AsRef<[u8]>) -> File {
    named("t.csv", text)
}

fn named(name: &'static str, text: impl AsRef<[u8]>) -> File {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    File { folder, name }
}

impl File {
    fn store(&self) -> FolderStore {
        FolderStore::new(self.folder.path())
    }

    fn subject(&self, options: &[(&str, &str)]) -> Subject {
        Subject {
            format: FORMAT.to_owned(),
            object: Some(self.name.to_owned()),
            member: None,
            snapshot: None,
            pointer: None,
            options: options.iter().map(|(key, value)| Property::new(key, *value)).collect(),
        }
    }

    fn describe(&self, options: &[(&str, &str)]) -> Result<Description, Error> {
        Csv::describe(&self.store(), &self.subject(options))
    }

    fn preview(
        &self,
        columns: Option<&[&str]>,
        offset: u64,
        limit: u32,
    ) -> Result<(Batch, RecordBatch), Error> {
        let request = PreviewRequest {
            columns: columns.map(|names| names.iter().map(|&name| vec![name.to_owned()]).collect()),
            offset,
            limit,
            max_bytes: 4 << 20,
        };
        let batch = Csv::preview(&self.store(), &self.subject(&[]), &request)?;
        let mut reader = StreamReader::try_new(Cursor::new(&batch.arrow_ipc), None).unwrap();
        let rows = reader.next().unwrap().unwrap();
        assert_eq!(rows.num_rows(), batch.rows as usize);
        Ok((batch, rows))
    }
}

fn shape(description: &Description) -> Vec<(String, String)> {
    let fields = description.schema.fields.iter();
    fields.map(|field| (field.name.clone(), field.source_type.clone())).collect()
}

fn codes(description: &Description) -> Vec<&str> {
    description.notes.iter().map(|note| note.code.as_str()).collect()
}

fn strings(rows: &RecordBatch, column: usize) -> Vec<Option<&str>> {
    rows.column(column).as_string::<i32>().iter().collect()
}

#[test]
fn types_are_guessed_from_all_rows_and_said_to_be_a_guess() {
    let text = "id,weight,day,seen,at,ok,code,name\n\
                1,2.5,2024-02-29,2024-02-29 08:15:00.25,2024-02-29T08:15:00+02:00,true,007,Ada\n\
                2,NA,1969-12-31,1970-01-01T00:00,2024-02-29T08:15:00Z,FALSE,12,NA\n\
                -3,1e3,2000-01-01,2000-01-01 00:00:00,2000-01-01 00:00:00Z,true,,\n";
    let file = file(text);
    let description = file.describe(&[]).unwrap();
    let types: Vec<_> = shape(&description).into_iter().map(|(_, ty)| ty).collect();
    assert_eq!(
        types,
        ["int64", "float64", "date32", "timestamp(us)", "timestamp(us, UTC)", "bool", "string", "string"]
    );
    assert_eq!(codes(&description), ["inferred-types"]);
    let rows = description.totals.rows.unwrap();
    assert_eq!((rows.value, rows.exact), (3, true));
    assert_eq!(description.totals.bytes.unwrap().value, text.len() as u64);

    let (batch, rows) = file.preview(None, 0, 50).unwrap();
    assert_eq!(batch.next, None);
    assert_eq!(rows.column(0).as_primitive::<Int64Type>().values(), &[1, 2, -3]);
    let weights = rows.column(1).as_primitive::<Float64Type>();
    assert_eq!((weights.value(0), weights.is_null(1), weights.value(2)), (2.5, true, 1000.0));
    assert_eq!(rows.column(2).as_primitive::<Date32Type>().values(), &[19_782, -1, 10_957]);
    let at = rows.column(4).as_primitive::<TimestampMicrosecondType>();
    assert_eq!(at.value(1) - at.value(0), 2 * 3600 * 1_000_000);
    assert_eq!(strings(&rows, 6), [Some("007"), Some("12"), None]);
    // NA may be a word in a column of words; only numbers take it for nothing.
    assert_eq!(strings(&rows, 7), [Some("Ada"), Some("NA"), None]);
}

#[test]
fn the_delimiter_is_found_or_set() {
    for (text, word) in [
        ("a;b\n1,5;2\n2,5;3\n", "semicolon"),
        ("a\tb,c\n1\t2\n3\t4,5,6\n", "tab"),
        ("a|b|c\n1|2|3\n", "bar"),
        ("a,b\n1,2\n", "comma"),
        ("one\n1\n2\n", "comma"),
    ] {
        let description = file(text).describe(&[]).unwrap();
        assert!(
            description.properties.contains(&Property::new("delimiter", word)),
            "{text:?}: {:?}",
            description.properties
        );
    }
    let set = file("a;b,c\n1;2,3\n").describe(&[("delimiter", "semicolon")]).unwrap();
    assert_eq!(shape(&set).len(), 2);
    let wrong = file("a\n").describe(&[("delimiter", "colon")]).unwrap_err();
    assert!(matches!(wrong, Error::InvalidRequest(message) if message.contains("colon")));
    let tabs = named("t.tsv", "a\tb\n1\t2\n").describe(&[]).unwrap();
    assert!(tabs.properties.contains(&Property::new("delimiter", "tab")));
}

#[test]
fn a_header_is_found_set_or_missing() {
    let names = |text: &str, options: &[(&str, &str)]| -> Vec<String> {
        shape(&file(text).describe(options).unwrap()).into_iter().map(|(name, _)| name).collect()
    };
    assert_eq!(names("a,b\n1,2\n", &[]), ["a", "b"]);
    assert_eq!(names("1,2\n3,4\n", &[]), ["column_1", "column_2"]);
    assert_eq!(names("a,b\nc,d\n", &[("header", "no")]), ["column_1", "column_2"]);
    assert_eq!(names("a,a,,a_2\n1,2,3,4\n", &[("header", "yes")]), ["a", "a_3", "column_3", "a_2"]);
    let doubtful = file("name,town\nAda,London\n").describe(&[]).unwrap();
    assert_eq!(codes(&doubtful), ["inferred-types", "guessed-header"]);
}

#[test]
fn quoted_cells_keep_delimiters_quotes_and_line_ends() {
    let file = file("\u{feff}name,text\r\nAda,\"one, \"\"two\"\"\r\nthree\"\r\nBob,\"\"\r\n");
    let description = file.describe(&[]).unwrap();
    assert_eq!(shape(&description)[0].0, "name");
    assert_eq!(description.totals.rows.unwrap().value, 2);
    let (_, rows) = file.preview(None, 0, 50).unwrap();
    assert_eq!(strings(&rows, 1), [Some("one, \"two\"\r\nthree"), None]);
}

#[test]
fn ragged_rows_are_noted_and_lose_nothing_silently() {
    let file = file("a,b,c\n1,2,3\n4,5\n6,7,8,9\n");
    let description = file.describe(&[]).unwrap();
    let ragged: Vec<_> = description
        .notes
        .iter()
        .filter(|note| note.code == "ragged-rows")
        .map(|n| n.message.as_str())
        .collect();
    assert_eq!(ragged.len(), 2);
    assert!(ragged[0].starts_with("1 of 3 rows have too few"), "{ragged:?}");
    assert!(ragged[1].starts_with("1 of 3 rows have more"), "{ragged:?}");
    let (_, rows) = file.preview(Some(&["c", "a"]), 0, 50).unwrap();
    assert_eq!(rows.schema().field(0).name(), "c");
    assert!(rows.column(0).is_null(1));
    assert_eq!(rows.column(1).as_primitive::<Int64Type>().values(), &[1, 4, 6]);
}

#[test]
fn a_file_larger_than_the_sample_is_estimated_and_offsets_partition_its_rows() {
    use std::fmt::Write;
    let mut text = String::from("id,word\n");
    let mut total = 0_i64;
    while text.len() < 9 << 20 {
        writeln!(text, "{total},word number {total}").unwrap();
        total += 1;
    }
    // Beyond the sample stands a cell that the guess did not foresee.
    text.push_str("many,last\n");
    total += 1;
    let file = file(&text);
    let description = file.describe(&[]).unwrap();
    let rows = description.totals.rows.unwrap();
    assert!(!rows.exact);
    assert!(
        rows.value.abs_diff(total.cast_unsigned()) < total.cast_unsigned() / 20,
        "{} of {total}",
        rows.value
    );
    assert!(codes(&description).contains(&"estimated-rows"));

    let deep = total.cast_unsigned() - 150;
    let (first, rows) = file.preview(Some(&["id"]), deep, 100).unwrap();
    assert_eq!(first.next, Some((deep + 100).to_string()));
    assert_eq!(rows.column(0).as_primitive::<Int64Type>().value(0), deep.cast_signed());
    let (last, rows) = file.preview(Some(&["id"]), deep + 100, 100).unwrap();
    assert_eq!((last.rows, last.next), (50, None));
    let ids = rows.column(0).as_primitive::<Int64Type>();
    assert_eq!(ids.value(0), deep.cast_signed() + 100);
    assert!(ids.is_null(49));
    assert_eq!(last.notes[0].code, "unfitting-values");
}

#[test]
fn what_is_no_text_table_says_so() {
    assert_eq!(file(b"a,b\n1,\0\n").describe(&[]).unwrap_err(), Error::NotThisFormat);
    let wide = file(b"\xff\xfea\0,\0b\0").describe(&[]).unwrap_err();
    assert!(matches!(wide, Error::Unsupported(message) if message.contains("UTF-16")));
    let empty = file("").describe(&[]).unwrap();
    assert_eq!((empty.schema.fields.len(), empty.totals.rows.unwrap().value), (0, 0));
    assert_eq!(codes(&empty), ["empty-file"]);
    let latin = file(b"name\nJos\xe9\n").describe(&[("header", "yes")]).unwrap();
    assert!(codes(&latin).contains(&"not-utf8"));
}

#[test]
fn hostile_text_ends_in_an_error_or_an_answer() {
    let unbalanced = [b"a,b\n\"".as_slice(), &vec![b'x'; 6 << 20]].concat();
    assert!(matches!(file(&unbalanced).describe(&[]), Ok(_) | Err(Error::Corrupt(_))));
    assert!(matches!(file(&unbalanced).preview(None, 0, 10), Err(Error::Corrupt(_))));
    let one_line = vec![b'x'; 5 << 20];
    assert!(matches!(file(&one_line).describe(&[]), Err(Error::Corrupt(_))));
    let commas = vec![b','; 1 << 20];
    assert!(matches!(file(&commas).describe(&[]), Err(Error::Unsupported(_))));
    let blank = file("\n\n\r\n\n").describe(&[]).unwrap();
    assert_eq!(blank.totals.rows.unwrap().value, 0);
    for text in ["\"", "\"\"\"", ",", "\r", "a\"b,\"c\"d\n", "\u{feff}"] {
        file(text).describe(&[]).unwrap();
        file(text).preview(None, 0, 10).unwrap();
    }
    let missing = file("a\n1\n").preview(Some(&["b"]), 0, 10).unwrap_err();
    assert!(matches!(missing, Error::InvalidRequest(message) if message.contains('b')));
}

#[test]
fn detection_looks_at_name_and_bytes() {
    let detect = |file: &File| {
        let store = file.store();
        let listing =
            ListPage { objects: vec![store.head(file.name).unwrap()], prefixes: Vec::new(), next: None };
        Csv::detect(&store, &listing).unwrap().len()
    };
    assert_eq!(detect(&named("a.CSV", "a,b\n")), 1);
    assert_eq!(detect(&named("a.txt", "a,b\n")), 0);
    assert_eq!(detect(&named("a.csv", b"PAR1\0\0")), 0);
}

#[test]
fn numbers_that_a_type_would_change_stay_text() {
    assert_eq!(kind::integer("12345678901234567890"), None);
    assert_eq!(kind::float("12345678901234567890"), None);
    for text in ["007", "+1", "", "-", "1_000", "inf", "nan", "0x10", "1e999", "01.5"] {
        assert_eq!(
            kind::integer(text)
                .map(|value| value.to_string())
                .or(kind::float(text).map(|value| value.to_string())),
            None,
            "{text:?}"
        );
    }
    assert_eq!(kind::float("-.5"), Some(-0.5));
    for text in ["2023-02-29", "2024-13-01", "2024-00-10", "24-01-01", "2024-1-01"] {
        assert_eq!(kind::date(text), None, "{text:?}");
    }
    for text in [
        "2024-01-01T24:00",
        "2024-01-01 1:00",
        "2024-01-01T00:00:00.",
        "2024-01-01T00:00+25:00",
        "2024-01-01é",
    ] {
        assert_eq!(kind::timestamp(text), None, "{text:?}");
    }
}
