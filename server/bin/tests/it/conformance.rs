//! The conformance suite against the built server: every case passes, of all operations but those listed.

use std::sync::Arc;

use lakeglass_conformance::{Line, Operation, Options, Outcome};
use serde_json::json;

use crate::server::Server;

/// Small enough to send more than it.
const MAX_ARROW: u64 = 4 << 20;

/// Operations that are not held to every case yet. This list only ever shrinks.
const NOT_YET: &[Operation] = &[
    Operation::MergeInsertIntoTable,
    Operation::AlterTransaction,
    Operation::CreateMaterializedView,
    Operation::RefreshMaterializedView,
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

    let held = |line: &&Line| !NOT_YET.contains(&line.operation);
    let failed = report.failures().filter(held).count();
    assert_eq!(failed, 0, "{}\n{}", report.text(), server.output());
    let missing = report.lines.iter().filter(held).filter(|l| matches!(l.outcome, Outcome::NotCarriedOut(_)));
    assert_eq!(missing.map(|line| line.title.as_str()).collect::<Vec<_>>(), Vec::<&str>::new());
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
