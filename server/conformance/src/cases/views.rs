//! Materialised views: made from a query, and filled by jobs.

use serde_json::{Value, json};

use crate::Operation as Op;
use crate::case::{Case, error, invalid, no_table, ok, one_of, spec};
use crate::given::{declared, table};
use crate::request::Request;

pub(super) fn cases() -> Vec<Case> {
    [create(), refresh()].concat()
}

/// The schema of one column `id`, a 64-bit integer, as an Arrow IPC message in base64.
const SCHEMA: &str = "/////3gAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAEAAAAUAAAAEAAUAAgABgAHAAwAAAAQABAAAAAA\
     AAECEAAAABwAAAAEAAAAAAAAAAIAAABpZAAACAAMAAgABwAIAAAAAAAAAUAAAAA=";

fn create_view(name: &str, fields: Value) -> Request {
    let mut body = json!({
        "kind": "query", "source_query": "SELECT id FROM \"{home}$orders\"", "output_schema": SCHEMA,
        "with_no_data": true
    });
    if let (Some(body), Value::Object(fields)) = (body.as_object_mut(), fields) {
        body.extend(fields);
    }
    Op::CreateMaterializedView.on(name).json(body)
}

fn create() -> Vec<Case> {
    vec![
        spec("A view is made, and is there as a table is")
            .given([table("orders")])
            .when(create_view("ids", json!({})), ok())
            .then(Op::TableExists.on("ids").json(json!({})), ok()),
        spec("A view that is not left without data says which job fills it")
            .given([table("orders")])
            .when(create_view("ids", json!({"with_no_data": false})), ok().is("/job_id", "text")),
        spec("A name that is taken makes no view")
            .given([table("orders"), declared("ids")])
            .when(create_view("ids", json!({})), error(409, 5)),
        spec("In a missing namespace no view is made")
            .given([table("orders")])
            .when(create_view("nowhere$ids", json!({})), error(404, 1)),
        spec("An unknown kind of view is refused")
            .given([table("orders")])
            .when(create_view("ids", json!({"kind": "feeling"})), invalid())
            .then(Op::TableExists.on("ids").json(json!({})), no_table()),
        spec("Without a kind there is no view")
            .given([table("orders")])
            .when(create_view("ids", json!({"kind": null})), invalid()),
        spec("Without a query there is no view")
            .given([table("orders")])
            .when(create_view("ids", json!({"source_query": null})), invalid()),
        spec("Without an output schema there is no view")
            .given([table("orders")])
            .when(create_view("ids", json!({"output_schema": null})), invalid()),
        spec("An output schema that is no base64 is refused")
            .given([table("orders")])
            .when(create_view("ids", json!({"output_schema": "not base64"})), invalid()),
    ]
}

fn refresh() -> Vec<Case> {
    let refresh = |name: &str, fields: Value| Op::RefreshMaterializedView.on(name).json(fields);
    vec![
        spec("A refresh is a job")
            .given([table("orders"), create_view("ids", json!({})).into()])
            .when(refresh("ids", json!({})), ok().is("/job_id", "text")),
        spec("A view that does not exist cannot be refreshed").when(refresh("ids", json!({})), no_table()),
        spec("A table that is no view cannot be refreshed")
            .given([table("orders")])
            .when(refresh("orders", json!({})), one_of(&[(400, 13), (404, 4), (409, 19)])),
        spec("A limit of the output is for chunkers only")
            .given([table("orders"), create_view("ids", json!({})).into()])
            .when(refresh("ids", json!({"output_limit": 5})), invalid()),
    ]
}
