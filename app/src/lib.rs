//! The console's pages: layout, parts and pages, rendered on the server in one go.
//!
//! A page is a pure function from its data to a view. A handler awaits everything through services
//! and then calls [`render`] once; nothing here fetches, waits or decides.
//!
//! # How to write a page
//!
//! ```ignore
//! use lakeglass_app::{Frame, render, parts::*, links, text};
//! use leptos::prelude::*;
//!
//! pub struct BucketPage { pub bucket: Bucket, pub now_ms: i64 }
//!
//! pub fn page(data: BucketPage) -> AnyView {
//!     view! {
//!         {heading(data.bucket.name.as_str(), Some(muted("7 tables")), vec![
//!             link_button(links::new_table(…), "Create table", Look::Primary, Some(Icon::Plus)),
//!         ])}
//!         {tiles(vec![Tile::new("Rows", data.bucket.rows.map(text::count))])}
//!         {panel("Tables", None, table("Tables of this bucket", vec![Column::text("Table")], rows))}
//!     }
//!     .into_any()
//! }
//! // in the handler:
//! let html = render(&frame, "media", || pages::bucket::page(data));
//! ```
//!
//! - Every part is a plain function that returns [`AnyView`](leptos::prelude::AnyView). Build views
//!   inside the closure given to [`render`]: islands need the owner that it sets up.
//! - [`parts`] holds: [`heading`](parts::heading), [`panel`](parts::panel) and
//!   [`section`](parts::section), [`tiles`](parts::tiles), [`tabs`](parts::tabs),
//!   [`table`](parts::table) with [`Column`](parts::Column), [`pager`](parts::pager),
//!   [`empty`](parts::empty) for the five ways to have nothing to show,
//!   [`seen`](parts::seen) for the age of an observation, [`notice`](parts::notice),
//!   badges ([`format_badge`](parts::format_badge), [`state_badge`](parts::state_badge),
//!   [`status`](parts::status)), buttons ([`link_button`](parts::link_button),
//!   [`submit`](parts::submit), [`post_button`](parts::post_button)), [`copy`](parts::copy),
//!   [`icon`](parts::icon), and forms ([`Form`](parts::Form) keeps what was typed and what was wrong;
//!   [`error_summary`](parts::error_summary) and the fields read it).
//! - Paths come from [`links`] only, so that any name is percent-encoded once.
//! - Names and other text that did not come from this catalog pass [`text::visible`], which shows
//!   control and bidirectional characters as symbols. Markup is escaped by the renderer.
//! - Numbers, sizes and times come from [`text`]; an unknown one is [`text::DASH`], never zero.
//! - No `style` attributes and no colours: classes of `style/`, whose tokens name every colour.

#![recursion_limit = "256"]

pub mod frame;
pub mod links;
pub mod pages;
pub mod parts;
pub mod text;

pub use leptos::prelude::AnyView;

pub use frame::{Assets, Counts, Crumb, Flash, Frame, Section, Theme, Tone, Viewer, render, render_part};
