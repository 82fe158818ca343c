//! Every kind of Lance's errors has a meaning of ours; only its own faults are faults of the server.

use lance_core::error::CloneableError;

use super::*;

#[test]
fn messages_lose_paths_and_source_lines() {
    assert_eq!(clean("bad file /srv/data/t/x.lance, /opt/lance/src/dataset.rs:12:3"), "bad file …");
    assert_eq!(clean("s3://bucket/key is odd"), "… is odd");
    assert_eq!(clean("1 / 2 and a/b stay"), "1 / 2 and a/b stay");
}

#[test]
fn the_stores_refusals_keep_their_meaning() {
    let denied = StoreError::PermissionDenied { path: "x".into(), source: "no".into() };
    assert!(matches!(map(LanceError::from(denied)), Error::Denied));
    let full = std::io::Error::new(std::io::ErrorKind::StorageFull, "full");
    assert!(matches!(map(LanceError::from(full)), Error::Quota(_)));
}

#[test]
fn what_lance_knows_no_word_for_stays_internal_and_silent() {
    let mapped = map(LanceError::internal("secret /srv/path"));
    assert!(matches!(mapped, Error::Internal(_)));
    assert!(!mapped.to_string().contains("secret"));
}

/// A text of what is wrong, which Lance wraps in most of its kinds.
fn text() -> Box<dyn StdError + Send + Sync> {
    "something about /srv/data/t/x.lance".into()
}

fn timed_out() -> Box<dyn StdError + Send + Sync> {
    Box::new(std::io::Error::new(std::io::ErrorKind::TimedOut, "late"))
}

/// One error of each kind, by the name it has in Lance, with what it becomes.
fn every_kind() -> Vec<(LanceError, &'static str)> {
    use LanceError as L;
    let arrow = arrow_schema::ArrowError::CastError("Can't cast value x".to_owned());
    vec![
        (L::invalid_input("k is odd"), "InvalidRequest"),
        (L::dataset_already_exists("x"), "AlreadyExists"),
        (L::schema_mismatch("a is missing"), "SchemaMismatch"),
        (L::dataset_not_found("x", text()), "NotFound"),
        (L::corrupt_file("x".into(), "short"), "Corrupt"),
        (L::not_supported("that"), "Unsupported"),
        (L::commit_conflict_source(1, text()), "Conflict"),
        (L::incompatible_transaction_source(text()), "Conflict"),
        (L::retryable_commit_conflict_source(1, text()), "Conflict"),
        (L::too_much_write_contention("many"), "Conflict"),
        (L::timeout("late"), "Unavailable"),
        (L::internal("a bug"), "Internal"),
        (L::prerequisite_failed("x"), "Unavailable"),
        (L::unprocessable("x"), "InvalidRequest"),
        (L::from(arrow), "InvalidRequest"),
        (L::schema("x"), "InvalidRequest"),
        (L::not_found("x"), "NotFound"),
        (L::io_source(timed_out()), "Unavailable"),
        (L::index("x"), "InvalidRequest"),
        (L::index_not_found("x"), "NoSuchIndex"),
        (L::InvalidTableLocation { message: "x".to_owned() }, "InvalidRequest"),
        (L::Stop, "Unavailable"),
        (L::wrapped(timed_out()), "Unavailable"),
        (L::cloned("x"), "Unavailable"),
        (L::execution("Divide by zero error"), "InvalidRequest"),
        (L::InvalidRef { message: "x".to_owned() }, "InvalidRequest"),
        (L::RefConflict { message: "x".to_owned() }, "Conflict"),
        (L::RefNotFound { message: "x".to_owned() }, "InvalidRequest"),
        (L::Cleanup { message: "x".to_owned() }, "InvalidRequest"),
        (L::VersionNotFound { message: "x".to_owned() }, "NoSuchVersion"),
        (L::version_conflict("x", 9, 9), "Unsupported"),
        (L::namespace_source(timed_out()), "Unavailable"),
        (L::external(timed_out()), "Unavailable"),
        (L::field_not_found("x", vec!["y".to_owned()]), "NoSuchColumn"),
        (L::disk_cap_exceeded(1, 2), "Quota"),
        (L::fenced_by_peer("x"), "Conflict"),
        (L::backpressure("x"), "Unavailable"),
        (L::Shared { source: Arc::new(L::timeout("late")) }, "Unavailable"),
    ]
}

/// The kind's name in Lance. No kind is left out, so a new one does not compile until it has a case.
fn kind(error: &LanceError) -> &'static str {
    macro_rules! names {
        ($($name:ident),*) => { match error { $(LanceError::$name { .. } => stringify!($name),)* } };
    }
    names!(
        InvalidInput,
        DatasetAlreadyExists,
        SchemaMismatch,
        DatasetNotFound,
        CorruptFile,
        NotSupported,
        CommitConflict,
        IncompatibleTransaction,
        RetryableCommitConflict,
        TooMuchWriteContention,
        Timeout,
        Internal,
        PrerequisiteFailed,
        Unprocessable,
        Arrow,
        Schema,
        NotFound,
        IO,
        Index,
        IndexNotFound,
        InvalidTableLocation,
        Stop,
        Wrapped,
        Cloned,
        Execution,
        InvalidRef,
        RefConflict,
        RefNotFound,
        Cleanup,
        VersionNotFound,
        VersionConflict,
        Namespace,
        External,
        FieldNotFound,
        DiskCapExceeded,
        Fenced,
        Backpressure,
        Shared
    )
}

/// How many kinds there are: as many as `kind` names.
const KINDS: usize = 38;

#[test]
fn every_kind_has_a_meaning_and_only_lances_own_faults_are_internal() {
    let mut seen = std::collections::BTreeSet::new();
    for (error, meaning) in every_kind() {
        let name = kind(&error);
        seen.insert(name);
        let mapped = map(error);
        let debug = format!("{mapped:?}");
        assert!(debug.starts_with(meaning), "{name} became {debug}");
        assert!(!mapped.to_string().contains("/srv/"), "{name}: {mapped}");
    }
    assert_eq!(seen.len(), KINDS, "{seen:?}");
}

#[test]
fn an_error_that_several_wait_for_keeps_its_meaning() {
    let shared = CloneableError::new(LanceError::field_not_found("x", Vec::new()));
    let other = shared.clone();
    assert!(matches!(map(shared.into_inner()), Error::NoSuchColumn(_)));
    assert!(matches!(map(other.into_inner()), Error::NoSuchColumn(_)));
    let kept = Arc::new(LanceError::external(timed_out()));
    assert!(matches!(map(LanceError::Shared { source: Arc::clone(&kept) }), Error::Unavailable(_)));
}

#[test]
fn a_query_out_of_memory_is_a_limit_and_not_a_fault() {
    let spent = || DataFusionError::ResourcesExhausted("150 MB".to_owned());
    assert!(matches!(map(LanceError::from(spent())), Error::Quota(_)));
    assert!(matches!(map(LanceError::from(spent().context("joining"))), Error::Quota(_)));
    assert!(matches!(map(LanceError::from(DataFusionError::Shared(Arc::new(spent())))), Error::Quota(_)));
    let odd = DataFusionError::Internal("a bug".to_owned());
    assert!(matches!(map(LanceError::from(odd)), Error::Internal(_)));
}

#[test]
fn a_commit_of_unknown_outcome_says_so() {
    let unknown = LanceError::commit_status_unknown_source(7, text());
    let Error::Unavailable(said) = map(unknown) else { panic!("not unavailable") };
    assert!(said.contains("look at the table"), "{said}");
}
