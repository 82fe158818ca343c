//! Rows read: queries, counts and plans.

use serde_json::{Value, json};

use crate::Operation as Op;
use crate::case::{Case, Draft, Step, error, invalid, no_table, ok, one_of, rule, spec};
use crate::given::{appended, branch, count, declared, index, read, table, version, words};
use crate::request::Request;

pub(super) fn cases() -> Vec<Case> {
    [plain(), columns(), vectors(), full_text(), states(), refused(), counts(), plans()].concat()
}

/// Asks the standard table; `vector` and `k` are required, so they are there unless given.
fn query(fields: Value) -> Request {
    let mut body = json!({"vector": {}, "k": 10});
    if let (Some(body), Value::Object(fields)) = (body.as_object_mut(), fields) {
        body.extend(fields);
    }
    Op::QueryTable.on("orders").json(body)
}

fn three(draft: Draft) -> Draft {
    draft.given([table("orders")])
}

fn all() -> Value {
    words(&[(1, "ant"), (2, "bee"), (3, "cat")])
}

fn plain() -> Vec<Case> {
    vec![
        three(spec("A query answers an Arrow file")).when(
            query(json!({})),
            ok().rows(&all()).header("content-type", "application/vnd.apache.arrow.file"),
        ),
        three(spec("No more rows come than were asked for")).when(query(json!({"k": 2})), ok().row_count(2)),
        three(spec("Rows before the offset are left out"))
            .when(query(json!({"offset": 1})), ok().row_count(2)),
        three(spec("Only rows come for which the filter holds"))
            .when(query(json!({"filter": "id > 1 AND word <> 'cat'"})), ok().rows(&words(&[(2, "bee")]))),
        three(spec("A filter that holds nowhere answers no rows, with their columns"))
            .when(query(json!({"filter": "id > 100"})), ok().row_count(0).columns(&["id", "word", "vec"])),
        three(rule("A k of 0 is no limit")).when(query(json!({"k": 0})), ok().rows(&all())),
        three(rule("A k of 0 is no limit, and an offset still counts"))
            .when(query(json!({"k": 0, "offset": 2})), ok().row_count(1)),
        three(rule("A k of 2^63-1 is no limit either"))
            .when(query(json!({"k": i64::MAX})), ok().rows(&all())),
        three(rule("A query with a filter needs no vector")).when(
            Op::QueryTable.on("orders").json(json!({"k": 10, "filter": "id = 2"})),
            ok().rows(&words(&[(2, "bee")])),
        ),
        three(rule("An empty flat vector is none")).when(query(json!({"vector": []})), ok().rows(&all())),
        three(rule("Fields of the remote dialect are ignored where they mean nothing here"))
            .when(query(json!({"use_rte": true, "prefilter": true})), ok().rows(&all())),
        spec("An empty table answers no rows, with its columns")
            .given([Op::CreateTable.on("orders").rows(&crate::rows::Rows::NoWords)])
            .when(query(json!({})), ok().row_count(0).columns(&["id", "word", "vec"])),
    ]
}

fn columns() -> Vec<Case> {
    vec![
        three(spec("Only named columns come, in their order"))
            .when(query(json!({"columns": {"column_names": ["word", "id"]}})), ok().columns(&["word", "id"])),
        three(spec("Columns come under other names")).when(
            query(json!({"columns": {"column_aliases": {"text": "word"}}, "filter": "id = 1"})),
            ok().columns(&["text"]).rows(&json!([{"text": "ant"}])),
        ),
        three(rule("A flat list of columns is understood"))
            .when(query(json!({"columns": ["word"]})), ok().columns(&["word"])),
        three(rule("A flat map of columns is understood"))
            .when(query(json!({"columns": {"text": "word"}})), ok().columns(&["text"])),
        three(spec("Row ids come as _rowid when asked for")).when(
            query(json!({"with_row_id": true, "columns": {"column_names": ["id"]}})),
            ok().columns(&["id", "_rowid"]),
        ),
        three(spec("A column that does not exist is refused"))
            .when(query(json!({"columns": {"column_names": ["nothing"]}})), one_of(&[(404, 12), (400, 13)])),
        three(rule("A filter may use columns that do not come")).when(
            query(json!({"columns": {"column_names": ["word"]}, "filter": "id = 3"})),
            ok().rows(&json!([{"word": "cat"}])),
        ),
    ]
}

