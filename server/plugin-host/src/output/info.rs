//! What a plugin says of itself, and whether that is acceptable.

use lakeglass_api::FormatId;
use lakeglass_ports::{Capabilities, Claim, FormatInfo, OptionSpec};

use super::text::{NAME, SENTENCE, line};
use crate::bindings::exports::lakeglass::describer::describer as wit;

const MAX_FORMATS: usize = 32;
const MAX_CLAIMS: usize = 64;
const MAX_OPTIONS: usize = 32;

/// A plugin by its own, checked words.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) id: String,
    pub(crate) version: String,
    pub(crate) formats: Vec<Served>,
}

#[derive(Debug, Clone)]
pub(crate) struct Served {
    pub(crate) info: FormatInfo,
    pub(crate) target: Target,
}

/// What a table of a format is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Tree,
    Object,
    Either,
}

/// Checks identifier, version, formats and claims; `name` is what the plugin must go by.
pub(crate) fn checked(name: &str, info: wit::PluginInfo) -> Result<About, String> {
    if !is_identifier(&info.id) {
        return Err(format!("{:?} is no identifier: use a to z, 0 to 9 and -", line(&info.id, 80)));
    }
    if info.id != name {
        return Err(format!("it calls itself {}", info.id));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    if info.version.is_empty() || info.version.len() > 64 || !info.version.chars().all(plain) {
        return Err(format!("{:?} is no version", line(&info.version, 80)));
    }
    if info.formats.is_empty() || info.formats.len() > MAX_FORMATS {
        return Err(format!("it must serve 1 to {MAX_FORMATS} formats"));
    }
    let formats = info.formats.into_iter().map(served).collect::<Result<Vec<_>, _>>()?;
    for (index, format) in formats.iter().enumerate() {
        if formats[..index].iter().any(|other| other.info.id == format.info.id) {
            return Err(format!("it serves {} twice", format.info.id));
        }
    }
    Ok(About { id: info.id, version: info.version, formats })
}

fn served(format: wit::Format) -> Result<Served, String> {
    let id = format.id;
    if !is_identifier(&id) {
        return Err(format!("{:?} is no format identifier", line(&id, 80)));
    }
    if id == FormatId::lance().as_str() {
        return Err("lance is served by the server itself".to_owned());
    }
    let tree = format.targets.iter().any(|target| matches!(target, wit::TargetKind::Tree));
    let object = format.targets.iter().any(|target| matches!(target, wit::TargetKind::SingleObject));
    let target = match (tree, object) {
        (true, true) => Target::Either,
        (false, true) => Target::Object,
        (true, false) => Target::Tree,
        (false, false) => return Err(format!("{id} has neither folders nor single objects for tables")),
    };
    if format.claims.len() > MAX_CLAIMS || format.options.len() > MAX_OPTIONS {
        return Err(format!("{id} has more than {MAX_CLAIMS} claims or {MAX_OPTIONS} options"));
    }
    let claims = format.claims.into_iter().map(|found| claim(&id, found)).collect::<Result<_, _>>()?;
    let options = format.options.into_iter().map(option).collect();
    let info = FormatInfo {
        id: FormatId::new(id),
        title: line(&format.title, 80),
        single_object: object,
        claims,
        capabilities: Capabilities {
            preview: format.can_preview,
            filter: false,
            history: format.can_time_travel,
            time_travel: format.can_time_travel,
            references: format.can_time_travel,
            indices: false,
        },
        options,
    };
    Ok(Served { info, target })
}

/// Refuses claims so wide that scanning would ask the plugin about everything.
fn claim(format: &str, claim: wit::Claim) -> Result<Claim, String> {
    let (text, claim) = match claim {
        wit::Claim::Exact(path) => (path.clone(), Claim::Exact(path)),
        wit::Claim::Folder(name) => (name.clone(), Claim::Folder(name)),
        wit::Claim::Glob(pattern) => (pattern.replace(['*', '?', '/', '.'], ""), Claim::Glob(pattern)),
        wit::Claim::Suffix(suffix) => (suffix.trim_start_matches('.').to_owned(), Claim::Suffix(suffix)),
        wit::Claim::Magic((offset, bytes)) => {
            if bytes.len() < 2 || bytes.len() > 64 {
                return Err(format!("{format} claims by {} bytes: use 2 to 64", bytes.len()));
            }
            return Ok(Claim::Magic(offset, bytes));
        }
    };
    let acceptable = (2..=256).contains(&text.len()) && text == line(&text, 256);
    if acceptable {
        Ok(claim)
    } else {
        Err(format!("{format} claims {:?}, which is too wide", line(&text, 80)))
    }
}

fn option(spec: wit::OptionSpec) -> OptionSpec {
    OptionSpec {
        key: line(&spec.key, 64),
        title: line(&spec.title, 80),
        doc: line(&spec.doc, SENTENCE),
        default: spec.default.map(|value| line(&value, NAME)),
        choices: spec.choices.iter().take(64).map(|choice| line(choice, 80)).collect(),
    }
}

fn is_identifier(id: &str) -> bool {
    (1..=64).contains(&id.len())
        && id.starts_with(|c: char| c.is_ascii_lowercase())
        && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}
