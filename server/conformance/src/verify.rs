//! Answers against what must come back.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::Operation;
use crate::case::{Check, Expect, Must};
use crate::rows::{self, Table};
use crate::scope::Scope;
use crate::server::Answer;
use crate::shapes::{self, Shape};

/// Says what is wrong with an answer; none when it is as expected.
pub(crate) fn wrong(operation: Operation, answer: &Answer, expect: &Expect, scope: &Scope) -> Option<String> {
    if answer.code().is_some_and(|code| expect.tolerates.contains(&(answer.status, code))) {
        return None;
    }
    let said =
        if expect.errors.is_empty() { success(operation, answer) } else { failure(answer, &expect.errors) };
    said.or_else(|| expect.checks.iter().find_map(|check| unmet(check, answer, scope)))
}

fn success(operation: Operation, answer: &Answer) -> Option<String> {
    let details = operation.details();
    if !details.success.contains(&answer.status) {
        let wanted: Vec<String> = details.success.iter().map(u16::to_string).collect();
        return Some(format!("{}, not {}", answer.summary(), wanted.join(" or ")));
    }
    let shape = if answer.status == 204 { Shape::Empty } else { details.answer };
    match shape {
        Shape::Empty | Shape::JsonOrEmpty(_) if answer.body.is_empty() => None,
        Shape::Empty => Some(format!("{} bytes of body where none belongs", answer.body.len())),
        Shape::ArrowFile => rows::read(&answer.body).err().map(|error| format!("not an Arrow file: {error}")),
        Shape::Json(shape) | Shape::JsonOrEmpty(shape) => match &answer.json {
            None => Some(format!("{} and a body that is not JSON", answer.status)),
            Some(json) => shapes::differs(shape, json).map(|said| format!("answer's shape: {said}")),
        },
    }
}

/// An error of the specification's shape, with one of these statuses and codes.
fn failure(answer: &Answer, errors: &[(u16, i64)]) -> Option<String> {
    let met = answer.code().is_some_and(|code| errors.contains(&(answer.status, code)));
    if !met {
        let wanted: Vec<String> =
            errors.iter().map(|(status, code)| format!("{status} code {code}")).collect();
        return Some(format!("{}, not {}", answer.summary(), wanted.join(" or ")));
    }
    let json = answer.json.as_ref()?;
    shapes::differs("(code:int error?:text detail?:text instance?:text)", json)
        .map(|said| format!("error's shape: {said}"))
}

/// Says why a check is not met; none when it is.
fn unmet(check: &Check, answer: &Answer, scope: &Scope) -> Option<String> {
    let text = || String::from_utf8_lossy(&answer.body);
    match check {
        Check::Json(pointer, must) => {
            let at = scope.text(pointer);
            let value =
                answer.json.as_ref().and_then(|json| json.pointer(&at)).filter(|value| !value.is_null());
            of_value(must, value, scope)
                .map(|said| format!("{} {said}", if at.is_empty() { "it" } else { &at }))
        }
        Check::Rows(_) | Check::InOrder(_) | Check::RowCount(_) | Check::Columns(_) => {
            match rows::read(&answer.body) {
                Ok(table) => of_rows(check, &table),
                Err(error) => Some(format!("not an Arrow file: {error}")),
            }
        }
        Check::Says(wanted) => {
            let said = text().to_lowercase().contains(&wanted.to_lowercase());
            (!said).then(|| format!("the answer does not say {wanted}"))
        }
        Check::Silent(refused) => {
            let refused = scope.text(refused);
            text().contains(&refused).then(|| format!("the answer says {refused}"))
        }
        Check::Names(field) => {
            let said = |name: &str| answer.json.as_ref().and_then(|json| json.get(name)?.as_str());
            let named =
                [said("error"), said("detail")].into_iter().flatten().any(|said| said.contains(field));
            (!named).then(|| format!("the refusal does not name {field}: {}", answer.summary()))
        }
        Check::Header(name, wanted) => {
            let got = answer.headers.get(*name).and_then(|value| value.to_str().ok());
            (got != Some(wanted.as_str())).then(|| format!("the header {name} is {got:?}, not {wanted:?}"))
        }
        Check::Status(wanted) => {
            (answer.status != *wanted).then(|| format!("the status is {}, not {wanted}", answer.status))
        }
    }
}

