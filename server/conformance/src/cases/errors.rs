//! Errors that every operation has in common: who asks, what is missing, what cannot be read.

use serde_json::{Value, json};

use crate::Operation as Op;
use crate::case::{Case, Expect, Need, error, invalid, no_table, ok, one_of, rule, spec};
use crate::given::{count, declared, table, with_id};
use crate::operations::Carries;
use crate::request::{Body, Request, Target, Who, id, plausible};

pub(super) fn cases() -> Vec<Case> {
    [missing(), nobody(), others(), readers(), unreadable(), wrong_id(), required(), shape(), routes()]
        .concat()
}

/// Operations on one table: what is not there is not found, and not made.
fn missing() -> Vec<Case> {
    let operations = Op::ALL.iter().filter(|operation| operation.needs_table());
    operations
        .map(|operation| {
            spec("A table that does not exist is not found, and not made")
                .when(plausible(*operation, "missing"), no_table())
                .then(Op::TableExists.on("missing").json(json!({})), no_table())
        })
        .collect()
}

/// Without credentials, or with credentials that nobody gave out.
fn nobody() -> Vec<Case> {
    let mut cases = Vec::new();
    for operation in Op::ALL {
        for (who, whose) in
            [(Who::Nobody, "Without credentials"), (Who::Impostor, "With made-up credentials")]
        {
            cases.push(
                spec(format!("{whose} nothing is answered"))
                    .needs(Need::Credentials)
                    .when(plausible(*operation, "orders").sent_by(who), error(401, 16)),
            );
        }
    }
    cases.push(
        spec("Credentials in headers win over those in a body")
            .needs(Need::Credentials)
            .given([declared("orders")])
            .when(
                Op::DescribeTable
                    .on("orders")
                    .json(json!({"identity": {"api_key": "wrong", "auth_token": "wrong"}})),
                ok(),
            ),
    );
    cases
}

/// What somebody may not know exists is not found, as if it did not exist.
fn others() -> Vec<Case> {
    let mut cases = Vec::new();
    for operation in Op::ALL.iter().filter(|operation| operation.needs_table()) {
        cases.push(
            rule("A table that the caller may not know exists is not found")
                .needs(Need::Stranger)
                .given([table("orders")])
                .when(plausible(*operation, "orders").sent_by(Who::Stranger), no_table())
                .then(count("orders", json!({})), ok().at("", 3)),
        );
    }
    for operation in
        [Op::DescribeNamespace, Op::NamespaceExists, Op::DropNamespace, Op::ListNamespaces, Op::ListTables]
    {
        cases.push(
            rule("A namespace that the caller may not know exists is not found")
                .needs(Need::Stranger)
                .given([declared("orders")])
                .when(plausible(operation, "").sent_by(Who::Stranger), error(404, 1))
                .then(Op::TableExists.on("orders").json(json!({})), ok()),
        );
    }
    cases.push(
        rule("What the caller may not know exists is not listed")
            .needs(Need::Stranger)
            .given([declared("orders")])
            .when(
                Op::ListAllTables.everywhere().sent_by(Who::Stranger),
                ok().lacks("/tables", "{home}$orders").silent("{name}"),
            ),
    );
    cases
}

