//! Rows changed: merged, updated and deleted.

use serde_json::{Value, json};

use crate::Operation as Op;
use crate::case::{Case, error, invalid, no_table, ok, one_of, rule, spec};
use crate::given::{branch, count, declared, read, table, version, words};
use crate::request::Request;
use crate::rows::Rows;

pub(super) fn cases() -> Vec<Case> {
    [merge(), merge_clauses(), merge_refused(), update(), delete()].concat()
}

/// Merges on `id`: 3 matches, 9 does not.
fn upsert() -> Request {
    Op::MergeInsertIntoTable.on("orders").query("on", "id").rows(&Rows::words(&[(3, "cow"), (9, "yak")]))
}

fn both(request: Request) -> Request {
    request.query("when_matched_update_all", true).query("when_not_matched_insert_all", true)
}

fn all_words() -> Request {
    read("orders", &["id", "word"])
}

fn merge() -> Vec<Case> {
    let pairs = |rows: &[(i64, i64, &str)]| {
        Rows::Pairs(rows.iter().map(|(a, b, word)| (*a, *b, (*word).to_owned())).collect())
    };
    vec![
        spec("Rows that match are updated, the others inserted, and both are counted")
            .given([table("orders")])
            .when(
                both(upsert()),
                ok().at_or_missing("/num_updated_rows", 1)
                    .at_or_missing("/num_inserted_rows", 1)
                    .at_or_missing("/num_deleted_rows", 0),
            )
            .then(all_words(), ok().rows(&words(&[(1, "ant"), (2, "bee"), (3, "cow"), (9, "yak")]))),
        spec("A key of two columns matches where both are equal")
            .given([Op::CreateTable.on("orders").rows(&pairs(&[(1, 1, "ant"), (1, 2, "bee")]))])
            .when(
                both(
                    Op::MergeInsertIntoTable
                        .on("orders")
                        .query("on", "a")
                        .query("on", "b")
                        .rows(&pairs(&[(1, 2, "cow"), (2, 2, "yak")])),
                ),
                ok(),
            )
            .then(
                read("orders", &["a", "b", "word"]),
                ok().rows(&json!([
                    {"a": 1, "b": 1, "word": "ant"},
                    {"a": 1, "b": 2, "word": "cow"},
                    {"a": 2, "b": 2, "word": "yak"},
                ])),
            ),
        spec("A merge into a table only declared creates it")
            .given([declared("orders")])
            .when(both(upsert()), ok())
            .then(all_words(), ok().rows(&words(&[(3, "cow"), (9, "yak")]))),
        spec("A merge makes a later version, and the older one can still be read")
            .given([table("orders"), version("orders", "old")])
            .when(both(upsert()), ok())
            .then(count("orders", json!({"version": "{old}"})), ok().at("", 3)),
        spec("A merge for a branch changes the branch and not main")
            .given([table("orders"), branch("orders", "side")])
            .when(both(upsert()).query("branch", "side"), ok())
            .then(count("orders", json!({"branch": "side"})), ok().at("", 4))
            .then(all_words(), ok().rows(&words(&[(1, "ant"), (2, "bee"), (3, "cat")]))),
        spec("A time-out that is long enough changes nothing")
            .given([table("orders")])
            .when(both(upsert()).query("timeout", "30s"), ok())
            .then(count("orders", json!({})), ok().at("", 4)),
        spec("A time-out may be given in minutes")
            .given([table("orders")])
            .when(both(upsert()).query("timeout", "5m"), ok()),
        spec("A merge works without an index too")
            .given([table("orders")])
            .when(both(upsert()).query("use_index", false), ok())
            .then(count("orders", json!({})), ok().at("", 4)),
    ]
}

fn merge_clauses() -> Vec<Case> {
    vec![
        spec("Only inserting leaves rows that match as they are")
            .given([table("orders")])
            .when(upsert().query("when_not_matched_insert_all", true), ok())
            .then(all_words(), ok().rows(&words(&[(1, "ant"), (2, "bee"), (3, "cat"), (9, "yak")]))),
        spec("Only updating inserts nothing")
            .given([table("orders")])
            .when(upsert().query("when_matched_update_all", true), ok())
            .then(all_words(), ok().rows(&words(&[(1, "ant"), (2, "bee"), (3, "cow")]))),
        rule("Rows are updated only where a condition on target and source holds")
            .given([table("orders")])
            .when(both(upsert()).query("when_matched_update_all_filt", "target.word = 'other'"), ok())
            .then(all_words(), ok().rows(&words(&[(1, "ant"), (2, "bee"), (3, "cat"), (9, "yak")]))),
        spec("Rows that the source lacks are deleted when asked for")
            .given([table("orders")])
            .when(both(upsert()).query("when_not_matched_by_source_delete", true), ok())
            .then(all_words(), ok().rows(&words(&[(3, "cow"), (9, "yak")]))),
        spec("Of the rows that the source lacks, those are deleted for which a condition holds")
            .given([table("orders")])
            .when(
                both(upsert())
                    .query("when_not_matched_by_source_delete", true)
                    .query("when_not_matched_by_source_delete_filt", "id = 1"),
                ok(),
            )
            .then(all_words(), ok().rows(&words(&[(2, "bee"), (3, "cow"), (9, "yak")]))),
    ]
}

