//! Which operation a route is, who may ask for it, and how it is asked for elsewhere.

use lakeglass_api::Role;
use serde_json::{Map, Value};

use super::super::modes::Behavior;

const BASE: &str = "/lance";

/// What an operation is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What is directly in a namespace.
    List,
    Namespace,
    Table,
}

/// One operation of the specification.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    /// Below the base, without a slash at its end: `/v1/table/{id}/query`.
    pattern: &'static str,
    /// The same without version and id: `table/query`.
    name: String,
}

impl Operation {
    /// The operation of a route; none for one that names no single object.
    pub(super) fn of(path: &'static str) -> Option<Self> {
        let pattern = path.strip_prefix(BASE)?.trim_end_matches('/');
        let rest = pattern.strip_prefix("/v1/")?;
        let name = rest.replacen("/{id}", "", 1);
        (name != rest).then_some(Self { pattern, name })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn kind(&self) -> Kind {
        match self.name.as_str() {
            "namespace/list" | "namespace/table/list" => Kind::List,
            name if name.starts_with("namespace/") => Kind::Namespace,
            _ => Kind::Table,
        }
    }

    pub(super) fn is_list(&self) -> bool {
        self.kind() == Kind::List
    }

    /// The most parts below a bucket of which the first may stand for no namespace at all.
    pub(super) fn depth_of_root(&self) -> usize {
        if self.kind() == Kind::Table { 2 } else { 1 }
    }

    /// Whether its body is a stream of rows.
    pub(super) fn carries_rows(&self) -> bool {
        matches!(self.name.as_str(), "table/create" | "table/insert" | "table/merge_insert")
    }

    /// Whether its body is an object with an id, rather than rows, a bare map, or nothing.
    pub(super) fn has_object(&self) -> bool {
        !self.is_list() && !self.carries_rows() && self.name != "table/schema_metadata/update"
    }

    /// Whether its work may take as long as rows do.
    pub(super) fn is_long(&self) -> bool {
        !matches!(self.kind(), Kind::List | Kind::Namespace)
            && !matches!(
                self.name.as_str(),
                "table/describe"
                    | "table/exists"
                    | "table/declare"
                    | "table/register"
                    | "table/deregister"
                    | "table/rename"
            )
    }

    /// The role that it needs in the bucket; the same as of the native handler.
    pub(super) fn need(&self, body: &Map<String, Value>) -> Role {
        match self.name.as_str() {
            "namespace/list"
            | "namespace/table/list"
            | "namespace/describe"
            | "namespace/exists"
            | "table/describe"
            | "table/exists"
            | "table/stats"
            | "table/version/list"
            | "table/version/describe"
            | "table/index/list"
            | "table/index/{index_name}/stats"
            | "table/tags/list"
            | "table/tags/version"
            | "table/branches/list"
            | "transaction/describe" => Role::Viewer,
            // A condition can ask for any row's value.
            "table/count_rows" if body.get("predicate").is_none_or(Value::is_null) => Role::Viewer,
            "table/count_rows" | "table/query" | "table/explain_plan" | "table/analyze_plan" => Role::Reader,
            "table/version/delete" => Role::Admin,
            "namespace/drop" if cascades(body) => Role::Admin,
            _ => Role::Editor,
        }
    }

    /// Its path at another server: the id replaced, other names as they were sent.
    pub(super) fn path(&self, id: &str, sent: &str) -> String {
        let sent = sent.strip_prefix(BASE).unwrap_or(sent);
        let mut path = String::new();
        for (pattern, sent) in self.pattern.split('/').zip(sent.split('/')).skip(1) {
            path.push('/');
            path.push_str(match pattern {
                "{id}" => id,
                name if name.starts_with('{') => sent,
                fixed => fixed,
            });
        }
        path
    }
}

/// Whether a body asks to drop what is inside as well. One that cannot be read does: it needs more.
pub(super) fn cascades(body: &Map<String, Value>) -> bool {
    match body.get("behavior") {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => Behavior::parse(Some(text)).ok() != Some(Behavior::Restrict),
        Some(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn need(path: &'static str, body: &Value) -> Role {
        Operation::of(path).unwrap().need(body.as_object().unwrap())
    }

    #[test]
    fn every_route_with_an_id_is_an_operation_and_keeps_its_path() {
        let mut named = 0;
        for route in super::super::super::routes::routes() {
            let Some(operation) = Operation::of(route.path) else { continue };
            named += 1;
            let sent = route.path.replace("{id}", "bucket$a%20b").replace("{index_name}", "by%2Fprice");
            let path = operation.path("vectors$a%20b", &sent);
            let wanted = sent.trim_start_matches(BASE).trim_end_matches('/').replace("bucket$", "vectors$");
            assert_eq!(path, wanted);
        }
        // Two of 54 name several tables, one none; each with and without a slash.
        assert_eq!(named, 2 * 51);
        assert!(Operation::of("/lance/v1/table").is_none());
        assert!(Operation::of("/lance/v1/table/batch-commit").is_none());
    }

    #[test]
    fn roles_follow_what_is_asked() {
        let none = json!({});
        assert_eq!(need("/lance/v1/table/{id}/describe/", &none), Role::Viewer);
        assert_eq!(need("/lance/v1/table/{id}/count_rows", &none), Role::Viewer);
        assert_eq!(need("/lance/v1/table/{id}/count_rows", &json!({ "predicate": "a > 1" })), Role::Reader);
        assert_eq!(need("/lance/v1/table/{id}/query", &none), Role::Reader);
        assert_eq!(need("/lance/v1/table/{id}/insert", &none), Role::Editor);
        assert_eq!(need("/lance/v1/table/{id}/version/delete", &none), Role::Admin);
        assert_eq!(need("/lance/v1/namespace/{id}/drop", &json!({ "behavior": "Restrict" })), Role::Editor);
        for behavior in [json!("CASCADE"), json!("something"), json!(7)] {
            assert_eq!(need("/lance/v1/namespace/{id}/drop", &json!({ "behavior": behavior })), Role::Admin);
        }
    }
}
