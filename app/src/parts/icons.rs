//! Line icons, drawn for this console on a 24 by 24 grid. Decoration only: a word always stands beside.

use leptos::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Icon {
    Overview,
    Buckets,
    Formats,
    Jobs,
    Settings,
    Clock,
    Copy,
    Plus,
    Refresh,
    Lock,
    Search,
    Filter,
    Columns,
    Download,
    Tag,
    Branch,
    Trash,
    Warning,
    Check,
    Info,
    Folder,
    Key,
    Moon,
    Close,
    Lance,
    Iceberg,
    Delta,
    Parquet,
    Text,
    Unknown,
}

impl Icon {
    fn drawing(self) -> &'static str {
        match self {
            Self::Overview => r#"<path d="M3 12h7V3H3zM14 21h7V10h-7zM14 3v4h7V3zM3 21h7v-6H3z"/>"#,
            Self::Buckets => {
                r#"<path d="M4 6c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3zM4 6v12c0 1.7 3.6 3 8 3s8-1.3 8-3V6M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3"/>"#
            }
            Self::Formats => r#"<path d="M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM16.5 13v7M13 16.5h7"/>"#,
            Self::Jobs => r#"<path d="M12 7v5l3 2M12 3a9 9 0 1 0 9 9"/>"#,
            Self::Settings => r#"<path d="M4 7h10M18 7h2M4 17h2M10 17h10M14 4v6M8 14v6"/>"#,
            Self::Clock => r#"<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>"#,
            Self::Copy => r#"<path d="M9 9h11v11H9zM5 15H4V4h11v1"/>"#,
            Self::Plus => r#"<path d="M12 5v14M5 12h14"/>"#,
            Self::Refresh => r#"<path d="M20 12a8 8 0 1 1-2.3-5.7L20 8M20 3v5h-5"/>"#,
            Self::Lock => r#"<path d="M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3"/>"#,
            Self::Search => r#"<circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/>"#,
            Self::Filter => r#"<path d="M4 6h16M7 12h10M10 18h4"/>"#,
            Self::Columns => r#"<path d="M4 5h16v14H4zM9.5 5v14M14.5 5v14"/>"#,
            Self::Download => r#"<path d="M12 4v11M7 11l5 5 5-5M5 20h14"/>"#,
            Self::Tag => r#"<path d="M4 4h8l8 8-8 8-8-8z"/><circle cx="8.5" cy="8.5" r="1"/>"#,
            Self::Branch => {
                r#"<circle cx="7" cy="5" r="2"/><circle cx="7" cy="19" r="2"/><circle cx="17" cy="9" r="2"/><path d="M7 7v10M17 11c0 4-10 2-10 6"/>"#
            }
            Self::Trash => r#"<path d="M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13"/>"#,
            Self::Warning => r#"<path d="M12 4 2.5 20h19zM12 10v4M12 17v.5"/>"#,
            Self::Check => r#"<path d="m5 13 4 4L19 7"/>"#,
            Self::Info => r#"<circle cx="12" cy="12" r="9"/><path d="M12 11v6M12 7.5V8"/>"#,
            Self::Folder => r#"<path d="M3 6h6l2 2h10v11H3z"/>"#,
            Self::Key => r#"<circle cx="8" cy="14" r="4"/><path d="m11 11 9-8M16 7l3 3"/>"#,
            Self::Moon => r#"<path d="M20 14A8 8 0 1 1 10 4a7 7 0 0 0 10 10z"/>"#,
            Self::Close => r#"<path d="m6 6 12 12M18 6 6 18"/>"#,
            Self::Lance => r#"<path d="M4 20 20 4M14 4h6v6M6 14l4 4"/>"#,
            Self::Iceberg => r#"<path d="m3 13 5-8 4 4 4-3 5 7zM5 13l3 7h8l3-7"/>"#,
            Self::Delta => r#"<path d="M12 4 21 20H3z"/>"#,
            Self::Parquet => r#"<path d="m4 7 8-4 8 4-8 4zM4 12l8 4 8-4M4 17l8 4 8-4"/>"#,
            Self::Text => r#"<path d="M5 6h14M5 12h14M5 18h9"/>"#,
            Self::Unknown => r#"<path d="M4 4h16v16H4zM9.5 9.5a2.5 2.5 0 1 1 2.5 2.5v2M12 16.5v.5"/>"#,
        }
    }
}

/// The icon at the size of the text around it, hidden from assistive technology.
pub fn icon(icon: Icon) -> AnyView {
    view! { <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" inner_html=icon.drawing()></svg> }
        .into_any()
}
