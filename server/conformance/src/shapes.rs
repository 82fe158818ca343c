//! The shapes of answers, transcribed from the specification's response models.
//!
//! A shape is text: `name:type` for a field that must be there, `name?:type` for one that may be absent or
//! null. Types are `text`, `int`, `number`, `bool`, `map` (of texts), `any`, `[type]`, `{type}` (a map of
//! them), and `(fields)` for an object. Fields beyond these are allowed, as in the specification.

use serde_json::Value;

/// What the body of a success looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// No body at all.
    Empty,
    /// JSON of this type.
    Json(&'static str),
    /// JSON of this type, or no body: the answer has no field that must be there.
    JsonOrEmpty(&'static str),
    /// An Arrow IPC file.
    ArrowFile,
}

pub(crate) const NOTHING: Shape = Shape::Empty;
pub(crate) const ARROW_FILE: Shape = Shape::ArrowFile;
pub(crate) const COUNT: Shape = Shape::Json("int");
pub(crate) const TEXT: Shape = Shape::Json("text");
pub(crate) const TEXT_MAP: Shape = Shape::Json("map");
pub(crate) const DONE: Shape = Shape::Json("(transaction_id?:text)");
pub(crate) const CREATE_NAMESPACE: Shape = Shape::Json("(transaction_id?:text properties?:map)");
pub(crate) const LIST_NAMESPACES: Shape = Shape::Json("(namespaces:[text] page_token?:text)");
pub(crate) const DESCRIBE_NAMESPACE: Shape = Shape::Json("(properties?:map)");
pub(crate) const DROP_NAMESPACE: Shape = Shape::JsonOrEmpty("(properties?:map transaction_id?:[text])");
pub(crate) const LIST_TABLES: Shape = Shape::Json("(tables:[text] page_token?:text)");
pub(crate) const REGISTER_TABLE: Shape = Shape::Json("(transaction_id?:text location?:text properties?:map)");
pub(crate) const DESCRIBE_TABLE: Shape = Shape::Json(
    "(table?:text namespace?:[text] version?:int location?:text table_uri?:text \
     schema?:(fields:[(name:text nullable:bool type:(type:text length?:int fields?:[any]) metadata?:map)] \
     metadata?:map) storage_options?:map stats?:(num_deleted_rows:int num_fragments:int) metadata?:map \
     properties?:map managed_versioning?:bool is_only_declared?:bool)",
);
pub(crate) const REMOVED_TABLE: Shape =
    Shape::Json("(transaction_id?:text id?:[text] location?:text properties?:map)");
pub(crate) const DECLARE_TABLE: Shape = Shape::Json(
    "(transaction_id?:text location?:text storage_options?:map properties?:map managed_versioning?:bool)",
);
pub(crate) const CREATE_TABLE: Shape =
    Shape::Json("(transaction_id?:text location?:text version?:int storage_options?:map properties?:map)");
pub(crate) const INSERT: Shape = Shape::Json("(transaction_id?:text num_inserted_rows?:int version?:int)");
pub(crate) const MERGE_INSERT: Shape = Shape::Json(
    "(transaction_id?:text num_updated_rows?:int num_inserted_rows?:int num_deleted_rows?:int version?:int)",
);
pub(crate) const UPDATE: Shape =
    Shape::Json("(transaction_id?:text updated_rows:int version:int properties?:map)");
pub(crate) const DELETE: Shape = Shape::Json("(transaction_id?:text version?:int)");
pub(crate) const VERSION: Shape = Shape::Json("(transaction_id?:text version:int)");
pub(crate) const JOB: Shape = Shape::Json("(job_id:text)");
pub(crate) const FIELD_METADATA: Shape = Shape::Json("(version:int fields?:{map})");
pub(crate) const STATS: Shape = Shape::Json(
    "(total_bytes:int num_rows:int num_indices:int fragment_stats:(num_fragments:int \
     num_small_fragments:int lengths:(min:int max:int mean:int p25:int p50:int p75:int p99:int)))",
);
pub(crate) const LIST_VERSIONS: Shape = Shape::Json(
    "(versions:[(version:int manifest_path:text manifest_size?:int e_tag?:text timestamp_millis?:int \
     metadata?:map)] page_token?:text)",
);
pub(crate) const DESCRIBE_VERSION: Shape = Shape::Json(
    "(version:(version:int manifest_path:text manifest_size?:int e_tag?:text timestamp_millis?:int \
     metadata?:map))",
);
pub(crate) const CREATE_VERSION: Shape =
    Shape::Json("(transaction_id?:text version?:(version:int manifest_path:text))");
pub(crate) const BATCH_VERSIONS: Shape =
    Shape::Json("(transaction_id?:text versions:[(version:int manifest_path:text)])");
pub(crate) const DELETE_VERSIONS: Shape = Shape::Json("(deleted_count?:int transaction_id?:text)");
pub(crate) const BATCH_COMMIT: Shape = Shape::Json(
    "(transaction_id?:text results:[(declare_table?:any create_table_version?:any \
     delete_table_versions?:any deregister_table?:any)])",
);
pub(crate) const LIST_INDICES: Shape = Shape::Json(
    "(indexes:[(index_name:text index_uuid:text columns:[text] status:text index_type?:text type_url?:text \
     num_indexed_rows?:int num_unindexed_rows?:int size_bytes?:int num_segments?:int created_at?:text \
     index_version?:int index_details?:text)] page_token?:text)",
);
pub(crate) const INDEX_STATS: Shape = Shape::Json(
    "(distance_type?:text index_type?:text num_indexed_rows?:int num_unindexed_rows?:int num_indices?:int)",
);
pub(crate) const LIST_TAGS: Shape =
    Shape::Json("(tags:{(branch?:text version:int manifestSize:int)} page_token?:text)");
pub(crate) const TAG_VERSION: Shape = Shape::Json("(version:int branch?:text)");
pub(crate) const LIST_BRANCHES: Shape = Shape::Json(
    "(branches:{(parentBranch?:text parentVersion:int createAt:int manifestSize:int metadata?:map)} \
     page_token?:text)",
);
pub(crate) const CREATE_VIEW: Shape = Shape::Json("(version:int job_id?:text)");
pub(crate) const TRANSACTION: Shape = Shape::Json("(status:text properties?:map)");

/// Says where `value` is not of `shape`; none when it is.
pub(crate) fn differs(shape: &str, value: &Value) -> Option<String> {
    let mut reader = Reader { rest: shape };
    reader.check("", Some(value))
}

/// Reads a shape's text from the left, checking as it goes.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Checks one type; `None` for the value only reads over the type.
    fn check(&mut self, at: &str, value: Option<&Value>) -> Option<String> {
        match self.rest.chars().next() {
            Some('(') => self.object(at, value),
            Some('[') => self.list(at, value),
            Some('{') => self.map(at, value),
            _ => {
                let end = self.rest.find([' ', ')', ']', '}']).unwrap_or(self.rest.len());
                let (name, rest) = self.rest.split_at(end);
                self.rest = rest;
                value.filter(|value| !is(name, value)).map(|_| wrong(at, name))
            }
        }
    }

    fn object(&mut self, at: &str, value: Option<&Value>) -> Option<String> {
        self.skip(1);
        let mut found = None;
        if value.is_some_and(|value| !value.is_object()) {
            found = Some(wrong(at, "an object"));
        }
        while !self.rest.starts_with(')') {
            self.rest = self.rest.trim_start();
            let (name, optional) = self.field();
            let inner = format!("{at}/{name}");
            let field = value.and_then(|value| value.get(name));
            let absent = field.is_none_or(Value::is_null);
            let said = self.check(&inner, field.filter(|_| !absent));
            let missing = (value.is_some() && absent && !optional).then(|| format!("{inner} is missing"));
            found = found.or(missing).or(said);
        }
        self.skip(1);
        found
    }

    fn list(&mut self, at: &str, value: Option<&Value>) -> Option<String> {
        let items = value.and_then(Value::as_array).into_iter().flatten().enumerate();
        let said = self.items(at, items.map(|(number, item)| (number.to_string(), item)));
        value.filter(|value| !value.is_array()).map(|_| wrong(at, "a list")).or(said)
    }

    fn map(&mut self, at: &str, value: Option<&Value>) -> Option<String> {
        let items = value.and_then(Value::as_object).into_iter().flatten();
        let said = self.items(at, items.map(|(name, item)| (name.clone(), item)));
        value.filter(|value| !value.is_object()).map(|_| wrong(at, "a map")).or(said)
    }

    /// Checks every item against the type that stands in brackets; without items only reads over it.
    fn items<'v>(&mut self, at: &str, items: impl Iterator<Item = (String, &'v Value)>) -> Option<String> {
        self.skip(1);
        let before = self.rest;
        let mut found = self.check(at, None);
        let after = self.rest;
        for (name, item) in items {
            self.rest = before;
            found = found.or(self.check(&format!("{at}/{name}"), Some(item)));
        }
        self.rest = after;
        self.skip(1);
        found
    }

    /// A field's name, and whether it may be absent.
    fn field(&mut self) -> (&'a str, bool) {
        let (name, rest) = self.rest.split_once(':').unwrap_or((self.rest, ""));
        self.rest = rest;
        name.strip_suffix('?').map_or((name, false), |name| (name, true))
    }

    fn skip(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }
}

