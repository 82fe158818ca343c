//! Columns added, altered, dropped and filled; metadata of schema and fields; statistics.

use serde_json::{Value, json};

use crate::Operation as Op;
use crate::case::{Case, Expect, Step, error, invalid, ok, one_of, rule, spec};
use crate::given::{branch, count, read, table, version};
use crate::request::Request;

pub(super) fn cases() -> Vec<Case> {
    [add(), alter(), drop(), backfill(), schema_metadata(), field_metadata(), stats()].concat()
}

fn on_orders(operation: Op, fields: Value) -> Request {
    operation.on("orders").json(fields)
}

fn details() -> Request {
    Op::DescribeTable.on("orders").query("load_detailed_metadata", true).json(json!({}))
}

/// What an expression or a name that does not fit may be refused with.
fn does_not_fit() -> Expect {
    one_of(&[(400, 13), (400, 20), (404, 12)])
}

fn no_column() -> Expect {
    one_of(&[(404, 12), (400, 13)])
}

fn add() -> Vec<Case> {
    let add = |fields: Value| on_orders(Op::AlterTableAddColumns, fields);
    let twice = || json!([{"name": "twice", "expression": "id * 2"}]);
    vec![
        spec("A new column has the expression's values")
            .given([table("orders")])
            .when(add(json!({"new_columns": twice()})), ok())
            .then(
                read("orders", &["id", "twice"]),
                ok().rows(&json!([{"id": 1, "twice": 2}, {"id": 2, "twice": 4}, {"id": 3, "twice": 6}])),
            ),
        spec("The answer is the version that has the column")
            .given([table("orders"), version("orders", "old")])
            .when(add(json!({"new_columns": twice()})), ok().above("/version", "{old}"))
            .then(details(), ok().at("/schema/fields/3/name", "twice")),
        spec("Several columns are added at once")
            .given([table("orders")])
            .when(
                add(json!({"new_columns": [
                    {"name": "twice", "expression": "id * 2"}, {"name": "loud", "expression": "upper(word)"},
                ]})),
                ok(),
            )
            .then(
                Op::QueryTable.on("orders").json(json!({
                    "vector": {}, "k": 1, "filter": "id = 1", "columns": {"column_names": ["twice", "loud"]}
                })),
                ok().rows(&json!([{"twice": 2, "loud": "ANT"}])),
            ),
        spec("A name that is taken is refused")
            .given([table("orders")])
            .when(add(json!({"new_columns": [{"name": "word", "expression": "'x'"}]})), does_not_fit())
            .then(count("orders", json!({"predicate": "word = 'ant'"})), ok().at("", 1)),
        spec("An expression that is no SQL adds nothing")
            .given([table("orders")])
            .when(add(json!({"new_columns": [{"name": "bad", "expression": "upper("}]})), does_not_fit())
            .then(details(), ok().missing("/schema/fields/3")),
        spec("An expression over a column that does not exist adds nothing")
            .given([table("orders")])
            .when(add(json!({"new_columns": [{"name": "bad", "expression": "nothing * 2"}]})), does_not_fit())
            .then(details(), ok().missing("/schema/fields/3")),
        spec("Without columns there is nothing to add, which is refused")
            .given([table("orders")])
            .when(add(json!({})), invalid()),
        spec("Columns for a branch are added there and not to main")
            .given([table("orders"), branch("orders", "side")])
            .when(add(json!({"new_columns": twice(), "branch": "side"})), ok())
            .then(details(), ok().missing("/schema/fields/3")),
        spec("Columns for a branch that does not exist are added nowhere")
            .given([table("orders")])
            .when(add(json!({"new_columns": twice(), "branch": "missing"})), error(404, 22))
            .then(details(), ok().missing("/schema/fields/3")),
    ]
}