fn merge_refused() -> Vec<Case> {
    let unchanged = || all_words();
    let three = || ok().rows(&words(&[(1, "ant"), (2, "bee"), (3, "cat")]));
    vec![
        spec("Without a column to match on, nothing is merged")
            .given([table("orders")])
            .when(both(Op::MergeInsertIntoTable.on("orders").rows(&Rows::words(&[(9, "yak")]))), invalid())
            .then(unchanged(), three()),
        spec("A column that does not exist cannot be matched on")
            .given([table("orders")])
            .when(
                both(
                    Op::MergeInsertIntoTable
                        .on("orders")
                        .query("on", "nothing")
                        .rows(&Rows::words(&[(9, "yak")])),
                ),
                one_of(&[(404, 12), (400, 13)]),
            )
            .then(unchanged(), three()),
        spec("A merge for a branch that does not exist merges nowhere")
            .given([table("orders")])
            .when(both(upsert()).query("branch", "missing"), error(404, 22))
            .then(unchanged(), three()),
        spec("A condition of a merge that is no SQL is refused")
            .given([table("orders")])
            .when(both(upsert()).query("when_matched_update_all_filt", "target.word ="), invalid())
            .then(unchanged(), three()),
        rule("A time-out that is none is refused")
            .given([table("orders")])
            .when(both(upsert()).query("timeout", "soon"), invalid())
            .then(unchanged(), three()),
        rule("A flag of a merge that is neither true nor false is refused")
            .given([table("orders")])
            .when(upsert().query("when_matched_update_all", "perhaps"), invalid())
            .then(unchanged(), three()),
        spec("Garbage is not merged")
            .given([table("orders")])
            .when(
                both(
                    Op::MergeInsertIntoTable
                        .on("orders")
                        .query("on", "id")
                        .body(crate::request::Body::Bytes(b"this is not an Arrow stream".to_vec())),
                ),
                invalid(),
            )
            .then(unchanged(), three()),
        rule("A merge into a table that does not exist makes none")
            .when(both(upsert()), no_table())
            .then(Op::TableExists.on("orders").json(json!({})), no_table()),
    ]
}