/// Says how a value, or nothing, is not what it must be; the sentence's subject is left to the caller.
fn of_value(must: &Must, got: Option<&Value>, scope: &Scope) -> Option<String> {
    let list = || got.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let number = || got.and_then(Value::as_f64);
    let shown = || got.map_or_else(|| "absent".to_owned(), brief);
    let (met, wanted) = match must {
        Must::Be(wanted) => (got == Some(&scope.value(wanted)), brief(&scope.value(wanted))),
        Must::BeIfThere(wanted) => {
            let wanted = scope.value(wanted);
            (got.is_none_or(|got| *got == wanted), brief(&wanted))
        }
        Must::Differ(refused) => (got != Some(&scope.value(refused)), "another value".to_owned()),
        Must::Have(shape) => match got.map(|got| shapes::differs(shape, got)) {
            None => (false, (*shape).to_owned()),
            Some(said) => (said.is_none(), format!("{shape}: {}", said.unwrap_or_default())),
        },
        Must::BeMissing => (got.is_none(), "absent".to_owned()),
        Must::HoldExactly(wanted) => {
            let wanted: Vec<Value> = wanted.iter().map(|value| scope.value(value)).collect();
            (got.is_some() && same_in_any_order(list(), &wanted), brief(&wanted.into()))
        }
        Must::Lack(refused) => {
            let refused = scope.value(refused);
            (!list().contains(&refused), format!("without {}", brief(&refused)))
        }
        Must::HaveKeys(wanted) => {
            let keys = |map: &Map<String, Value>| map.keys().cloned().collect::<BTreeSet<_>>();
            let wanted: BTreeSet<String> = wanted.iter().map(|name| scope.text(name)).collect();
            (
                got.and_then(Value::as_object).map(keys).as_ref() == Some(&wanted),
                format!("with the keys {wanted:?}"),
            )
        }
        Must::BeAtMost(most) => (list().len() <= *most, format!("of at most {most}")),
        Must::BeAbove(floor) => {
            let floor = scope.value(floor);
            (number() > floor.as_f64(), format!("above {}", brief(&floor)))
        }
        Must::BeUnder(ceiling) => {
            let ceiling = scope.value(ceiling);
            (number().is_some() && number() < ceiling.as_f64(), format!("under {}", brief(&ceiling)))
        }
        Must::Fall(field) => {
            let numbers: Vec<Option<i64>> = list().iter().map(|item| item.get(field)?.as_i64()).collect();
            (numbers.is_sorted_by(|one, next| one > next), format!("falling by {field}"))
        }
    };
    (!met).then(|| format!("is {}, not {wanted}", shown()))
}

fn of_rows(check: &Check, table: &Table) -> Option<String> {
    match check {
        Check::Rows(wanted) | Check::InOrder(wanted) => {
            let named: Vec<Value> =
                table.rows.iter().zip(wanted.iter().cycle()).map(|(row, like)| only(row, like)).collect();
            let same = match check {
                Check::InOrder(_) => named == *wanted,
                _ => same_in_any_order(&named, wanted),
            };
            let got = if wanted.is_empty() { table.rows.clone() } else { named };
            (!same || got.len() != wanted.len()).then(|| {
                format!("the rows are {}, not {}", brief(&got.into()), brief(&wanted.clone().into()))
            })
        }
        Check::RowCount(wanted) => {
            let count = table.rows.len();
            (count != *wanted).then(|| format!("there are {count} rows, not {wanted}"))
        }
        Check::Columns(wanted) => {
            (table.columns != *wanted).then(|| format!("the columns are {:?}, not {wanted:?}", table.columns))
        }
        _ => None,
    }
}

