//! Lance's schema as the pre-order list of fields that descriptions carry.

use std::collections::HashMap;

use arrow_schema::Field as ArrowField;
use lakeglass_api::description::{Field, Property};
use lakeglass_ports::{is_blob, is_json, type_words};
use lance_core::datatypes::{Field as LanceField, Schema};

/// Metadata keys under which writers leave a column's comment, the most common first.
const COMMENTS: [&str; 3] = ["comment", "description", "doc"];

/// Every field, a parent before its children.
pub(crate) fn fields(schema: &Schema) -> Vec<Field> {
    let mut list = Vec::new();
    for field in &schema.fields {
        push(field, None, &mut list);
    }
    list
}

fn push(field: &LanceField, parent: Option<u32>, list: &mut Vec<Field>) {
    let arrow = ArrowField::from(field);
    let opaque = is_blob(&arrow) || is_json(&arrow);
    let (doc, properties) = properties(&field.metadata);
    let own = u32::try_from(list.len()).ok();
    list.push(Field {
        parent,
        name: field.name.clone(),
        id: Some(i64::from(field.id)),
        type_name: type_words(&arrow),
        nullable: field.nullable,
        doc,
        properties,
    });
    if opaque {
        return;
    }
    for child in &field.children {
        // The item of a list of plain values is told by the list's own type.
        if !field.logical_type.is_struct() && child.children.is_empty() && child.metadata.is_empty() {
            continue;
        }
        push(child, own, list);
    }
}

fn properties(metadata: &HashMap<String, String>) -> (Option<String>, Vec<Property>) {
    let comment = COMMENTS.iter().find(|key| metadata.contains_key(**key)).copied();
    let doc = comment.and_then(|key| metadata.get(key).cloned());
    let rest = crate::open::sorted(metadata)
        .into_iter()
        .filter(|(key, _)| Some(key.as_str()) != comment)
        .map(|(key, value)| Property { key: key.clone(), value: value.clone() })
        .collect();
    (doc, rest)
}
