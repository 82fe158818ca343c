//! Namespaces dropped.

use serde_json::json;

use crate::Operation as Op;
use crate::case::{Case, Need, error, invalid, ok, one_of, rule, spec};
use crate::given::{declared, namespace, spellings, table};
use crate::request::Request;

pub(super) fn cases() -> Vec<Case> {
    [whole(), modes(), behaviours()].concat()
}

fn exists(of: &str) -> Request {
    Op::NamespaceExists.on(of).json(json!({}))
}

fn whole() -> Vec<Case> {
    vec![
        spec("An empty namespace goes")
            .when(Op::DropNamespace.on("").json(json!({})), ok())
            .then(exists(""), error(404, 1)),
        spec("A name that was dropped can be used again")
            .given([Op::DropNamespace.on("").json(json!({}))])
            .when(Op::CreateNamespace.on("").json(json!({})), ok())
            .then(exists(""), ok()),
        spec("A missing namespace cannot be dropped")
            .bare()
            .when(Op::DropNamespace.on("").json(json!({})), one_of(&[(404, 1), (400, 1)])),
        rule("A missing namespace is not found: 404, as for every other operation")
            .bare()
            .when(Op::DropNamespace.on("").json(json!({})), error(404, 1)),
        spec("A namespace with a table stays, with the table")
            .given([table("orders")])
            .when(Op::DropNamespace.on("").json(json!({})), error(409, 3))
            .then(Op::TableExists.on("orders").json(json!({})), ok()),
        spec("A namespace with a declared table stays, with the table")
            .given([declared("orders")])
            .when(Op::DropNamespace.on("").json(json!({})), error(409, 3))
            .then(Op::TableExists.on("orders").json(json!({})), ok()),
        spec("A namespace with a namespace inside stays, with it")
            .needs(Need::Nesting)
            .given([namespace("child")])
            .when(Op::DropNamespace.on("").json(json!({})), error(409, 3))
            .then(exists("child"), ok()),
        spec("A body with another id drops nothing")
            .when(Op::DropNamespace.on("").json(json!({"id": ["another"]})), invalid())
            .then(exists(""), ok()),
        rule("A request without a body drops as one with an empty object")
            .when(Op::DropNamespace.on(""), ok())
            .then(exists(""), error(404, 1)),
        rule("A namespace whose tables were dropped can be dropped")
            .given([table("orders"), Op::DropTable.on("orders").into()])
            .when(Op::DropNamespace.on("").json(json!({})), ok()),
    ]
}

fn modes() -> Vec<Case> {
    let mut cases = vec![
        spec("An unknown mode is refused, and nothing goes")
            .when(Op::DropNamespace.on("").json(json!({"mode": "Maybe"})), invalid())
            .then(exists(""), ok()),
        spec("Skip drops what exists")
            .when(Op::DropNamespace.on("").json(json!({"mode": "Skip"})), ok())
            .then(exists(""), error(404, 1)),
        rule("Skip answers 200 with JSON: released clients cannot read an empty 204").bare().when(
            Op::DropNamespace.on("").json(json!({"mode": "Skip"})),
            ok().status(200).is("", "(properties?:map)"),
        ),
        spec("Skip still refuses what is not empty")
            .given([declared("orders")])
            .when(Op::DropNamespace.on("").json(json!({"mode": "Skip"})), error(409, 3)),
    ];
    for spelling in spellings("Skip") {
        cases.push(
            spec(format!("Skip of what is missing succeeds, written as {spelling}"))
                .bare()
                .when(Op::DropNamespace.on("").json(json!({ "mode": spelling })), ok()),
        );
    }
    for spelling in spellings("Fail") {
        cases.push(
            spec(format!("Fail of what is missing fails, written as {spelling}")).bare().when(
                Op::DropNamespace.on("").json(json!({ "mode": spelling })),
                one_of(&[(404, 1), (400, 1)]),
            ),
        );
    }
    cases
}

fn behaviours() -> Vec<Case> {
    let mut cases = vec![
        spec("An unknown behavior is refused, and nothing goes")
            .when(Op::DropNamespace.on("").json(json!({"behavior": "Perhaps"})), invalid())
            .then(exists(""), ok()),
        spec("Cascade takes namespaces inside, and their tables")
            .needs(Need::Nesting)
            .given([namespace("child"), table("child$orders"), declared("plans")])
            .when(Op::DropNamespace.on("").json(json!({"behavior": "Cascade"})), ok())
            .then(exists(""), error(404, 1))
            .then(exists("child"), error(404, 1))
            .then(Op::TableExists.on("child$orders").json(json!({})), one_of(&[(404, 4), (404, 1)])),
    ];
    for spelling in spellings("Cascade") {
        cases.push(
            spec(format!("Cascade takes the tables, written as {spelling}"))
                .given([table("orders")])
                .when(Op::DropNamespace.on("").json(json!({ "behavior": spelling })), ok())
                .then(exists(""), error(404, 1)),
        );
    }
    for spelling in spellings("Restrict") {
        cases.push(
            spec(format!("Restrict keeps the tables, written as {spelling}"))
                .given([declared("orders")])
                .when(Op::DropNamespace.on("").json(json!({ "behavior": spelling })), error(409, 3))
                .then(Op::TableExists.on("orders").json(json!({})), ok()),
        );
    }
    cases
}
