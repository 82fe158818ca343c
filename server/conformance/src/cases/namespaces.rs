//! Namespaces made, listed and looked at.

use serde_json::json;

use crate::Operation as Op;
use crate::case::{Case, Expect, Need, Step, Tally, error, invalid, ok, own, rule, spec};
use crate::given::{declared, namespace, spellings, table, with_id};
use crate::request::{Body, Request, id};

pub(super) fn cases() -> Vec<Case> {
    [create(), modes(), names(), list(), describe()].concat()
}

fn exists(of: &str) -> Request {
    Op::NamespaceExists.on(of).json(json!({}))
}

fn gone() -> Expect {
    error(404, 1)
}

fn create() -> Vec<Case> {
    vec![
        spec("A namespace that was made exists")
            .bare()
            .when(Op::CreateNamespace.on("").json(json!({})), ok())
            .then(exists(""), ok())
            .then(Op::DescribeNamespace.on("").json(json!({})), ok()),
        spec("Properties come back where they are kept at all")
            .bare()
            .when(
                Op::CreateNamespace.on("").json(json!({"properties": {"owner": "tests"}})),
                ok().at_or_missing("/properties/owner", "tests"),
            )
            .then(
                Op::DescribeNamespace.on("").json(json!({})),
                ok().at_or_missing("/properties/owner", "tests"),
            ),
        spec("Without properties they are null or an empty object")
            .bare()
            .when(Op::CreateNamespace.on("").json(json!({})), ok().is("", "(properties?:map)")),
        spec("A body may repeat the route's id")
            .bare()
            .when(Op::CreateNamespace.on("").json(json!({"id": id("")})), ok())
            .then(exists(""), ok()),
        spec("A body with another id is refused, and nothing is made")
            .bare()
            .when(Op::CreateNamespace.on("").json(json!({"id": ["another"]})), invalid())
            .then(exists(""), gone()),
        spec("Identity and context in the body are accepted").bare().when(
            Op::CreateNamespace
                .on("")
                .json(json!({"identity": {"api_key": "any"}, "context": {"header.x-trace": "1"}})),
            ok(),
        ),
        rule("An empty body is an empty request")
            .bare()
            .when(Op::CreateNamespace.on(""), ok())
            .then(exists(""), ok()),
        rule("Fields that the specification does not know are ignored")
            .bare()
            .when(Op::CreateNamespace.on("").json(json!({"later_field": [1, {"a": 2}]})), ok()),
        spec("A namespace is made inside a namespace")
            .needs(Need::Nesting)
            .when(Op::CreateNamespace.on("child").json(json!({})), ok())
            .then(exists("child"), ok())
            .then(Op::ListNamespaces.on(""), ok().exactly("/namespaces", &["child"])),
        rule("A namespace whose parent is missing is not made, nor is its parent")
            .needs(Need::Nesting)
            .when(Op::CreateNamespace.on("nowhere$child").json(json!({})), gone())
            .then(exists("nowhere"), gone()),
        spec("Properties that are not texts are refused")
            .bare()
            .when(Op::CreateNamespace.on("").json(json!({"properties": {"a": {"b": 1}}})), invalid())
            .then(exists(""), gone()),
        spec("A delimiter of the client's choice names the same object")
            .bare()
            .when(Op::CreateNamespace.on_delimited("", "::").json(json!({})), ok())
            .then(exists(""), ok())
            .then(Op::DescribeNamespace.on_delimited("", "|").json(json!({})), ok()),
    ]
}