fn update() -> Vec<Case> {
    let update = |fields: Value| Op::UpdateTable.on("orders").json(fields);
    vec![
        spec("Rows for which the predicate holds get the expression's value, and are counted")
            .given([table("orders")])
            .when(
                update(json!({"updates": [["word", "'owl'"]], "predicate": "id > 1"})),
                ok().at("/updated_rows", 2),
            )
            .then(all_words(), ok().rows(&words(&[(1, "ant"), (2, "owl"), (3, "owl")]))),
        spec("Without a predicate every row is updated")
            .given([table("orders")])
            .when(update(json!({"updates": [["id", "id * 10"]]})), ok().at("/updated_rows", 3))
            .then(all_words(), ok().rows(&words(&[(10, "ant"), (20, "bee"), (30, "cat")]))),
        spec("Several columns are updated from the values before")
            .given([table("orders")])
            .when(
                update(
                    json!({"updates": [["id", "id + 1"], ["word", "upper(word)"]], "predicate": "id = 3"}),
                ),
                ok().at("/updated_rows", 1),
            )
            .then(all_words(), ok().rows(&words(&[(1, "ant"), (2, "bee"), (4, "CAT")]))),
        spec("A predicate that holds nowhere updates nothing")
            .given([table("orders")])
            .when(
                update(json!({"updates": [["word", "'owl'"]], "predicate": "id > 100"})),
                ok().at("/updated_rows", 0),
            )
            .then(count("orders", json!({"predicate": "word = 'owl'"})), ok().at("", 0)),
        spec("An update says the version it made, and older ones can still be read")
            .given([table("orders"), version("orders", "old")])
            .when(update(json!({"updates": [["word", "'owl'"]]})), ok().above("/version", "{old}"))
            .then(count("orders", json!({"version": "{old}", "predicate": "word = 'ant'"})), ok().at("", 1)),
        spec("A column that does not exist cannot be updated")
            .given([table("orders")])
            .when(update(json!({"updates": [["nothing", "1"]]})), one_of(&[(404, 12), (400, 13)])),
        spec("An expression that is no SQL is refused, and nothing changes")
            .given([table("orders")])
            .when(update(json!({"updates": [["word", "upper("]]})), invalid())
            .then(all_words(), ok().rows(&words(&[(1, "ant"), (2, "bee"), (3, "cat")]))),
        spec("A predicate that is no SQL is refused, and nothing is updated")
            .given([table("orders")])
            .when(update(json!({"updates": [["word", "'owl'"]], "predicate": "id >"})), invalid())
            .then(count("orders", json!({"predicate": "word = 'owl'"})), ok().at("", 0)),
        spec("Without updates there is nothing to do, which is refused")
            .given([table("orders")])
            .when(update(json!({})), invalid()),
        spec("An update is a pair of column and expression")
            .given([table("orders")])
            .when(update(json!({"updates": [["word"]]})), invalid()),
        spec("An update for a branch changes the branch and not main")
            .given([table("orders"), branch("orders", "side")])
            .when(
                update(json!({"updates": [["word", "'owl'"]], "branch": "side"})),
                ok().at("/updated_rows", 3),
            )
            .then(count("orders", json!({"predicate": "word = 'owl'"})), ok().at("", 0))
            .then(count("orders", json!({"predicate": "word = 'owl'", "branch": "side"})), ok().at("", 3)),
        spec("An update for a branch that does not exist changes nothing")
            .given([table("orders")])
            .when(update(json!({"updates": [["word", "'owl'"]], "branch": "missing"})), error(404, 22))
            .then(count("orders", json!({"predicate": "word = 'owl'"})), ok().at("", 0)),
        spec("A table only declared has no rows to update")
            .given([declared("orders")])
            .when(update(json!({"updates": [["word", "'owl'"]]})), error(409, 19)),
    ]
}

fn delete() -> Vec<Case> {
    let delete = |fields: Value| Op::DeleteFromTable.on("orders").json(fields);
    vec![
        spec("Rows for which the predicate holds go")
            .given([table("orders")])
            .when(delete(json!({"predicate": "id = 2"})), ok())
            .then(all_words(), ok().rows(&words(&[(1, "ant"), (3, "cat")]))),
        spec("A predicate that always holds leaves a table without rows")
            .given([table("orders")])
            .when(delete(json!({"predicate": "true"})), ok())
            .then(count("orders", json!({})), ok().at("", 0))
            .then(Op::TableExists.on("orders").json(json!({})), ok()),
        spec("A predicate that holds nowhere removes nothing")
            .given([table("orders")])
            .when(delete(json!({"predicate": "id > 100"})), ok())
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("Deleted rows can still be read at the older version")
            .given([table("orders"), version("orders", "old")])
            .when(delete(json!({"predicate": "id = 2"})), ok())
            .then(count("orders", json!({"version": "{old}"})), ok().at("", 3)),
        spec("Without a predicate nothing is deleted")
            .given([table("orders")])
            .when(delete(json!({})), invalid())
            .then(count("orders", json!({})), ok().at("", 3)),
        rule("An empty predicate deletes nothing")
            .given([table("orders")])
            .when(delete(json!({"predicate": ""})), invalid())
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("A predicate that is no SQL deletes nothing")
            .given([table("orders")])
            .when(delete(json!({"predicate": "id = = 2"})), invalid())
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("A predicate over a column that does not exist deletes nothing")
            .given([table("orders")])
            .when(delete(json!({"predicate": "nothing = 2"})), one_of(&[(404, 12), (400, 13)]))
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("Rows of a branch go from the branch and not from main")
            .given([table("orders"), branch("orders", "side")])
            .when(delete(json!({"predicate": "id = 2", "branch": "side"})), ok())
            .then(count("orders", json!({"branch": "side"})), ok().at("", 2))
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("Nothing goes from a branch that does not exist, nor from main")
            .given([table("orders")])
            .when(delete(json!({"predicate": "id = 2", "branch": "missing"})), error(404, 22))
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("A table only declared has no rows to delete")
            .given([declared("orders")])
            .when(delete(json!({"predicate": "id = 2"})), error(409, 19)),
    ]
}
