//! State that cases start from, each piece made by a request that must succeed.

use serde_json::{Value, json};

use crate::Operation as Op;
use crate::case::{Step, ok};
use crate::request::{Request, id};
use crate::rows::Rows;

/// A namespace below the case's own.
pub(crate) fn namespace(name: &str) -> Step {
    Op::CreateNamespace.on(name).json(json!({})).into()
}

/// A table that is declared and never written.
pub(crate) fn declared(name: &str) -> Step {
    Op::DeclareTable.on(name).json(json!({})).into()
}

/// The rows of [`table`].
pub(crate) fn three() -> Rows {
    Rows::words(&[(1, "ant"), (2, "bee"), (3, "cat")])
}

/// A table of three rows: 1 ant, 2 bee, 3 cat, with vectors [1, 0], [2, 0], [3, 0].
pub(crate) fn table(name: &str) -> Step {
    Op::CreateTable.on(name).rows(&three()).into()
}

/// A table of so many rows, whose ids count from 0.
pub(crate) fn many(name: &str, count: i64) -> Step {
    Op::CreateTable.on(name).rows(&counted(count)).into()
}

/// So many rows, whose ids count from 0 and whose words are `word 0` and so on.
pub(crate) fn counted(count: i64) -> Rows {
    Rows::Words((0..count).map(|number| (number, format!("word {number}"))).collect())
}

/// One more version: a row more.
pub(crate) fn appended(name: &str, row: (i64, &str)) -> Step {
    Op::InsertIntoTable.on(name).rows(&Rows::words(&[row])).into()
}

/// Keeps the table's latest version under this name.
pub(crate) fn version(table: &str, keep: &'static str) -> Step {
    let request = Op::DescribeTable.on(table).query("load_detailed_metadata", true).json(json!({}));
    Step::Ask(request, ok().keep(keep, "/version"))
}

/// A tag `name` on a version kept before.
pub(crate) fn tag(table: &str, name: &str, version: &str) -> Step {
    Op::CreateTableTag.on(table).json(json!({"tag": name, "version": format!("{{{version}}}")})).into()
}

/// A branch off the main branch's latest version.
pub(crate) fn branch(table: &str, name: &str) -> Step {
    Op::CreateTableBranch.on(table).json(json!({ "name": name })).into()
}

/// An index, once it can be listed.
pub(crate) fn index(table: &str, column: &str, kind: &str, name: &str) -> [Step; 2] {
    let create = json!({"column": column, "index_type": kind, "name": name});
    let listed = Op::ListTableIndices.on(table).json(json!({}));
    [
        Op::CreateTableIndex.on(table).json(create).into(),
        Step::Soon(listed, ok().at("/indexes/0/index_name", name)),
    ]
}

/// Reads every row, some columns.
pub(crate) fn read(table: &str, columns: &[&str]) -> Request {
    Op::QueryTable.on(table).json(json!({"vector": {}, "k": 0, "columns": {"column_names": columns}}))
}

/// Counts rows, as `fields` say.
pub(crate) fn count(table: &str, fields: Value) -> Request {
    Op::CountTableRows.on(table).json(fields)
}

/// Rows as a query answers them: id and word.
pub(crate) fn words(rows: &[(i64, &str)]) -> Value {
    rows.iter().map(|(id, word)| json!({"id": id, "word": word})).collect()
}

/// A body that repeats the route's id, with more fields.
pub(crate) fn with_id(of: &str, fields: &Value) -> Value {
    let mut body = fields.clone();
    if let Some(body) = body.as_object_mut() {
        body.insert("id".to_owned(), id(of));
    }
    body
}

/// Spellings of a mode that the specification takes for the same: in any case, in Pascal and snake case.
pub(crate) fn spellings(pascal: &str) -> Vec<String> {
    let mut snake = String::new();
    for letter in pascal.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    let mut all =
        vec![pascal.to_owned(), pascal.to_lowercase(), pascal.to_uppercase(), snake.to_uppercase(), snake];
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_has_five_spellings_or_three() {
        assert_eq!(spellings("ExistOk"), ["EXISTOK", "EXIST_OK", "ExistOk", "exist_ok", "existok"]);
        assert_eq!(spellings("Skip"), ["SKIP", "Skip", "skip"]);
    }
}
