//! Versions listed, described, restored, made and deleted.

use serde_json::{Value, json};

use crate::Operation as Op;
use crate::case::{Case, Expect, Step, error, invalid, no_table, ok, ok_or, one_of, rule, spec};
use crate::given::{appended, branch, count, read, table, tag, version, words};
use crate::request::{Request, id};

pub(super) fn cases() -> Vec<Case> {
    [list(), describe(), restore(), create(), delete(), batch_create()].concat()
}

/// Three versions, kept as `one`, `two` and `three`; the rows are 3, 4 and 5.
fn three() -> Vec<Step> {
    vec![
        table("orders"),
        version("orders", "one"),
        appended("orders", (4, "dog")),
        version("orders", "two"),
        appended("orders", (5, "eel")),
        version("orders", "three"),
    ]
}

fn listed() -> Request {
    Op::ListTableVersions.on("orders").query("descending", true)
}

fn list() -> Vec<Case> {
    let walk = |limit: usize| Step::Walk {
        request: Op::ListTableVersions.on("orders"),
        pointer: "/versions",
        limit,
        wanted: ["{one}", "{two}", "{three}"].map(str::to_owned).to_vec(),
        between: Vec::new(),
        others: false,
    };
    let mut cases = vec![
        spec("Versions come latest first when asked for")
            .given(three())
            .when(listed(), ok().at("/versions/0/version", "{three}").falls("/versions", "version")),
        spec("A version says where its manifest is")
            .given([table("orders")])
            .when(listed(), ok().is("/versions/0/manifest_path", "text")),
        spec("The latest version alone fits a limit of one").given(three()).when(
            listed().query("limit", 1),
            ok().at("/versions/0/version", "{three}").at_most("/versions", 1),
        ),
        spec("A branch lists its own versions")
            .given(three())
            .given([branch("orders", "side")])
            .given([Op::InsertIntoTable
                .on("orders")
                .query("branch", "side")
                .rows(&crate::rows::Rows::words(&[(9, "yak")]))])
            .when(listed().query("branch", "side"), ok().above("/versions/0/version", "{three}"))
            .then(listed(), ok().at("/versions/0/version", "{three}")),
        spec("A branch that does not exist has no versions")
            .given([table("orders")])
            .when(listed().query("branch", "missing"), error(404, 22)),
        rule("A limit of 0 versions is refused")
            .given([table("orders")])
            .when(listed().query("limit", 0), invalid()),
    ];
    for limit in [1, 2, 100] {
        cases.push(spec(format!("Pages of {limit} see every version once")).given(three()).step(walk(limit)));
    }
    cases
}

fn describe() -> Vec<Case> {
    let describe = |fields: Value| Op::DescribeTableVersion.on("orders").json(fields);
    vec![
        spec("A version is described by its number").given(three()).when(
            describe(json!({"version": "{two}"})),
            ok().at("/version/version", "{two}").is("/version/manifest_path", "text"),
        ),
        spec("Without a number the latest version is described")
            .given(three())
            .when(describe(json!({})), ok().at("/version/version", "{three}")),
        spec("A version that was never made is not found")
            .given([table("orders")])
            .when(describe(json!({"version": 999_999})), error(404, 11)),
        spec("A version of a branch that does not exist is not found")
            .given([table("orders")])
            .when(describe(json!({"branch": "missing"})), error(404, 22)),
        rule("A version number that is none is refused")
            .given([table("orders")])
            .when(describe(json!({"version": "first"})), invalid()),
    ]
}

fn restore() -> Vec<Case> {
    let restore = |fields: Value| Op::RestoreTable.on("orders").json(fields);
    vec![
        spec("A restored table has its rows as they were then")
            .given(three())
            .when(restore(json!({"version": "{one}"})), ok())
            .then(read("orders", &["id", "word"]), ok().rows(&words(&[(1, "ant"), (2, "bee"), (3, "cat")]))),
        rule("Restoring adds a version: what came between can still be read")
            .given(three())
            .when(restore(json!({"version": "{one}"})), ok())
            .then(count("orders", json!({"version": "{three}"})), ok().at("", 5))
            .then(listed(), ok().above("/versions/0/version", "{three}")),
        spec("A version that was never made cannot be restored")
            .given(three())
            .when(restore(json!({"version": 999_999})), error(404, 11))
            .then(count("orders", json!({})), ok().at("", 5)),
        spec("Without a version there is nothing to restore, which is refused")
            .given(three())
            .when(restore(json!({})), invalid())
            .then(count("orders", json!({})), ok().at("", 5)),
        spec("Nothing is restored for a branch that does not exist")
            .given(three())
            .when(restore(json!({"version": "{one}", "branch": "missing"})), error(404, 22))
            .then(count("orders", json!({})), ok().at("", 5)),
    ]
}

/// An entry for a version that is there already, with its own manifest.
fn taken(fields: Value) -> Value {
    let mut entry = json!({"version": "{three}", "manifest_path": "{manifest}"});
    if let (Some(entry), Value::Object(fields)) = (entry.as_object_mut(), fields) {
        entry.extend(fields);
    }
    entry
}

fn with_manifest() -> Vec<Step> {
    let latest = Op::DescribeTableVersion.on("orders").json(json!({}));
    [three(), vec![Step::Ask(latest, ok().keep("manifest", "/version/manifest_path"))]].concat()
}

