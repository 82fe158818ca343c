//! The formats known to this version, in words: one card each, whether or not something serves it.

use lakeglass_api::FormatId;
use lakeglass_api::formats::{FormatCard, Serving};
use lakeglass_ports::{Claim, FormatInfo};

/// A format as this version knows it, with nothing that depends on the server.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    headline: &'static str,
    summary: &'static str,
    /// Most used first.
    clients: &'static [&'static str],
    /// How its tables are recognised, for when no describer says so.
    signs: &'static [&'static str],
}

pub(super) const KNOWN: [Known; 8] = [
    Known {
        id: "lance",
        title: "Lance",
        headline: "Vectors, media and versions",
        summary: "Columns with fast random access, vector and text indices, and every version kept.",
        clients: &["pylance", "LanceDB", "DuckDB", "Polars", "Spark", "Ray"],
        signs: &["a folder _versions"],
    },
    Known {
        id: "csv",
        title: "CSV",
        headline: "Plain text tables",
        summary: "One delimited text file a table. Types are guessed from a sample; there are no versions.",
        clients: &["DuckDB", "Polars", "pandas", "PyArrow"],
        signs: &["a file ending in .csv"],
    },
    Known {
        id: "iceberg",
        title: "Iceberg",
        headline: "Analytics tables with snapshots",
        summary: "Snapshots, hidden partitions and changing schemas, for SQL engines.",
        clients: &["Spark", "Trino", "Flink", "DuckDB", "PyIceberg"],
        signs: &["a file matching metadata/*.metadata.json"],
    },
    Known {
        id: "delta",
        title: "Delta",
        headline: "Parquet with a transaction log",
        summary: "A log of commits over Parquet files, with time travel.",
        clients: &["Spark", "Trino", "delta-rs", "DuckDB", "Polars"],
        signs: &["a folder _delta_log"],
    },
    Known {
        id: "parquet",
        title: "Parquet",
        headline: "Columns in files",
        summary: "One file or a folder of files, without a log and without versions.",
        clients: &["PyArrow", "DuckDB", "Polars", "Spark", "pandas"],
        signs: &["a file ending in .parquet"],
    },
    Known {
        id: "hudi",
        title: "Hudi",
        headline: "Tables with upserts",
        summary: "A timeline of commits with record-level updates, for streams into a lake.",
        clients: &["Spark", "Flink", "Trino"],
        signs: &["a folder .hoodie"],
    },
    Known {
        id: "zarr",
        title: "Zarr",
        headline: "Arrays in chunks",
        summary: "Arrays of any number of dimensions, in chunks, described in JSON.",
        clients: &["zarr-python", "Xarray", "Dask"],
        signs: &["a file zarr.json", "a file .zgroup", "a file .zarray"],
    },
    Known {
        id: "vortex",
        title: "Vortex",
        headline: "Compressed columns",
        summary: "Columnar files that can be read and filtered while still compressed.",
        clients: &["Vortex for Python", "DuckDB"],
        signs: &["a file ending in .vortex"],
    },
];

pub(super) fn knows(id: &FormatId) -> bool {
    KNOWN.iter().any(|known| known.id == id.as_str())
}

/// The card of a known format that a describer answers for.
pub(super) fn usable(known: &Known, info: &FormatInfo, observer: String) -> FormatCard {
    let mut card = brought(info, observer);
    known.title.clone_into(&mut card.title);
    known.headline.clone_into(&mut card.headline);
    known.summary.clone_into(&mut card.summary);
    card.clients = known.clients.iter().copied().map(str::to_owned).collect();
    card
}

/// The card of a known format that nothing here reads.
pub(super) fn unavailable(known: &Known) -> FormatCard {
    let reason = format!(
        "Nothing on this server reads {} yet. An admin can put a plugin for it into the server's plugins folder and restart it.",
        known.title
    );
    FormatCard {
        id: FormatId::new(known.id),
        title: known.title.to_owned(),
        headline: known.headline.to_owned(),
        summary: known.summary.to_owned(),
        clients: known.clients.iter().copied().map(str::to_owned).collect(),
        serving: Serving::Unavailable { reason },
        served_by: BY_LOCATION.to_owned(),
        endpoint_path: None,
        can_create_tables: false,
        can_preview: false,
        can_time_travel: false,
        claims: known.signs.iter().copied().map(str::to_owned).collect(),
    }
}

/// The card of a format from its describer alone.
pub(super) fn brought(info: &FormatInfo, observer: String) -> FormatCard {
    let lance = info.id == FormatId::lance();
    FormatCard {
        id: info.id.clone(),
        title: info.title.clone(),
        headline: "Brought by a plugin".to_owned(),
        summary: format!("{} tables, as the plugin describes them.", info.title),
        clients: Vec::new(),
        serving: Serving::Usable { observer },
        served_by: if lance { "Lance Namespace REST" } else { BY_LOCATION }.to_owned(),
        endpoint_path: lance.then(|| "/lance".to_owned()),
        can_create_tables: lance,
        can_preview: info.capabilities.preview,
        can_time_travel: info.capabilities.time_travel,
        claims: info.claims.iter().map(in_words).collect(),
    }
}

const BY_LOCATION: &str = "Read by location";

fn in_words(claim: &Claim) -> String {
    match claim {
        Claim::Exact(path) => format!("a file {path}"),
        Claim::Folder(name) => format!("a folder {name}"),
        Claim::Glob(pattern) => format!("a file matching {pattern}"),
        Claim::Suffix(suffix) => format!("a file ending in {suffix}"),
        Claim::Magic(offset, bytes) => {
            let bytes = hex::encode(bytes);
            let (distance, end) = (offset.unsigned_abs(), *offset < 0);
            match (distance, end) {
                (0, _) => format!("a file that begins with 0x{bytes}"),
                (_, false) => format!("a file with 0x{bytes} at byte {distance}"),
                (_, true) => format!("a file with 0x{bytes} {distance} bytes before its end"),
            }
        }
    }
}
