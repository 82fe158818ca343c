//! Tables declared, listed and asked for.

use serde_json::json;

use crate::Operation as Op;
use crate::case::{Case, Need, Step, error, invalid, no_table, ok, own, rule, spec};
use crate::given::{count, declared, namespace, table, with_id};
use crate::request::{Request, id};

pub(super) fn cases() -> Vec<Case> {
    [declare(), names(), list(), list_all(), exists()].concat()
}

fn present(of: &str) -> Request {
    Op::TableExists.on(of).json(json!({}))
}

fn declare() -> Vec<Case> {
    let look = || Op::DescribeTable.on("orders").query("check_declared", true).json(json!({}));
    vec![
        spec("A declared table has a location, exists, and is only declared")
            .when(Op::DeclareTable.on("orders").json(json!({})), ok().is("/location", "text"))
            .then(present("orders"), ok())
            .then(look(), ok().at("/is_only_declared", true)),
        spec("A name that is declared already is refused")
            .given([declared("orders")])
            .when(Op::DeclareTable.on("orders").json(json!({})), error(409, 5)),
        spec("A table that has rows cannot be declared again, and keeps them")
            .given([table("orders")])
            .when(Op::DeclareTable.on("orders").json(json!({})), error(409, 5))
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("Properties of a table come back where they are kept at all").when(
            Op::DeclareTable.on("orders").json(json!({"properties": {"owner": "tests"}})),
            ok().at_or_missing("/properties/owner", "tests"),
        ),
        rule("In a missing namespace nothing is declared, and no namespace appears")
            .bare()
            .when(Op::DeclareTable.on("orders").json(json!({})), error(404, 1))
            .then(Op::NamespaceExists.on("").json(json!({})), error(404, 1)),
        spec("A body may repeat the id in the route")
            .when(Op::DeclareTable.on("orders").json(with_id("orders", &json!({}))), ok()),
        spec("A body that names another table declares neither")
            .when(Op::DeclareTable.on("orders").json(json!({"id": id("bills")})), invalid())
            .then(present("orders"), no_table())
            .then(present("bills"), no_table()),
        rule("A location that climbs out is refused")
            .when(Op::DeclareTable.on("orders").json(json!({"location": "../../elsewhere"})), invalid())
            .then(present("orders"), no_table()),
        rule("Two tables never share a location")
            .given([Step::Ask(
                Op::DeclareTable.on("bills").json(json!({})),
                ok().keep("location", "/location"),
            )])
            .when(
                Op::DeclareTable.on("orders").json(json!({"location": "{location}"})),
                crate::case::one_of(&[(409, 5), (409, 14), (409, 19), (400, 13)]),
            )
            .then(present("orders"), no_table()),
        rule("Versions are committed in storage: the namespace does not manage them")
            .when(Op::DeclareTable.on("orders").json(json!({})), ok().differs("/managed_versioning", true)),
        spec("A delimiter of the client's choice names the same table")
            .when(Op::DeclareTable.on_delimited("orders", "::").json(json!({})), ok())
            .then(present("orders"), ok()),
    ]
}

fn names() -> Vec<Case> {
    let refused = [
        ("with a space", "with space"),
        ("with a slash", "with/slash"),
        ("that climbs", ".."),
        ("of a dot", "."),
        ("with a control character", "line\nbreak"),
        ("with a star", "all*"),
    ];
    let mut cases: Vec<Case> = refused
        .into_iter()
        .map(|(what, name)| {
            own(format!("A table {what} is refused"))
                .when(Op::DeclareTable.on(name).json(json!({})), invalid())
                .then(Op::ListTables.on(""), ok().exactly("/tables", &[]))
        })
        .collect();
    cases.push(
        own("A table's name of 129 letters is refused")
            .when(Op::DeclareTable.on("t".repeat(129)).json(json!({})), invalid()),
    );
    cases.push(
        own("A table's name of 128 letters, with dots and dashes, is taken")
            .when(Op::DeclareTable.on(format!("a.b-c_D{}", "t".repeat(121))).json(json!({})), ok()),
    );
    cases.push(
        own("Names of tables are told apart by case")
            .given([declared("Orders")])
            .when(present("orders"), no_table())
            .then(present("Orders"), ok()),
    );
    cases.push(
        spec("A table and a namespace of another parent may have one name")
            .needs(Need::Nesting)
            .given([namespace("child"), declared("orders")])
            .when(Op::DeclareTable.on("child$orders").json(json!({})), ok())
            .then(present("orders"), ok()),
    );
    cases
}