fn alter() -> Vec<Case> {
    let alter = |fields: Value| on_orders(Op::AlterTableAlterColumns, fields);
    vec![
        spec("A renamed column keeps its values")
            .given([table("orders")])
            .when(alter(json!({"alterations": [{"path": "word", "rename": "text"}]})), ok())
            .then(count("orders", json!({"predicate": "text = 'ant'"})), ok().at("", 1)),
        spec("A column gets another type, and keeps its values")
            .given([table("orders")])
            .when(alter(json!({"alterations": [{"path": "id", "data_type": {"type": "int32"}}]})), ok())
            .then(details(), ok().at("/schema/fields/0/type/type", "int32"))
            .then(count("orders", json!({"predicate": "id = 3"})), ok().at("", 1)),
        spec("A column that may be null stays so when told so")
            .given([table("orders")])
            .when(alter(json!({"alterations": [{"path": "word", "nullable": true}]})), ok())
            .then(details(), ok().at("/schema/fields/1/nullable", true)),
        spec("The answer is the version that has the alteration")
            .given([table("orders"), version("orders", "old")])
            .when(
                alter(json!({"alterations": [{"path": "word", "rename": "text"}]})),
                ok().above("/version", "{old}"),
            ),
        spec("A column that does not exist cannot be altered")
            .given([table("orders")])
            .when(alter(json!({"alterations": [{"path": "nothing", "rename": "text"}]})), no_column()),
        spec("A column cannot take a name that is taken")
            .given([table("orders")])
            .when(alter(json!({"alterations": [{"path": "word", "rename": "id"}]})), does_not_fit())
            .then(count("orders", json!({"predicate": "word = 'ant'"})), ok().at("", 1)),
        spec("A type that does not exist is refused").given([table("orders")]).when(
            alter(json!({"alterations": [{"path": "id", "data_type": {"type": "feeling"}}]})),
            does_not_fit(),
        ),
        spec("Without alterations there is nothing to do, which is refused")
            .given([table("orders")])
            .when(alter(json!({})), invalid()),
        spec("An alteration for a branch that does not exist is made nowhere")
            .given([table("orders")])
            .when(
                alter(json!({"alterations": [{"path": "word", "rename": "text"}], "branch": "missing"})),
                error(404, 22),
            )
            .then(details(), ok().at("/schema/fields/1/name", "word")),
    ]
}

fn drop() -> Vec<Case> {
    let drop = |fields: Value| on_orders(Op::AlterTableDropColumns, fields);
    vec![
        spec("A dropped column is gone, the others stay")
            .given([table("orders"), version("orders", "old")])
            .when(drop(json!({"columns": ["word"]})), ok().above("/version", "{old}"))
            .then(
                Op::QueryTable.on("orders").json(json!({"vector": {}, "k": 10})),
                ok().columns(&["id", "vec"]),
            ),
        spec("The older version still has the column")
            .given([table("orders"), version("orders", "old")])
            .when(drop(json!({"columns": ["word"]})), ok())
            .then(count("orders", json!({"predicate": "word = 'ant'", "version": "{old}"})), ok().at("", 1)),
        spec("A column that does not exist cannot be dropped, nor others with it")
            .given([table("orders")])
            .when(drop(json!({"columns": ["word", "nothing"]})), no_column())
            .then(details(), ok().at("/schema/fields/1/name", "word")),
        rule("The last column cannot be dropped")
            .given([table("orders")])
            .when(drop(json!({"columns": ["id", "word", "vec"]})), does_not_fit())
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("Without columns there is nothing to drop, which is refused")
            .given([table("orders")])
            .when(drop(json!({})), invalid()),
        spec("Columns of a branch that does not exist are dropped nowhere")
            .given([table("orders")])
            .when(drop(json!({"columns": ["word"], "branch": "missing"})), error(404, 22))
            .then(details(), ok().at("/schema/fields/1/name", "word")),
    ]
}

fn backfill() -> Vec<Case> {
    let fill = |fields: Value| on_orders(Op::AlterTableBackfillColumns, fields);
    let computed = || {
        on_orders(Op::AlterTableAddColumns, json!({"new_columns": [{"name": "twice", "computed": "id * 2"}]}))
    };
    vec![
        spec("A computed column is added without values, and filled by a job")
            .given([
                table("orders"),
                computed().into(),
                Step::Ask(count("orders", json!({"predicate": "twice IS NULL"})), ok().at("", 3)),
            ])
            .when(fill(json!({"column": "twice"})), ok().is("/job_id", "text"))
            .then_step(Step::Soon(
                read("orders", &["id", "twice"]),
                ok().rows(&json!([{"id": 1, "twice": 2}, {"id": 2, "twice": 4}, {"id": 3, "twice": 6}])),
            )),
        spec("Only rows are filled for which the condition holds")
            .given([table("orders"), computed().into()])
            .when(fill(json!({"column": "twice", "where": "id = 2"})), ok())
            .then_step(Step::Soon(
                read("orders", &["id", "twice"]),
                ok().rows(
                    &json!([{"id": 1, "twice": null}, {"id": 2, "twice": 4}, {"id": 3, "twice": null}]),
                ),
            )),
        spec("A column that does not exist cannot be filled")
            .given([table("orders")])
            .when(fill(json!({"column": "nothing"})), no_column()),
        spec("A column that is not computed cannot be filled")
            .given([table("orders")])
            .when(fill(json!({"column": "word"})), invalid())
            .then(count("orders", json!({"predicate": "word = 'ant'"})), ok().at("", 1)),
        spec("Without a column there is nothing to fill, which is refused")
            .given([table("orders")])
            .when(fill(json!({})), invalid()),
    ]
}

