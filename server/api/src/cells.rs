//! Rows as people see them: the server turns Arrow into these once; nothing downstream parses numbers.

use serde::{Deserialize, Serialize};

use crate::description::{Cost, Note};

/// A column of a grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct GridColumn {
    pub name: String,
    pub type_name: String,
    pub nullable: bool,
    /// Numbers align to the right.
    pub numeric: bool,
}

/// One value, exact. What differs in meaning differs in kind: null, the empty text, the text "null",
/// NaN and negative zero never look the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Cell {
    Null,
    /// Text, control and bidirectional characters already escaped; `bytes` is the full length when cut.
    Text {
        text: String,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        cut_from: Option<u64>,
    },
    /// A number or boolean as exact text: 64-bit integers and decimals never pass through a float.
    Number {
        text: String,
    },
    /// "NaN", "+Inf", "-Inf", "-0".
    Special {
        text: String,
    },
    /// A time, with a title that says its zone, or that it has none.
    Time {
        text: String,
        title: String,
    },
    /// Bytes: their length, the first 32 in hex, and what the magic bytes say ("image/png").
    Binary {
        length: u64,
        head: String,
        media: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        href: Option<String>,
    },
    /// A vector: its dimension, norm, statistics, and a sparkline of at most 64 points in 0..=100.
    Vector {
        dimension: u32,
        norm: String,
        min: String,
        max: String,
        nans: u32,
        zeros: u32,
        head: Vec<String>,
        spark: Vec<u8>,
    },
    /// A list, struct or map: one line for the grid, indented text for the drawer.
    Nested {
        summary: String,
        full: String,
        #[serde(default)]
        cut: bool,
    },
    /// A JSON extension value: pretty and exact text.
    Json {
        text: String,
        pretty: String,
    },
}

/// A page of rows, read live.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Grid {
    pub columns: Vec<GridColumn>,
    /// Row-major, each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
    /// Offset of the first row.
    pub offset: u64,
    /// Whether rows follow these.
    pub more: bool,
    /// The version read; none where the format has none.
    pub version: Option<String>,
    pub cost: Cost,
    /// What was cut, guessed or left out.
    pub notes: Vec<Note>,
}
