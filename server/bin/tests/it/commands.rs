//! The command line, while a server runs and while none does.

use std::sync::Arc;

use crate::server::{PASSWORD, Server, cli};

#[tokio::test]
async fn a_second_server_on_one_folder_refuses_to_start() {
    let server = Server::start().await;
    let output = server.cli(&["serve", "--listen", "127.0.0.1:0"], "");
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("another server is running"), "{text}");
}

#[tokio::test]
async fn people_and_tokens_are_made_with_and_without_a_server() {
    let data = Arc::new(tempfile::tempdir().unwrap());
    let first = cli(data.path(), &["user", "add", "ana", "--role", "admin", "--password-stdin"], PASSWORD);
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));

    let server = Server::start_on(data, &[], &[]).await;
    assert!(!server.output().contains("/setup?code="), "there is an administrator already");
    server.add_user("ben", "viewer");
    let listed = String::from_utf8(server.cli(&["user", "list"], "").stdout).unwrap();
    assert!(listed.contains("ana\tadmin") && listed.contains("ben\tviewer"), "{listed}");
    let token = server.token("viewer", None);
    assert!(token.starts_with("lg_") && token.len() > 24);
    server.api("viewer").get("/api/v1/me").await.ok();
}

#[tokio::test]
async fn a_mistyped_folder_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("typo");
    let output = cli(&missing, &["token", "create", "--name", "n", "--role", "viewer", "--days", "1"], "");
    assert!(!output.status.success());
    assert!(!missing.exists());
}

#[tokio::test]
async fn the_audit_chain_verifies_and_a_backup_holds_the_database() {
    let server = Server::start().await;
    server.add_user("ana", "admin");
    let verified = server.cli(&["audit", "verify"], "");
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
    assert!(String::from_utf8_lossy(&verified.stdout).contains("the chain holds"));

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("b.tar");
    let output = server.cli(&["backup", file.to_str().unwrap()], "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let restored = tempfile::tempdir().unwrap();
    let tar = std::process::Command::new("tar")
        .arg("-xf")
        .arg(&file)
        .arg("-C")
        .arg(restored.path())
        .status()
        .unwrap();
    assert!(tar.success());
    assert!(!restored.path().join("secrets.key").exists(), "the key stays out unless asked for");
    let listed = cli(restored.path(), &["user", "list"], "");
    assert!(String::from_utf8_lossy(&listed.stdout).contains("ana\tadmin"));
}

#[tokio::test]
async fn stopping_drains_and_a_restart_finds_everything() {
    let server = Server::start().await;
    server.add_user("ana", "admin");
    let data = server.stop();
    let again = Server::start_on(data, &[], &[]).await;
    again.browser("ana").await;
}
