//! The fields of a posted form, as typed, and how a refusal goes back beside them.

use axum::extract::{FromRequest, Request};
use lakeglass_api::catalog::Properties;
use lakeglass_app::parts::Form;

use crate::problem::Problem;

/// `application/x-www-form-urlencoded` fields in the order sent. At most 2,000.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Fields(Vec<(String, String)>);

const MOST: usize = 2_000;

impl Fields {
    /// The field's text without space around it; empty when it was not sent.
    pub(super) fn text(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// The field's text exactly as typed: passwords.
    pub(super) fn raw(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// The text, or none when empty.
    pub(super) fn some(&self, name: &str) -> Option<&str> {
        Some(self.text(name)).filter(|text| !text.is_empty())
    }

    /// Whether a box was ticked.
    pub(super) fn ticked(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    /// What was typed, without secrets.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.0.iter().filter(|(key, _)| !is_secret(key)).cloned()
    }

    /// The form as it was typed, without secrets.
    pub(super) fn form(&self) -> Form {
        Form::with(self.pairs())
    }

    #[cfg(test)]
    pub(super) fn typed<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }
}

fn is_secret(name: &str) -> bool {
    matches!(name, "password" | "present" | "secret_key" | "secret")
}

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let axum::Form(fields) =
            axum::Form::<Vec<(String, String)>>::from_request(request, state).await.map_err(|rejection| {
                Problem::new(rejection.status(), "invalid", "This is not a form of the console")
            })?;
        if fields.len() > MOST {
            return Err(Problem::invalid("The form has too many fields"));
        }
        Ok(Self(fields))
    }
}

/// Puts a refusal beside the fields of a form. `names` maps a field of the service to one of the
/// form; what no field is to blame for is said in the summary.
pub(super) fn refused(form: Form, problem: &Problem, names: &[(&str, &'static str)]) -> Form {
    if problem.fields.is_empty() {
        return form.error("", problem.detail.clone());
    }
    problem.fields.iter().fold(form, |form, error| {
        let name = names.iter().find(|(service, _)| *service == error.field).map(|(_, name)| *name);
        form.error(name.unwrap_or(""), error.message.clone())
    })
}

/// An outcome that a form's page answers: what was made, or the refusal that a person can mend by typing
/// something else. Any other problem is an error page.
pub(super) fn mendable<T>(outcome: Result<T, impl Into<Problem>>) -> Result<Result<T, Problem>, Problem> {
    match outcome.map_err(Into::into) {
        Err(problem) if !problem.status.is_client_error() => Err(problem),
        answerable => Ok(answerable),
    }
}

/// Properties from lines of `key = value`. Empty lines are skipped.
pub(super) fn properties(text: &str) -> Result<Properties, String> {
    let mut properties = Properties::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let (key, value) = line
            .split_once('=')
            .map(|(key, value)| (key.trim(), value.trim()))
            .filter(|(key, _)| !key.is_empty())
            .ok_or_else(|| format!("Line {} is not key = value", index + 1))?;
        if properties.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(format!("The key {key} stands twice"));
        }
    }
    Ok(properties)
}

#[cfg(test)]
mod tests {
    use lakeglass_app::text::property_lines;

    use super::*;

    #[test]
    fn properties_are_lines_of_key_and_value() {
        let read = properties("owner = data team\r\n\n  a.b=c=d \nempty =").unwrap();
        assert_eq!(read["owner"], "data team");
        assert_eq!(read["a.b"], "c=d");
        assert_eq!(read["empty"], "");
        assert_eq!(properties(&property_lines(&read)).unwrap(), read);
        assert_eq!(properties("x"), Err("Line 1 is not key = value".into()));
        assert_eq!(properties("= x"), Err("Line 1 is not key = value".into()));
        assert_eq!(properties("a=1\na=2"), Err("The key a stands twice".into()));
    }

    #[test]
    fn secrets_do_not_come_back() {
        let fields = Fields::typed([("name", " x "), ("password", " p ")]);
        assert_eq!(fields.text("name"), "x");
        assert_eq!(fields.raw("password"), " p ");
        assert_eq!(fields.form().value("password"), "");
    }

    #[test]
    fn a_refusal_stands_beside_the_field_it_blames() {
        let problem = Problem::invalid("bad").field("bucket", "rule").field("other", "elsewhere");
        let form = refused(Form::default(), &problem, &[("bucket", "name")]);
        assert_eq!(form, Form::default().error("name", "rule").error("", "elsewhere"));
        let form = refused(Form::default(), &Problem::invalid("bad"), &[]);
        assert_eq!(form, Form::default().error("", "bad"));
    }
}
