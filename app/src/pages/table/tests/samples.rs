//! A table as its pages could meet it: made up, and hostile wherever text may be anything.

use std::collections::BTreeMap;

use lakeglass_api::catalog::{Table, TableState};
use lakeglass_api::cells::{Cell, Grid, GridColumn};
use lakeglass_api::description::{
    Cost, Count, Description, FailedLook, Field, Index, Note, Observation, Property, Reference, Severity,
    Totals, Version,
};
use lakeglass_api::{FormatId, Operator};

use crate::pages::table::Head;
use crate::pages::table::rows::{Filter, Reading, RowsAsk, RowsPage};

pub(super) const NOW: i64 = 1_796_000_000_000;
pub(super) const HOSTILE: &str = "<img src=x onerror=alert(1)> a/b a%2Fb 100% a#b?c 表 \u{202E}evil";

fn field(parent: Option<u32>, name: &str, type_name: &str, nullable: bool, doc: Option<&str>) -> Field {
    Field {
        parent,
        name: name.into(),
        id: None,
        type_name: type_name.into(),
        nullable,
        doc: doc.map(Into::into),
        properties: Vec::new(),
    }
}

fn cost() -> Cost {
    Cost { requests: 3, bytes: 41 * 1024, elapsed_ms: 9 }
}

pub(super) fn observation() -> Observation {
    let tag = Reference { name: "v1-train".into(), kind: "tag".into(), version: "3".into(), branch: None };
    let hostile =
        Reference { name: HOSTILE.into(), kind: "branch".into(), version: "5".into(), branch: None };
    let index = |name: &str, kind: &str, column: &str, behind: u64| Index {
        name: name.into(),
        kind: kind.into(),
        columns: vec![column.into()],
        rows_covered: Some(1785 - behind),
        rows_not_covered: Some(behind),
        bytes: Some(20_480),
    };
    Observation {
        taken_at_ms: NOW - 240_000,
        observer: "native lance 14.0.2".into(),
        cost: cost(),
        description: Description {
            format: FormatId::lance(),
            format_version: Some("2.2".into()),
            version: Some("6".into()),
            version_timestamp_ms: Some(NOW - 3_600_000),
            schema: vec![
                field(None, "id", "int64", false, Some("Position in the source file")),
                field(None, "label", "int8", false, Some("Digit, 0 to 9")),
                field(None, "image", "large_binary", true, Some("8 × 8 grey PNG")),
                field(None, "pixels", "fixed_size_list<float32, 64>", false, Some("Intensities, 0 to 16")),
                field(None, "split", "struct", true, None),
                field(Some(4), "name", "utf8", true, Some("train or test")),
                field(Some(4), "fold", "int32", true, None),
                field(None, HOSTILE, "utf8", true, Some(HOSTILE)),
            ],
            totals: Totals {
                rows: Some(Count::exact(1785)),
                deleted_rows: Some(Count::exact(12)),
                files: Some(Count::exact(3)),
                bytes: Some(Count::exact(421_888)),
                versions: Some(Count::exact(6)),
            },
            references: vec![tag, hostile],
            indices: vec![
                index("id_idx", "BTree", "id", 0),
                index("pixels_idx", "IVF_PQ", "pixels", 97),
                index("name_idx", "Bitmap", "split.name", 0),
            ],
            features: vec!["stable row ids".into()],
            properties: vec![Property { key: HOSTILE.into(), value: HOSTILE.into() }],
            notes: vec![Note {
                severity: Severity::Warning,
                code: "outside-grant".into(),
                message: "One blob column points outside the storage and was not read".into(),
            }],
        },
    }
}

fn table(state: TableState) -> Table {
    Table {
        bucket: "media".parse().unwrap(),
        namespace: lakeglass_api::NamespacePath::from_dotted("vision.sets").unwrap(),
        name: "digits".parse().unwrap(),
        format: FormatId::lance(),
        state,
        location: "file:///srv/lakeglass/buckets/media/vision.sets/digits".into(),
        properties: BTreeMap::from([("owner".to_owned(), HOSTILE.to_owned())]),
        protected: false,
        created_at_ms: NOW - 86_400_000 * 3,
        updated_at_ms: NOW,
        rows: None,
        bytes: None,
        observed_at_ms: None,
    }
}

pub(super) fn head(look: Option<Observation>, failed: Option<FailedLook>, state: TableState) -> Head {
    Head {
        table: table(state),
        observation: look,
        failed,
        has_rows: true,
        has_versions: true,
        has_snippets: true,
        may_edit: true,
        now_ms: NOW,
    }
}

pub(super) fn seen_head() -> Head {
    head(Some(observation()), None, TableState::Created)
}

