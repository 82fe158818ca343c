//! Many at once: races have one winner and leave nothing behind, and no write is lost.

use serde_json::{Value, json};

use crate::Operation as Op;
use crate::case::{Case, Need, Step, Tally, ok, rule};
use crate::given::{count, declared, many, table, version};
use crate::request::{Request, id};
use crate::rows::Rows;

/// How many ask at once.
const MANY: i64 = 8;

pub(super) fn cases() -> Vec<Case> {
    [creators(), writers(), removers(), refs()].concat()
}

/// So many requests, each made from its number.
fn each(make: impl Fn(i64) -> Request) -> Vec<Request> {
    (0..MANY).map(make).collect()
}

/// Exactly one succeeds; the others find the name taken.
fn one_wins(requests: Vec<Request>, losers: &[(u16, i64)]) -> Step {
    Step::Together(requests, Tally::One(losers.to_vec()))
}

fn all_win(requests: Vec<Request>) -> Step {
    Step::Together(requests, Tally::All)
}

fn row(number: i64) -> Rows {
    Rows::words(&[(100 + number, "new")])
}

fn creators() -> Vec<Case> {
    vec![
        rule("Of eight creators of one namespace one wins")
            .bare()
            .step(one_wins(each(|_| Op::CreateNamespace.on("").json(json!({}))), &[(409, 2)]))
            .then(Op::NamespaceExists.on("").json(json!({})), ok()),
        rule("Eight who take an existing namespace for granted all succeed")
            .bare()
            .step(all_win(each(|_| Op::CreateNamespace.on("").json(json!({"mode": "ExistOk"})))))
            .then(Op::NamespaceExists.on("").json(json!({})), ok()),
        rule("Of eight creators of one table one wins, and the table has its rows")
            .step(one_wins(
                each(|number| Op::CreateTable.on("orders").rows(&row(number))),
                &[(409, 5), (409, 14)],
            ))
            .then(count("orders", json!({})), ok().at("", 1))
            .then(Op::ListTables.on(""), ok().exactly("/tables", &["orders"])),
        rule("Of eight declarers of one table one wins")
            .step(one_wins(each(|_| Op::DeclareTable.on("orders").json(json!({}))), &[(409, 5), (409, 14)]))
            .then(Op::ListTables.on(""), ok().exactly("/tables", &["orders"])),
        rule("Of a declarer and creators of one table one wins at least, and the table is there")
            .about(Op::CreateTable)
            .step(Step::Together(
                each(|number| match number % 2 {
                    0 => Op::CreateTable.on("orders").rows(&row(number)),
                    _ => Op::DeclareTable.on("orders").json(json!({})),
                }),
                Tally::Some(vec![(409, 5), (409, 14)]),
            ))
            .then(Op::TableExists.on("orders").json(json!({})), ok()),
        rule("Eight tables made at once are eight tables")
            .step(all_win(each(|number| Op::CreateTable.on(format!("t{number}")).rows(&row(number)))))
            .then(
                Op::ListTables.on(""),
                ok().exactly("/tables", &["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"]),
            ),
        rule("Eight namespaces made at once are eight namespaces")
            .needs(Need::Nesting)
            .step(all_win(each(|number| Op::CreateNamespace.on(format!("n{number}")).json(json!({})))))
            .then(
                Op::ListNamespaces.on(""),
                ok().exactly("/namespaces", &["n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"]),
            ),
        rule("Of eight tables renamed to one name one wins, and the others stay")
            .given(
                (0..MANY)
                    .map(|number| Step::from(Op::CreateTable.on(format!("t{number}")).rows(&row(number)))),
            )
            .step(one_wins(
                each(|number| {
                    Op::RenameTable.on(format!("t{number}")).json(json!({"new_table_name": "one"}))
                }),
                &[(409, 5), (409, 14)],
            ))
            .then(count("one", json!({})), ok().at("", 1)),
        rule("Of eight batches that declare one table one wins, and the others do nothing")
            .step(one_wins(
                each(|number| {
                    let own = format!("own{number}");
                    Op::BatchCommitTables.everywhere().json(json!({"operations": [
                        {"declare_table": {"id": id(&own)}}, {"declare_table": {"id": id("shared")}},
                    ]}))
                }),
                &[(409, 5), (409, 14)],
            ))
            .then(Op::ListTables.on(""), ok().is("/tables/1", "text").missing("/tables/2")),
    ]
}

