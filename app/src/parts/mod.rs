//! What pages are made of. Plain functions, so that a page reads as its own outline.

mod address;
mod badge;
mod button;
mod cells;
mod empty;
mod endpoint;
mod form;
mod heading;
mod icons;
mod listing;
mod notice;
mod panel;
mod seen;
mod table;
mod tabs;
mod tiles;
mod trail;

pub use address::address;
pub use badge::{format_badge, format_class, format_title, state_badge, status};
pub use button::{Look, copy, link_button, post_button, submit};
pub use cells::{full_cell, grid_cell};
pub use empty::{Empty, empty};
pub use endpoint::Endpoint;
pub use form::{
    Choice, Form, checkbox, error_summary, hidden, password_field, select_field, text_area, text_field,
    time_field,
};
pub use heading::{heading, muted};
pub use icons::{Icon, icon};
pub use listing::{Listing, Nothing};
pub use notice::{notes, notice};
pub use panel::{panel, section};
pub use seen::{failed_look, moment, never_seen, seen};
pub use table::{Column, Pager, SortLink, cell, num, pager, table};
pub use tabs::{Tab, tabs};
pub use tiles::{Tile, tiles};
pub use trail::Trail;