fn wrong(at: &str, wanted: &str) -> String {
    format!("{} is not {wanted}", if at.is_empty() { "the answer" } else { at })
}

fn is(name: &str, value: &Value) -> bool {
    match name {
        "text" => value.is_string(),
        "int" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "bool" => value.is_boolean(),
        "map" => value.as_object().is_some_and(|map| map.values().all(Value::is_string)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_shape_says_where_an_answer_differs() {
        let shape = "(names:[text] next?:text inner?:(count:int) tags:{(version:int)})";
        let good = json!({"names": ["a"], "next": null, "tags": {"x": {"version": 1}}, "more": 7});
        assert_eq!(differs(shape, &good), None);
        for (bad, said) in [
            (json!([]), "the answer is not an object"),
            (json!({"tags": {}}), "/names is missing"),
            (json!({"names": null, "tags": {}}), "/names is missing"),
            (json!({"names": ["a", 5], "tags": {}}), "/names/1 is not text"),
            (json!({"names": [], "next": 5, "tags": {}}), "/next is not text"),
            (json!({"names": [], "inner": {}, "tags": {}}), "/inner/count is missing"),
            (json!({"names": [], "tags": {"x": {"version": 1.5}}}), "/tags/x/version is not int"),
        ] {
            assert_eq!(differs(shape, &bad).as_deref(), Some(said), "{bad}");
        }
        assert_eq!(differs("int", &json!(3)), None);
        assert_eq!(differs("map", &json!({"a": 1})).as_deref(), Some("the answer is not map"));
    }

    #[test]
    fn every_operations_shape_can_be_read_to_its_end() {
        for operation in crate::Operation::ALL {
            if let Shape::Json(text) | Shape::JsonOrEmpty(text) = operation.details().answer {
                let mut reader = Reader { rest: text };
                reader.check("", None);
                assert_eq!(reader.rest, "", "{}", operation.name());
            }
        }
    }
}
