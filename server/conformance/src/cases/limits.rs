//! Bodies and lists at and beyond their bounds, and connections that break.

use serde_json::json;

use crate::Operation as Op;
use crate::case::{Case, Need, Step, error, invalid, no_table, ok, own, rule, spec};
use crate::given::{count, counted, declared, many, namespace, table};
use crate::request::Body;
use crate::rows::Rows;

pub(super) fn cases(max_arrow_bytes: Option<u64>) -> Vec<Case> {
    [json_bodies(), arrow_bodies(max_arrow_bytes), broken(), large()].concat()
}

fn json_bodies() -> Vec<Case> {
    let padded = |bytes: usize| Body::Bytes(format!("{{\"note\": \"{}\"}}", "x".repeat(bytes)).into_bytes());
    vec![
        own("A JSON body beyond 1 MiB is refused")
            .given([declared("orders")])
            .when(Op::DescribeTable.on("orders").body(padded(2 << 20)), error(413, 13)),
        rule("A JSON body of 100 KiB is read")
            .given([declared("orders")])
            .when(Op::DescribeTable.on("orders").body(padded(100 << 10)), ok()),
        rule("JSON nested a thousand deep is refused, and the server lives")
            .given([declared("orders")])
            .when(
                Op::DescribeTable.on("orders").body(Body::Bytes(
                    format!("{{\"note\": {}{}}}", "[".repeat(1000), "]".repeat(1000)).into_bytes(),
                )),
                crate::case::ok_or(&[(400, 13)]),
            )
            .then(Op::TableExists.on("orders").json(json!({})), ok()),
        rule("A predicate nested a thousand deep is refused or counted, and the server lives")
            .given([table("orders")])
            .when(
                count(
                    "orders",
                    json!({"predicate": format!("{}id = 1{}", "(".repeat(1000), ")".repeat(1000))}),
                ),
                crate::case::ok_or(&[(400, 13)]),
            )
            .then(count("orders", json!({})), ok().at("", 3)),
    ]
}

fn arrow_bodies(max_arrow_bytes: Option<u64>) -> Vec<Case> {
    // Eight bytes a number: somewhat more than the limit. Where none is known, the case is not run.
    let numbers =
        max_arrow_bytes.and_then(|bytes| usize::try_from(bytes / 8).ok()).map_or(0, |count| count + 4096);
    let large = Rows::Numbers(0, numbers);
    vec![
        rule("An Arrow body beyond the server's limit makes no table")
            .needs(Need::ArrowLimit)
            .when(Op::CreateTable.on("orders").rows(&large), error(413, 13))
            .then_step(Step::Soon(Op::TableExists.on("orders").json(json!({})), no_table())),
        rule("An Arrow body beyond the server's limit adds no rows")
            .needs(Need::ArrowLimit)
            .given([Op::CreateTable.on("orders").rows(&Rows::Numbers(0, 3))])
            .when(Op::InsertIntoTable.on("orders").rows(&large), error(413, 13))
            .then(count("orders", json!({})), ok().at("", 3)),
    ]
}

/// Connections that break in the middle of a body: the answer goes nowhere, so only what is true
/// afterwards can be asked for.
fn broken() -> Vec<Case> {
    vec![
        rule("A connection that breaks in the middle of a body makes no table")
            .about(Op::CreateTable)
            .step(Step::Break(Op::CreateTable.on("orders").body(Body::BrokenRows(counted(20_000)))))
            .then_step(Step::Soon(Op::TableExists.on("orders").json(json!({})), no_table()))
            .then(Op::ListTables.on(""), ok().exactly("/tables", &[])),
        rule("A name whose creation broke off can be created at once")
            .about(Op::CreateTable)
            .step(Step::Break(Op::CreateTable.on("orders").body(Body::BrokenRows(counted(20_000)))))
            .then_step(Step::Soon(Op::CreateTable.on("orders").rows(&crate::given::three()), ok()))
            .then(count("orders", json!({})), ok().at("", 3)),
        rule("A connection that breaks in the middle of a body adds no rows")
            .about(Op::InsertIntoTable)
            .given([table("orders")])
            .step(Step::Break(Op::InsertIntoTable.on("orders").body(Body::BrokenRows(counted(20_000)))))
            .then(count("orders", json!({})), ok().at("", 3))
            .then(Op::InsertIntoTable.on("orders").rows(&Rows::words(&[(4, "dog")])), ok())
            .then(count("orders", json!({})), ok().at("", 4)),
    ]
}

fn large() -> Vec<Case> {
    // The case's own namespace is the first part.
    let path = ["n2", "n3", "n4", "n5", "n6", "n7", "n8"];
    let names: Vec<String> = (0..120).map(|number| format!("t{number:03}")).collect();
    vec![
        spec("Many rows come back, every one").given([many("orders", 50_000)]).when(
            Op::QueryTable
                .on("orders")
                .json(json!({"vector": {}, "k": 0, "columns": {"column_names": ["id"]}})),
            ok().row_count(50_000),
        ),
        spec("Many tables are listed over many pages, every one")
            .given(names.iter().map(|name| declared(name)))
            .step(Step::Walk {
                request: Op::ListTables.on(""),
                pointer: "/tables",
                limit: 50,
                wanted: names.clone(),
                between: Vec::new(),
                others: false,
            }),
        rule("A limit of 2^31-1 is no limit")
            .given([declared("orders")])
            .when(Op::ListTables.on("").query("limit", i32::MAX), ok()),
        rule("A limit beyond every number is refused")
            .when(Op::ListTables.on("").query("limit", "99999999999999999999999"), invalid()),
        own("A namespace 9 parts below its bucket is refused")
            .given((0..path.len()).map(|depth| namespace(&path[..=depth].join("$"))))
            .when(Op::CreateNamespace.on("n2$n3$n4$n5$n6$n7$n8$n9").json(json!({})), invalid()),
    ]
}
