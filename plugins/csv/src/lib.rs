//! The describer for text tables: CSV and its kin, with commas, semicolons, tabs or bars.
//!
//! Such a file says nothing of itself, so everything beyond its cells is a guess from a bounded
//! sample of its start, and every answer says which guesses it rests on.

mod columns;
mod dialect;
mod kind;
mod preview;
mod profile;
mod records;
#[cfg(test)]
mod tests;

use lakeglass_describer_sdk::{
    Batch, Claim, Count, Describer, Description, Detection, Error, Format, ListPage, Note, OptionSpec,
    PluginInfo, PreviewRequest, SchemaBuilder, Store, Subject, TargetKind, at, export_describer,
    text_property,
};

use crate::profile::Profile;

/// The format's identifier.
pub const FORMAT: &str = "csv";

/// How many bytes of a file `detect` looks at.
const GLANCE: u32 = 4096;

/// Text tables: one record a line, cells parted by a delimiter, quoted where needed.
#[derive(Debug)]
pub struct Csv;

export_describer!(Csv);

impl Describer for Csv {
    fn info() -> PluginInfo {
        PluginInfo {
            id: FORMAT.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            formats: vec![Format {
                id: FORMAT.to_owned(),
                title: "CSV".to_owned(),
                mime: Some("text/csv".to_owned()),
                targets: vec![TargetKind::SingleObject],
                claims: vec![Claim::Suffix(".csv".to_owned()), Claim::Suffix(".tsv".to_owned())],
                can_preview: true,
                can_time_travel: false,
                options: options(),
            }],
            properties: Vec::new(),
        }
    }

    fn detect(store: &dyn Store, listing: &ListPage) -> Result<Vec<Detection>, Error> {
        let Some(object) = listing.objects.iter().find(|object| has_suffix(&object.path)) else {
            return Ok(Vec::new());
        };
        let (_, start) = store.read_span(&object.path, 0, GLANCE, None).map_err(at(&object.path))?;
        if start.contains(&0) {
            return Ok(Vec::new());
        }
        Ok(vec![Detection {
            format: FORMAT.to_owned(),
            member: None,
            confidence: 90,
            reason: format!("{} is text and named as such", object.path),
        }])
    }

    fn describe(store: &dyn Store, subject: &Subject) -> Result<Description, Error> {
        let profile = Profile::take(store, subject)?;
        let mut schema = SchemaBuilder::new();
        for column in &profile.columns {
            schema.field(&column.name, column.kind.logical(), column.kind.name(), true);
        }
        let mut description = Description::new(FORMAT);
        description.schema = schema.build(None);
        description.totals.rows = Some(profile.rows());
        description.totals.files = Some(Count::exact(1));
        description.totals.bytes = Some(Count::exact(profile.sample.meta.size));
        description.properties = vec![
            text_property("delimiter", dialect::delimiter_word(profile.dialect.delimiter)),
            text_property("header", if profile.dialect.header { "yes" } else { "no" }),
        ];
        if profile.sample.byte_order_mark {
            description.properties.push(text_property("byte order mark", "UTF-8"));
        }
        description.notes = notes(&profile);
        Ok(description)
    }

    fn preview(store: &dyn Store, subject: &Subject, request: &PreviewRequest) -> Result<Batch, Error> {
        preview::rows(store, subject, request)
    }
}

fn has_suffix(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ending.eq_ignore_ascii_case("csv") || ending.eq_ignore_ascii_case("tsv")
}

fn options() -> Vec<OptionSpec> {
    let option = |key: &str, title: &str, doc: &str, default: &str, choices: &[&str]| OptionSpec {
        key: key.to_owned(),
        title: title.to_owned(),
        doc: doc.to_owned(),
        default: Some(default.to_owned()),
        choices: choices.iter().map(|&choice| choice.to_owned()).collect(),
    };
    vec![
        option(
            "delimiter",
            "Delimiter",
            "What parts the cells of a line",
            "detect",
            &["detect", "comma", "semicolon", "tab", "bar"],
        ),
        option(
            "header",
            "Header",
            "Whether the first line names the columns",
            "detect",
            &["detect", "yes", "no"],
        ),
        option(
            "missing",
            "Missing values",
            "Texts that stand for no value in every column, parted by bars: NA|unknown",
            "",
            &[],
        ),
    ]
}

fn notes(profile: &Profile) -> Vec<Note> {
    let mut notes = Vec::new();
    let rows = profile.sampled_rows;
    if profile.sample.meta.size == 0 {
        notes.push(Note::info("empty-file", "The file has no bytes"));
        return notes;
    }
    let basis = if profile.sample.whole {
        format!("from all {rows} rows")
    } else {
        format!("from the first {rows} rows")
    };
    notes
        .push(Note::info("inferred-types", format!("Column types are a guess {basis}: the format has none")));
    if !profile.sample.whole {
        notes.push(Note::info(
            "estimated-rows",
            format!("The number of rows is an estimate from the first {} bytes", profile.sample.bytes.len()),
        ));
    }
    if profile.dialect.header_guessed {
        let said = if profile.dialect.header {
            "The first line is taken for column names"
        } else {
            "The first line is taken for a row, and the columns are numbered"
        };
        notes.push(Note::info("guessed-header", format!("{said}. Set the header option if that is wrong")));
    }
    if profile.renamed_columns > 0 {
        notes.push(Note::warning(
            "renamed-columns",
            format!("{} column names were empty or used twice and got a number", profile.renamed_columns),
        ));
    }
    if profile.short_rows > 0 {
        notes.push(Note::warning(
            "ragged-rows",
            format!("{} of {rows} rows have too few cells; the missing ones are empty", profile.short_rows),
        ));
    }
    if profile.long_rows > 0 {
        notes.push(Note::warning(
            "ragged-rows",
            format!(
                "{} of {rows} rows have more cells than there are columns; the rest is not shown",
                profile.long_rows
            ),
        ));
    }
    if profile.not_utf8 > 0 {
        notes.push(Note::warning(
            "not-utf8",
            format!("{} cells are not UTF-8; what cannot be read shows as \u{fffd}", profile.not_utf8),
        ));
    }
    notes
}
