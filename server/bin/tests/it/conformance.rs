//! The conformance suite against the built server: every case passes.

use std::collections::BTreeSet;
use std::sync::Arc;

use lakeglass_conformance::{Operation, Options, Outcome};
use serde_json::json;

use crate::server::Server;

/// Small enough to send more than it.
const MAX_ARROW: u64 = 4 << 20;

/// Operations that some case asks for and that are still to come. This list only ever shrinks.
const STILL_TO_COME: &[Operation] = &[
    Operation::MergeInsertIntoTable,
    Operation::UpdateTable,
    Operation::DeleteFromTable,
    Operation::ExplainTableQueryPlan,
    Operation::AnalyzeTableQueryPlan,
    Operation::AlterTableAddColumns,
    Operation::AlterTableAlterColumns,
    Operation::AlterTableDropColumns,
    Operation::AlterTableBackfillColumns,
    Operation::UpdateTableSchemaMetadata,
    Operation::UpdateFieldMetadata,
    Operation::GetTableStats,
    Operation::RestoreTable,
    Operation::ListTableVersions,
    Operation::CreateTableVersion,
    Operation::DescribeTableVersion,
    Operation::BatchDeleteTableVersions,
    Operation::BatchCreateTableVersions,
    Operation::BatchCommitTables,
    Operation::CreateTableIndex,
    Operation::CreateTableScalarIndex,
    Operation::ListTableIndices,
    Operation::DescribeTableIndexStats,
    Operation::DropTableIndex,
    Operation::ListTableTags,
    Operation::GetTableTagVersion,
    Operation::CreateTableTag,
    Operation::UpdateTableTag,
    Operation::DeleteTableTag,
    Operation::ListTableBranches,
    Operation::CreateTableBranch,
    Operation::DeleteTableBranch,
    Operation::CreateMaterializedView,
    Operation::RefreshMaterializedView,
    Operation::DescribeTransaction,
    Operation::AlterTransaction,
];

fn key(token: &str) -> Vec<String> {
    vec![format!("x-api-key: {token}")]
}

#[tokio::test]
async fn every_case_passes_against_the_built_server() {
    let data = Arc::new(tempfile::tempdir().unwrap());
    let server = Server::start_on(data, &["--max-arrow-bytes", &MAX_ARROW.to_string()], &[]).await;
    let admin = server.api("admin");
    admin.post("/lance/v1/namespace/elsewhere/create", json!({})).await.ok();
    let options = Options {
        url: format!("{}/lance", server.url),
        name: "Lakeglass".to_owned(),
        headers: key(&admin.token),
        reader: key(&server.token("reader", None)),
        stranger: key(&server.token("admin", Some("elsewhere"))),
        max_arrow_bytes: Some(MAX_ARROW),
        own: true,
        ..Options::default()
    };
    let report = lakeglass_conformance::run(&options).await.unwrap();

    let failed = report.failures().count();
    assert_eq!(failed, 0, "{}\n{}", report.text(), server.output());
    let to_come: BTreeSet<Operation> = STILL_TO_COME.iter().copied().collect();
    assert_eq!(report.not_carried_out(), to_come, "the list of what is still to come is out of date");
    // Everything that a case needs of a server is here, so all of them mean something.
    let skipped = report.lines.iter().filter(|line| matches!(line.outcome, Outcome::NotApplicable(_)));
    assert_eq!(skipped.map(|line| line.title.as_str()).collect::<Vec<_>>(), Vec::<&str>::new());

    // Nothing of the suite's own stays.
    let left = admin.get("/lance/v1/namespace/%24/list").await.ok();
    assert_eq!(left["namespaces"], json!(["elsewhere"]));
}

#[test]
fn the_command_says_what_is_wrong_with_its_arguments() {
    let run = |arguments: &[&str]| {
        let output = std::process::Command::new(crate::server::BIN)
            .args(["namespace", "conformance"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(run(&["file:///tmp"]).contains("must be http"));
    assert!(run(&["http://127.0.0.1:1", "--header", "no colon"]).contains("name: value"));
    let nobody = run(&["http://127.0.0.1:1"]);
    assert!(nobody.contains("No place for tables was found"), "{nobody}");
}
