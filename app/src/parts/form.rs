//! Forms that work without scripts: labels, hints, and errors beside the field and in a summary.

use std::collections::BTreeMap;

use leptos::prelude::*;

/// What was typed and what was wrong with it, so that a refused form comes back as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form {
    values: BTreeMap<String, String>,
    /// In the order found; the field may be empty for an error of the whole form.
    errors: Vec<(String, String)>,
}

impl Form {
    /// An untouched form with what its fields start with.
    pub fn with<K: Into<String>, V: Into<String>>(values: impl IntoIterator<Item = (K, V)>) -> Self {
        let values = values.into_iter().map(|(k, v)| (k.into(), v.into())).collect();
        Self { values, errors: Vec::new() }
    }

    /// Puts what was typed over what the fields start with.
    #[must_use]
    pub fn typed<K: Into<String>, V: Into<String>>(
        mut self,
        values: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        self.values.extend(values.into_iter().map(|(k, v)| (k.into(), v.into())));
        self
    }

    /// Marks a field as wrong; an empty field name is the whole form.
    #[must_use]
    pub fn error(mut self, field: impl Into<String>, message: impl Into<String>) -> Self {
        self.errors.push((field.into(), message.into()));
        self
    }

    pub fn value(&self, name: &str) -> String {
        self.values.get(name).cloned().unwrap_or_default()
    }

    pub fn is_checked(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// What is wrong with a field.
    pub fn message(&self, name: &str) -> Option<String> {
        self.errors.iter().find(|(field, _)| field == name).map(|(_, message)| message.clone())
    }
}

/// What stands above a refused form: each error, linked to its field. Nothing when all is well.
pub fn error_summary(form: &Form) -> Option<AnyView> {
    if form.errors.is_empty() {
        return None;
    }
    let items = form
        .errors
        .iter()
        .map(|(field, message)| {
            let message = message.clone();
            if field.is_empty() {
                view! { <li>{message}</li> }.into_any()
            } else {
                view! { <li><a href=format!("#{field}")>{message}</a></li> }.into_any()
            }
        })
        .collect_view();
    Some(
        view! {
            <div class="error-summary" role="alert" aria-labelledby="error-title" tabindex="-1">
                <h2 id="error-title">"There is a problem"</h2>
                <ul>{items}</ul>
            </div>
        }
        .into_any(),
    )
}

/// A label, a hint, the error and the control made by `control` with (described-by, invalid).
fn field(
    form: &Form,
    name: &'static str,
    label: String,
    hint: String,
    control: impl FnOnce(Option<String>, Option<&'static str>) -> AnyView,
) -> AnyView {
    let message = form.message(name);
    let mut described = Vec::new();
    if !hint.is_empty() {
        described.push(format!("{name}-hint"));
    }
    if message.is_some() {
        described.push(format!("{name}-error"));
    }
    let invalid = message.is_some().then_some("true");
    let described = (!described.is_empty()).then(|| described.join(" "));
    let class = if message.is_some() { "field wrong" } else { "field" };
    let hint =
        (!hint.is_empty()).then(|| view! { <span class="hint" id=format!("{name}-hint")>{hint}</span> });
    let message =
        message.map(|message| view! { <span class="error" id=format!("{name}-error")>{message}</span> });
    view! {
        <div class=class><label for=name>{label}</label>{hint}{message}{control(described, invalid)}</div>
    }
    .into_any()
}

/// A line of text. `name` is the field's id too.
pub fn text_field(
    form: &Form,
    name: &'static str,
    label: impl Into<String>,
    hint: impl Into<String>,
) -> AnyView {
    input(form, name, "text", None, label.into(), hint.into())
}

/// A date and a time, to the minute or the second, without a zone: say in `label` which one is meant.
pub fn time_field(
    form: &Form,
    name: &'static str,
    label: impl Into<String>,
    hint: impl Into<String>,
) -> AnyView {
    input(form, name, "datetime-local", None, label.into(), hint.into())
}

/// A password; never filled with what was typed. `autocomplete`: "current-password" or "new-password".
pub fn password_field(
    form: &Form,
    name: &'static str,
    autocomplete: &'static str,
    label: impl Into<String>,
    hint: impl Into<String>,
) -> AnyView {
    input(form, name, "password", Some(autocomplete), label.into(), hint.into())
}

fn input(
    form: &Form,
    name: &'static str,
    kind: &'static str,
    autocomplete: Option<&'static str>,
    label: String,
    hint: String,
) -> AnyView {
    let value = (kind != "password").then(|| form.value(name));
    field(form, name, label, hint, |described, invalid| {
        // Browsers refuse a time that is not on a step from midnight; by default a step is a minute.
        let step = (kind == "datetime-local").then_some("1");
        view! {
            <input type=kind id=name name=name value=value step=step autocomplete=autocomplete.unwrap_or("off")
                spellcheck="false" aria-describedby=described aria-invalid=invalid/>
        }
        .into_any()
    })
}

/// Several lines of text.
pub fn text_area(
    form: &Form,
    name: &'static str,
    label: impl Into<String>,
    hint: impl Into<String>,
    rows: u8,
) -> AnyView {
    let value = form.value(name);
    field(form, name, label.into(), hint.into(), |described, invalid| {
        view! {
            <textarea id=name name=name rows=rows.to_string() spellcheck="false"
                aria-describedby=described aria-invalid=invalid inner_html=area_text(&value)></textarea>
        }
        .into_any()
    })
}

/// Text as a `<textarea>` holds it: escaped, after a line break that the browser drops. Without that
/// break it would drop one of the person's own.
fn area_text(text: &str) -> String {
    format!("\n{}", text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
}

/// One choice of a [`select_field`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub value: String,
    pub label: String,
}

impl Choice {
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self { value: value.into(), label: label.into() }
    }
}

pub fn select_field(
    form: &Form,
    name: &'static str,
    label: impl Into<String>,
    hint: impl Into<String>,
    choices: Vec<Choice>,
) -> AnyView {
    let chosen = form.value(name);
    field(form, name, label.into(), hint.into(), |described, invalid| {
        let options = choices
            .into_iter()
            .map(|choice| {
                let selected = choice.value == chosen;
                view! { <option value=choice.value selected=selected>{choice.label}</option> }
            })
            .collect_view();
        view! { <select id=name name=name aria-describedby=described aria-invalid=invalid>{options}</select> }
            .into_any()
    })
}

/// A box to tick; it is sent as `on`.
pub fn checkbox(
    form: &Form,
    name: &'static str,
    label: impl Into<String>,
    hint: impl Into<String>,
) -> AnyView {
    let hint = hint.into();
    let checked = form.is_checked(name);
    let hint = (!hint.is_empty()).then(|| view! { <span class="hint">{hint}</span> });
    view! {
        <label class="check">
            <input type="checkbox" id=name name=name checked=checked/>
            <span>{label.into()}{hint}</span>
        </label>
    }
    .into_any()
}

/// A value that the form sends and nobody sees.
pub fn hidden(name: &'static str, value: impl Into<String>) -> AnyView {
    view! { <input type="hidden" name=name value=value.into()/> }.into_any()
}
