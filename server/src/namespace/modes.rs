//! Modes and behaviours as clients spell them: any case, with or without underscores.

use crate::Problem;

/// What to do when the thing to create exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Create {
    /// That is an error.
    #[default]
    New,
    ExistOk,
    Overwrite,
}

/// What to do when the thing to drop does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Drop {
    #[default]
    Fail,
    Skip,
}

/// What to do with the contents of what is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Behavior {
    #[default]
    Restrict,
    Cascade,
}

/// Whether rows are added or replace all that were there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Insert {
    #[default]
    Append,
    Overwrite,
}

/// `ExistOk`, `EXIST_OK`, `exist-ok` and `exist_ok` are one word.
fn word(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

fn choose<T: Copy + Default>(
    what: &'static str,
    text: Option<&str>,
    choices: &[(&'static str, T)],
) -> Result<T, Problem> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(T::default()) };
    let asked = word(text);
    choices.iter().find(|(name, _)| word(name) == asked).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        Problem::invalid(format!("Not a {what} here. Use one of: {}", names.join(", ")))
            .field(what, names.join(", "))
            .code(13)
    })
}

impl Create {
    pub(super) fn parse(text: Option<&str>) -> Result<Self, Problem> {
        choose(
            "mode",
            text,
            &[("Create", Self::New), ("ExistOk", Self::ExistOk), ("Overwrite", Self::Overwrite)],
        )
    }

    /// Registering knows no `ExistOk`.
    pub(super) fn parse_register(text: Option<&str>) -> Result<Self, Problem> {
        choose("mode", text, &[("Create", Self::New), ("Overwrite", Self::Overwrite)])
    }
}

impl Drop {
    pub(super) fn parse(text: Option<&str>) -> Result<Self, Problem> {
        choose("mode", text, &[("Fail", Self::Fail), ("Skip", Self::Skip)])
    }
}

impl Behavior {
    pub(super) fn parse(text: Option<&str>) -> Result<Self, Problem> {
        choose("behavior", text, &[("Restrict", Self::Restrict), ("Cascade", Self::Cascade)])
    }
}

impl Insert {
    pub(super) fn parse(text: Option<&str>) -> Result<Self, Problem> {
        choose("mode", text, &[("Append", Self::Append), ("Overwrite", Self::Overwrite)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_read_in_any_case_and_spelling() {
        for text in ["ExistOk", "EXIST_OK", "exist_ok", "existok", "exist-ok"] {
            assert_eq!(Create::parse(Some(text)).unwrap(), Create::ExistOk, "{text}");
        }
        assert_eq!(Create::parse(Some("OVERWRITE")).unwrap(), Create::Overwrite);
        assert_eq!(Drop::parse(Some("SKIP")).unwrap(), Drop::Skip);
        assert_eq!(Behavior::parse(Some("cascade")).unwrap(), Behavior::Cascade);
        assert_eq!(Insert::parse(Some("Overwrite")).unwrap(), Insert::Overwrite);
    }

    #[test]
    fn no_mode_is_the_careful_one_and_an_unknown_one_is_refused() {
        assert_eq!(Create::parse(None).unwrap(), Create::New);
        assert_eq!(Create::parse(Some("")).unwrap(), Create::New);
        let refused = Create::parse(Some("replace")).unwrap_err();
        assert_eq!(refused.namespace_code, Some(13));
        assert!(refused.detail.contains("ExistOk"));
        assert!(Create::parse_register(Some("ExistOk")).is_err());
    }
}