fn modes() -> Vec<Case> {
    let mut cases = vec![
        spec("Without a mode, a taken name is refused")
            .when(Op::CreateNamespace.on("").json(json!({})), error(409, 2)),
        spec("ExistOk keeps what is in the namespace")
            .given([declared("orders")])
            .when(Op::CreateNamespace.on("").json(json!({"mode": "ExistOk"})), ok())
            .then(Op::TableExists.on("orders").json(json!({})), ok()),
        spec("ExistOk keeps the properties there are")
            .bare()
            .given([Op::CreateNamespace.on("").json(json!({"properties": {"owner": "first"}}))])
            .when(
                Op::CreateNamespace
                    .on("")
                    .json(json!({"mode": "ExistOk", "properties": {"owner": "second"}})),
                ok(),
            )
            .then(
                Op::DescribeNamespace.on("").json(json!({})),
                ok().at_or_missing("/properties/owner", "first"),
            ),
        spec("ExistOk makes what does not exist")
            .bare()
            .when(Op::CreateNamespace.on("").json(json!({"mode": "ExistOk"})), ok())
            .then(exists(""), ok()),
        spec("Overwrite replaces the properties of an empty namespace")
            .bare()
            .given([Op::CreateNamespace.on("").json(json!({"properties": {"old": "1"}}))])
            .when(
                Op::CreateNamespace.on("").json(json!({"mode": "Overwrite", "properties": {"new": "2"}})),
                ok().missing("/properties/old"),
            )
            .then(Op::DescribeNamespace.on("").json(json!({})), ok().missing("/properties/old")),
        rule("Overwrite of a namespace that holds a table is refused, and the table stays")
            .given([declared("orders")])
            .when(Op::CreateNamespace.on("").json(json!({"mode": "Overwrite"})), error(409, 3))
            .then(Op::TableExists.on("orders").json(json!({})), ok()),
        spec("An unknown mode is refused")
            .bare()
            .when(Op::CreateNamespace.on("").json(json!({"mode": "Replace"})), invalid())
            .then(exists(""), gone()),
        spec("A mode that is not text is refused")
            .bare()
            .when(Op::CreateNamespace.on("").json(json!({"mode": 7})), invalid()),
    ];
    for (mode, taken) in [("Create", false), ("ExistOk", true), ("Overwrite", true)] {
        for spelling in spellings(mode) {
            let expect = if taken { ok() } else { error(409, 2) };
            let request = Op::CreateNamespace.on("").json(json!({ "mode": spelling }));
            cases.push(spec(format!("The mode {mode} is understood as {spelling}")).when(request, expect));
        }
    }
    cases
}

/// Names that Lakeglass refuses, because one name means one folder.
fn names() -> Vec<Case> {
    let refused = [
        ("with a dot", "with.dot"),
        ("with a space", "with space"),
        ("with a slash", "with/slash"),
        ("with a percent sign", "with%25"),
        ("that climbs", ".."),
        ("with letters beyond ASCII", "straße"),
        ("of 65 letters", "a2345678901234567890123456789012345678901234567890123456789012345"),
    ];
    let case = |(what, name): (&str, &str)| {
        own(format!("A namespace {what} is refused"))
            .when(Op::CreateNamespace.on(name).json(json!({})), invalid())
            .then(Op::ListNamespaces.on(""), ok().exactly("/namespaces", &[]))
    };
    let mut cases: Vec<Case> = refused.into_iter().map(case).collect();
    cases.push(
        own("A bucket's name has no capitals")
            .needs(Need::Top)
            .when(Op::CreateNamespace.on_absolute("Upper-{top}").json(json!({})), invalid()),
    );
    cases.push(
        own("Tables do not live directly in a bucket")
            .when(Op::DeclareTable.on_absolute("{first}$orders").json(json!({})), invalid()),
    );
    cases.push(
        own("Names are told apart by case")
            .needs(Need::Nesting)
            .given([namespace("Child")])
            .when(exists("child"), gone())
            .then(exists("Child"), ok()),
    );
    cases
}

