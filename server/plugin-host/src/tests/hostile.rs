//! Guests that mean harm: each costs its caller one clear error, and the next call works.

use std::sync::Arc;
use std::time::Duration;

use lakeglass_ports::{Describer, Error, PreviewRequest, Subject};
use object_store::memory::InMemory;
use object_store::throttle::{ThrottleConfig, ThrottledStore};

use super::guest::{Guest, SCRATCH, TEXT, refusal};
use super::{host, on_disk, subject};
use crate::{Host, LoadError};

struct Case {
    _folder: tempfile::TempDir,
    subject: Subject,
    describer: Arc<dyn Describer>,
}

async fn case(host: &Arc<Host>, guest: Guest) -> Case {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("t")).unwrap();
    std::fs::write(folder.path().join("t/a.evil"), "contents").unwrap();
    std::fs::write(folder.path().join("t/other"), "of another table").unwrap();
    std::fs::write(folder.path().join("secret"), "of another folder").unwrap();
    std::os::unix::fs::symlink(folder.path().join("secret"), folder.path().join("t/a.evil.link")).unwrap();
    let describer = host.load("evil", &guest.build()).await.unwrap();
    let subject = subject(on_disk(folder.path(), "t/a.evil"), "evil");
    Case { _folder: folder, subject, describer }
}

async fn describing(host: &Arc<Host>, body: &str, extra: &str) -> Error {
    let guest = Guest { describe: body.to_owned(), extra: extra.to_owned(), ..Guest::default() };
    let case = case(host, guest).await;
    let error = case.describer.describe(&case.subject).await.unwrap_err();
    // The plugin answers the next question as if nothing had happened.
    assert!(case.describer.history(&case.subject, None, 10).await.unwrap().answer.versions.is_empty());
    error
}

