//! The one place where Lance's errors become the ports' errors.
//!
//! Lance's own messages carry source lines and storage paths. What leaves here is either a message of
//! ours or Lance's innermost text with paths taken out; the original stays as the source, for the log.

use std::error::Error as StdError;
use std::sync::Arc;

use datafusion::error::DataFusionError;
use datafusion::sql::sqlparser::parser::ParserError;
use datafusion::sql::sqlparser::tokenizer::TokenizerError;
use lakeglass_ports::Error;
use lance_core::Error as LanceError;
use object_store::Error as StoreError;

/// An error of Lance as one of ours.
pub(crate) fn map(error: LanceError) -> Error {
    if let Some(known) = of_kind(&error) {
        return known;
    }
    match error {
        LanceError::IO { source, .. }
        | LanceError::External { source }
        | LanceError::Namespace { source, .. } => boxed(source),
        LanceError::Wrapped { error, .. } => boxed(error),
        LanceError::Shared { source } => match Arc::try_unwrap(source) {
            Ok(alone) => map(alone),
            Err(shared) => in_chain(Box::new(LanceError::Shared { source: shared })),
        },
        other => Error::internal(other),
    }
}

/// What a kind of error says by itself; none where what it holds decides. No kind is left out: one that
/// a later version of Lance adds does not compile.
fn of_kind(error: &LanceError) -> Option<Error> {
    Some(match error {
        LanceError::DatasetNotFound { .. } | LanceError::NotFound { .. } => Error::NotFound,
        LanceError::DatasetAlreadyExists { .. } => Error::AlreadyExists,
        LanceError::SchemaMismatch { difference, .. } => Error::SchemaMismatch(clean(difference)),
        LanceError::CorruptFile { source, .. } => Error::Corrupt(clean(&source.to_string())),
        LanceError::NotSupported { source, .. } => Error::Unsupported(clean(&source.to_string())),
        LanceError::VersionConflict { message, .. } => Error::Unsupported(clean(message)),
        LanceError::CommitConflict { .. }
        | LanceError::IncompatibleTransaction { .. }
        | LanceError::RetryableCommitConflict { .. }
        | LanceError::TooMuchWriteContention { .. }
        | LanceError::RefConflict { .. }
        | LanceError::Fenced { .. } => Error::Conflict,
        LanceError::Timeout { .. } => Error::Unavailable("it did not answer in time".to_owned()),
        LanceError::Backpressure { .. } => Error::Unavailable("too much is being written".to_owned()),
        // These carry no cause, only that other work failed or was stopped: mostly a read of the store.
        LanceError::PrerequisiteFailed { .. } | LanceError::Cloned { .. } | LanceError::Stop => {
            Error::Unavailable("a read that others needed failed".to_owned())
        }
        LanceError::IndexNotFound { identity, .. } => Error::NoSuchIndex(clean(identity)),
        LanceError::FieldNotFound { source } => Error::NoSuchColumn(source.field_name.clone()),
        LanceError::VersionNotFound { .. } => Error::NoSuchVersion("of that number".to_owned()),
        LanceError::InvalidInput { source, .. } => invalid_input(source.as_ref()),
        LanceError::Schema { message, .. }
        | LanceError::Unprocessable { message, .. }
        // Values that cannot be cast or computed, by what the request asked for.
        | LanceError::Arrow { message, .. }
        | LanceError::Execution { message, .. }
        | LanceError::Index { message, .. }
        | LanceError::InvalidRef { message }
        | LanceError::RefNotFound { message }
        | LanceError::InvalidTableLocation { message }
        | LanceError::Cleanup { message } => invalid_text(message),
        LanceError::DiskCapExceeded { .. } => Error::Quota("temporary disk space".to_owned()),
        LanceError::IO { .. }
        | LanceError::External { .. }
        | LanceError::Namespace { .. }
        | LanceError::Wrapped { .. }
        | LanceError::Shared { .. }
        // The one that is a fault of the library, by its own word.
        | LanceError::Internal { .. } => return None,
    })
}

/// Maps an error that may be Lance's, the store's or anything else in a box.
fn boxed(source: Box<dyn StdError + Send + Sync>) -> Error {
    let source = match source.downcast::<LanceError>() {
        Ok(inner) => return map(*inner),
        Err(other) => other,
    };
    let source = match source.downcast::<DataFusionError>() {
        Ok(inner) => return of_query(*inner),
        Err(other) => other,
    };
    let source = match source.downcast::<Error>() {
        Ok(ours) => return *ours,
        Err(other) => other,
    };
    if source.is::<lance_core::error::CommitStatusUnknownError>() {
        return Error::Unavailable(
            "it is not known whether the change was committed; look at the table before you repeat it"
                .to_owned(),
        );
    }
    match source.downcast::<StoreError>() {
        Ok(inner) => store(*inner),
        Err(other) => in_chain(other),
    }
}

