//! Transactions looked at and altered; batches that commit as one.

use serde_json::{Value, json};

use crate::Operation as Op;
use crate::case::{Case, Expect, Need, error, invalid, no_table, ok, rule, spec};
use crate::given::{count, declared, namespace, table, version};
use crate::request::{Request, id};

pub(super) fn cases() -> Vec<Case> {
    [describe(), alter(), batch(), batch_refused()].concat()
}

fn no_transaction() -> Expect {
    error(404, 10)
}

/// A transaction's id that no server gave out.
const NEVER: &str = "orders$00000000-0000-4000-8000-000000000000";

fn describe() -> Vec<Case> {
    vec![
        spec("A transaction that never was is not found")
            .given([table("orders")])
            .when(Op::DescribeTransaction.on(NEVER).json(json!({})), no_transaction()),
        spec("A transaction of a table that never was is not found")
            .when(Op::DescribeTransaction.on(NEVER).json(json!({})), no_transaction()),
        rule("A version's commit is a transaction that has succeeded")
            .given([table("orders"), version("orders", "v")])
            .when(Op::DescribeTransaction.on("orders${v}").json(json!({})), ok().says("\"succeeded\"")),
    ]
}

fn alter() -> Vec<Case> {
    let set = |fields: Value| json!({"actions": [{ "setPropertyAction": fields }]});
    vec![
        spec("A transaction that never was cannot be altered").given([table("orders")]).when(
            Op::AlterTransaction.on(NEVER).json(set(json!({"key": "a", "value": "b"}))),
            no_transaction(),
        ),
        spec("Without actions there is nothing to alter, which is refused")
            .given([table("orders"), version("orders", "v")])
            .when(Op::AlterTransaction.on("orders${v}").json(json!({})), invalid()),
        spec("A property of a transaction is set, and shown")
            .given([table("orders"), version("orders", "v")])
            .when(
                Op::AlterTransaction.on("orders${v}").json(set(json!({"key": "reviewed", "value": "yes"}))),
                ok().at_or_missing("/properties/reviewed", "yes"),
            )
            .then(
                Op::DescribeTransaction.on("orders${v}").json(json!({})),
                ok().at_or_missing("/properties/reviewed", "yes"),
            ),
        spec("An unknown way to set a property is refused")
            .given([table("orders"), version("orders", "v")])
            .when(
                Op::AlterTransaction
                    .on("orders${v}")
                    .json(set(json!({"key": "a", "value": "b", "mode": "Perhaps"}))),
                invalid(),
            ),
        spec("An unknown status is refused").given([table("orders"), version("orders", "v")]).when(
            Op::AlterTransaction
                .on("orders${v}")
                .json(json!({"actions": [{"setStatusAction": {"status": "Dreaming"}}]})),
            invalid(),
        ),
    ]
}

fn commit(operations: Value) -> Request {
    let mut body = json!({});
    body["operations"] = operations;
    Op::BatchCommitTables.everywhere().json(body)
}

fn declare(name: &str) -> Value {
    json!({"declare_table": {"id": id(name)}})
}

fn deregister(name: &str) -> Value {
    json!({"deregister_table": {"id": id(name)}})
}

fn present(name: &str) -> Request {
    Op::TableExists.on(name).json(json!({}))
}

fn batch() -> Vec<Case> {
    vec![
        spec("Every operation of a batch is done, and answered in its place")
            .given([declared("bills")])
            .when(
                commit(json!([declare("orders"), deregister("bills")])),
                ok().is("/results/0/declare_table", "any").is("/results/1/deregister_table", "any"),
            )
            .then(present("orders"), ok())
            .then(present("bills"), no_table()),
        spec("A batch reaches tables of several namespaces")
            .needs(Need::Nesting)
            .given([namespace("child")])
            .when(commit(json!([declare("orders"), declare("child$orders")])), ok())
            .then(present("orders"), ok())
            .then(present("child$orders"), ok()),
        spec("A batch may delete versions")
            .given([
                table("orders"),
                version("orders", "one"),
                crate::given::appended("orders", (4, "dog")),
                version("orders", "two"),
            ])
            .when(
                commit(json!([{"delete_table_versions":
                    {"id": id("orders"), "ranges": [{"start_version": "{one}", "end_version": "{two}"}]}}])),
                ok().is("/results/0/delete_table_versions", "any"),
            )
            .then(count("orders", json!({})), ok().at("", 4)),
    ]
}

fn batch_refused() -> Vec<Case> {
    vec![
        spec("A batch with an operation that cannot be done does none")
            .given([declared("bills")])
            .when(commit(json!([declare("orders"), deregister("missing"), deregister("bills")])), no_table())
            .then(present("orders"), no_table())
            .then(present("bills"), ok()),
        spec("A batch that declares a name that is taken does nothing else either")
            .given([declared("bills")])
            .when(commit(json!([declare("orders"), declare("bills")])), error(409, 5))
            .then(present("orders"), no_table()),
        rule("A batch that declares one name twice does neither")
            .when(
                commit(json!([declare("orders"), declare("orders")])),
                crate::case::one_of(&[(409, 5), (400, 13)]),
            )
            .then(present("orders"), no_table()),
        spec("An operation of two kinds is refused")
            .given([declared("bills")])
            .when(
                commit(
                    json!([{"declare_table": {"id": id("orders")}, "deregister_table": {"id": id("bills")}}]),
                ),
                invalid(),
            )
            .then(present("bills"), ok()),
        spec("An operation of no kind is refused").when(commit(json!([{}])), invalid()),
        spec("A batch without operations field is refused")
            .when(Op::BatchCommitTables.everywhere().json(json!({})), invalid()),
        spec("A version that exists is not put again by a batch")
            .given([table("orders"), version("orders", "v")])
            .given([declared("bills")])
            .when(
                commit(json!([
                    deregister("bills"),
                    {"create_table_version":
                        {"id": id("orders"), "version": "{v}", "manifest_path": "no/such.manifest"}},
                ])),
                crate::case::one_of(&[(409, 14), (400, 13), (404, 11)]),
            )
            .then(present("bills"), ok()),
    ]
}
