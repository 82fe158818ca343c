//! Tables described: at their latest and at other states.

use serde_json::{Value, json};

use crate::Operation as Op;
use crate::case::{Case, Step, error, invalid, no_table, ok, rule, spec};
use crate::given::{appended, branch, declared, table, tag, version, with_id};
use crate::request::{Request, Target, id};

pub(super) fn cases() -> Vec<Case> {
    [plain(), detailed(), states(), dialect()].concat()
}

fn describe(body: Value) -> Request {
    Op::DescribeTable.on("orders").json(body)
}

fn details(body: Value) -> Request {
    describe(body).query("load_detailed_metadata", true)
}

fn plain() -> Vec<Case> {
    vec![
        spec("A table has a location")
            .given([table("orders")])
            .when(describe(json!({})), ok().is("/location", "text")),
        rule("A request without a body is enough")
            .given([table("orders")])
            .when(Op::DescribeTable.on("orders"), ok().is("/location", "text")),
        spec("A body may repeat the route's id")
            .given([table("orders")])
            .when(describe(with_id("orders", &json!({}))), ok()),
        spec("A body that names another table is refused")
            .given([table("orders"), declared("bills")])
            .when(describe(json!({"id": id("bills")})), invalid()),
        spec("Whether a table is only declared is said when asked for")
            .given([table("orders")])
            .when(describe(json!({})).query("check_declared", true), ok().at("/is_only_declared", false)),
        spec("Whether a table is only declared is not said when nothing asks for it")
            .given([declared("orders")])
            .when(describe(json!({})), ok().missing("/is_only_declared")),
        spec("A first write ends being only declared")
            .given([declared("orders"), Op::InsertIntoTable.on("orders").rows(&crate::given::three()).into()])
            .when(describe(json!({})).query("check_declared", true), ok().at("/is_only_declared", false)),
        spec("The table's URI is given when asked for, and is one").given([table("orders")]).when(
            describe(json!({})).query("with_table_uri", true),
            ok().is("/table_uri", "text").differs("/table_uri", ""),
        ),
        spec("The table's URI is not given when nothing asks for it")
            .given([table("orders")])
            .when(describe(json!({})), ok().missing("/table_uri")),
        rule("Flags in the body count as those in the query").given([table("orders")]).when(
            describe(json!({"load_detailed_metadata": true, "check_declared": true})),
            ok().is("/version", "int").at("/is_only_declared", false),
        ),
        rule("A flag that is neither true nor false is refused")
            .given([table("orders")])
            .when(describe(json!({})).query("check_declared", "maybe"), invalid()),
        spec("Properties given at creation are described, where they are kept at all")
            .given([Op::DeclareTable.on("orders").json(json!({"properties": {"owner": "tests"}}))])
            .when(describe(json!({})), ok().at_or_missing("/properties/owner", "tests")),
        rule("A trailing slash changes nothing")
            .given([table("orders")])
            .when(describe(json!({})).with_slash(), ok()),
        spec("A table of a missing namespace is not there to describe")
            .bare()
            .when(describe(json!({})), no_table()),
    ]
}

