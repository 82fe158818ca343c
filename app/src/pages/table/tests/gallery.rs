//! Every tab in every state. With `LAKEGLASS_GALLERY` naming a folder, the pages are written there to be
//! looked at.

use lakeglass_api::FormatId;
use lakeglass_api::catalog::TableState;
use leptos::prelude::*;

use super::samples::{HOSTILE, failed, grid, head, history, observation, rows_page, seen_head};
use crate::frame::{Assets, Counts, Frame, Section, Theme, Viewer, render, render_part};
use crate::pages::table::connect::{ClientCode, ConnectPage};
use crate::pages::table::overview::OverviewPage;
use crate::pages::table::rows::{Reading, RowDetail};
use crate::pages::table::settings::SettingsPage;
use crate::pages::table::versions::{History, VersionsPage};
use crate::pages::table::{Head, connect, overview, rows, settings, versions};
use crate::parts::Trail;

/// Every page in its states, by name.
pub(super) fn gallery() -> Vec<(&'static str, AnyView)> {
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
    let versions = |history| {
        versions::page(&VersionsPage { head: seen_head(), history, after: None, trail: Trail::default() })
    };
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

/// Each page in its frame, as HTML.
pub(super) fn pages(theme: Theme) -> Vec<(&'static str, String)> {
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

#[test]
fn pages_can_be_written_to_be_looked_at() {
    let Some(folder) = std::env::var_os("LAKEGLASS_GALLERY").map(std::path::PathBuf::from) else { return };
    for (theme, suffix) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        for (name, html) in pages(theme) {
            std::fs::write(folder.join(format!("{name}-{suffix}.html")), html).unwrap();
        }
    }
}
