//! Indices made, listed, measured and dropped.

use serde_json::{Value, json};

use crate::Operation as Op;
use crate::case::{Case, Expect, Step, error, invalid, ok, one_of, rule, spec};
use crate::given::{appended, branch, index, many, table};
use crate::request::Request;

pub(super) fn cases() -> Vec<Case> {
    [scalar(), others(), list(), stats(), drop()].concat()
}

fn create(operation: Op, fields: Value) -> Request {
    operation.on("orders").json(fields)
}

fn listed() -> Request {
    Op::ListTableIndices.on("orders").json(json!({}))
}

/// Waits for the index: it may be made in the background.
fn soon(expect: Expect) -> Step {
    Step::Soon(listed(), expect)
}

fn no_column() -> Expect {
    one_of(&[(404, 12), (400, 13)])
}

/// What both operations that make indices do for scalar ones.
fn scalar() -> Vec<Case> {
    let mut cases = Vec::new();
    for operation in [Op::CreateTableIndex, Op::CreateTableScalarIndex] {
        for kind in ["BTREE", "BITMAP"] {
            cases.push(
                spec(format!("An index of the type {kind} is made, and listed with its column"))
                    .given([table("orders")])
                    .when(
                        create(operation, json!({"column": "id", "index_type": kind, "name": "by_id"})),
                        ok(),
                    )
                    .then_step(soon(
                        ok().at("/indexes/0/index_name", "by_id")
                            .exactly("/indexes/0/columns", &["id"])
                            .at_or_missing("/indexes/0/index_type", kind),
                    )),
            );
        }
        cases.extend([
            spec("Without a name the index gets one")
                .given([table("orders")])
                .when(create(operation, json!({"column": "id", "index_type": "BTREE"})), ok())
                .then_step(soon(ok().is("/indexes/0/index_name", "text"))),
            spec("A name that is an index already is refused")
                .given([table("orders")])
                .given(index("orders", "id", "BTREE", "by_id"))
                .when(
                    create(operation, json!({"column": "word", "index_type": "BTREE", "name": "by_id"})),
                    error(409, 7),
                )
                .then(listed(), ok().exactly("/indexes/0/columns", &["id"])),
            spec("A column that does not exist cannot be indexed")
                .given([table("orders")])
                .when(create(operation, json!({"column": "nothing", "index_type": "BTREE"})), no_column())
                .then(listed(), ok().missing("/indexes/0")),
            spec("An unknown type of index is refused")
                .given([table("orders")])
                .when(create(operation, json!({"column": "id", "index_type": "FEELING"})), invalid())
                .then(listed(), ok().missing("/indexes/0")),
            spec("Without a column there is no index")
                .given([table("orders")])
                .when(create(operation, json!({"index_type": "BTREE"})), invalid()),
            spec("Without a type there is no index")
                .given([table("orders")])
                .when(create(operation, json!({"column": "id"})), invalid()),
            spec("An index for a branch that does not exist is made nowhere")
                .given([table("orders")])
                .when(
                    create(operation, json!({"column": "id", "index_type": "BTREE", "branch": "missing"})),
                    error(404, 22),
                )
                .then(listed(), ok().missing("/indexes/0")),
            spec("A filter finds the same rows with the index")
                .given([many("orders", 1000)])
                .given(index("orders", "id", "BTREE", "by_id"))
                .given([Op::CountTableRows.on("orders").json(json!({"predicate": "id >= 990"}))])
                .when(
                    create(operation, json!({"column": "word", "index_type": "BTREE", "name": "by_word"})),
                    ok(),
                )
                .then(
                    Op::CountTableRows.on("orders").json(json!({"predicate": "word = 'word 7'"})),
                    ok().at("", 1),
                ),
        ]);
    }
    cases
}

fn others() -> Vec<Case> {
    let make = |fields: Value| create(Op::CreateTableIndex, fields);
    let near = json!({
        "vector": {"single_vector": [7.1, 0.0]}, "k": 1, "vector_column": "vec", "columns": {"column_names": ["id"]}
    });
    vec![
        spec("A full-text index is made, and texts are found by it")
            .given([many("orders", 20)])
            .when(make(json!({"column": "word", "index_type": "FTS", "name": "text"})), ok())
            .then_step(soon(ok().at("/indexes/0/index_name", "text")))
            .then(
                Op::QueryTable.on("orders").json(json!({
                    "vector": {}, "k": 0, "full_text_query": {"string_query": {"query": "7"}},
                    "columns": {"column_names": ["id"]}
                })),
                ok().rows(&json!([{"id": 7}])),
            ),
        spec("A vector index is made, and the nearest row is found by it")
            .given([many("orders", 300)])
            .when(
                make(json!({
                    "column": "vec", "index_type": "IVF_FLAT", "name": "near",
                    "distance_type": "l2", "num_partitions": 2
                })),
                ok(),
            )
            .then_step(soon(
                ok().at("/indexes/0/index_name", "near").at_or_missing("/indexes/0/index_type", "IVF_FLAT"),
            ))
            .then(Op::QueryTable.on("orders").json(near), ok().rows(&json!([{"id": 7}]))),
        spec("A quantized vector index is made")
            .given([many("orders", 300)])
            .when(
                make(json!({
                    "column": "vec", "index_type": "IVF_PQ", "name": "near", "distance_type": "cosine",
                    "num_partitions": 1, "num_sub_vectors": 2, "num_bits": 8
                })),
                ok(),
            )
            .then_step(soon(ok().at("/indexes/0/index_name", "near"))),
        spec("A vector index needs vectors")
            .given([table("orders")])
            .when(make(json!({"column": "word", "index_type": "IVF_FLAT"})), invalid()),
        rule("A label index needs lists")
            .given([table("orders")])
            .when(make(json!({"column": "id", "index_type": "LABEL_LIST"})), invalid()),
        spec("An unknown distance makes no index").given([table("orders")]).when(
            make(json!({"column": "vec", "index_type": "IVF_FLAT", "distance_type": "feeling"})),
            invalid(),
        ),
        spec("The operation for scalar indices makes no vector index").given([many("orders", 300)]).when(
            create(Op::CreateTableScalarIndex, json!({"column": "vec", "index_type": "IVF_FLAT"})),
            invalid(),
        ),
    ]
}