/// Who may read may not write, and is told so, because what it asks about is known to it.
fn readers() -> Vec<Case> {
    let writers = [
        Op::DropTable,
        Op::DeregisterTable,
        Op::RenameTable,
        Op::InsertIntoTable,
        Op::MergeInsertIntoTable,
        Op::UpdateTable,
        Op::DeleteFromTable,
        Op::AlterTableAddColumns,
        Op::AlterTableAlterColumns,
        Op::AlterTableDropColumns,
        Op::UpdateTableSchemaMetadata,
        Op::UpdateFieldMetadata,
        Op::RestoreTable,
        Op::BatchDeleteTableVersions,
        Op::CreateTableIndex,
        Op::CreateTableScalarIndex,
        Op::CreateTableTag,
        Op::CreateTableBranch,
        Op::BatchCommitTables,
    ];
    let refused = |operation: &Op| {
        spec("Who may only read is refused")
            .needs(Need::Reader)
            .given([table("orders")])
            .when(plausible(*operation, "orders").sent_by(Who::Reader), error(403, 15))
            .then(count("orders", json!({})), ok().at("", 3))
    };
    let mut cases: Vec<Case> = writers.iter().map(refused).collect();
    for operation in [Op::CreateTable, Op::DeclareTable] {
        cases.push(
            spec("Who may only read makes nothing")
                .needs(Need::Reader)
                .when(plausible(operation, "orders").sent_by(Who::Reader), error(403, 15))
                .then(Op::TableExists.on("orders").json(json!({})), no_table()),
        );
    }
    cases.push(
        spec("Who may only read drops no namespace")
            .needs(Need::Reader)
            .when(plausible(Op::DropNamespace, "").sent_by(Who::Reader), error(403, 15))
            .then(Op::NamespaceExists.on("").json(json!({})), ok()),
    );
    for operation in [Op::DescribeTable, Op::CountTableRows, Op::QueryTable, Op::GetTableStats] {
        cases.push(
            spec("Who may read is answered")
                .needs(Need::Reader)
                .given([table("orders")])
                .when(plausible(operation, "orders").sent_by(Who::Reader), ok()),
        );
    }
    cases
}

fn with_json() -> impl Iterator<Item = &'static Op> {
    Op::ALL.iter().filter(|operation| operation.details().carries == Carries::Json)
}

/// Bodies that are no JSON object.
fn unreadable() -> Vec<Case> {
    let mut cases = Vec::new();
    for operation in with_json() {
        for (what, body) in [("no JSON", "{\"a\": "), ("a list", "[1, 2]")] {
            cases.push(
                spec(format!("A body that is {what} is refused"))
                    .given([declared("orders")])
                    .when(plausible(*operation, "orders").body(Body::Bytes(body.into())), invalid()),
            );
        }
    }
    cases
}

/// A body that names another object than the route is refused, whatever else is in it.
fn wrong_id() -> Vec<Case> {
    // Its body is a bare map of texts, without an id.
    let operations = with_json().filter(|op| op.has_id() && **op != Op::UpdateTableSchemaMetadata);
    let mut cases = Vec::new();
    for operation in operations {
        let request = plausible(*operation, "orders");
        let Body::Json(body) = &request.body else { continue };
        let mut wrong = with_id("orders", body);
        wrong["id"] = json!(["somewhere", "else"]);
        let wrong = request.clone().json(wrong);
        let given = declared("orders");
        cases.push(
            spec("A body with another id than the route is refused").given([given]).when(wrong, invalid()),
        );
    }
    cases
}