fn writers() -> Vec<Case> {
    let update = |number: i64| {
        let updates = json!([["word", format!("'by {number}'")]]);
        let predicate = format!("id = {number}");
        Op::UpdateTable.on("orders").json(json!({"updates": updates, "predicate": predicate}))
    };
    let insert = |number: i64| Op::InsertIntoTable.on("orders").rows(&row(number));
    vec![
        rule("Eight appenders lose nothing")
            .given([table("orders")])
            .step(all_win(each(insert)))
            .then(count("orders", json!({})), ok().at("", 3 + MANY))
            .then(count("orders", json!({"predicate": "id >= 100"})), ok().at("", MANY)),
        rule("Eight appenders to a table only declared lose nothing")
            .given([declared("orders")])
            .step(all_win(each(insert)))
            .then(count("orders", json!({})), ok().at("", MANY)),
        rule("Eight who merge different rows lose nothing")
            .given([table("orders")])
            .step(all_win(each(|number| {
                Op::MergeInsertIntoTable
                    .on("orders")
                    .query("on", "id")
                    .query("when_matched_update_all", true)
                    .query("when_not_matched_insert_all", true)
                    .rows(&row(number))
            })))
            .then(count("orders", json!({})), ok().at("", 3 + MANY)),
        rule("Eight who update different rows lose nothing")
            .given([many("orders", MANY)])
            .step(all_win(each(update)))
            .then(count("orders", json!({"predicate": "word LIKE 'by %'"})), ok().at("", MANY)),
        rule("Eight who delete different rows lose nothing, and delete nothing else")
            .given([many("orders", 2 * MANY)])
            .step(all_win(each(|number| {
                Op::DeleteFromTable.on("orders").json(json!({"predicate": format!("id = {number}")}))
            })))
            .then(count("orders", json!({})), ok().at("", MANY)),
        rule("Readers are answered while others write")
            .about(Op::QueryTable)
            .given([table("orders")])
            .step(all_win(each(|number| match number % 2 {
                0 => insert(number),
                _ => Op::QueryTable.on("orders").json(json!({"vector": {}, "k": 0})),
            })))
            .then(count("orders", json!({})), ok().at("", 3 + MANY / 2)),
    ]
}

fn removers() -> Vec<Case> {
    vec![
        rule("Of eight who drop one table one wins")
            .given([table("orders")])
            .step(one_wins(each(|_| Op::DropTable.on("orders")), &[(404, 4), (409, 14)]))
            .then(Op::ListTables.on(""), ok().exactly("/tables", &[])),
        rule("Of eight who deregister one table one wins")
            .given([table("orders")])
            .step(one_wins(
                each(|_| Op::DeregisterTable.on("orders").json(json!({}))),
                &[(404, 4), (409, 14)],
            ))
            .then(Op::ListTables.on(""), ok().exactly("/tables", &[])),
        rule("Of eight who drop one namespace one wins")
            .step(one_wins(each(|_| Op::DropNamespace.on("").json(json!({}))), &[(404, 1), (409, 14)]))
            .then(Op::NamespaceExists.on("").json(json!({})), crate::case::error(404, 1)),
        rule("A name that was made and dropped by many at once can be used")
            .about(Op::CreateTable)
            .given([table("orders")])
            .step(Step::Together(
                each(|number| match number % 2 {
                    0 => Op::DropTable.on("orders"),
                    _ => Op::CreateTable.on("orders").query("mode", "ExistOk").rows(&row(number)),
                }),
                Tally::Some(vec![(404, 4), (409, 5), (409, 14), (409, 19)]),
            ))
            .then(Op::CreateTable.on("orders").query("mode", "Overwrite").rows(&row(0)), ok())
            .then(count("orders", json!({})), ok().at("", 1)),
    ]
}

fn refs() -> Vec<Case> {
    let tag = |fields: Value| Op::CreateTableTag.on("orders").json(fields);
    vec![
        rule("Of eight who make one tag one wins")
            .given([table("orders"), version("orders", "v")])
            .step(one_wins(each(|_| tag(json!({"tag": "stable", "version": "{v}"}))), &[(409, 9), (409, 14)]))
            .then(Op::ListTableTags.on("orders"), ok().keys("/tags", &["stable"])),
        rule("Eight tags made at once are eight tags")
            .given([table("orders"), version("orders", "v")])
            .step(all_win(each(|number| tag(json!({"tag": format!("t{number}"), "version": "{v}"})))))
            .then(
                Op::ListTableTags.on("orders"),
                ok().keys("/tags", &["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"]),
            ),
        rule("Of eight who make one branch one wins")
            .given([table("orders")])
            .step(one_wins(
                each(|_| Op::CreateTableBranch.on("orders").json(json!({"name": "side"}))),
                &[(409, 23), (409, 14)],
            ))
            .then(count("orders", json!({"branch": "side"})), ok().at("", 3)),
        rule("Of eight who make one index one wins at least, and there is one")
            .given([table("orders")])
            .step(Step::Together(
                each(|_| {
                    let index = json!({"column": "id", "index_type": "BTREE", "name": "by_id"});
                    Op::CreateTableIndex.on("orders").json(index)
                }),
                Tally::Some(vec![(409, 7), (409, 14)]),
            ))
            .then_step(Step::Soon(
                Op::ListTableIndices.on("orders").json(json!({})),
                ok().at("/indexes/0/index_name", "by_id").missing("/indexes/1"),
            )),
    ]
}
