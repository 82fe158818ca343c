//! The one place where Lance's errors become the ports' errors.
//!
//! Lance's own messages carry source lines and storage paths. What leaves here is either a message of
//! ours or Lance's innermost text with paths taken out; the original stays as the source, for the log.

use std::error::Error as StdError;

use datafusion::sql::sqlparser::parser::ParserError;
use datafusion::sql::sqlparser::tokenizer::TokenizerError;
use lakeglass_ports::Error;
use lance_core::Error as LanceError;
use object_store::Error as StoreError;

/// An error of Lance as one of ours.
pub(crate) fn map(error: LanceError) -> Error {
    match error {
        LanceError::DatasetNotFound { .. } | LanceError::NotFound { .. } => Error::NotFound,
        LanceError::DatasetAlreadyExists { .. } => Error::AlreadyExists,
        LanceError::SchemaMismatch { difference, .. } => Error::SchemaMismatch(clean(&difference)),
        LanceError::CorruptFile { source, .. } => Error::Corrupt(clean(&source.to_string())),
        LanceError::NotSupported { source, .. } => Error::Unsupported(clean(&source.to_string())),
        LanceError::VersionConflict { message, .. } => Error::Unsupported(clean(&message)),
        LanceError::CommitConflict { .. }
        | LanceError::IncompatibleTransaction { .. }
        | LanceError::RetryableCommitConflict { .. }
        | LanceError::TooMuchWriteContention { .. }
        | LanceError::RefConflict { .. } => Error::Conflict,
        LanceError::Timeout { .. } => Error::Unavailable("it did not answer in time".to_owned()),
        LanceError::IndexNotFound { identity, .. } => Error::NoSuchIndex(clean(&identity)),
        LanceError::FieldNotFound { source } => Error::NoSuchColumn(source.field_name),
        LanceError::VersionNotFound { .. } => Error::NoSuchVersion("of that number".to_owned()),
        LanceError::InvalidRef { message } | LanceError::RefNotFound { message } => {
            Error::InvalidRequest(clean(&message))
        }
        LanceError::InvalidInput { source, .. } => invalid_input(source.as_ref()),
        LanceError::Schema { message, .. } | LanceError::Unprocessable { message, .. } => {
            invalid_text(&message)
        }
        LanceError::DiskCapExceeded { .. } => Error::Quota("temporary disk space".to_owned()),
        LanceError::IO { source, .. } | LanceError::External { source } => boxed(source),
        LanceError::Wrapped { error, .. } => boxed(error),
        other => Error::internal(other),
    }
}

/// Maps an error that may be Lance's, the store's or anything else in a box.
fn boxed(source: Box<dyn StdError + Send + Sync>) -> Error {
    let source = match source.downcast::<LanceError>() {
        Ok(inner) => return map(*inner),
        Err(other) => other,
    };
    let source = match source.downcast::<datafusion::error::DataFusionError>() {
        Ok(inner) => return map(LanceError::from(*inner)),
        Err(other) => other,
    };
    let source = match source.downcast::<Error>() {
        Ok(ours) => return *ours,
        Err(other) => other,
    };
    let source = match source.downcast::<ParserError>() {
        Ok(inner) => return Error::InvalidRequest(clean(&inner.to_string())),
        Err(other) => other,
    };
    let source = match source.downcast::<TokenizerError>() {
        Ok(inner) => return Error::InvalidRequest(clean(&inner.to_string())),
        Err(other) => other,
    };
    match source.downcast::<StoreError>() {
        Ok(inner) => store(*inner),
        Err(other) => in_chain(other),
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
        if let Some(datafusion::error::DataFusionError::SchemaError(schema, _)) = inner.downcast_ref()
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
mod tests {
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
}
