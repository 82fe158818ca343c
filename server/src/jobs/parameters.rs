//! Brings what was asked for within what a kind of job described.

use lakeglass_api::jobs::{ParameterSpec, ParameterType};
use serde_json::{Map, Value};

use super::error::{Error, Result};

/// The full set of parameters: given ones checked and clamped, the others by default. Numbers and
/// flags may come as text, as forms send them.
pub(super) fn settle(specs: &[ParameterSpec], given: &Value) -> Result<Value> {
    let none = Map::new();
    let given = match given {
        Value::Null => &none,
        Value::Object(map) => map,
        _ => return Err(wrong("parameters", "Send a JSON object")),
    };
    if let Some(unknown) = given.keys().find(|key| !specs.iter().any(|spec| spec.name == **key)) {
        let known: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
        let rule = if known.is_empty() {
            "This kind of job takes no parameters".to_owned()
        } else {
            format!("This kind of job knows: {}", known.join(", "))
        };
        return Err(wrong(unknown, rule));
    }
    let mut settled = Map::new();
    for spec in specs {
        let value = given.get(&spec.name).filter(|value| !value.is_null());
        settled.insert(spec.name.clone(), one(spec, value)?);
    }
    Ok(Value::Object(settled))
}

fn one(spec: &ParameterSpec, given: Option<&Value>) -> Result<Value> {
    match &spec.value {
        ParameterType::Integer { min, max, default } => {
            let number = match given {
                None => Some(*default),
                Some(Value::Number(number)) => integer(number),
                Some(Value::String(text)) => text.trim().parse().ok(),
                Some(_) => None,
            };
            let number = number.ok_or_else(|| wrong(&spec.name, "Use a whole number"))?;
            Ok(Value::from(number.clamp(*min, *max)))
        }
        ParameterType::Flag { default } => match given {
            None => Ok(Value::from(*default)),
            Some(Value::Bool(flag)) => Ok(Value::from(*flag)),
            Some(Value::String(text)) if matches!(text.as_str(), "true" | "on" | "1") => {
                Ok(Value::from(true))
            }
            Some(Value::String(text)) if matches!(text.as_str(), "false" | "off" | "0" | "") => {
                Ok(Value::from(false))
            }
            Some(_) => Err(wrong(&spec.name, "Use true or false")),
        },
        ParameterType::Choice { choices, default } => match given {
            None => Ok(Value::from(default.as_str())),
            Some(Value::String(text)) if choices.contains(text) => Ok(Value::from(text.as_str())),
            Some(_) => Err(wrong(&spec.name, format!("Use one of: {}", choices.join(", ")))),
        },
        ParameterType::Text { max_length, default } => match (given, default) {
            (Some(Value::String(text)), _) if text.chars().count() <= *max_length as usize => {
                Ok(Value::from(text.as_str()))
            }
            (Some(_), _) => Err(wrong(&spec.name, format!("Use text of at most {max_length} characters"))),
            (None, Some(default)) => Ok(Value::from(default.as_str())),
            (None, None) => Err(wrong(&spec.name, "It must be given")),
        },
    }
}

/// A JSON number as a whole one; beyond 64 bits it is as large as can be, and clamped after.
fn integer(number: &serde_json::Number) -> Option<i64> {
    number.as_i64().or_else(|| number.as_u64().map(|_| i64::MAX))
}

fn wrong(name: &str, rule: impl Into<String>) -> Error {
    Error::Parameter { name: name.to_owned(), rule: rule.into() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn specs() -> Vec<ParameterSpec> {
        let spec = |name: &str, value| ParameterSpec {
            name: name.into(),
            title: name.into(),
            doc: String::new(),
            value,
        };
        vec![
            spec("tables", ParameterType::Integer { min: 1, max: 100, default: 10 }),
            spec("all", ParameterType::Flag { default: false }),
            spec(
                "mode",
                ParameterType::Choice { choices: vec!["a".into(), "b".into()], default: "a".into() },
            ),
            spec("note", ParameterType::Text { max_length: 3, default: Some(String::new()) }),
        ]
    }

    #[test]
    fn defaults_fill_in_and_numbers_are_clamped() {
        let settled = settle(&specs(), &Value::Null).unwrap();
        assert_eq!(settled, json!({"tables": 10, "all": false, "mode": "a", "note": ""}));
        let settled = settle(&specs(), &json!({"tables": 1_000, "all": "on", "mode": "b"})).unwrap();
        assert_eq!(settled, json!({"tables": 100, "all": true, "mode": "b", "note": ""}));
        assert_eq!(settle(&specs(), &json!({"tables": "-3"})).unwrap()["tables"], 1);
        assert_eq!(settle(&specs(), &json!({"tables": u64::MAX})).unwrap()["tables"], 100);
    }

    #[test]
    fn what_breaks_a_rule_is_named() {
        for (given, name) in [
            (json!({"tables": 1.5}), "tables"),
            (json!({"tables": "many"}), "tables"),
            (json!({"all": 2}), "all"),
            (json!({"mode": "c"}), "mode"),
            (json!({"note": "four"}), "note"),
            (json!({"else": 1}), "else"),
            (json!([]), "parameters"),
        ] {
            match settle(&specs(), &given) {
                Err(Error::Parameter { name: found, .. }) => assert_eq!(found, name),
                other => panic!("{given}: {other:?}"),
            }
        }
        let must = [ParameterSpec {
            name: "path".into(),
            title: String::new(),
            doc: String::new(),
            value: ParameterType::Text { max_length: 9, default: None },
        }];
        assert!(settle(&must, &Value::Null).is_err());
    }
}
