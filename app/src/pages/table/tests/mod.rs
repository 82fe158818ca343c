//! The tabs of a table as HTML: what they must say, and must never say.

mod gallery;
mod samples;

use gallery::pages;
use samples::{grid, rows_page, seen_head};

use super::overview::OverviewPage;
use super::rows::{At, Reading};
use super::{overview, rows};
use crate::frame::{Theme, render_part};

#[test]
fn markup_and_direction_in_any_text_stay_text_on_every_page() {
    for (name, html) in pages(Theme::Dark) {
        assert!(!html.contains("<img"), "{name}: markup of a name became an element");
        assert!(!shown(&html).contains('\u{202E}'), "{name}: a direction mark was passed on");
        assert!(!html.contains(" style="), "{name}: an inline style");
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
fn a_page_offers_a_look_once() {
    for (name, html) in pages(Theme::System) {
        assert!(html.matches("Observe now").count() < 2, "{name}");
    }
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
