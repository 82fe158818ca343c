//! Rows brought in: tables created and inserted into.

use serde_json::json;

use crate::Operation as Op;
use crate::case::{Case, Need, error, invalid, no_table, ok, own, rule, spec};
use crate::given::{branch, count, declared, read, spellings, table, three, version, words};
use crate::request::{Body, Request};
use crate::rows::Rows;

pub(super) fn cases() -> Vec<Case> {
    [create(), create_modes(), bodies(), insert(), insert_elsewhere()].concat()
}

fn create_orders() -> Request {
    Op::CreateTable.on("orders").rows(&three())
}

fn one() -> Rows {
    Rows::words(&[(9, "yak")])
}

fn create() -> Vec<Case> {
    vec![
        spec("A created table holds the rows it was given")
            .when(create_orders(), ok())
            .then(read("orders", &["id", "word"]), ok().rows(&words(&[(1, "ant"), (2, "bee"), (3, "cat")]))),
        spec("A created table can be found at the location in the answer")
            .when(create_orders(), ok().is("/location", "text").keep("location", "/location"))
            .then(Op::DescribeTable.on("orders").json(json!({})), ok().at("/location", "{location}")),
        spec("A stream without rows makes an empty table")
            .when(Op::CreateTable.on("orders").rows(&Rows::NoWords), ok())
            .then(count("orders", json!({})), ok().at("", 0)),
        spec("Properties come back where they are kept at all").when(
            create_orders().query("properties", json!({"owner": "tests"})),
            ok().at_or_missing("/properties/owner", "tests"),
        ),
        spec("Properties that are not a JSON map make no table")
            .when(create_orders().query("properties", "[1"), invalid())
            .then(Op::TableExists.on("orders").json(json!({})), no_table()),
        spec("In a missing namespace no table is made")
            .bare()
            .when(create_orders(), error(404, 1))
            .then(Op::NamespaceExists.on("").json(json!({})), error(404, 1)),
        own("Storage options of a client's own are refused")
            .when(
                create_orders().query("storage_options", json!({"aws_endpoint": "http://127.0.0.1:1"})),
                invalid(),
            )
            .then(Op::TableExists.on("orders").json(json!({})), no_table()),
        spec("A delimiter of the client's choice names the same table")
            .when(Op::CreateTable.on_delimited("orders", "::").rows(&three()), ok())
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("A table is made in a namespace inside")
            .needs(Need::Nesting)
            .given([crate::given::namespace("child")])
            .when(Op::CreateTable.on("child$orders").rows(&three()), ok())
            .then(count("child$orders", json!({})), ok().at("", 3)),
    ]
}

fn create_modes() -> Vec<Case> {
    let mut cases = vec![
        spec("Without a mode, a taken name is refused, and its rows stay")
            .given([table("orders")])
            .when(Op::CreateTable.on("orders").rows(&one()), error(409, 5))
            .then(count("orders", json!({})), ok().at("", 3)),
        rule("Overwriting adds a version; the older one can still be read")
            .given([table("orders"), version("orders", "old")])
            .when(Op::CreateTable.on("orders").query("mode", "Overwrite").rows(&one()), ok())
            .then(count("orders", json!({})), ok().at("", 1))
            .then(count("orders", json!({"version": "{old}"})), ok().at("", 3)),
        rule("Overwriting may change the columns")
            .given([table("orders")])
            .when(Op::CreateTable.on("orders").query("mode", "Overwrite").rows(&Rows::Numbers(0, 5)), ok())
            .then(count("orders", json!({})), ok().at("", 5)),
        spec("An unknown mode makes no table")
            .when(create_orders().query("mode", "Perhaps"), invalid())
            .then(Op::TableExists.on("orders").json(json!({})), no_table()),
    ];
    for (mode, rows) in [("Create", None), ("ExistOk", Some(3)), ("Overwrite", Some(1))] {
        for spelling in spellings(mode) {
            let expect = if rows.is_some() { ok() } else { error(409, 5) };
            cases.push(
                spec(format!("The mode {mode} on a taken name is understood as {spelling}"))
                    .given([table("orders")])
                    .when(Op::CreateTable.on("orders").query("mode", spelling.as_str()).rows(&one()), expect)
                    .then(count("orders", json!({})), ok().at("", rows.unwrap_or(3))),
            );
        }
    }
    cases
}

