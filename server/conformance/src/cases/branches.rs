//! Branches: lines of versions beside the main one.

use serde_json::{Value, json};

use crate::Operation as Op;
use crate::case::{Case, Step, error, invalid, ok, one_of, rule, spec};
use crate::given::{appended, branch, count, read, table, version, words};
use crate::request::Request;
use crate::rows::Rows;

pub(super) fn cases() -> Vec<Case> {
    [create(), list(), delete()].concat()
}

fn on_orders(operation: Op, fields: Value) -> Request {
    operation.on("orders").json(fields)
}

fn create_branch(fields: Value) -> Request {
    on_orders(Op::CreateTableBranch, fields)
}

fn into_branch(name: &str) -> Request {
    Op::InsertIntoTable.on("orders").query("branch", name).rows(&Rows::words(&[(9, "yak")]))
}

/// Two versions, kept as `one` and `two`.
fn two() -> Vec<Step> {
    vec![table("orders"), version("orders", "one"), appended("orders", (4, "dog")), version("orders", "two")]
}

fn create() -> Vec<Case> {
    vec![
        spec("A new branch begins with the rows of main's latest version")
            .given(two())
            .when(create_branch(json!({"name": "side"})), ok())
            .then(
                Op::QueryTable.on("orders").json(json!({
                    "vector": {}, "k": 0, "branch": "side", "columns": {"column_names": ["id", "word"]}
                })),
                ok().rows(&words(&[(1, "ant"), (2, "bee"), (3, "cat"), (4, "dog")])),
            ),
        spec("A branch begins at the version asked for")
            .given(two())
            .when(create_branch(json!({"name": "side", "from_version": "{one}"})), ok())
            .then(count("orders", json!({"branch": "side"})), ok().at("", 3)),
        spec("A branch begins at another branch's latest version")
            .given(two())
            .given([branch("orders", "side"), into_branch("side").into()])
            .when(create_branch(json!({"name": "further", "from_branch": "side"})), ok())
            .then(count("orders", json!({"branch": "further"})), ok().at("", 5)),
        spec("Rows for main do not reach a branch")
            .given([table("orders"), branch("orders", "side")])
            .when(into_branch("side"), ok())
            .then(Op::InsertIntoTable.on("orders").rows(&Rows::words(&[(5, "eel")])), ok())
            .then(count("orders", json!({"branch": "side", "predicate": "id = 5"})), ok().at("", 0))
            .then(
                read("orders", &["id", "word"]),
                ok().rows(&words(&[(1, "ant"), (2, "bee"), (3, "cat"), (5, "eel")])),
            ),
        spec("A name that is a branch already is refused, and the branch stays as it is")
            .given([table("orders"), branch("orders", "side"), into_branch("side").into()])
            .when(create_branch(json!({"name": "side"})), error(409, 23))
            .then(count("orders", json!({"branch": "side"})), ok().at("", 4)),
        spec("A branch that does not exist is nowhere to begin")
            .given([table("orders")])
            .when(create_branch(json!({"name": "side", "from_branch": "missing"})), error(404, 22))
            .then(count("orders", json!({"branch": "side"})), error(404, 22)),
        spec("A version that was never made is nowhere to begin")
            .given([table("orders")])
            .when(create_branch(json!({"name": "side", "from_version": 999_999})), error(404, 11))
            .then(count("orders", json!({"branch": "side"})), error(404, 22)),
        spec("Without a name there is no branch")
            .given([table("orders")])
            .when(create_branch(json!({})), invalid()),
        rule("The main branch cannot be made again")
            .given([table("orders")])
            .when(create_branch(json!({"name": "main"})), one_of(&[(400, 13), (409, 23)])),
        rule("A branch's name does not climb")
            .given([table("orders")])
            .when(create_branch(json!({"name": "../side"})), invalid()),
    ]
}

fn list() -> Vec<Case> {
    let listed = || Op::ListTableBranches.on("orders");
    let walk = |limit: usize| Step::Walk {
        request: listed(),
        pointer: "/branches",
        limit,
        wanted: ["a", "b", "c"].map(str::to_owned).to_vec(),
        between: Vec::new(),
        others: false,
    };
    let three =
        || [vec![table("orders")], ["a", "b", "c"].map(|name| branch("orders", name)).to_vec()].concat();
    vec![
        spec("Branches are listed with the version they came from")
            .given(two())
            .given([branch("orders", "side")])
            .when(
                listed(),
                ok().keys("/branches", &["side"])
                    .at("/branches/side/parentVersion", "{two}")
                    .missing("/branches/side/parentBranch"),
            ),
        spec("A branch of a branch names it")
            .given([table("orders"), branch("orders", "side")])
            .given([create_branch(json!({"name": "further", "from_branch": "side"}))])
            .when(listed(), ok().at("/branches/further/parentBranch", "side")),
        spec("A table without branches lists none, and not null")
            .given([table("orders")])
            .when(listed(), ok().keys("/branches", &[])),
        spec("The time of a branch is in seconds")
            .given([table("orders"), branch("orders", "side")])
            // Milliseconds would be beyond this until the year 5138.
            .when(
                listed(),
                ok().above("/branches/side/createAt", 1_600_000_000)
                    .under("/branches/side/createAt", 100_000_000_000_i64),
            ),
        spec("Pages of branches see every branch once").given(three()).step(walk(1)),
        rule("A limit of 0 branches is refused")
            .given([table("orders")])
            .when(listed().query("limit", 0), invalid()),
    ]
}

fn delete() -> Vec<Case> {
    let delete = |name: &str| on_orders(Op::DeleteTableBranch, json!({ "name": name }));
    vec![
        spec("A deleted branch is not found any more; main stays")
            .given([table("orders"), branch("orders", "side"), into_branch("side").into()])
            .when(delete("side"), ok())
            .then(count("orders", json!({"branch": "side"})), error(404, 22))
            .then(Op::ListTableBranches.on("orders"), ok().keys("/branches", &[]))
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("The name is free for another branch, which begins anew")
            .given([
                table("orders"),
                branch("orders", "side"),
                into_branch("side").into(),
                delete("side").into(),
            ])
            .when(create_branch(json!({"name": "side"})), ok())
            .then(count("orders", json!({"branch": "side"})), ok().at("", 3)),
        spec("A branch that was never made cannot be deleted")
            .given([table("orders")])
            .when(delete("missing"), error(404, 22)),
        rule("The main branch cannot be deleted")
            .given([table("orders")])
            .when(delete("main"), one_of(&[(400, 13), (404, 22), (409, 19)]))
            .then(count("orders", json!({})), ok().at("", 3)),
        rule("A branch that another came from is not deleted from under it")
            .given([table("orders"), branch("orders", "side"), into_branch("side").into()])
            .given([create_branch(json!({"name": "further", "from_branch": "side"}))])
            .when(delete("side"), crate::case::ok_or(&[(400, 13), (409, 14), (409, 19)]))
            .then(count("orders", json!({"branch": "further"})), ok().at("", 4)),
        spec("Without a name no branch is deleted")
            .given([table("orders"), branch("orders", "side")])
            .when(on_orders(Op::DeleteTableBranch, json!({})), invalid())
            .then(count("orders", json!({"branch": "side"})), ok().at("", 3)),
    ]
}
