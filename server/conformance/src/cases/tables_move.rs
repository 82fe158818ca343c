//! Tables registered, renamed, deregistered and dropped: nothing is lost on the way.

use serde_json::{Value, json};

use crate::Operation as Op;
use crate::case::{Case, Need, Step, error, invalid, no_table, ok, one_of, rule, spec};
use crate::given::{count, declared, namespace, spellings, table};
use crate::request::{Request, id};
use crate::rows::Rows;

pub(super) fn cases() -> Vec<Case> {
    [register(), registered_over(), deregister(), drop(), rename()].concat()
}

fn present(of: &str) -> Request {
    Op::TableExists.on(of).json(json!({}))
}

/// Keeps a table's location and takes the table out, so that its bytes are there for the taking.
fn taken_out(name: &str, keep: &'static str) -> [Step; 3] {
    let describe = Op::DescribeTable.on(name).json(json!({}));
    [
        table(name),
        Step::Ask(describe, ok().keep(keep, "/location")),
        Op::DeregisterTable.on(name).json(json!({})).into(),
    ]
}

fn register_as(name: &str, fields: Value) -> Request {
    Op::RegisterTable.on(name).json(fields)
}

fn register() -> Vec<Case> {
    vec![
        spec("A registered table has the rows at its location")
            .given(taken_out("orders", "location"))
            .when(register_as("again", json!({"location": "{location}"})), ok())
            .then(count("again", json!({})), ok().at("", 3))
            .then(Op::ListTables.on(""), ok().lacks("/tables", "orders")),
        spec("Without a location nothing is registered")
            .when(register_as("orders", json!({})), invalid())
            .then(present("orders"), no_table()),
        spec("A name that is taken is refused, and keeps its table")
            .given(taken_out("orders", "location"))
            .given([declared("bills")])
            .when(register_as("bills", json!({"location": "{location}"})), error(409, 5))
            .then(present("bills"), ok()),
        rule("Registering in a missing namespace registers nothing")
            .given(taken_out("orders", "location"))
            .when(
                Op::RegisterTable.on("nowhere$orders").json(json!({"location": "{location}"})),
                error(404, 1),
            ),
        rule("A location that another table has is refused")
            .given([
                table("orders"),
                Step::Ask(Op::DescribeTable.on("orders").json(json!({})), ok().keep("location", "/location")),
            ])
            .when(
                register_as("twin", json!({"location": "{location}"})),
                one_of(&[(400, 13), (409, 5), (409, 14), (409, 19)]),
            )
            .then(present("twin"), no_table())
            .then(count("orders", json!({})), ok().at("", 3)),
        rule("A location inside another table's is refused")
            .given([
                table("orders"),
                Step::Ask(Op::DescribeTable.on("orders").json(json!({})), ok().keep("location", "/location")),
            ])
            .when(
                register_as("inner", json!({"location": "{location}/data"})),
                one_of(&[(400, 13), (409, 5), (409, 14), (409, 19)]),
            )
            .then(count("orders", json!({})), ok().at("", 3)),
        rule("A location that climbs is refused")
            .when(register_as("orders", json!({"location": "../../../etc"})), invalid())
            .then(present("orders"), no_table()),
        rule("A location outside what the server was given is refused")
            .when(register_as("orders", json!({"location": "/etc"})), one_of(&[(400, 13), (403, 15)]))
            .then(present("orders"), no_table()),
        spec("An unknown mode registers nothing")
            .given(taken_out("orders", "location"))
            .when(register_as("again", json!({"location": "{location}", "mode": "Perhaps"})), invalid())
            .then(present("again"), no_table()),
        spec("Registering knows Create and Overwrite, not ExistOk")
            .given(taken_out("orders", "location"))
            .when(register_as("again", json!({"location": "{location}", "mode": "ExistOk"})), invalid()),
    ]
}

fn registered_over() -> Vec<Case> {
    let mut cases = Vec::new();
    for spelling in spellings("Overwrite") {
        cases.push(
            spec(format!("A taken name gets the new registration in the mode {spelling}"))
                .given(taken_out("orders", "location"))
                .given([Op::CreateTable.on("bills").rows(&Rows::words(&[(9, "yak")]))])
                .when(register_as("bills", json!({"location": "{location}", "mode": spelling})), ok())
                .then(count("bills", json!({})), ok().at("", 3)),
        );
    }
    cases.push(
        rule("What a name held before a registration over it keeps its bytes")
            .given(taken_out("orders", "location"))
            .given([
                Op::CreateTable.on("bills").rows(&Rows::words(&[(9, "yak")])).into(),
                Step::Ask(Op::DescribeTable.on("bills").json(json!({})), ok().keep("old", "/location")),
            ])
            .when(register_as("bills", json!({"location": "{location}", "mode": "Overwrite"})), ok())
            .then(register_as("found", json!({"location": "{old}"})), ok())
            .then(count("found", json!({})), ok().at("", 1)),
    );
    cases
}