/// The fields of a row that another names.
fn only(row: &Value, like: &Value) -> Value {
    let names = like.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    names
        .into_iter()
        .map(|name| {
            let value = row.get(&name).cloned().unwrap_or(Value::from("(no such column)"));
            (name, value)
        })
        .collect()
}

fn same_in_any_order(one: &[Value], other: &[Value]) -> bool {
    let sorted = |values: &[Value]| {
        let mut texts: Vec<String> = values.iter().map(Value::to_string).collect();
        texts.sort();
        texts
    };
    sorted(one) == sorted(other)
}

/// A value in at most 160 characters.
fn brief(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 160 { text.chars().take(160).chain(['…']).collect() } else { text }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use serde_json::json;

    use super::*;
    use crate::case::{error, no_table, ok};

    fn answer(status: u16, body: &Value) -> Answer {
        let body = Bytes::from(body.to_string());
        Answer {
            status,
            headers: reqwest::header::HeaderMap::new(),
            json: serde_json::from_slice(&body).ok(),
            body,
        }
    }

    #[test]
    fn a_success_needs_its_status_and_its_shape() {
        let scope = Scope::default();
        let list = |status, body: &Value| wrong(Operation::ListTables, &answer(status, body), &ok(), &scope);
        assert_eq!(list(200, &json!({"tables": []})), None);
        assert!(list(201, &json!({"tables": []})).unwrap().contains("not 200"));
        assert_eq!(
            list(200, &json!({"tables": null})).as_deref(),
            Some("answer's shape: /tables is missing")
        );
        let exists = wrong(Operation::TableExists, &answer(200, &json!({})), &ok(), &scope);
        assert!(exists.unwrap().contains("where none belongs"));
    }

    #[test]
    fn an_error_needs_its_status_its_code_and_its_shape() {
        let scope = Scope::default();
        let drop = |status, body: &Value, expect: Expect| {
            wrong(Operation::DropTable, &answer(status, body), &expect, &scope)
        };
        assert_eq!(drop(404, &json!({"code": 4, "error": "gone"}), no_table()), None);
        assert_eq!(drop(404, &json!({"code": 1}), no_table()), None);
        assert!(drop(500, &json!({"code": 4}), no_table()).unwrap().contains("500 code 4"));
        assert!(drop(404, &json!({}), error(404, 4)).is_some());
        assert!(drop(200, &json!({"code": 4}), error(404, 4)).is_some());
        assert!(drop(404, &json!({"code": 4, "error": {}}), error(404, 4)).unwrap().contains("shape"));
    }

    #[test]
    fn checks_look_where_they_are_told() {
        let scope = Scope::new(vec!["own".to_owned()]);
        let body = json!({"tables": ["a", "own$b"], "versions": [{"version": 3}, {"version": 1}]});
        let said =
            |expect: Expect| expect.checks.iter().find_map(|check| unmet(check, &answer(200, &body), &scope));
        assert_eq!(said(ok().exactly("/tables", &["{home}$b", "a"])), None);
        assert!(said(ok().exactly("/tables", &["a"])).is_some());
        assert_eq!(said(ok().lacks("/tables", "c").missing("/next").at_most("/tables", 2)), None);
        assert!(said(ok().lacks("/tables", "a")).is_some());
        assert!(said(ok().at_most("/tables", 1)).is_some());
        assert_eq!(said(ok().falls("/versions", "version")), None);
        assert_eq!(said(ok().above("/versions/0/version", 2).under("/versions/0/version", 4)), None);
        assert!(said(ok().above("/versions/1/version", 1)).is_some());
        assert!(said(ok().above("/nothing", 1)).is_some());
        assert!(said(ok().under("/nothing", 1)).is_some());
        assert!(said(ok().keys("/nothing", &[])).is_some());
        assert!(said(ok().exactly("/nothing", &[])).is_some());
        assert_eq!(said(ok().keys("/versions/0", &["version"]).is("/tables", "[text]")), None);
        assert_eq!(said(ok().at("/tables/0", "b")).as_deref(), Some("/tables/0 is \"a\", not \"b\""));
    }
}