fn cause(error: Error) -> String {
    match error {
        Error::Plugin { plugin, cause } => {
            assert_eq!(plugin, "plugin evil 0.0.1");
            cause
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn spinning_ends_at_the_deadline_even_on_one_thread() {
    let host = host(|config| config.limits.describe = Duration::from_millis(300));
    assert!(matches!(describing(&host, "(loop br 0) unreachable", "").await, Error::TimedOut(_)));
    // Inside many tiny host calls: epochs never interrupt the host itself. The guest takes every answer to
    // the same place: past the budget of requests each is a sentence, and those would fill its memory.
    for call in [
        format!("(call $log (i32.const 1) (i32.const {TEXT}) (i32.const 1))"),
        format!("(call $head (i32.const {TEXT}) (i32.const 1) (i32.const {SCRATCH}))"),
    ] {
        let calling = format!("(loop (global.set $heap (i32.const 65536)) {call} br 0) unreachable");
        assert!(matches!(describing(&host, &calling, "").await, Error::TimedOut(_)), "{call}");
    }
}

#[tokio::test]
async fn spinning_at_the_start_or_in_info_is_refused_when_loading() {
    let host = host(|config| config.limits.info = Duration::from_millis(300));
    for guest in [
        Guest { extra: "(func $spin (loop br 0)) (start $spin)".to_owned(), ..Guest::default() },
        Guest { info: "(loop br 0) unreachable".to_owned(), ..Guest::default() },
    ] {
        let error = host.load("evil", &guest.build()).await.unwrap_err();
        assert!(error.to_string().contains("no answer within"), "{error}");
    }
}

#[tokio::test]
async fn a_store_that_never_answers_ends_at_the_deadline() {
    let host = host(|config| config.limits.describe = Duration::from_millis(300));
    let body = format!("(call $head (i32.const {TEXT}) (i32.const 1) (i32.const {SCRATCH})) {}", refusal());
    let case = case(&host, Guest { describe: body, text: "a".to_owned(), ..Guest::default() }).await;
    let wait = Duration::from_hours(1);
    let throttle = ThrottleConfig { wait_get_per_call: wait, ..ThrottleConfig::default() };
    let mut slow = case.subject.clone();
    slow.location.uri = "s3://lake/a".to_owned();
    slow.location.prefix = "a".into();
    slow.location.store = Arc::new(ThrottledStore::new(InMemory::new(), throttle));
    assert!(matches!(case.describer.describe(&slow).await.unwrap_err(), Error::TimedOut(_)));
}

#[tokio::test]
async fn memory_depth_and_traps_are_told_apart() {
    let host = host(|config| config.limits.memory = 32 << 20);
    let growing = "(loop (br_if 0 (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) unreachable";
    assert!(cause(describing(&host, growing, "").await).contains("32 MiB of memory"));
    let args = "(i32.const 0)".repeat(16);
    let deep = format!("(call $describe {args})");
    assert!(cause(describing(&host, &deep, "").await).contains("too deeply"));
    assert!(cause(describing(&host, "unreachable", "").await).contains("stopped itself"));
    let wild = "(i32.load (i32.const -8)) drop unreachable";
    assert!(cause(describing(&host, wild, "").await).contains("out of bounds"));
}

#[tokio::test]
async fn a_table_that_grows_is_refused() {
    let host = host(|config| config.limits.table_elements = 1000);
    let body = format!(
        "(if (i32.eq (table.grow $many (ref.null func) (i32.const 100000)) (i32.const -1))
             (then unreachable)) {}",
        refusal()
    );
    assert!(cause(describing(&host, &body, "(table $many 1 funcref)").await).contains("stopped itself"));
}

/// Reads `path` and answers with the refusal's number: 0 not found, 1 denied, 2 bad path, 9 read.
async fn reading(host: &Arc<Host>, path: &str) -> String {
    let read = format!(
        "(call $read (i32.const {TEXT}) (i32.const {length}) (i32.const 1) (i64.const 0) (i32.const 100)
            (i32.const 0) (i32.const 0) (i32.const 0) (i32.const {SCRATCH}))
         (i32.store8 (i32.const {digit})
           (if (result i32) (i32.load8_u (i32.const {SCRATCH}))
             (then (i32.add (i32.const 48) (i32.load8_u (i32.const {refused}))))
             (else (i32.const 57))))
         (i32.store8 (i32.const {answer}) (i32.const 1))
         (i32.store8 (i32.const {case}) (i32.const 1))
         (i32.store (i32.const {pointer}) (i32.const {digit}))
         (i32.store (i32.const {size}) (i32.const 1))
         i32.const {answer}",
        length = path.len(),
        refused = SCRATCH + 8,
        digit = SCRATCH + 512,
        answer = SCRATCH + 1024,
        case = SCRATCH + 1032,
        pointer = SCRATCH + 1036,
        size = SCRATCH + 1040,
    );
    let guest = Guest { describe: read, text: path.replace('\0', "\\00"), ..Guest::default() };
    let case = case(host, guest).await;
    match case.describer.describe(&case.subject).await.unwrap_err() {
        Error::Unsupported(digit) => digit,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn reads_stay_with_the_object_asked_about() {
    let host = host(|_| {});
    assert_eq!(reading(&host, "a.evil").await, "9");
    for (path, refusal) in [
        ("../secret", "2"),
        ("/etc/passwd", "2"),
        ("t/../../secret", "2"),
        ("a.evil/../../secret", "2"),
        ("a\0.evil", "2"),
        ("", "2"),
        ("other", "0"),
        ("%2e%2e/secret", "0"),
        ("a.evil.missing", "0"),
        ("a.evil.link", "1"),
    ] {
        assert_eq!(reading(&host, path).await, refusal, "{path:?}");
    }
}

fn answering(pointer: u32, length: u32, rows: u32) -> String {
    let fields = [(4, pointer), (8, length), (12, rows), (16, 0), (28, 0), (40, 0), (44, 0)];
    let stores = fields.map(|(offset, value)| {
        format!("(i32.store (i32.const {}) (i32.const {}))", SCRATCH + offset, value.cast_signed())
    });
    format!("(i32.store8 (i32.const {SCRATCH}) (i32.const 0)) {} i32.const {SCRATCH}", stores.concat())
}

#[tokio::test]
async fn rows_that_are_no_arrow_or_too_much_are_refused() {
    let host = host(|_| {});
    let request = PreviewRequest { limit: 50, ..PreviewRequest::default() };
    let junk = Guest { preview: answering(TEXT, 8, 1), text: "not rows".to_owned(), ..Guest::default() };
    let case_ = case(&host, junk).await;
    let error = case_.describer.preview(&case_.subject, &request).await.unwrap_err();
    assert!(cause(error).contains("Arrow"));

    // 64 MiB of answer, all of it really there.
    let grown = format!("(drop (memory.grow (i32.const 1100))) {}", answering(0, 64 << 20, 1));
    let case_ = case(&host, Guest { preview: grown, ..Guest::default() }).await;
    let error = case_.describer.preview(&case_.subject, &request).await.unwrap_err();
    assert!(cause(error).contains("more data than is allowed"));

    // An answer that lies outside the guest's memory.
    let case_ = case(&host, Guest { preview: answering(1 << 30, 100, 1), ..Guest::default() }).await;
    cause(case_.describer.preview(&case_.subject, &request).await.unwrap_err());
}

#[tokio::test]
async fn a_flood_of_log_lines_is_dropped() {
    let host = host(|_| {});
    let flood = format!(
        "(local $n i32) (loop (call $log (i32.const 4) (i32.const {TEXT}) (i32.const 100))
            (br_if 0 (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 5000)))) {}",
        refusal()
    );
    assert!(matches!(describing(&host, &flood, "").await, Error::NotThisFormat));
}

#[tokio::test]
async fn what_is_not_of_the_world_is_not_loaded() {
    let host = host(|_| {});
    let wasi = wat::parse_str(r#"(component (import "wasi:cli/environment@0.2.0" (instance)))"#).unwrap();
    let error = host.load("evil", &wasi).await.unwrap_err();
    assert!(
        matches!(&error, LoadError::ForbiddenImport(_, what) if what.contains("wasi:cli/environment")),
        "{error}"
    );
    let function = wat::parse_str(r#"(component (import "run" (func)))"#).unwrap();
    assert!(matches!(host.load("evil", &function).await.unwrap_err(), LoadError::ForbiddenImport(..)));
    let nothing = wat::parse_str("(component)").unwrap();
    assert!(matches!(host.load("evil", &nothing).await.unwrap_err(), LoadError::WrongWorld(..)));
    let module = wat::parse_str("(module)").unwrap();
    assert!(matches!(host.load("evil", &module).await.unwrap_err(), LoadError::NotAComponent(..)));
    assert!(matches!(host.load("evil", b"junk").await.unwrap_err(), LoadError::NotAComponent(..)));
    let other = Guest { id: "good", ..Guest::default() }.build();
    let error = host.load("evil", &other).await.unwrap_err();
    assert!(error.to_string().contains("calls itself good"), "{error}");
    let crashing = Guest { info: "unreachable".to_owned(), ..Guest::default() }.build();
    assert!(matches!(host.load("evil", &crashing).await.unwrap_err(), LoadError::InfoFailed(..)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_that_leave_stop_the_guest_and_waiting_ones_get_their_turn() {
    let host = host(|config| config.calls = 1);
    let spinning = Guest { describe: "(loop br 0) unreachable".to_owned(), ..Guest::default() };
    let case = case(&host, spinning).await;
    let left = tokio::time::timeout(Duration::from_millis(100), case.describer.describe(&case.subject)).await;
    assert!(left.is_err());
    // The only turn is free again, for many at once.
    let calls = (0..20).map(|_| case.describer.history(&case.subject, None, 10));
    for answer in futures::future::join_all(calls).await {
        answer.unwrap();
    }
}

#[tokio::test]
async fn waiting_has_an_end() {
    let host = host(|config| {
        config.calls = 1;
        config.queue = Duration::from_millis(100);
        config.limits.describe = Duration::from_secs(3);
    });
    let spinning = Guest { describe: "(loop br 0) unreachable".to_owned(), ..Guest::default() };
    let case = case(&host, spinning).await;
    let (first, second) =
        tokio::join!(case.describer.describe(&case.subject), case.describer.history(&case.subject, None, 1));
    assert!(matches!(first.unwrap_err(), Error::TimedOut(_)));
    assert!(matches!(second.unwrap_err(), Error::Quota(_)));
}