fn vectors() -> Vec<Case> {
    let near = |fields: Value| {
        let mut body = json!({"vector": {"single_vector": [3.2, 0.0]}, "k": 2, "vector_column": "vec"});
        if let (Some(body), Some(fields)) = (body.as_object_mut(), fields.as_object()) {
            body.extend(fields.clone());
        }
        Op::QueryTable.on("orders").json(body)
    };
    let nearest = || ok().in_order(&words(&[(3, "cat"), (2, "bee")]));
    vec![
        three(spec("The nearest rows come, nearest first")).when(near(json!({})), nearest()),
        three(rule("The only vector column need not be named"))
            .when(near(json!({"vector_column": null})), nearest()),
        three(rule("A flat vector is understood")).when(near(json!({"vector": [3.2, 0.0]})), nearest()),
        three(rule("A list of one vector is understood"))
            .when(near(json!({"vector": [[3.2, 0.0]]})), nearest()),
        three(spec("Several vectors answer each with its nearest rows")).when(
            near(json!({"vector": {"multi_vector": [[1.0, 0.0], [3.0, 0.0]]}, "k": 1})),
            ok().rows(&words(&[(1, "ant"), (3, "cat")])),
        ),
        three(spec("A filter before the search leaves its rows alone to be near")).when(
            near(json!({"filter": "id < 3", "prefilter": true})),
            ok().in_order(&words(&[(2, "bee"), (1, "ant")])),
        ),
        three(spec("A filter after the search takes from what was near"))
            .when(near(json!({"filter": "id < 3", "prefilter": false, "k": 1})), ok().row_count(0)),
        three(spec("The nearest rows before the offset are left out"))
            .when(near(json!({"offset": 1, "k": 1})), ok().in_order(&words(&[(2, "bee")]))),
        three(spec("A distance to be under leaves out what is farther"))
            .when(near(json!({"k": 10, "upper_bound": 0.5})), ok().in_order(&words(&[(3, "cat")]))),
        three(spec("A distance to be over leaves out what is nearer")).when(
            near(json!({"k": 10, "lower_bound": 1.0})),
            ok().in_order(&words(&[(2, "bee"), (1, "ant")])),
        ),
        three(spec("The distance may be the dot product"))
            .when(near(json!({"distance_type": "dot", "k": 1})), ok().in_order(&words(&[(3, "cat")]))),
        three(spec("The distance may be the cosine"))
            .when(near(json!({"distance_type": "cosine", "k": 3})), ok().row_count(3)),
        three(spec("An unknown distance is refused"))
            .when(near(json!({"distance_type": "feeling"})), invalid()),
        three(spec("A vector of another length is refused"))
            .when(near(json!({"vector": {"single_vector": [1.0, 0.0, 0.0]}})), invalid()),
        three(spec("A vector column that does not exist is refused"))
            .when(near(json!({"vector_column": "nothing"})), one_of(&[(404, 12), (400, 13)])),
        three(spec("A column without vectors cannot be searched by one"))
            .when(near(json!({"vector_column": "word"})), one_of(&[(404, 12), (400, 13)])),
        three(spec("One vector and several at once are refused")).when(
            near(json!({"vector": {"single_vector": [1.0, 0.0], "multi_vector": [[1.0, 0.0]]}})),
            invalid(),
        ),
    ]
}

