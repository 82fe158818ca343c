//! A guest's description and history as the server's data types.

use lakeglass_api::FormatId;
use lakeglass_api::description::{
    Count, Description, Field, Note, Property, Reference, Severity, Totals, Version,
};
use lakeglass_ports::VersionPage;

use super::text::{NAME, SENTENCE, line};
use crate::bindings::exports::lakeglass::describer::describer as wit;
use crate::bindings::lakeglass::describer::types as wit_types;

const MAX_FIELDS: usize = 20_000;
const MAX_DEPTH: usize = 64;
const MAX_NOTES: usize = 100;
const MAX_PROPERTIES: usize = 1000;
const MAX_REFERENCES: usize = 10_000;
const MAX_FEATURES: usize = 256;
const MAX_VERSIONS: usize = 1000;

/// Checks a description against the contract; an error is a sentence about the plugin.
pub(crate) fn checked(found: wit::Description, format: &FormatId) -> Result<Description, String> {
    if found.format != format.as_str() {
        return Err(format!("it described {} when asked for {format}", line(&found.format, 80)));
    }
    let mut properties = properties(found.properties);
    for (key, fields) in [("partitioned by", &found.partition_spec), ("sorted by", &found.sort_order)] {
        if !fields.is_empty() {
            properties.push(Property { key: key.to_owned(), value: spelled(fields) });
        }
    }
    if let Some(id) = &found.table_id {
        properties.push(Property { key: "table id".to_owned(), value: line(id, NAME) });
    }
    Ok(Description {
        format: format.clone(),
        format_version: found.format_version.map(|version| line(&version, 80)),
        version: found.snapshot.map(|id| line(&id, NAME)),
        version_timestamp_ms: None,
        schema: schema(found.schema)?,
        totals: Totals {
            rows: found.totals.rows.map(count),
            deleted_rows: found.totals.deleted_rows.map(count),
            files: found.totals.files.map(count),
            bytes: found.totals.bytes.map(count),
            versions: None,
        },
        references: found
            .refs
            .into_iter()
            .take(MAX_REFERENCES)
            .map(|reference| Reference {
                name: line(&reference.name, NAME),
                kind: line(&reference.kind, 80),
                version: line(&reference.snapshot, NAME),
                branch: None,
            })
            .collect(),
        indices: Vec::new(),
        features: found.features.iter().take(MAX_FEATURES).map(|feature| line(feature, NAME)).collect(),
        properties,
        notes: notes(found.notes),
    })
}

pub(crate) fn history(found: wit::HistoryPage) -> VersionPage {
    let versions = found
        .snapshots
        .into_iter()
        .take(MAX_VERSIONS)
        .map(|snapshot| Version {
            id: line(&snapshot.id, NAME),
            timestamp_ms: snapshot.timestamp_ms,
            operation: snapshot.operation.map(|operation| line(&operation, 80)),
            rows: None,
            summary: properties(snapshot.summary),
            references: Vec::new(),
        })
        .collect();
    VersionPage { versions, next: found.next.map(|next| line(&next, SENTENCE)), total: None }
}

pub(crate) fn notes(found: Vec<wit_types::Note>) -> Vec<Note> {
    let notes = found.into_iter().take(MAX_NOTES).map(|note| {
        let message = line(&note.message, SENTENCE);
        Note {
            severity: match note.severity {
                wit_types::Severity::Info => Severity::Info,
                wit_types::Severity::Warning => Severity::Warning,
                wit_types::Severity::Error => Severity::Error,
            },
            code: line(&note.code, 80),
            message: match note.path {
                Some(path) => format!("{}: {message}", line(&path, NAME)),
                None => message,
            },
        }
    });
    notes.collect()
}

/// Parents come first, no deeper and no more than anyone needs.
fn schema(found: wit::Schema) -> Result<Vec<Field>, String> {
    if found.fields.len() > MAX_FIELDS {
        return Err(format!("its schema has {} fields; {MAX_FIELDS} are allowed", found.fields.len()));
    }
    let mut depths: Vec<usize> = Vec::with_capacity(found.fields.len());
    let mut fields = Vec::with_capacity(found.fields.len());
    for field in found.fields {
        let depth = match field.parent {
            None => 0,
            Some(parent) => match depths.get(parent as usize) {
                Some(depth) => depth + 1,
                None => return Err("its schema names a parent that does not come first".to_owned()),
            },
        };
        if depth >= MAX_DEPTH {
            return Err(format!("its schema is nested deeper than {MAX_DEPTH}"));
        }
        depths.push(depth);
        fields.push(Field {
            parent: field.parent,
            name: line(&field.name, NAME),
            id: field.id.map(i64::from),
            type_name: line(&field.source_type, NAME),
            nullable: field.nullable,
            doc: field.doc.map(|doc| line(&doc, SENTENCE)),
            properties: properties(field.properties),
        });
    }
    Ok(fields)
}

fn properties(found: Vec<wit_types::Property>) -> Vec<Property> {
    let properties = found.into_iter().take(MAX_PROPERTIES);
    properties
        .map(|property| Property { key: line(&property.key, NAME), value: line(&property.value, SENTENCE) })
        .collect()
}

fn count(count: wit::Count) -> Count {
    Count { value: count.value, exact: count.exact }
}

/// "bucket(16, id), day(at)".
fn spelled(fields: &[wit::PartitionField]) -> String {
    let fields: Vec<String> = fields
        .iter()
        .take(MAX_PROPERTIES)
        .map(|field| {
            let sources: Vec<String> = field.sources.iter().map(|path| path.join(".")).collect();
            format!("{}({})", field.transform, sources.join(", "))
        })
        .collect();
    line(&fields.join(", "), SENTENCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(parent: Option<u32>) -> wit::Field {
        wit::Field {
            parent,
            name: "a\u{202e}".to_owned(),
            id: None,
            ty: wit::LogicalType::Utf8,
            source_type: "string".to_owned(),
            nullable: true,
            doc: None,
            properties: Vec::new(),
        }
    }

    #[test]
    fn schemas_that_lie_about_their_shape_are_refused() {
        let schema_of = |parents: Vec<Option<u32>>| {
            schema(wit::Schema { id: None, fields: parents.into_iter().map(field).collect() })
        };
        assert_eq!(schema_of(vec![None, Some(0)]).unwrap()[1].name, "a");
        for parents in [vec![Some(0)], vec![None, Some(1)], vec![None, Some(7)]] {
            assert!(schema_of(parents).unwrap_err().contains("come first"));
        }
        let deep = std::iter::once(None).chain((0..64).map(Some)).collect();
        assert!(schema_of(deep).unwrap_err().contains("deeper"));
        assert!(schema_of(vec![None; MAX_FIELDS + 1]).unwrap_err().contains("fields"));
    }
}