fn list() -> Vec<Case> {
    let five = ["n1", "n2", "n3", "n4", "n5"];
    let walk = |limit: usize| Step::Walk {
        request: Op::ListNamespaces.on(""),
        pointer: "/namespaces",
        limit,
        wanted: five.map(str::to_owned).to_vec(),
        between: Vec::new(),
        others: false,
    };
    let mut cases = vec![
        spec("Children are listed by their own names, grandchildren and tables are not")
            .needs(Need::Nesting)
            .given([namespace("a"), namespace("b"), namespace("a$below"), declared("orders")])
            .when(Op::ListNamespaces.on(""), ok().exactly("/namespaces", &["a", "b"]))
            .then(Op::ListNamespaces.on("a"), ok().exactly("/namespaces", &["below"])),
        spec("A namespace without children lists none, and not null")
            .when(Op::ListNamespaces.on(""), ok().exactly("/namespaces", &[])),
        spec("Children of a missing namespace are not found").bare().when(Op::ListNamespaces.on(""), gone()),
        spec("The root lists what is directly below it").step(Step::Walk {
            request: Op::ListNamespaces.on_root(),
            pointer: "/namespaces",
            limit: 100,
            wanted: vec!["{first}".to_owned()],
            between: Vec::new(),
            others: true,
        }),
        spec("The root's name is the delimiter, whichever it is").needs(Need::Top).when(
            Op::ListNamespaces.on_absolute("::").query("delimiter", "::"),
            ok().is("/namespaces", "[text]"),
        ),
        spec("A namespace of one part can be made below the root, and goes again")
            .about(Op::CreateNamespace)
            .needs(Need::Top)
            .given([Op::CreateNamespace.on_absolute("{top}").json(json!({}))])
            .when(Op::NamespaceExists.on_absolute("{top}").json(json!({})), ok())
            .then(Op::DropNamespace.on_absolute("{top}").json(json!({})), ok())
            .then(Op::NamespaceExists.on_absolute("{top}").json(json!({})), gone()),
        rule("Pages see what was there once each, also while others write")
            .needs(Need::Nesting)
            .given(five.map(namespace))
            .step(Step::Walk {
                request: Op::ListNamespaces.on(""),
                pointer: "/namespaces",
                limit: 1,
                wanted: five.map(str::to_owned).to_vec(),
                between: ["a1", "n22", "z1"]
                    .map(|name| Op::CreateNamespace.on(name).json(json!({})))
                    .to_vec(),
                others: true,
            }),
    ];
    for limit in [1, 2, 5, 100] {
        cases.push(
            spec(format!("Pages of {limit} see everything once"))
                .needs(Need::Nesting)
                .given(five.map(namespace))
                .step(walk(limit)),
        );
    }
    for limit in ["0", "-1", "many"] {
        cases.push(
            rule(format!("A limit of {limit} is refused"))
                .when(Op::ListNamespaces.on("").query("limit", limit), invalid()),
        );
    }
    cases
}

fn describe() -> Vec<Case> {
    let mut cases = Vec::new();
    for operation in [Op::DescribeNamespace, Op::NamespaceExists] {
        cases.extend([
            spec("A namespace that exists is found").when(operation.on("").json(json!({})), ok()),
            spec("A namespace that does not exist is not found")
                .bare()
                .when(operation.on("").json(json!({})), gone()),
            spec("A body may repeat the id in the route")
                .when(operation.on("").json(with_id("", &json!({}))), ok()),
            rule("A request without a body is enough").when(operation.on(""), ok()),
            rule("A table is no namespace")
                .given([declared("orders")])
                .when(operation.on("orders").json(json!({})), gone()),
            spec("The root exists").when(operation.on_root().json(json!({})), ok()),
            rule("A body of null is an empty request")
                .when(operation.on("").body(Body::Bytes(b"null".to_vec())), ok()),
        ]);
    }
    cases.push(
        rule("A namespace can be asked for while it is made")
            .about(Op::NamespaceExists)
            .needs(Need::Nesting)
            .given([table("orders")])
            .step(Step::Together(
                vec![
                    Op::CreateNamespace.on("child").json(json!({})),
                    exists("child"),
                    exists("child"),
                    exists("child"),
                ],
                Tally::Some(vec![(404, 1)]),
            )),
    );
    cases
}