fn schema_metadata() -> Vec<Case> {
    let set = |fields: Value| on_orders(Op::UpdateTableSchemaMetadata, fields);
    vec![
        spec("The body and the answer are the map itself")
            .given([table("orders")])
            .when(set(json!({"owner": "tests", "stage": "raw"})), ok().keys("", &["owner", "stage"])),
        spec("What was set before is replaced")
            .given([table("orders"), set(json!({"owner": "tests"})).into()])
            .when(set(json!({"stage": "raw"})), ok().keys("", &["stage"])),
        rule("The details of the table show its metadata")
            .given([table("orders"), set(json!({"owner": "tests"})).into()])
            .when(details(), ok().at("/metadata/owner", "tests"))
            .then(count("orders", json!({})), ok().at("", 3)),
        spec("A value that is not text is refused")
            .given([table("orders")])
            .when(set(json!({"owner": {"name": "tests"}})), invalid()),
        spec("Metadata for a branch that does not exist is set nowhere")
            .given([table("orders")])
            .when(set(json!({"owner": "tests"})).query("branch", "missing"), error(404, 22))
            .then(details(), ok().missing("/metadata/owner")),
    ]
}

fn field_metadata() -> Vec<Case> {
    let set = |updates: Value| on_orders(Op::UpdateFieldMetadata, json!({ "updates": updates }));
    let first = || Step::from(set(json!([{"path": "word", "metadata": {"unit": "letters", "lang": "en"}}])));
    vec![
        spec("A field's metadata is set, and answered")
            .given([table("orders"), version("orders", "old")])
            .when(
                set(json!([{"path": "word", "metadata": {"unit": "letters"}}])),
                ok().above("/version", "{old}").at_or_missing("/fields/word/unit", "letters"),
            )
            .then(details(), ok().at("/schema/fields/1/metadata/unit", "letters")),
        spec("Metadata is merged into what there is")
            .given([table("orders"), first()])
            .when(set(json!([{"path": "word", "metadata": {"unit": "words"}}])), ok())
            .then(
                details(),
                ok().at("/schema/fields/1/metadata/unit", "words").at("/schema/fields/1/metadata/lang", "en"),
            ),
        spec("Metadata replaces what there is when told so")
            .given([table("orders"), first()])
            .when(set(json!([{"path": "word", "metadata": {"unit": "words"}, "replace": true}])), ok())
            .then(details(), ok().missing("/schema/fields/1/metadata/lang")),
        spec("A null takes a key away")
            .given([table("orders"), first()])
            .when(set(json!([{"path": "word", "metadata": {"lang": null}}])), ok())
            .then(
                details(),
                ok().missing("/schema/fields/1/metadata/lang").at("/schema/fields/1/metadata/unit", "letters"),
            ),
        spec("A field that does not exist has no metadata, nor have others then")
            .given([table("orders")])
            .when(
                set(json!([
                    {"path": "word", "metadata": {"unit": "letters"}}, {"path": "nothing", "metadata": {"a": "b"}},
                ])),
                no_column(),
            )
            .then(details(), ok().missing("/schema/fields/1/metadata/unit")),
        spec("Without field updates there is nothing to do, which is refused")
            .given([table("orders")])
            .when(on_orders(Op::UpdateFieldMetadata, json!({})), invalid()),
    ]
}

fn stats() -> Vec<Case> {
    let stats = |fields: Value| on_orders(Op::GetTableStats, fields);
    vec![
        spec("Statistics count rows, bytes, indices and fragments").given([table("orders")]).when(
            stats(json!({})),
            ok().at("/num_rows", 3)
                .above("/total_bytes", 0)
                .at("/num_indices", 0)
                .at("/fragment_stats/num_fragments", 1)
                .at("/fragment_stats/lengths/max", 3),
        ),
        rule("Deleted rows are not counted among the rows")
            .given([
                table("orders"),
                Op::DeleteFromTable.on("orders").json(json!({"predicate": "id = 2"})).into(),
            ])
            .when(stats(json!({})), ok().at("/num_rows", 2)),
        rule("Statistics need no body")
            .given([table("orders")])
            .when(Op::GetTableStats.on("orders"), ok().at("/num_rows", 3)),
        spec("A branch has statistics of its own")
            .given([table("orders"), branch("orders", "side"), crate::given::appended("orders", (4, "dog"))])
            .when(stats(json!({"branch": "side"})), ok().at("/num_rows", 3)),
        spec("A branch that does not exist has no statistics")
            .given([table("orders")])
            .when(stats(json!({"branch": "missing"})), error(404, 22)),
    ]
}
