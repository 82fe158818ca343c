//! A guest's error as the port's.

use lakeglass_ports::Error as PortError;

use super::text::{NAME, SENTENCE, line};
use crate::bindings::lakeglass::describer::types::{Error, StoreError};

/// `plugin` names who says so; `object` is the single object asked about, when it is one.
pub(crate) fn converted(error: Error, plugin: &str, object: Option<&str>) -> PortError {
    match error {
        Error::NotThisFormat => PortError::NotThisFormat,
        Error::Unsupported(what) => PortError::Unsupported(line(&what, SENTENCE)),
        Error::Corrupt((Some(path), why)) => {
            PortError::Corrupt(format!("{}: {}", line(&path, NAME), line(&why, SENTENCE)))
        }
        Error::Corrupt((None, why)) => PortError::Corrupt(line(&why, SENTENCE)),
        Error::NoSuchSnapshot(id) => PortError::NoSuchVersion(line(&id, NAME)),
        Error::NoSuchMember(_) => PortError::NotFound,
        Error::InvalidRequest(why) => PortError::InvalidRequest(line(&why, SENTENCE)),
        Error::Internal(why) => PortError::Plugin { plugin: plugin.to_owned(), cause: line(&why, SENTENCE) },
        Error::Store((path, refusal)) => {
            let shown = line(&path, NAME);
            match refusal {
                StoreError::NotFound if object == Some(path.as_str()) => PortError::NotFound,
                StoreError::NotFound => PortError::Corrupt(format!("{shown} is missing")),
                StoreError::Denied => PortError::Denied,
                StoreError::BadPath => PortError::OutsideGrant(shown),
                StoreError::BadRange => PortError::Plugin {
                    plugin: plugin.to_owned(),
                    cause: format!("it asked for a part of {shown} that cannot be read"),
                },
                StoreError::Changed => PortError::Conflict,
                StoreError::Quota(spent) => PortError::Quota(line(&spent, SENTENCE)),
                StoreError::Unavailable(why) => PortError::Unavailable(line(&why, SENTENCE)),
            }
        }
    }
}