fn full_text() -> Vec<Case> {
    let texts = || {
        let rows = crate::rows::Rows::words(&[(1, "a quick fox"), (2, "a lazy dog"), (3, "a quick dog")]);
        let made: Step = Op::CreateTable.on("orders").rows(&rows).into();
        [vec![made], index("orders", "word", "FTS", "word_text").to_vec()].concat()
    };
    let search =
        |full_text: Value| query(json!({"full_text_query": full_text, "columns": {"column_names": ["id"]}}));
    vec![
        spec("Rows come in which a word is").given(texts()).when(
            search(json!({"string_query": {"query": "quick", "columns": ["word"]}})),
            ok().rows(&json!([{"id": 1}, {"id": 3}])),
        ),
        spec("Without columns every text index is searched").given(texts()).when(
            search(json!({"string_query": {"query": "dog"}})),
            ok().rows(&json!([{"id": 2}, {"id": 3}])),
        ),
        spec("A match may be structured").given(texts()).when(
            search(json!({"structured_query": {"query": {"match": {"column": "word", "terms": "lazy"}}}})),
            ok().rows(&json!([{"id": 2}])),
        ),
        spec("A match may need all of its terms").given(texts()).when(
            search(json!({"structured_query":
                    {"query": {"match": {"column": "word", "terms": "quick dog", "operator": "And"}}}})),
            ok().rows(&json!([{"id": 3}])),
        ),
        spec("Matches are combined by boolean queries").given(texts()).when(
            search(json!({"structured_query": {"query": {"boolean": {
                "must": [{"match": {"column": "word", "terms": "dog"}}],
                "must_not": [{"match": {"column": "word", "terms": "lazy"}}],
                "should": []
            }}}})),
            ok().rows(&json!([{"id": 3}])),
        ),
        spec("A filter holds for what full text finds").given(texts()).when(
            query(json!({
                "full_text_query": {"string_query": {"query": "quick"}},
                "filter": "id = 3", "prefilter": true
            })),
            ok().rows(&json!([{"id": 3}])),
        ),
    ]
}

fn states() -> Vec<Case> {
    let two = || [table("orders"), version("orders", "old"), appended("orders", (4, "dog"))];
    vec![
        spec("An older version answers its own rows")
            .given(two())
            .when(query(json!({"version": "{old}"})), ok().rows(&all())),
        spec("A branch answers its own rows")
            .given([table("orders"), branch("orders", "side"), appended("orders", (4, "dog"))])
            .when(query(json!({"branch": "side"})), ok().rows(&all())),
        three(spec("A version that does not exist has no rows to answer"))
            .when(query(json!({"version": 999_999})), error(404, 11)),
        three(spec("A branch that does not exist is not read as main"))
            .when(query(json!({"branch": "missing"})), error(404, 22)),
        rule("A table only declared has nothing to query")
            .given([declared("orders")])
            .when(query(json!({})), error(409, 19)),
    ]
}

fn refused() -> Vec<Case> {
    let mut cases = vec![
        three(spec("Without k there is no query"))
            .when(Op::QueryTable.on("orders").json(json!({"vector": {}})), invalid()),
        spec("A table that does not exist has no rows").when(query(json!({})), no_table()),
    ];
    for (what, fields) in [
        ("A filter that is no SQL", json!({"filter": "id >"})),
        ("A filter over a column that does not exist", json!({"filter": "nothing = 1"})),
        ("A negative k", json!({"k": -1})),
        ("A negative offset", json!({"offset": -1})),
        ("A k that is text", json!({"k": "many"})),
        ("A vector of texts", json!({"vector": {"single_vector": ["x"]}})),
        ("A negative version", json!({"version": -1})),
    ] {
        let expect = one_of(&[(400, 13), (404, 12)]);
        cases.push(three(spec(format!("{what} is refused"))).when(query(fields), expect));
    }
    cases
}