fn list() -> Vec<Case> {
    let three = || {
        let more = [("by_id", "id"), ("by_word", "word"), ("by_id_too", "id")];
        let made = more.map(|(name, column)| {
            let index = json!({"column": column, "index_type": "BTREE", "name": name});
            Step::from(create(Op::CreateTableIndex, index))
        });
        let all = ok().is("/indexes/2", "any");
        [vec![table("orders")], made.to_vec(), vec![soon(all)]].concat()
    };
    vec![
        spec("A table without indices lists none, and not null")
            .given([table("orders")])
            .when(listed(), ok().is("/indexes", "[any]").missing("/indexes/0")),
        spec("Indices of several columns are all listed")
            .given(three())
            .when(listed(), ok().is("/indexes/2/index_name", "text").missing("/indexes/3")),
        rule("A list of indices needs no body")
            .given([table("orders")])
            .when(Op::ListTableIndices.on("orders"), ok()),
        spec("A page of indices is no longer than its limit, and says that there is more")
            .given(three())
            .when(
                Op::ListTableIndices.on("orders").json(json!({"limit": 2})),
                ok().is("/indexes/1/index_name", "text").missing("/indexes/2").is("/page_token", "text"),
            ),
        spec("Indices of a branch that does not exist are not found")
            .given([table("orders")])
            .when(Op::ListTableIndices.on("orders").json(json!({"branch": "missing"})), error(404, 22)),
        spec("An older version lists the indices it had")
            .given([table("orders"), crate::given::version("orders", "old")])
            .given(index("orders", "id", "BTREE", "by_id"))
            .when(
                Op::ListTableIndices.on("orders").json(json!({"version": "{old}"})),
                ok().missing("/indexes/0"),
            ),
    ]
}

fn stats() -> Vec<Case> {
    let stats = |name: &str| Op::DescribeTableIndexStats.on("orders").index(name).json(json!({}));
    vec![
        spec("Statistics count rows that are indexed and rows that are not")
            .given([table("orders")])
            .given(index("orders", "id", "BTREE", "by_id"))
            .given([appended("orders", (4, "dog"))])
            .when(stats("by_id"), ok().at("/num_indexed_rows", 3).at("/num_unindexed_rows", 1)),
        spec("Statistics say the type")
            .given([table("orders")])
            .given(index("orders", "id", "BTREE", "by_id"))
            .when(stats("by_id"), ok().says("btree")),
        spec("An index that does not exist has no statistics")
            .given([table("orders")])
            .when(stats("missing"), error(404, 6)),
        rule("Statistics of an index need no body")
            .given([table("orders")])
            .given(index("orders", "id", "BTREE", "by_id"))
            .when(Op::DescribeTableIndexStats.on("orders").index("by_id"), ok()),
        rule("An index's name is read from the route as it was escaped")
            .given([table("orders")])
            .given(index("orders", "id", "BTREE", "by id %"))
            .when(stats("by id %"), ok()),
    ]
}

fn drop() -> Vec<Case> {
    let drop = |name: &str| Op::DropTableIndex.on("orders").index(name);
    vec![
        spec("A dropped index is listed no more; rows stay")
            .given([table("orders")])
            .given(index("orders", "id", "BTREE", "by_id"))
            .when(drop("by_id"), ok())
            .then(listed(), ok().missing("/indexes/0"))
            .then(Op::CountTableRows.on("orders").json(json!({"predicate": "id = 2"})), ok().at("", 1)),
        spec("An index that does not exist cannot be dropped")
            .given([table("orders")])
            .when(drop("missing"), error(404, 6)),
        spec("An index of a branch that does not exist is dropped nowhere")
            .given([table("orders"), branch("orders", "side")])
            .given(index("orders", "id", "BTREE", "by_id"))
            .when(drop("by_id").query("branch", "missing"), error(404, 22))
            .then(listed(), ok().at("/indexes/0/index_name", "by_id")),
    ]
}