fn deregister() -> Vec<Case> {
    let take = |name: &str| Op::DeregisterTable.on(name).json(json!({}));
    vec![
        spec("A deregistered table is not found any more")
            .given([table("orders")])
            .when(take("orders"), ok())
            .then(present("orders"), no_table())
            .then(Op::ListTables.on(""), ok().exactly("/tables", &[])),
        spec("The answer says where the bytes are")
            .given([table("orders")])
            .when(take("orders"), ok().is("/location", "text")),
        rule("Deregistering is idempotent in nothing: a second time is not found")
            .given([table("orders"), take("orders").into()])
            .when(take("orders"), no_table()),
        rule("The name is free for another table, which has its own rows")
            .given([table("orders"), take("orders").into()])
            .when(Op::CreateTable.on("orders").rows(&Rows::words(&[(9, "yak")])), ok())
            .then(count("orders", json!({})), ok().at("", 1)),
        rule("A table only declared can be deregistered")
            .given([declared("orders")])
            .when(take("orders"), ok())
            .then(present("orders"), no_table()),
    ]
}

fn drop() -> Vec<Case> {
    vec![
        spec("A dropped table is not found any more")
            .given([table("orders"), declared("bills")])
            .when(Op::DropTable.on("orders"), ok())
            .then(present("orders"), no_table())
            .then(present("bills"), ok())
            .then(Op::ListTables.on(""), ok().exactly("/tables", &["bills"])),
        spec("A table only declared can be dropped")
            .given([declared("orders")])
            .when(Op::DropTable.on("orders"), ok())
            .then(present("orders"), no_table()),
        spec("The answer may name the table, and then by its parts")
            .given([table("orders")])
            .when(Op::DropTable.on("orders"), ok().at_or_missing("/id", id("orders"))),
        spec("A table that does not exist cannot be dropped").when(Op::DropTable.on("orders"), no_table()),
        rule("A dropped name starts anew, without the old rows")
            .given([table("orders"), Op::DropTable.on("orders").into()])
            .when(Op::CreateTable.on("orders").rows(&Rows::words(&[(9, "yak")])), ok())
            .then(count("orders", json!({})), ok().at("", 1)),
        rule("Dropping a table leaves another whose name begins with it")
            .given([table("orders"), table("orders2")])
            .when(Op::DropTable.on("orders"), ok())
            .then(count("orders2", json!({})), ok().at("", 3)),
        rule("A namespace is not dropped as a table")
            .given([declared("orders")])
            .when(Op::DropTable.on(""), one_of(&[(404, 4), (404, 1), (400, 13)]))
            .then(present("orders"), ok()),
    ]
}

fn rename() -> Vec<Case> {
    let rename = |fields: Value| Op::RenameTable.on("orders").json(fields);
    vec![
        spec("A renamed table has its rows under the new name alone")
            .given([table("orders")])
            .when(rename(json!({"new_table_name": "sales"})), ok())
            .then(count("sales", json!({})), ok().at("", 3))
            .then(present("orders"), no_table()),
        spec("A table moves to another namespace")
            .needs(Need::Nesting)
            .given([table("orders"), namespace("child")])
            .when(rename(json!({"new_table_name": "sales", "new_namespace_id": id("child")})), ok())
            .then(count("child$sales", json!({})), ok().at("", 3))
            .then(present("orders"), no_table()),
        spec("A name that is taken stays what it is, and so does the table")
            .given([table("orders"), declared("sales")])
            .when(rename(json!({"new_table_name": "sales"})), error(409, 5))
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("A missing namespace is no place to move to")
            .needs(Need::Nesting)
            .given([table("orders")])
            .when(
                rename(json!({"new_table_name": "sales", "new_namespace_id": id("nowhere")})),
                error(404, 1),
            )
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("Without a new name nothing is renamed")
            .given([table("orders")])
            .when(rename(json!({})), invalid())
            .then(present("orders"), ok()),
        rule("The old name is free, and a table there does not touch the renamed one")
            .given([table("orders"), rename(json!({"new_table_name": "sales"})).into()])
            .when(Op::CreateTable.on("orders").rows(&Rows::words(&[(9, "yak")])), ok())
            .then(count("sales", json!({})), ok().at("", 3))
            .then(count("orders", json!({})), ok().at("", 1)),
        rule("Dropping what took the old name leaves the renamed table its rows")
            .given([
                table("orders"),
                rename(json!({"new_table_name": "sales"})).into(),
                Op::CreateTable.on("orders").rows(&Rows::words(&[(9, "yak")])).into(),
            ])
            .when(rename(json!({"new_table_name": "sales2"})), ok())
            .then(Op::DropTable.on("sales2"), ok())
            .then(count("sales", json!({})), ok().at("", 3)),
    ]
}
