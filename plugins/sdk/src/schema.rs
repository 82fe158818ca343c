//! Building a schema: the interface wants a flat list in which parents stand before their children.

use crate::{Field, LogicalType, Schema};

/// Collects fields in order; [`group`](Self::group) nests.
#[derive(Debug, Default)]
pub struct SchemaBuilder {
    fields: Vec<Field>,
    parent: Option<u32>,
}

impl SchemaBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// A field without children. `source_type` is the type as the format spells it.
    pub fn field(
        &mut self,
        name: impl Into<String>,
        ty: LogicalType,
        source_type: impl Into<String>,
        nullable: bool,
    ) -> &mut Field {
        let index = self.fields.len();
        self.fields.push(Field {
            parent: self.parent,
            name: name.into(),
            id: None,
            ty,
            source_type: source_type.into(),
            nullable,
            doc: None,
            properties: Vec::new(),
        });
        &mut self.fields[index]
    }

    /// A field whose children `fill` adds.
    pub fn group(
        &mut self,
        name: impl Into<String>,
        ty: LogicalType,
        source_type: impl Into<String>,
        nullable: bool,
        fill: impl FnOnce(&mut Self),
    ) {
        let index = u32::try_from(self.fields.len()).unwrap_or(u32::MAX);
        self.field(name, ty, source_type, nullable);
        let outer = self.parent.replace(index);
        fill(self);
        self.parent = outer;
    }

    pub fn build(self, id: Option<i64>) -> Schema {
        Schema { id, fields: self.fields }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_stand_before_their_children() {
        let mut schema = SchemaBuilder::new();
        schema.field("id", LogicalType::Int((64, true)), "long", false);
        schema.group("place", LogicalType::StructOf, "struct", true, |place| {
            place.group("names", LogicalType::ListOf, "list", true, |names| {
                names.field("item", LogicalType::Utf8, "string", true);
            });
            place.field("area", LogicalType::Float(64), "double", true);
        });
        schema.field("last", LogicalType::Boolean, "boolean", true);
        let parents: Vec<_> = schema.build(None).fields.iter().map(|field| field.parent).collect();
        assert_eq!(parents, [None, None, Some(1), Some(2), Some(1), None]);
    }
}