fn counts() -> Vec<Case> {
    let two = || [table("orders"), version("orders", "old"), appended("orders", (4, "dog"))];
    vec![
        three(spec("The count is a bare number")).when(count("orders", json!({})), ok().at("", 3)),
        three(spec("Only rows are counted for which the predicate holds"))
            .when(count("orders", json!({"predicate": "id >= 2"})), ok().at("", 2)),
        three(rule("Without a body every row is counted"))
            .when(Op::CountTableRows.on("orders"), ok().at("", 3)),
        spec("Deleted rows are not counted")
            .given([
                table("orders"),
                Op::DeleteFromTable.on("orders").json(json!({"predicate": "id = 2"})).into(),
            ])
            .when(count("orders", json!({})), ok().at("", 2)),
        spec("An older version counts its own rows")
            .given(two())
            .when(count("orders", json!({"version": "{old}"})), ok().at("", 3)),
        spec("A branch counts its own rows")
            .given([table("orders"), branch("orders", "side"), appended("orders", (4, "dog"))])
            .when(count("orders", json!({"branch": "side"})), ok().at("", 3)),
        three(spec("A version that does not exist has no rows to count"))
            .when(count("orders", json!({"version": 999_999})), error(404, 11)),
        three(spec("A branch that does not exist is not counted as main"))
            .when(count("orders", json!({"branch": "missing"})), error(404, 22)),
        three(spec("A predicate of a count that is no SQL is refused"))
            .when(count("orders", json!({"predicate": "id >"})), invalid()),
        three(spec("A predicate over a column that does not exist counts nothing"))
            .when(count("orders", json!({"predicate": "nothing = 1"})), one_of(&[(404, 12), (400, 13)])),
        rule("A table only declared has nothing to count")
            .given([declared("orders")])
            .when(count("orders", json!({})), error(409, 19)),
    ]
}

fn plans() -> Vec<Case> {
    let explain = |fields: Value| Op::ExplainTableQueryPlan.on("orders").json(fields);
    let analyze = |fields: Value| Op::AnalyzeTableQueryPlan.on("orders").json(fields);
    let text = || ok().is("", "text").differs("", "");
    vec![
        three(spec("A plan is a bare text")).when(explain(json!({"query": {"vector": {}, "k": 2}})), text()),
        three(spec("A plan is told at length"))
            .when(explain(json!({"query": {"vector": {}, "k": 2, "filter": "id > 1"}, "verbose": true})), text()),
        three(rule("A plan shows the filter"))
            .when(explain(json!({"query": {"vector": {}, "k": 2, "filter": "word = 'ant'"}})), text().says("word")),
        three(spec("A plan without a query is refused")).when(explain(json!({})), invalid()),
        three(spec("A plan of a filter that is no SQL is refused"))
            .when(explain(json!({"query": {"vector": {}, "k": 2, "filter": "id >"}})), invalid()),
        three(spec("A plan for a branch that does not exist is refused"))
            .when(explain(json!({"query": {"vector": {}, "k": 2, "branch": "missing"}})), error(404, 22)),
        spec("A plan includes full text")
            .given([table("orders")])
            .given(index("orders", "word", "FTS", "word_text"))
            .when(
                explain(json!({"query": {"vector": {}, "k": 2, "full_text_query": {"string_query": {"query": "ant"}}}})),
                text().says("match"),
            ),
        three(spec("An analysis is a bare text")).when(analyze(json!({"vector": {}, "k": 2})), text()),
        three(rule("An analysis has run the query: it counts rows"))
            .when(analyze(json!({"vector": {}, "k": 2, "filter": "id > 1"})), text().says("output_rows")),
        three(spec("An analysis of a filter that is no SQL is refused"))
            .when(analyze(json!({"vector": {}, "k": 2, "filter": "id >"})), invalid()),
        three(spec("An analysis for a branch that does not exist is refused"))
            .when(analyze(json!({"vector": {}, "k": 2, "branch": "missing"})), error(404, 22)),
        three(spec("An analysis without k is refused")).when(analyze(json!({"vector": {}})), invalid()),
        three(rule("Reading a plan changes nothing")).when(explain(json!({"query": {"vector": {}, "k": 2}})), text())
            .then(read("orders", &["id", "word"]), ok().rows(&all())),
    ]
}
