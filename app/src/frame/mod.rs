//! The frame around every page, and the one function that turns a page into HTML.

mod boot;
mod layout;
mod navigation;

use std::sync::Arc;

use hydration_context::{SharedContext, SsrSharedContext};
use lakeglass_api::FormatId;
use lakeglass_api::catalog::TableState;
use leptos::prelude::*;

/// What the frame shows besides the page. Made once a request.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    /// The content security policy's nonce of this response.
    pub nonce: String,
    pub theme: Theme,
    /// Whether `Ctrl-K` and `/` do something. A person can turn them off.
    pub shortcuts: bool,
    /// Who is signed in; none on pages that anyone sees.
    pub user: Option<Viewer>,
    pub counts: Counts,
    pub flash: Option<Flash>,
    /// Plain HTTP away from loopback was allowed: every page says so.
    pub insecure: bool,
    pub section: Section,
    /// From the outermost in. The last one is the page itself.
    pub crumbs: Vec<Crumb>,
    /// The format and state badges at the end of the breadcrumbs.
    pub badges: Badges,
    pub assets: Assets,
    /// The path and query of this page, where a preference returns to.
    pub path: String,
}

impl Frame {
    /// Sets where this page stands.
    #[must_use]
    pub fn at(mut self, section: Section, crumbs: Vec<Crumb>) -> Self {
        self.section = section;
        self.crumbs = crumbs;
        self
    }

    /// Adds the badges of the object that the page shows.
    #[must_use]
    pub fn badges(mut self, format: Option<FormatId>, state: Option<TableState>) -> Self {
        self.badges = Badges { shown: true, format, state };
        self
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the browser prefers.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    /// From its cookie; anything else is the browser's preference.
    pub fn parse(text: &str) -> Self {
        match text {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::System,
        }
    }

    /// What was chosen over the browser's preference.
    pub fn chosen(self) -> Option<&'static str> {
        (self != Self::System).then(|| self.as_str())
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// The person who is signed in, as the frame names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewer {
    pub name: String,
    /// The role on the server, or "Per bucket".
    pub role: String,
    /// Sees the settings of the server.
    pub admin: bool,
}

/// Numbers beside the navigation; none are left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub buckets: Option<u64>,
    /// Jobs not over yet.
    pub jobs: Option<u64>,
    pub formats: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Info,
    Ok,
    Warn,
    Bad,
}

/// What the page before left to say, looked up by the server; never text from the URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flash {
    pub tone: Tone,
    pub text: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Section {
    Overview,
    Buckets,
    Jobs,
    Formats,
    Settings,
    /// None of the navigation's: sign-in, errors.
    #[default]
    Elsewhere,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crumb {
    pub label: String,
    /// None for the page itself.
    pub href: Option<String>,
}

impl Crumb {
    pub fn link(label: impl Into<String>, href: impl Into<String>) -> Self {
        Self { label: label.into(), href: Some(href.into()) }
    }

    pub fn here(label: impl Into<String>) -> Self {
        Self { label: label.into(), href: None }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Badges {
    pub shown: bool,
    pub format: Option<FormatId>,
    pub state: Option<TableState>,
}

/// Paths of the browser's files, hashed names included. Without script and wasm, pages stand alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assets {
    /// `/assets/app-….css`
    pub css: String,
    pub js: Option<String>,
    pub wasm: Option<String>,
    /// `/assets/favicon-….svg`
    pub icon: Option<String>,
}

/// The whole document. `title` is the page's own part of the title; `body` is called once, inside
/// the owner that islands need.
pub fn render(frame: &Frame, title: &str, body: impl FnOnce() -> AnyView) -> String {
    let html = in_owner(|| layout::document(frame, title, body()));
    format!("<!doctype html>{html}")
}

/// A piece of a page without the frame, for islands that ask for one.
pub fn render_part(body: impl FnOnce() -> AnyView) -> String {
    in_owner(body)
}

fn in_owner(make: impl FnOnce() -> AnyView) -> String {
    let shared: Arc<dyn SharedContext + Send + Sync> = Arc::new(SsrSharedContext::new_islands());
    let owner = Owner::new_root(Some(shared));
    let html = owner.with(|| make().to_html());
    owner.unset_with_forced_cleanup();
    html
}
