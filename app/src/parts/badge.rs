//! Small labels: format, state, verdict. The word carries the meaning, colour only repeats it.

use lakeglass_api::FormatId;
use lakeglass_api::catalog::TableState;
use leptos::prelude::*;

use super::icons::{Icon, icon};
use crate::frame::Tone;
use crate::text;

/// The format's name with its glyph; none is a bucket that accepts any.
pub fn format_badge(format: Option<&FormatId>) -> AnyView {
    let Some(format) = format else {
        return view! { <span class="badge unset">"Any format"</span> }.into_any();
    };
    let glyph = match format.as_str() {
        "lance" => Icon::Lance,
        "iceberg" => Icon::Iceberg,
        "delta" => Icon::Delta,
        "parquet" => Icon::Parquet,
        "csv" | "json" | "text" => Icon::Text,
        _ => Icon::Unknown,
    };
    let class = format!("badge {}", format_class(format));
    view! { <span class=class>{icon(glyph)}{format_title(format)}</span> }.into_any()
}

/// The class that gives a format its hue; formats without one of their own are grey.
pub fn format_class(format: &FormatId) -> &'static str {
    match format.as_str() {
        "lance" => "lance",
        "iceberg" => "iceberg",
        "delta" => "delta",
        "parquet" => "parquet",
        _ => "text",
    }
}

/// The format's name as its community writes it; an unknown one as it is.
pub fn format_title(format: &FormatId) -> String {
    match format.as_str() {
        "lance" => "Lance".to_owned(),
        "iceberg" => "Iceberg".to_owned(),
        "delta" => "Delta".to_owned(),
        "parquet" => "Parquet".to_owned(),
        "csv" => "CSV".to_owned(),
        "json" => "JSON".to_owned(),
        "hudi" => "Hudi".to_owned(),
        "zarr" => "Zarr".to_owned(),
        "vortex" => "Vortex".to_owned(),
        other => text::visible(other),
    }
}

/// Declared and deregistered are worth a badge; created is the normal case and has none.
pub fn state_badge(state: TableState) -> Option<AnyView> {
    let (label, title) = match state {
        TableState::Created => return None,
        TableState::Declared => ("Declared", "The location is reserved; nothing has been written yet"),
        TableState::Deregistered => ("In Trash", "The data is kept; the name is free"),
    };
    Some(view! { <span class="badge unset" title=title>{label}</span> }.into_any())
}

/// A verdict: `status(Tone::Bad, "Failed")`.
pub fn status(tone: Tone, label: impl Into<String>) -> AnyView {
    let (class, glyph) = match tone {
        Tone::Info => ("badge info", Icon::Info),
        Tone::Ok => ("badge ok", Icon::Check),
        Tone::Warn => ("badge warn", Icon::Warning),
        Tone::Bad => ("badge bad", Icon::Close),
    };
    view! { <span class=class>{icon(glyph)}{label.into()}</span> }.into_any()
}