fn create() -> Vec<Case> {
    let create = |fields: Value| Op::CreateTableVersion.on("orders").json(fields);
    vec![
        spec("A version that exists is not put again")
            .given(with_manifest())
            .when(create(taken(json!({}))), error(409, 14))
            .then(count("orders", json!({})), ok().at("", 5)),
        spec("A version needs its manifest's path")
            .given(three())
            .when(create(json!({"version": 99})), invalid())
            .then(listed(), ok().at("/versions/0/version", "{three}")),
        rule("A manifest that is not there makes no version")
            .given(three())
            .when(
                create(json!({"version": 99, "manifest_path": "{home}/no/such.manifest"})),
                one_of(&[(400, 13), (404, 11), (409, 14), (409, 19)]),
            )
            .then(listed(), ok().at("/versions/0/version", "{three}"))
            .then(count("orders", json!({})), ok().at("", 5)),
        rule("A manifest outside the table makes no version")
            .given(three())
            .when(
                create(json!({"version": 99, "manifest_path": "/etc/passwd"})),
                one_of(&[(400, 13), (403, 15), (404, 11), (409, 14), (409, 19)]),
            )
            .then(count("orders", json!({})), ok().at("", 5)),
        spec("A version for a branch that does not exist is not made")
            .given(with_manifest())
            .when(create(taken(json!({"branch": "missing"}))), error(404, 22)),
    ]
}

fn delete() -> Vec<Case> {
    let delete = |ranges: Value| Op::BatchDeleteTableVersions.on("orders").json(json!({ "ranges": ranges }));
    let everything = || json!([{"start_version": 0, "end_version": -1}]);
    vec![
        spec("Versions of a range go: the first included, the last not")
            .given(three())
            .when(
                delete(json!([{"start_version": "{one}", "end_version": "{two}"}])),
                ok().at_or_missing("/deleted_count", 1),
            )
            .then(
                listed(),
                ok().at("/versions/0/version", "{three}")
                    .at("/versions/1/version", "{two}")
                    .missing("/versions/2"),
            )
            .then(count("orders", json!({})), ok().at("", 5)),
        rule("The latest version never goes, whatever the range")
            .given(three())
            .when(delete(everything()), ok())
            .then(listed(), ok().at("/versions/0/version", "{three}"))
            .then(count("orders", json!({})), ok().at("", 5)),
        rule("A tagged version never goes")
            .given(three())
            .given([tag("orders", "stable", "one")])
            .when(delete(json!([{"start_version": "{one}", "end_version": "{three}"}])), kept())
            .then(count("orders", json!({"version": "{one}"})), ok().at("", 3)),
        rule("The version that a branch came from never goes")
            .given([table("orders"), version("orders", "one"), branch("orders", "side")])
            .given([appended("orders", (4, "dog")), version("orders", "two")])
            .when(delete(json!([{"start_version": "{one}", "end_version": "{two}"}])), kept())
            .then(count("orders", json!({"branch": "side"})), ok().at("", 3)),
        spec("A deleted version cannot be read any more")
            .given(three())
            .given([delete(json!([{"start_version": "{one}", "end_version": "{two}"}]))])
            .when(Op::DescribeTableVersion.on("orders").json(json!({"version": "{one}"})), error(404, 11)),
        rule("A range that ends before it begins is refused")
            .given(three())
            .when(delete(json!([{"start_version": "{three}", "end_version": "{one}"}])), invalid()),
        spec("Without ranges there is nothing to delete, which is refused")
            .given(three())
            .when(Op::BatchDeleteTableVersions.on("orders").json(json!({})), invalid()),
        spec("Nothing of a branch that does not exist is deleted, nor of main")
            .given(three())
            .when(
                Op::BatchDeleteTableVersions
                    .on("orders")
                    .json(json!({"ranges": everything(), "branch": "missing"})),
                error(404, 22),
            )
            .then(count("orders", json!({"version": "{one}"})), ok().at("", 3)),
    ]
}

/// Leaving out what is held and refusing the whole range both keep it.
fn kept() -> Expect {
    ok_or(&[(400, 13), (409, 14), (409, 19)])
}

fn batch_create() -> Vec<Case> {
    let create =
        |entries: Value| Op::BatchCreateTableVersions.everywhere().json(json!({ "entries": entries }));
    vec![
        spec("A batch with a version that exists is refused as a whole")
            .given(with_manifest())
            .given([
                Op::CreateTable.on("bills").rows(&crate::given::three()).into(),
                version("bills", "bill"),
            ])
            .when(
                create(json!([
                    {"id": id("bills"), "version": 99, "manifest_path": "no/such.manifest"},
                    taken(json!({"id": id("orders")})),
                ])),
                one_of(&[(409, 14), (400, 13), (404, 11)]),
            )
            .then(
                Op::ListTableVersions.on("bills").query("descending", true),
                ok().at("/versions/0/version", "{bill}"),
            ),
        spec("A batch of one version that exists is a conflict")
            .given(with_manifest())
            .when(create(json!([taken(json!({"id": id("orders")}))])), error(409, 14)),
        spec("A batch for a table that does not exist makes nothing").when(
            create(json!([{"id": id("orders"), "version": 2, "manifest_path": "a.manifest"}])),
            no_table(),
        ),
        spec("A batch without entries field is refused")
            .when(Op::BatchCreateTableVersions.everywhere().json(json!({})), invalid()),
    ]
}