/// An error of the query engine. Lance hands some kinds on as they are, so those are not asked of it.
fn of_query(error: DataFusionError) -> Error {
    match error {
        DataFusionError::ResourcesExhausted(_) => Error::Quota("memory for one query".to_owned()),
        DataFusionError::IoError(inner) => map(LanceError::from(inner)),
        DataFusionError::External(inner) => boxed(inner),
        known @ (DataFusionError::SQL(..)
        | DataFusionError::Plan(_)
        | DataFusionError::Configuration(_)
        | DataFusionError::SchemaError(..)
        | DataFusionError::ArrowError(..)
        | DataFusionError::NotImplemented(_)
        | DataFusionError::Execution(_)
        | DataFusionError::Diagnostic(..)
        | DataFusionError::Context(..)
        | DataFusionError::Collection(_)) => map(LanceError::from(known)),
        DataFusionError::Shared(inner) => match Arc::try_unwrap(inner) {
            Ok(alone) => of_query(alone),
            Err(shared) => in_chain(Box::new(DataFusionError::Shared(shared))),
        },
        other => in_chain(Box::new(other)),
    }
}

/// An error of the object store as one of ours.
pub(crate) fn store(error: StoreError) -> Error {
    match error {
        StoreError::NotFound { .. } => Error::NotFound,
        StoreError::PermissionDenied { .. } | StoreError::Unauthenticated { .. } => Error::Denied,
        StoreError::AlreadyExists { .. } | StoreError::Precondition { .. } => Error::Conflict,
        other => in_chain(Box::new(other)),
    }
}

/// Looks below an opaque error for one that says more: a full disk, a refused connection.
fn in_chain(error: Box<dyn StdError + Send + Sync>) -> Error {
    let mut next: Option<&(dyn StdError + 'static)> = Some(error.as_ref());
    while let Some(inner) = next {
        if let Some(io) = inner.downcast_ref::<std::io::Error>() {
            use std::io::ErrorKind as K;
            match io.kind() {
                K::NotFound => return Error::NotFound,
                K::PermissionDenied => return Error::Denied,
                K::StorageFull | K::QuotaExceeded => {
                    return Error::Quota("the storage has no space left".to_owned());
                }
                K::ConnectionRefused | K::ConnectionReset | K::ConnectionAborted | K::TimedOut => {
                    return Error::Unavailable("the connection failed".to_owned());
                }
                _ => {}
            }
        }
        if let Some(lance) = inner.downcast_ref::<LanceError>().map(LanceError::find_root) {
            if let Some(known) = of_kind(lance) {
                return known;
            }
            // This kind passes for what it holds, and so hides it.
            if let LanceError::External { source } = lance {
                next = Some(source.as_ref());
                continue;
            }
        }
        if inner.is::<ParserError>() || inner.is::<TokenizerError>() {
            return Error::InvalidRequest(clean(&inner.to_string()));
        }
        if let Some(DataFusionError::ResourcesExhausted(_)) = inner.downcast_ref() {
            return Error::Quota("memory for one query".to_owned());
        }
        match inner.downcast_ref::<StoreError>() {
            Some(StoreError::NotFound { .. }) => return Error::NotFound,
            Some(StoreError::PermissionDenied { .. } | StoreError::Unauthenticated { .. }) => {
                return Error::Denied;
            }
            Some(StoreError::Generic { .. }) => {
                return Error::Unavailable("it did not answer, or not as expected".to_owned());
            }
            _ => {}
        }
        next = inner.source();
    }
    Error::Internal(error)
}

fn invalid_input(source: &(dyn StdError + 'static)) -> Error {
    let mut next = Some(source);
    while let Some(inner) = next {
        if let Some(missing) = inner.downcast_ref::<lance_core::error::FieldNotFoundError>() {
            return Error::NoSuchColumn(missing.field_name.clone());
        }
        if let Some(DataFusionError::SchemaError(schema, _)) = inner.downcast_ref()
            && let datafusion::common::SchemaError::FieldNotFound { field, .. } = schema.as_ref()
        {
            return Error::NoSuchColumn(field.name.clone());
        }
        next = inner.source();
    }
    invalid_text(&source.to_string())
}

/// Lance reports unknown columns as text in some places; the name is quoted in it.
fn invalid_text(message: &str) -> Error {
    for (before, after) in [
        ("No field named ", "."),
        ("Column '", "'"),
        ("column '", "'"),
        ("Column ", " does not exist"),
        ("column ", " does not exist"),
        ("Field '", "' not found"),
        ("field '", "' not found"),
    ] {
        if let Some((_, rest)) = message.split_once(before)
            && let Some((name, tail)) = rest.split_once(after)
            && !name.is_empty()
            && name.len() <= 255
            && (before.starts_with("No field")
                || after.len() > 1
                || tail.trim_start().starts_with("does not exist")
                || tail.trim_start().starts_with("not found"))
        {
            return Error::NoSuchColumn(name.trim_matches(['"', '`', '\'']).to_owned());
        }
    }
    Error::InvalidRequest(clean(message))
}

/// A message without storage paths, source lines and line breaks, at most 400 characters.
pub(crate) fn clean(message: &str) -> String {
    let message = message.split("\n\nbacktrace").next().unwrap_or(message);
    let mut words = Vec::new();
    for word in message.split_whitespace() {
        let bare = word.trim_matches(|c: char| matches!(c, '"' | '\'' | '`' | ',' | '(' | ')' | ';' | ':'));
        let source_line = bare.contains(".rs:");
        let path = bare.contains("://") || (bare.starts_with('/') && bare[1..].contains('/'));
        if source_line {
            continue;
        }
        words.push(if path { "…" } else { word });
    }
    let mut text = words.join(" ");
    while let Some(rest) = text.strip_suffix([',', ' ']) {
        text.truncate(rest.len());
    }
    if text.chars().count() > 400 {
        text = text.chars().take(400).chain(['…']).collect();
    }
    text
}

#[cfg(test)]
mod tests;