fn list() -> Vec<Case> {
    let five = ["t1", "t2", "t3", "t4", "t5"];
    let walk =
        |request: Request, limit: usize, wanted: &[&str], between: Vec<Request>, others: bool| Step::Walk {
            request,
            pointer: "/tables",
            limit,
            wanted: wanted.iter().map(|name| (*name).to_owned()).collect(),
            between,
            others,
        };
    let mut cases = vec![
        spec("Tables are listed, those only declared too")
            .given([table("orders"), declared("bills")])
            .step(walk(Op::ListTables.on(""), 100, &["orders", "bills"], Vec::new(), false)),
        rule("Tables are listed by the last part of their name, as released clients read it")
            .given([declared("orders"), declared("bills")])
            .when(Op::ListTables.on(""), ok().exactly("/tables", &["orders", "bills"])),
        rule("A namespace without tables lists none, and not null")
            .when(Op::ListTables.on(""), ok().exactly("/tables", &[])),
        spec("Tables of a missing namespace are not found").bare().when(Op::ListTables.on(""), error(404, 1)),
        spec("Tables only declared can be left out").given([table("orders"), declared("bills")]).step(walk(
            Op::ListTables.on("").query("include_declared", false),
            100,
            &["orders"],
            Vec::new(),
            false,
        )),
        spec("Tables of a namespace inside are not among a namespace's children")
            .needs(Need::Nesting)
            .given([namespace("child"), declared("child$bills"), declared("orders")])
            .step(walk(Op::ListTables.on(""), 100, &["orders"], Vec::new(), false)),
        rule("Pages of tables see what was there once each, also while others write")
            .given(five.map(declared))
            .step(walk(
                Op::ListTables.on(""),
                1,
                &five,
                ["a1", "t22", "z1"].map(|name| Op::DeclareTable.on(name).json(json!({}))).to_vec(),
                true,
            )),
        rule("Pages of tables see what stays once each, also while others drop")
            .given(five.map(declared))
            .step(walk(
                Op::ListTables.on(""),
                1,
                &["t3", "t4", "t5"],
                vec![Op::DropTable.on("t1"), Op::DropTable.on("t2")],
                true,
            )),
    ];
    for limit in [1, 2, 5, 100] {
        cases.push(
            spec(format!("Pages of {limit} see every table once")).given(five.map(declared)).step(walk(
                Op::ListTables.on(""),
                limit,
                &five,
                Vec::new(),
                false,
            )),
        );
    }
    for limit in ["0", "-1", "many"] {
        cases.push(
            rule(format!("A limit of {limit} is refused"))
                .when(Op::ListTables.on("").query("limit", limit), invalid()),
        );
    }
    cases
}

fn list_all() -> Vec<Case> {
    let walk = |request: Request, wanted: &[&str], limit: usize| Step::Walk {
        request,
        pointer: "/tables",
        limit,
        wanted: wanted.iter().map(|name| (*name).to_owned()).collect(),
        between: Vec::new(),
        others: true,
    };
    vec![
        spec("Every table is listed by its full identifier")
            .given([table("orders"), declared("bills")])
            .step(walk(Op::ListAllTables.everywhere(), &["{home}$orders", "{home}$bills"], 100)),
        spec("Tables of namespaces inside are listed too")
            .needs(Need::Nesting)
            .given([namespace("child"), declared("child$orders")])
            .step(walk(Op::ListAllTables.everywhere(), &["{home}$child$orders"], 100)),
        spec("Identifiers are joined by the client's delimiter").given([declared("orders")]).step(walk(
            Op::ListAllTables.everywhere().query("delimiter", "::"),
            &["{joined}::orders"],
            100,
        )),
        spec("Pages of everything see every table once").given(["t1", "t2", "t3"].map(declared)).step(walk(
            Op::ListAllTables.everywhere(),
            &["{home}$t1", "{home}$t2", "{home}$t3"],
            7,
        )),
        spec("A table that was dropped is listed no more")
            .given([declared("orders"), declared("bills"), Op::DropTable.on("orders").into()])
            .when(
                Op::ListAllTables.everywhere().query("limit", 1000),
                ok().lacks("/tables", "{home}$orders"),
            ),
        rule("A limit of 0 is refused for everything too")
            .when(Op::ListAllTables.everywhere().query("limit", 0), invalid()),
    ]
}

fn exists() -> Vec<Case> {
    vec![
        spec("A table that exists answers 200 and nothing more")
            .given([table("orders")])
            .when(present("orders"), ok()),
        spec("A table that does not exist is not found").when(present("orders"), no_table()),
        spec("A table of a missing namespace is not found").bare().when(present("orders"), no_table()),
        spec("A namespace is no table")
            .given([declared("orders")])
            .when(present(""), crate::case::one_of(&[(404, 4), (404, 1), (400, 13)])),
        spec("A version that exists is found")
            .given([table("orders"), crate::given::version("orders", "v")])
            .when(Op::TableExists.on("orders").json(json!({"version": "{v}"})), ok()),
        rule("A version that does not exist is not found")
            .given([table("orders")])
            .when(Op::TableExists.on("orders").json(json!({"version": 999_999})), error(404, 11)),
    ]
}
