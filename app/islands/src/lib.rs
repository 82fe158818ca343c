//! What the browser hydrates: small islands over complete server HTML.
//!
//! An island adds what needs the browser and nothing else: every page and form works without it.
//! Inputs stay uncontrolled; an island reads the document when it starts, so that what was typed
//! before wasm arrived survives. Only an island's own props travel in the page.

mod browser;
pub mod clipboard;
pub mod endpoint;
pub mod grid;
pub mod palette;
pub mod progress;

pub use clipboard::Clipboard;
pub use endpoint::{CardHint, EndpointHint};
pub use grid::RowsGrid;
pub use palette::{Command, CommandKind, Palette};
pub use progress::JobProgress;
