//! What a case knows while it runs: its own namespace, and the values that its steps kept.

use std::collections::BTreeMap;

use serde_json::Value;

/// Names for `{name}`, and the parts of the case's own namespace.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    /// Parts of the case's own namespace, from the root down.
    pub(crate) home: Vec<String>,
    kept: BTreeMap<String, Value>,
}

impl Scope {
    pub(crate) fn new(home: Vec<String>) -> Self {
        let mut scope = Self { kept: BTreeMap::new(), home };
        let name = scope.home.last().cloned().unwrap_or_default();
        scope.keep("home", Value::from(scope.home.join("$")));
        scope.keep("joined", Value::from(scope.home.join("::")));
        // A name for the first part of an id: often a bucket's, which has no underscores.
        scope.keep("top", Value::from(name.replace('_', "-")));
        scope.keep("first", Value::from(scope.home.first().cloned().unwrap_or_default()));
        scope
    }

    pub(crate) fn keep(&mut self, name: &str, value: Value) {
        self.kept.insert(name.to_owned(), value);
    }

    /// Text with every `{name}` put in.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, value) in &self.kept {
            let place = format!("{{{name}}}");
            if text.contains(&place) {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                text = text.replace(&place, &value);
            }
        }
        text
    }

    /// Parts of an object below the case's own namespace.
    pub(crate) fn parts(&self, id: &str) -> Vec<String> {
        let id = self.text(id);
        let below = id.split('$').filter(|_| !id.is_empty()).map(str::to_owned);
        self.home.iter().cloned().chain(below).collect()
    }

    /// A value with every `{name}` and every `{"$id": …}` put in. A text that is one `{name}` and nothing
    /// more becomes what was kept, of whatever type.
    pub(crate) fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => {
                let name = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
                match name.and_then(|name| self.kept.get(name)) {
                    Some(kept) => kept.clone(),
                    None => Value::from(self.text(text)),
                }
            }
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => match fields.get("$id").and_then(Value::as_str) {
                Some(id) => Value::from(self.parts(id)),
                None => fields.iter().map(|(name, value)| (self.text(name), self.value(value))).collect(),
            },
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_stand_for_what_was_kept() {
        let mut scope = Scope::new(vec!["base".to_owned(), "own".to_owned()]);
        scope.keep("version", json!(3));
        let given = json!({"id": {"$id": "child$orders"}, "v": "{version}", "t": "{home}$x at {version}"});
        let wanted = json!({"id": ["base", "own", "child", "orders"], "v": 3, "t": "base$own$x at 3"});
        assert_eq!(scope.value(&given), wanted);
        assert_eq!(scope.parts(""), ["base", "own"]);
        assert_eq!(scope.value(&json!({"$id": ""})), json!(["base", "own"]));
    }
}