fn detailed() -> Vec<Case> {
    let schema = ok()
        .at("/schema/fields/0/name", "id")
        .at("/schema/fields/0/type/type", "int64")
        .at("/schema/fields/1/name", "word")
        .at("/schema/fields/1/type/type", "utf8")
        .at("/schema/fields/2/name", "vec");
    vec![
        spec("Details carry version, schema and stats").given([table("orders")]).when(
            details(json!({})),
            ok().is("/version", "int")
                .is("/schema/fields", "[(name:text nullable:bool type:any)]")
                .is("/stats", "(num_deleted_rows:int num_fragments:int)"),
        ),
        spec("The schema names every column and its type")
            .given([table("orders")])
            .when(details(json!({})), schema),
        rule("A vector's type carries its length and its items' type").given([table("orders")]).when(
            details(json!({})),
            ok().at("/schema/fields/2/type/type", "fixed_size_list")
                .at("/schema/fields/2/type/length", 2)
                .at("/schema/fields/2/type/fields/0/type/type", "float32"),
        ),
        spec("Details name the table and its namespace")
            .given([table("orders")])
            .when(details(json!({})), ok().at("/table", "orders").at("/namespace", id(""))),
        spec("Stats count fragments and deleted rows")
            .given([
                table("orders"),
                Op::DeleteFromTable.on("orders").json(json!({"predicate": "id = 2"})).into(),
            ])
            .when(details(json!({})), ok().at("/stats/num_deleted_rows", 1).at("/stats/num_fragments", 1)),
        spec("Details say that a table is not only declared")
            .given([table("orders")])
            .when(details(json!({})), ok().at("/is_only_declared", false)),
        spec("Details of a table only declared say so")
            .given([declared("orders")])
            .when(details(json!({})), ok().at("/is_only_declared", true)),
        spec("Every write makes a later version")
            .given([table("orders"), version("orders", "first"), appended("orders", (4, "dog"))])
            .when(details(json!({})), ok().above("/version", "{first}")),
    ]
}

fn states() -> Vec<Case> {
    let two = || {
        vec![
            table("orders"),
            version("orders", "old"),
            appended("orders", (4, "dog")),
            version("orders", "new"),
        ]
    };
    let with = |more: Vec<Step>| [two(), more].concat();
    vec![
        spec("An older version is described as it was")
            .given(two())
            .when(details(json!({"version": "{old}"})), ok().at("/version", "{old}")),
        spec("A version that does not exist is not found")
            .given([table("orders")])
            .when(details(json!({"version": 999_999})), error(404, 11)),
        spec("A tag names a version")
            .given(with(vec![tag("orders", "stable", "old")]))
            .when(details(json!({"tag": "stable"})), ok().at("/version", "{old}")),
        spec("A tag that does not exist is not found")
            .given([table("orders")])
            .when(details(json!({"tag": "missing"})), error(404, 8)),
        spec("A tag and a version together are refused")
            .given(with(vec![tag("orders", "stable", "old")]))
            .when(describe(json!({"tag": "stable", "version": "{old}"})), invalid()),
        spec("A tag and a branch together are refused")
            .given(with(vec![tag("orders", "stable", "old"), branch("orders", "side")]))
            .when(describe(json!({"tag": "stable", "branch": "side"})), invalid()),
        spec("A branch is described by its own latest version")
            .given(with(vec![
                branch("orders", "side"),
                appended("orders", (5, "eel")),
                version("orders", "newest"),
            ]))
            .when(details(json!({"branch": "side"})), ok().differs("/version", "{newest}")),
        spec("A branch that does not exist is not found")
            .given([table("orders")])
            .when(details(json!({"branch": "missing"})), error(404, 22)),
        rule("The branch main is the main branch")
            .given(two())
            .when(details(json!({"branch": "main"})), ok().at("/version", "{new}")),
        rule("A table only declared has no versions to describe")
            .given([declared("orders")])
            .when(details(json!({"version": 1})), error(404, 11)),
    ]
}

/// What `lancedb.connect("db://…", host_override=…)` sends.
fn dialect() -> Vec<Case> {
    let remote = |operation: Op, path: &str| {
        let request = operation.on("").header("x-lancedb-database", "{home}");
        Request { target: Target::Path(path.to_owned()), ..request }
    };
    vec![
        rule("In the remote dialect, names are relative to the database in the header")
            .given([table("orders")])
            .when(remote(Op::DescribeTable, "/v1/table/orders/describe").json(json!({})), ok()),
        rule("In the remote dialect, version and schema are always there").given([table("orders")]).when(
            remote(Op::DescribeTable, "/v1/table/orders/describe/"),
            ok().is("/version", "int").is("/schema/fields", "[(name:text nullable:bool type:any)]"),
        ),
        rule("In the remote dialect, all tables are those of the database, by their own names")
            .given([table("orders"), declared("bills")])
            .when(remote(Op::ListAllTables, "/v1/table/"), ok().exactly("/tables", &["orders", "bills"])),
    ]
}