/// Bodies that are no Arrow stream: nothing is made, nothing is added.
fn bodies() -> Vec<Case> {
    let garbage = || Body::Bytes(b"this is not an Arrow stream, however long one reads".to_vec());
    // An Arrow file begins with its name; the rest does not matter here.
    let file = || Body::Bytes([b"ARROW1\0\0".as_slice(), &[0; 64]].concat());
    let bodies = [
        ("Garbage", garbage()),
        ("An Arrow file instead of a stream", file()),
        ("A stream cut off in the middle", Body::CutRows(crate::given::counted(1000))),
        ("JSON instead of rows", Body::Bytes(b"{\"rows\": []}".to_vec())),
    ];
    let mut cases = Vec::new();
    for (what, body) in bodies {
        cases.push(
            spec(format!("{what} makes no table"))
                .when(Op::CreateTable.on("orders").body(body.clone()), invalid())
                .then(Op::TableExists.on("orders").json(json!({})), no_table())
                .then(Op::ListTables.on(""), ok().exactly("/tables", &[])),
        );
        cases.push(
            spec(format!("{what} adds no rows"))
                .given([table("orders")])
                .when(Op::InsertIntoTable.on("orders").body(body), invalid())
                .then(count("orders", json!({})), ok().at("", 3)),
        );
    }
    cases.push(
        rule("A body without a byte is no stream: there is no schema to make a table of")
            .when(Op::CreateTable.on("orders").body(Body::Bytes(Vec::new())), invalid())
            .then(Op::TableExists.on("orders").json(json!({})), no_table()),
    );
    cases
}

fn insert() -> Vec<Case> {
    let add = || Op::InsertIntoTable.on("orders").rows(&one());
    let mut cases = vec![
        spec("Rows are added to those there are").given([table("orders")]).when(add(), ok()).then(
            read("orders", &["id", "word"]),
            ok().rows(&words(&[(1, "ant"), (2, "bee"), (3, "cat"), (9, "yak")])),
        ),
        spec("The answer may count the rows, and then counts those that were sent")
            .given([table("orders")])
            .when(add(), ok().at_or_missing("/num_inserted_rows", 1)),
        spec("An insert makes a later version, and the older one can still be read")
            .given([table("orders"), version("orders", "old")])
            .when(add(), ok())
            .then(count("orders", json!({"version": "{old}"})), ok().at("", 3))
            .then(count("orders", json!({})), ok().at("", 4)),
        spec("Rows into a table only declared create it")
            .given([declared("orders")])
            .when(add(), ok())
            .then(count("orders", json!({})), ok().at("", 1)),
        rule("A stream without rows adds none")
            .given([table("orders")])
            .when(Op::InsertIntoTable.on("orders").rows(&Rows::NoWords), ok())
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("Rows of other columns are refused, and none is added")
            .given([table("orders")])
            .when(Op::InsertIntoTable.on("orders").rows(&Rows::Texts(vec!["x".to_owned()])), error(400, 20))
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("An unknown mode adds nothing")
            .given([table("orders")])
            .when(add().query("mode", "Perhaps"), invalid())
            .then(count("orders", json!({})), ok().at("", 3)),
        rule("Rows into a table that does not exist make none")
            .when(Op::InsertIntoTable.on("orders").rows(&one()), no_table())
            .then(Op::TableExists.on("orders").json(json!({})), no_table()),
    ];
    for (mode, rows) in [("Append", 4), ("Overwrite", 1)] {
        for spelling in spellings(mode) {
            cases.push(
                spec(format!("The mode {mode} of an insert is understood as {spelling}"))
                    .given([table("orders")])
                    .when(add().query("mode", spelling.as_str()), ok())
                    .then(count("orders", json!({})), ok().at("", rows)),
            );
        }
    }
    cases
}

fn insert_elsewhere() -> Vec<Case> {
    vec![
        spec("Rows for a branch go to the branch and not to main")
            .given([table("orders"), branch("orders", "side")])
            .when(Op::InsertIntoTable.on("orders").query("branch", "side").rows(&one()), ok())
            .then(count("orders", json!({"branch": "side"})), ok().at("", 4))
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("Rows for a branch that does not exist go nowhere")
            .given([table("orders")])
            .when(Op::InsertIntoTable.on("orders").query("branch", "missing").rows(&one()), error(404, 22))
            .then(count("orders", json!({})), ok().at("", 3)),
        rule("The branch main is the main branch")
            .given([table("orders")])
            .when(Op::InsertIntoTable.on("orders").query("branch", "main").rows(&one()), ok())
            .then(count("orders", json!({})), ok().at("", 4)),
    ]
}
