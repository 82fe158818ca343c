//! Tags: names for versions that stay.

use serde_json::{Value, json};

use crate::Operation as Op;
use crate::case::{Case, Step, error, invalid, ok, rule, spec};
use crate::given::{appended, branch, count, table, tag, version};
use crate::request::Request;

pub(super) fn cases() -> Vec<Case> {
    [create(), list(), get(), update(), delete()].concat()
}

/// Two versions, kept as `one` and `two`.
fn two() -> Vec<Step> {
    vec![table("orders"), version("orders", "one"), appended("orders", (4, "dog")), version("orders", "two")]
}

/// Two versions, and a tag `stable` on the first.
fn tagged() -> Vec<Step> {
    [two(), vec![tag("orders", "stable", "one")]].concat()
}

fn on_orders(operation: Op, fields: Value) -> Request {
    operation.on("orders").json(fields)
}

fn looked_up(name: &str) -> Request {
    on_orders(Op::GetTableTagVersion, json!({ "tag": name }))
}

fn create() -> Vec<Case> {
    let create = |fields: Value| on_orders(Op::CreateTableTag, fields);
    vec![
        spec("A new tag points to its version")
            .given(two())
            .when(create(json!({"tag": "stable", "version": "{one}"})), ok())
            .then(looked_up("stable"), ok().at("/version", "{one}")),
        spec("A name that is a tag already is refused, and stays where it was")
            .given(tagged())
            .when(create(json!({"tag": "stable", "version": "{two}"})), error(409, 9))
            .then(looked_up("stable"), ok().at("/version", "{one}")),
        spec("A version that was never made cannot be tagged")
            .given(two())
            .when(create(json!({"tag": "stable", "version": 999_999})), error(404, 11))
            .then(looked_up("stable"), error(404, 8)),
        spec("A tag on a branch points to the branch's version")
            .given(two())
            .given([branch("orders", "side")])
            .given([Step::Ask(
                Op::InsertIntoTable
                    .on("orders")
                    .query("branch", "side")
                    .rows(&crate::rows::Rows::words(&[(9, "yak")])),
                ok().keep("side", "/version"),
            )])
            .when(create(json!({"tag": "aside", "version": "{side}", "branch": "side"})), ok())
            .then(looked_up("aside"), ok().at("/version", "{side}").at("/branch", "side")),
        spec("A tag on a branch that does not exist is not made")
            .given(two())
            .when(create(json!({"tag": "stable", "version": "{one}", "branch": "missing"})), error(404, 22))
            .then(looked_up("stable"), error(404, 8)),
        spec("Without a name there is no tag")
            .given(two())
            .when(create(json!({"version": "{one}"})), invalid()),
        spec("Without a version there is no tag")
            .given(two())
            .when(create(json!({"tag": "stable"})), invalid()),
        rule("A tag's name has no spaces or slashes")
            .given(two())
            .when(create(json!({"tag": "no/such name", "version": "{one}"})), invalid()),
        rule("An empty name is no tag")
            .given(two())
            .when(create(json!({"tag": "", "version": "{one}"})), invalid()),
        rule("A tag's name may have dots, dashes and underscores")
            .given(two())
            .when(create(json!({"tag": "v1.0-rc_2", "version": "{two}"})), ok())
            .then(looked_up("v1.0-rc_2"), ok().at("/version", "{two}")),
    ]
}

fn list() -> Vec<Case> {
    let listed = || Op::ListTableTags.on("orders");
    let walk = |limit: usize| Step::Walk {
        request: listed(),
        pointer: "/tags",
        limit,
        wanted: ["a", "b", "c"].map(str::to_owned).to_vec(),
        between: Vec::new(),
        others: false,
    };
    let three = || [two(), ["a", "b", "c"].map(|name| tag("orders", name, "one")).to_vec()].concat();
    vec![
        spec("Tags are listed with their versions")
            .given(tagged())
            .given([tag("orders", "latest", "two")])
            .when(
                listed(),
                ok().keys("/tags", &["stable", "latest"])
                    .at("/tags/stable/version", "{one}")
                    .at("/tags/latest/version", "{two}"),
            ),
        spec("A table without tags lists none, and not null")
            .given([table("orders")])
            .when(listed(), ok().keys("/tags", &[])),
        spec("Pages of tags see every tag once").given(three()).step(walk(1)),
        spec("A page as long as the list is the only one").given(three()).step(walk(3)),
        rule("A limit of 0 tags is refused")
            .given([table("orders")])
            .when(listed().query("limit", 0), invalid()),
    ]
}

fn get() -> Vec<Case> {
    vec![
        spec("A tag on main says its version and no branch")
            .given(tagged())
            .when(looked_up("stable"), ok().at("/version", "{one}").missing("/branch")),
        spec("A tag that was never made is not found")
            .given([table("orders")])
            .when(looked_up("stable"), error(404, 8)),
        spec("Without a name no tag is found")
            .given([table("orders")])
            .when(on_orders(Op::GetTableTagVersion, json!({})), invalid()),
    ]
}

fn update() -> Vec<Case> {
    let update = |fields: Value| on_orders(Op::UpdateTableTag, fields);
    vec![
        spec("A moved tag points to its new version")
            .given(tagged())
            .when(update(json!({"tag": "stable", "version": "{two}"})), ok())
            .then(looked_up("stable"), ok().at("/version", "{two}")),
        spec("A tag that was never made cannot be moved, and is not made")
            .given(two())
            .when(update(json!({"tag": "stable", "version": "{two}"})), error(404, 8))
            .then(looked_up("stable"), error(404, 8)),
        spec("A tag does not move to a version that was never made")
            .given(tagged())
            .when(update(json!({"tag": "stable", "version": 999_999})), error(404, 11))
            .then(looked_up("stable"), ok().at("/version", "{one}")),
        spec("Without a version no tag moves")
            .given(tagged())
            .when(update(json!({"tag": "stable"})), invalid()),
    ]
}

fn delete() -> Vec<Case> {
    let delete = |name: &str| on_orders(Op::DeleteTableTag, json!({ "tag": name }));
    vec![
        spec("A deleted tag is not found any more; its version stays")
            .given(tagged())
            .when(delete("stable"), ok())
            .then(looked_up("stable"), error(404, 8))
            .then(count("orders", json!({"version": "{one}"})), ok().at("", 3)),
        spec("Other tags stay")
            .given(tagged())
            .given([tag("orders", "latest", "two")])
            .when(delete("stable"), ok())
            .then(Op::ListTableTags.on("orders"), ok().keys("/tags", &["latest"])),
        spec("A tag that was never made cannot be deleted")
            .given([table("orders")])
            .when(delete("stable"), error(404, 8)),
        spec("Without a name no tag is deleted")
            .given(tagged())
            .when(on_orders(Op::DeleteTableTag, json!({})), invalid())
            .then(looked_up("stable"), ok().at("/version", "{one}")),
    ]
}
