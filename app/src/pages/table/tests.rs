//! Every tab in every state, over made-up and hostile data. With `LAKEGLASS_GALLERY` naming a folder,
//! the pages are written there to be looked at.

use std::collections::BTreeMap;

use lakeglass_api::FormatId;
use lakeglass_api::catalog::{Table, TableState};
use lakeglass_api::cells::{Cell, Grid, GridColumn};
use lakeglass_api::description::{
    Cost, Count, Description, FailedLook, Field, Index, Note, Observation, Property, Reference, Severity,
    Totals, Version,
};
use leptos::prelude::*;

use super::connect::{ClientCode, ConnectPage};
use super::overview::OverviewPage;
use super::rows::{At, Filter, FilterOp, Reading, RowDetail, RowsAsk, RowsPage};
use super::settings::SettingsPage;
use super::versions::{History, VersionsPage};
use super::{Head, connect, overview, rows, settings, versions};
use crate::frame::{Assets, Counts, Frame, Section, Theme, Viewer, render, render_part};

const NOW: i64 = 1_796_000_000_000;
const HOSTILE: &str = "<img src=x onerror=alert(1)> a/b a%2Fb 100% a#b?c 表 \u{202E}evil";

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

fn observation() -> Observation {
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

fn head(look: Option<Observation>, failed: Option<FailedLook>, state: TableState) -> Head {
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

fn seen_head() -> Head {
    head(Some(observation()), None, TableState::Created)
}

fn failed() -> FailedLook {
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

fn grid() -> Grid {
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

fn rows_page(reading: Reading) -> RowsPage {
    let ask = RowsAsk {
        filters: vec![
            Filter {
                column: vec!["split".into(), "name".into()],
                op: FilterOp::Equal,
                value: HOSTILE.into(),
            },
            Filter { column: vec!["label".into()], op: FilterOp::IsNotNull, value: String::new() },
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

fn history() -> (Vec<Version>, Option<String>) {
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

fn frame(theme: Theme) -> Frame {
    Frame {
        nonce: "n0nce".into(),
        theme,
        shortcuts: true,
        user: Some(Viewer { name: "operator".into(), role: "Admin".into(), admin: true }),
        counts: Counts { buckets: Some(7), jobs: Some(2), formats: Some(2) },
        assets: Assets { css: "app.css".into(), ..Assets::default() },
        path: "/x".into(),
        ..Frame::default()
    }
    .at(Section::Buckets, seen_head().crumbs(Some("Rows")))
    .badges(Some(FormatId::lance()), Some(TableState::Created))
}

/// Every page in its states, by name.
fn gallery() -> Vec<(&'static str, AnyView)> {
    let overview = |head| overview::page(&OverviewPage { head });
    let detail = RowDetail { offset: 301, columns: grid().columns, cells: Some(grid().rows.remove(3)) };
    let settings = |form: fn(&Head) -> crate::parts::Form, protected| {
        let mut head = seen_head();
        head.table.protected = protected;
        let form = form(&head);
        settings::page(&SettingsPage {
            head,
            may_administer: true,
            tags: vec!["v1-train".into(), HOSTILE.into()],
            form,
        })
    };
    let versions = |history| versions::page(&VersionsPage { head: seen_head(), history, after: None });
    let (list, next) = history();
    let mut with_detail = rows_page(Reading::Rows(Box::new(grid())));
    with_detail.detail = Some(detail);
    let mut empty_grid = grid();
    empty_grid.rows.clear();
    empty_grid.more = false;
    vec![
        ("overview", overview(seen_head())),
        ("overview-failed", overview(head(Some(observation()), Some(failed()), TableState::Created))),
        ("overview-unreachable", overview(head(None, Some(failed()), TableState::Created))),
        ("overview-declared", overview(head(None, None, TableState::Declared))),
        ("overview-not-observed", overview(head(None, None, TableState::Created))),
        ("rows", rows::page(&rows_page(Reading::Rows(Box::new(grid()))))),
        ("rows-detail", rows::page(&with_detail)),
        ("rows-empty", rows::page(&rows_page(Reading::Rows(Box::new(empty_grid))))),
        ("rows-denied", rows::page(&rows_page(Reading::Denied))),
        ("rows-refused", rows::page(&rows_page(Reading::Refused("There is no column named x".into())))),
        (
            "rows-unreachable",
            rows::page(&rows_page(Reading::Unreachable("The storage did not answer.".into()))),
        ),
        ("rows-declared", rows::page(&rows_page(Reading::NeverWritten))),
        ("versions", versions(History::Versions { versions: list, next, total: Some(6) })),
        ("versions-unreachable", versions(History::Unreachable("The storage did not answer".into()))),
        (
            "connect",
            connect::page(&ConnectPage {
                head: seen_head(),
                endpoint: Some("https://lake.example.com/lance".into()),
                snippets: vec![ClientCode {
                    title: "pylance".into(),
                    language: "python".into(),
                    code: "import lance\n\nds = lance.dataset(\"<x>\")\nprint(ds.count_rows())\n".into(),
                }],
            }),
        ),
        ("settings", settings(SettingsPage::start, false)),
        (
            "settings-refused",
            settings(|head| SettingsPage::start(head).error("name", "Another table has this name"), true),
        ),
    ]
}

#[test]
fn markup_and_direction_in_any_text_stay_text_on_every_page() {
    for (name, html) in pages(Theme::Dark) {
        assert!(!html.contains("<img"), "{name}: markup of a name became an element");
        assert!(!shown(&html).contains('\u{202E}'), "{name}: a direction mark was passed on");
        assert!(!html.contains(" style\u{3d}"), "{name}: an inline style");
        assert!(html.starts_with("<!doctype html><html lang=\"en\" data-theme=\"dark\">"), "{name}");
        assert_eq!(html.matches("<h1").count(), 1, "{name}");
        assert!(html.contains("<script type=\"module\" nonce=\"n0nce\">"), "{name}");
    }
}

#[test]
fn the_ways_to_have_nothing_to_show_have_different_texts() {
    let pages = pages(Theme::System);
    let text =
        |name: &str| pages.iter().find(|(other, _)| *other == name).map(|(_, html)| html.clone()).unwrap();
    for (name, says) in [
        ("overview-unreachable", "Could not read this table"),
        ("overview-declared", "Declared, never written"),
        ("overview-not-observed", "Not observed yet"),
        ("rows-denied", "You may not see the rows"),
        ("rows-empty", "No row holds for all filters"),
        ("rows-unreachable", "Could not read the rows"),
        ("rows-declared", "Declared, never written"),
        ("rows-refused", "These rows cannot be shown"),
    ] {
        assert!(text(name).contains(says), "{name} does not say: {says}");
        assert!(!text(name).contains("0 rows"), "{name} speaks of zero rows");
    }
    assert!(text("overview-not-observed").contains("aria-label=\"not known\""));
    assert!(text("overview-failed").contains("The last look failed"));
    assert!(text("overview-failed").contains("1,785"), "the last observation stays on the page");
}

#[test]
fn values_that_differ_in_meaning_look_different() {
    let html = render_part(|| rows::page(&rows_page(Reading::Rows(Box::new(grid())))));
    for part in [
        "<span class=\"null\">null</span>",
        "<span class=\"blank\">empty</span>",
        "<td class=\"cell\">null",
        "9007199254740993",
        "<span class=\"special\">NaN</span>",
        "<span class=\"special\">-0</span>",
        "12345678901234567890",
    ] {
        assert!(html.contains(part), "no {part}");
    }
}

#[test]
fn a_row_is_linked_at_the_version_that_was_read() {
    let html = render_part(|| rows::page(&rows_page(Reading::Rows(Box::new(grid())))));
    assert!(html.contains("at=version%3A6"));
    let mut page = rows_page(Reading::Rows(Box::new(grid())));
    page.ask.at = At::Branch("b".into(), None);
    assert!(render_part(|| rows::page(&page)).contains("at=branch-at%3A6%3Ab"));
}

#[test]
fn tabs_that_a_format_has_no_meaning_for_are_absent() {
    let mut plain = seen_head();
    plain.has_versions = false;
    plain.has_snippets = false;
    let html = render_part(|| overview::page(&OverviewPage { head: plain }));
    assert!(!html.contains("/versions\"") && !html.contains("/connect\"") && html.contains("/rows\""));
}

/// The page without the values that forms send back and that must stay exact.
fn shown(html: &str) -> String {
    let (before, after) = html.split_once("<textarea").unwrap_or((html, ""));
    let html = before.to_owned() + after.split_once("</textarea>").map_or("", |(_, rest)| rest);
    let mut parts = html.split(" value=\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.split_once('"').map_or("", |(_, rest)| rest))
}

fn pages(theme: Theme) -> Vec<(&'static str, String)> {
    let names: Vec<&str> = {
        let mut names = Vec::new();
        render_part(|| {
            names = gallery().into_iter().map(|(name, _)| name).collect();
            ().into_any()
        });
        names
    };
    names
        .into_iter()
        .map(|wanted| {
            let html = render(&frame(theme), &format!("{wanted} </title><img>"), || {
                gallery().into_iter().find(|(name, _)| *name == wanted).map(|(_, view)| view).unwrap()
            });
            (wanted, html)
        })
        .collect()
}

#[test]
fn pages_can_be_written_to_be_looked_at() {
    let Some(folder) = std::env::var_os("LAKEGLASS_GALLERY").map(std::path::PathBuf::from) else { return };
    for (theme, suffix) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        for (name, html) in pages(theme) {
            std::fs::write(folder.join(format!("{name}-{suffix}.html")), html).unwrap();
        }
    }
}