pub(super) fn failed() -> FailedLook {
    FailedLook {
        at_ms: NOW - 60_000,
        observer: "native lance 14.0.2".into(),
        cause: "The storage at s3.example refused the connection.".into(),
    }
}

fn number(text: &str) -> Cell {
    Cell::Number { text: text.into() }
}

fn word(text: &str) -> Cell {
    Cell::Text { text: text.into(), cut_from: None }
}

fn vector(seed: u32) -> Cell {
    let spark = (0..64_u32).map(|i| u8::try_from((i * 7 + seed * 13) * (i + seed) % 101).unwrap()).collect();
    Cell::Vector {
        dimension: 64,
        norm: format!("{}.37", 52 + seed),
        min: "0".into(),
        max: "16".into(),
        nans: u32::from(seed == 3),
        zeros: 29,
        head: vec!["0".into(), "0.5".into(), "13".into()],
        spark,
    }
}

pub(super) fn grid() -> Grid {
    let column = |name: &str, type_name: &str, numeric: bool| GridColumn {
        name: name.into(),
        type_name: type_name.into(),
        nullable: !numeric,
        numeric,
    };
    let columns = vec![
        column("id", "int64", true),
        column("score", "double", true),
        column("image", "large_binary", false),
        column("pixels", "fixed_size_list<float32, 64>", false),
        column("split", "struct<name: utf8, fold: int32>", false),
        column("taken", "timestamp[us, Europe/Berlin]", false),
        column("note", "utf8", false),
        column("meta", "json", false),
    ];
    let notes = [
        word(""),
        word("null"),
        Cell::Null,
        word(&crate::text::visible(HOSTILE)),
        Cell::Text { text: "long ".repeat(60), cut_from: Some(90_000) },
    ];
    let scores = ["0.25", "NaN", "+Inf", "-Inf", "-0"];
    let rows = (0..14_u32)
        .map(|i| {
            let at = (i % 5) as usize;
            vec![
                if i == 2 { number("9007199254740993") } else { number(&(300 + i).to_string()) },
                if at == 0 { number(scores[0]) } else { Cell::Special { text: scores[at].into() } },
                Cell::Binary {
                    length: 118 + u64::from(i),
                    head: "0x89504e470d0a1a0a".into(),
                    media: Some("image/png".into()),
                    href: None,
                },
                vector(i),
                Cell::Nested {
                    summary: "{ name: \"train\", fold: 2 }".into(),
                    full: "{\n  name: \"train\",\n  fold: 2\n}".into(),
                    cut: i == 1,
                },
                Cell::Time {
                    text: "2026-11-30T10:41:07.000001+01:00".into(),
                    title: "2026-11-30T09:41:07.000001Z".into(),
                },
                notes[at].clone(),
                Cell::Json {
                    text: "{\"big\":12345678901234567890}".into(),
                    pretty: "{\n  \"big\": 12345678901234567890\n}".into(),
                },
            ]
        })
        .collect();
    Grid {
        columns,
        rows,
        offset: 300,
        more: true,
        version: Some("6".into()),
        cost: cost(),
        notes: Vec::new(),
    }
}

pub(super) fn rows_page(reading: Reading) -> RowsPage {
    let ask = RowsAsk {
        filters: vec![
            Filter {
                column: vec!["split".into(), "name".into()],
                op: Operator::Equal,
                value: HOSTILE.into(),
            },
            Filter { column: vec!["label".into()], op: Operator::IsNotNull, value: String::new() },
        ],
        offset: 300,
        ..RowsAsk::default()
    };
    RowsPage {
        head: seen_head(),
        ask,
        reading,
        columns: grid().columns.into_iter().map(|column| column.name).collect(),
        filterable: vec![vec!["id".into()], vec!["split".into(), "name".into()]],
        can_filter: true,
        versions: history().0,
        references: observation().description.references,
        detail: None,
    }
}

pub(super) fn history() -> (Vec<Version>, Option<String>) {
    let version = |id: &str, operation: &str, at: Option<i64>, references: Vec<Reference>| Version {
        id: id.into(),
        timestamp_ms: at,
        operation: Some(operation.into()),
        rows: Some(1785),
        summary: vec![Property { key: "fragments".into(), value: "3".into() }],
        references,
    };
    let tags = observation().description.references;
    let versions = vec![
        version("9223372036854775814", "Append", Some(NOW - 3_600_000), Vec::new()),
        version("5", "Delete", Some(NOW - 7_200_000), tags),
        version("4", "CreateIndex", None, Vec::new()),
    ];
    (versions, Some("4".into()))
}