/// What a body needs is asked for, before anything is done.
fn required() -> Vec<Case> {
    let bodies: [(Op, &'static str, Value); 14] = [
        (Op::RegisterTable, "location", json!({"mode": "Create"})),
        (Op::RenameTable, "new_table_name", json!({"new_namespace_id": id("")})),
        (Op::RestoreTable, "version", json!({})),
        (Op::UpdateTable, "updates", json!({"predicate": "id = 1"})),
        (Op::DeleteFromTable, "predicate", json!({})),
        (Op::QueryTable, "k", json!({"vector": {}, "filter": "id = 1"})),
        (Op::CreateTableVersion, "version", json!({"manifest_path": "_versions/2.manifest"})),
        (Op::CreateTableTag, "tag", json!({"version": 1})),
        (Op::UpdateTableTag, "tag", json!({"version": 1})),
        (Op::CreateTableBranch, "name", json!({"from_version": 1})),
        (Op::CreateTableIndex, "column", json!({"index_type": "BTREE", "name": "by_id"})),
        (Op::AlterTableBackfillColumns, "column", json!({"where": "id = 1"})),
        (Op::AlterTableAddColumns, "new_columns", json!({"branch": "main"})),
        (Op::AlterTransaction, "actions", json!({"note": "none"})),
    ];
    let case = |(operation, field, body): (Op, &'static str, Value)| {
        let target = if operation == Op::AlterTransaction { "orders${v}" } else { "orders" };
        rule(format!("A body without {field} is refused, and the refusal names it"))
            .given([table("orders"), crate::given::version("orders", "v")])
            .when(operation.on(target).json(body), invalid().names(field))
            .then(count("orders", json!({})), ok().at("", 3))
    };
    bodies.into_iter().map(case).collect()
}

/// What an error looks like.
fn shape() -> Vec<Case> {
    let whole = |expect: Expect| expect.is("", "(code:int error:text detail:text instance:text)");
    // What a stack trace or a message from deep inside brings with it.
    let quiet = |expect: Expect| {
        [".rs:", "panicked", "src/", "stack backtrace", "RUST_BACKTRACE"]
            .iter()
            .fold(expect, |expect, text| expect.silent(text))
    };
    let garbage = Body::Bytes(b"this is not an Arrow stream".to_vec());
    vec![
        rule("An error has code, error, detail and instance")
            .when(Op::DescribeTable.on("missing").json(json!({})), whole(no_table())),
        rule("An error of reading a body has all four fields")
            .given([declared("orders")])
            .when(Op::DescribeTable.on("orders").body(Body::Bytes(b"{".to_vec())), whole(invalid())),
        rule("An error names no files or lines of the server: a filter that is no SQL")
            .given([table("orders")])
            .when(
                Op::QueryTable.on("orders").json(json!({"vector": {}, "k": 1, "filter": "id >"})),
                quiet(one_of(&[(400, 13)])),
            ),
        rule("An error names no files or lines of the server: garbage for Arrow")
            .when(Op::CreateTable.on("orders").body(garbage), quiet(invalid())),
        rule("An error names no files or lines of the server: a version that was never made")
            .given([table("orders")])
            .when(count("orders", json!({"version": 999_999})), quiet(error(404, 11))),
        rule("An error does not repeat credentials from the body").when(
            Op::DescribeTable.on("missing").json(json!({"identity": {"auth_token": "secret-of-the-test"}})),
            no_table().silent("secret-of-the-test"),
        ),
        rule("A request's id comes back").given([declared("orders")]).when(
            Op::DescribeTable.on("orders").json(json!({})).header("x-request-id", "conformance-1"),
            ok().header("x-request-id", "conformance-1"),
        ),
        rule("A request's id comes back with an error too").when(
            Op::DescribeTable.on("missing").json(json!({})).header("x-request-id", "conformance-2"),
            no_table().header("x-request-id", "conformance-2"),
        ),
    ]
}

/// Routes that are not, and methods that do not fit.
fn routes() -> Vec<Case> {
    let at = |path: &str| {
        let request = Op::DescribeTable.on("orders").json(json!({}));
        Request { target: Target::Path(path.to_owned()), ..request }
    };
    let mut cases = vec![
        rule("A route that does not exist is told in the shape of an error")
            .when(at("/v1/nothing"), error(404, 0)),
        rule("An action that does not exist is told in the shape of an error")
            .given([declared("orders")])
            .when(at("/v1/table/orders/meditate"), error(404, 0)),
    ];
    for (operation, method) in [
        (Op::DescribeTable, "GET"),
        (Op::DropTable, "DELETE"),
        (Op::ListTables, "POST"),
        (Op::CreateTable, "PUT"),
    ] {
        cases.push(
            rule(format!("The method {method} is told in the shape of an error"))
                .given([declared("orders")])
                .when(plausible(operation, "orders").with_method(method), error(405, 13)),
        );
    }
    for operation in [Op::ListNamespaces, Op::ListTables, Op::ListAllTables, Op::NamespaceExists] {
        cases.push(
            rule("A slash at the end changes nothing").when(plausible(operation, "").with_slash(), ok()),
        );
    }
    cases
}
